#include "facts/observation_fields.h"

#include <array>

namespace prescope {

namespace {

constexpr std::array kFlags{
    FlagName{RankingFlags::kSorted, "sorted", "ordered by something other than the score"},
    FlagName{RankingFlags::kRetried, "retried", "the engine failed and was asked again"},
    FlagName{RankingFlags::kPartial, "partial", "a timeout or a lost shard cut the search short"},
    FlagName{RankingFlags::kDeepened, "deepened",
             "the adapter asked for more hits than the host did"},
    FlagName{RankingFlags::kUntimed, "untimed", "searched at another time: no latency is kept"},
    FlagName{RankingFlags::kShadow, "shadow", "searched for comparison: nobody waited for it"},
    FlagName{RankingFlags::kFailed, "failed", "the engine failed; there is no ranking"},
    FlagName{RankingFlags::kTimedOut, "timed_out", "the engine gave up; there is no ranking"},
    FlagName{RankingFlags::kFiltered, "filtered",
             "a filter, a least score or a decider of the user left documents out"},
    FlagName{RankingFlags::kCollapsed, "collapsed", "one hit stands for a group of documents"},
    FlagName{RankingFlags::kSeveralDocnos, "several_docnos",
             "a document of the index carries several docnos that the topic judges"},
    FlagName{RankingFlags::kUnseen, "unseen",
             "announced, and no answer was seen; with `compared_arms` above 0: the visit was to be "
             "compared, and was not yet"},
    FlagName{RankingFlags::kRepeated, "repeated", "the arm had searched the query just before"},
    FlagName{RankingFlags::kReplaced, "replaced",
             "another ranking of this search for comparison does not count"},
    FlagName{RankingFlags::kGivenUp, "given_up",
             "some arm's ranking for comparison is not waited for any longer"},
    FlagName{RankingFlags::kAwaited, "awaited",
             "the host reports the rankings of this comparison, whenever they come"},
};

}  // namespace

std::string field_names() {
  std::string names;
  for_each_field([&](const auto& field) {
    if (!names.empty()) names += ", ";
    names += field.name;
  });
  return names;
}

std::span<const FlagName> flag_table() noexcept { return kFlags; }

std::vector<std::string_view> flag_names(RankingFlags flags) {
  std::vector<std::string_view> names;
  for (const FlagName& one : kFlags) {
    if (has(flags, one.flag)) names.push_back(one.name);
  }
  return names;
}

}  // namespace prescope
