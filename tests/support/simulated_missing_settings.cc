#include <fmt/format.h>

#include "support/simulated_settings.h"

namespace prescope::simulation {
namespace {

using Outcome = Answer::Outcome;

/// What becomes of arm B's answer to some of the topics.
struct Fault {
  std::string_view what;
  std::string_view why;  ///< the claims are wrong
  Claims wrong;
  void (*befall)(Answer&);
};

constexpr std::string_view kEmpty = "Both arms rank alike, and a failure is an empty ranking.";
constexpr std::string_view kUnknown = "Both arms rank alike; what is missing is not known.";
constexpr std::string_view kEnded = "Both arms rank alike, but the lists of B end early.";

/// In the hardest 5, 10 and 20 %.
constexpr Fault kFailures[] = {
    {"fails", kEmpty, Claims::kBBetter, [](Answer& b) { b.outcome = Outcome::kFailed; }},
    {"times out", kEmpty, Claims::kBBetter, [](Answer& b) { b.outcome = Outcome::kTimedOut; }},
    {"ends its list with a full page", kEnded, Claims::kBBetter,
     [](Answer& b) { b.requested = b.available = 10, b.total_hits = 10; }},
};
/// In the easiest 20 %, too.
constexpr Fault kUnknowns[] = {
    {"is answered by a cache", kUnknown, Claims::kAnyBetter,
     [](Answer& b) { b.outcome = Outcome::kUnseen; }},
    {"is asked for 20 of 50 ranks", kUnknown, Claims::kAnyBetter,
     [](Answer& b) { b.requested = 20; }},
};
constexpr Fault kCollapsed = {"collapses its hits", kUnknown, Claims::kAnyBetter,
                              [](Answer& b) { b.flags = RankingFlags::kCollapsed; }};
constexpr Fault kForgotten = {"says nothing of its visits", kUnknown, Claims::kAnyBetter,
                              [](Answer& b) { b.outcome = Outcome::kForgotten; }};
/// One share is enough.
constexpr Fault kRare[] = {
    {"ends its list at rank 10", kEnded, Claims::kBBetter, [](Answer& b) { b.available = 10; }},
    {"throws", kEmpty, Claims::kBBetter, [](Answer& b) { b.outcome = Outcome::kThrown; }},
    kCollapsed,
    {"comes without a table of docids", kUnknown, Claims::kAnyBetter,
     [](Answer& b) { b.has_table = false; }},
};

enum class Where { kHardest, kEasiest };

PlayVisit with_fault(Mode mode, const Fault& fault, Where where, double share) {
  return [=](World& world, const Topic& topic) {
    const bool is_hit =
        where == Where::kHardest ? topic.is_hardest(share) : topic.is_easiest(share);
    Answer a = world.answer(topic, kArmA), b = world.answer(topic, kArmB);
    if (is_hit) fault.befall(b);
    if (mode == Mode::kPaired) {
      world.compare(topic, {.served = a, .searched = {a, b}});
    } else {
      const ArmIndex arm = world.arm_for(topic);
      world.serve(topic, arm, arm == kArmA ? a : b);
    }
  };
}

Setting setting_of(Mode mode, const Fault& fault, Where where, double share) {
  const bool is_split = mode == Mode::kSplit;
  return {
      .name = fmt::format("{}: B {} in its {} {:.0f} %", is_split ? "split" : "paired", fault.what,
                          where == Where::kHardest ? "hardest" : "easiest", 100.0 * share),
      .simulates = std::string(fault.why),
      .wrong = fault.wrong,
      .world = {.mode = mode, .topics = is_split ? 1000U : 300U},
      .visits = is_split ? 1000U : 300U,
      .play = with_fault(mode, fault, where, share)};
}

}  // namespace

std::vector<Setting> missing_settings() {
  std::vector<Setting> settings;
  for (const Mode mode : {Mode::kSplit, Mode::kPaired}) {
    const auto add = [&](std::span<const Fault> faults, Where where, double share) {
      for (const Fault& fault : faults) settings.push_back(setting_of(mode, fault, where, share));
    };
    for (const double share : {0.05, 0.1, 0.2}) {
      add(kFailures, Where::kHardest, share);
      add(kUnknowns, Where::kHardest, share);
    }
    add(kUnknowns, Where::kEasiest, 0.2);
    add(kRare, Where::kHardest, 0.2);
    settings.push_back(setting_of(mode, kCollapsed, Where::kHardest, 0.05));
  }
  for (const double share : {0.05, 0.1, 0.2}) {
    settings.push_back(setting_of(Mode::kSplit, kForgotten, Where::kHardest, share));
  }
  return settings;
}

}  // namespace prescope::simulation
