#include "live/summary/checks.h"

#include <algorithm>
#include <cmath>

#include "statistics/evidence.h"

namespace prescope {

std::string_view to_string(CheckKind kind) noexcept {
  static constexpr std::string_view kWords[] = {
      "failures",     "unseen",        "shallow",    "unscored",
      "not_in_index", "nothing_found", "incomplete", "lost_comparisons",
      "assignment",   "sample_ratio",  "drops"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view to_string(CheckState state) noexcept {
  static constexpr std::string_view kWords[] = {"fine", "alarm", "veto"};
  return kWords[static_cast<std::size_t>(state)];
}

bool is_vetoed(std::span<const Check> checks) noexcept {
  return std::ranges::find(checks, CheckState::kVeto, &Check::state) != checks.end();
}

std::optional<SampleRatio> sample_ratio(const Ledger& ledger, ArmIndex b,
                                        const SummaryFacts& facts) {
  const auto is_active = [&](ArmIndex arm) {
    return arm.value() < facts.arms.size() && facts.arms[arm.value()].status == ArmStatus::kActive;
  };
  if (ledger.options().mode != Mode::kSplit || !is_active(ArmIndex(0)) || !is_active(b)) {
    return std::nullopt;
  }
  const Ledger::Track &in_a = ledger.track(ArmIndex(0)), &in_b = ledger.track(b);
  SampleRatio ratio{.topics_a = in_a.topics_valued,
                    .topics_b = in_b.topics_valued,
                    .seen_a = in_a.topics_seen,
                    .seen_b = in_b.topics_seen,
                    .share_b = ledger.share_of(b),
                    .alarm = ledger.pair(b).has_ratio_alarm};
  ratio.log_e = std::max(sample_ratio_log_e(ratio.topics_a, ratio.topics_b, ratio.share_b),
                         sample_ratio_log_e(ratio.seen_a, ratio.seen_b, ratio.share_b));
  ratio.p = std::min(sample_ratio_p(ratio.topics_a, ratio.topics_b, ratio.share_b),
                     sample_ratio_p(ratio.seen_a, ratio.seen_b, ratio.share_b));
  return ratio;
}

namespace {

using Share = Check::Share;

/// Fewer cases than this are no share of anything yet.
constexpr std::uint64_t kFewestCases = 5;
/// An alarm is raised from this part of a limit on.
constexpr double kAlarmPart = 0.2;
/// From these e-values on, their logarithms here, a share is above its limit, and the coin has not
/// given the arms their topics, whenever somebody looks.
constexpr double kAboveLimit = 2.995732273553991;  // ln 20
constexpr double kNoFairCoin = 4.605170185988091;  // ln 100

/// Returns the larger share.
Share worse_of(const Share& one, const Share& other) noexcept {
  return other.value() > one.value() ? other : one;
}

/// Returns the state of a share which would be larger if more was wrong. A share of few cases may
/// be above the limit by chance.
CheckState state_of(const Share& share, double limit) noexcept {
  if (limit >= 1.0 || share.count < kFewestCases || share.value() <= kAlarmPart * limit) {
    return CheckState::kFine;
  }
  const bool is_above =
      share.value() > limit && share_log_e(share.count, share.of, limit) >= kAboveLimit;
  return is_above ? CheckState::kVeto : CheckState::kAlarm;
}

/// The relevant judged documents that the arm's index lacks.
Share not_in_index(const Ledger& ledger, const SummaryFacts& facts, ArmIndex arm) {
  if (arm.value() >= facts.arms.size()) return {};
  const std::optional<std::uint64_t> missing = facts.arms[arm.value()].relevant_missing;
  if (!missing) return {};
  return {*missing, ledger.qrels().num_relevant()};
}

Share lost_comparisons(const Health& health) {
  const std::uint64_t lost = health.shadow_queue_full + health.shadow_expired;
  return {lost, lost + health.shadow_run};
}

/// Returns how many rankings were lost: not pushed, or pushed and then not matched or not recorded.
Share drops(const Health& health) {
  const std::uint64_t not_pushed = health.dropped_queue_full + health.adapter_failures;
  return {not_pushed + health.unmatched_rankings + health.recorder_failures,
          health.pushed + not_pushed};
}

/// Users sort and filter under every arm alike; only what differs between arms says something, if
/// the coin would not give each arm its topics.
CheckState state_of_unscored(const Ledger& ledger, const ArmPair& pair, const Check& check) {
  const std::uint64_t in_a = ledger.track(pair.a).topics_unscored;
  const std::uint64_t in_b = ledger.track(pair.b).topics_unscored;
  const double share_a = 1.0 - ledger.share_of(pair.b);
  if (check.limit >= 1.0 || share_log_e(in_a, in_a + in_b, share_a) < kNoFairCoin) {
    return CheckState::kFine;
  }
  const double differs_by = std::abs(check.a.value() - check.b->value());
  return differs_by > check.limit ? CheckState::kVeto : CheckState::kAlarm;
}

/// The topics of an arm that has found nothing at all; what a ranker misses now and then is its
/// own.
Share nothing_found(const Ledger::Track& track) {
  return {track.topics_found > 0 ? 0 : track.topics_seen, track.topics_seen};
}

/// In Mode::kPaired, of what an arm served and of what it was searched for beside that, the part in
/// which more is wrong.
template <class CountOf>
Share share_of_visits(const Ledger& ledger, ArmIndex arm, const CountOf& count_of) {
  const Ledger::ArmState& state = ledger.arm(arm);
  const auto of = [&](const Ledger::Track& track) { return Share{count_of(track), track.visits}; };
  return worse_of(of(ledger.track(arm)), of(state.served));
}

Share misassigned(const Ledger::Track& track) {
  return {std::uint64_t{track.topics_misassigned} + track.topics_elsewhere,
          std::uint64_t{track.topics_seen} + track.topics_elsewhere};
}

}  // namespace

std::vector<Check> checks_of(const Ledger& ledger, const ArmPair& pair, const SummaryFacts& facts) {
  const Ledger::Track &in_a = ledger.track(pair.a), &in_b = ledger.track(pair.b);
  const VerdictLimits& limits = facts.limits;
  std::vector<Check> checks;
  const auto add = [&](CheckKind kind, double limit, Share a, std::optional<Share> b) -> Check& {
    Check& check = checks.emplace_back(Check{.kind = kind, .a = a, .b = b, .limit = limit});
    check.state = std::max(state_of(a, limit), state_of(b.value_or(Share()), limit));
    return check;
  };
  const auto add_visits = [&](CheckKind kind, double limit, const auto& count_of) {
    add(kind, limit, share_of_visits(ledger, pair.a, count_of),
        share_of_visits(ledger, pair.b, count_of));
  };
  add_visits(CheckKind::kFailures, limits.failures,
             [](const Ledger::Track& track) { return track.failed; });
  add_visits(CheckKind::kUnseen, limits.unseen,
             [](const Ledger::Track& track) { return track.unseen; });
  add(CheckKind::kShallow, limits.shallow, {in_a.bounded, in_a.visits},
      Share{in_b.bounded, in_b.visits});
  Check& unscored =
      add(CheckKind::kUnscored, limits.unscored, {in_a.unscored, in_a.visits + in_a.unscored},
          Share{in_b.unscored, in_b.visits + in_b.unscored});
  unscored.state = state_of_unscored(ledger, pair, unscored);
  add(CheckKind::kNotInIndex, limits.not_in_index, not_in_index(ledger, facts, pair.a),
      not_in_index(ledger, facts, pair.b));
  Check& nothing = add(CheckKind::kNothingFound, 1.0, nothing_found(in_a), nothing_found(in_b));
  if (std::max(nothing.a.count, nothing.b->count) >= kFewestTopics) {
    nothing.state = CheckState::kVeto;
  }
  if (ledger.options().mode == Mode::kPaired) {
    const Epoch& epoch = ledger.epoch();
    add(CheckKind::kIncomplete, limits.incomplete,
        {epoch.incomplete_visits, epoch.incomplete_visits + epoch.compared_visits}, std::nullopt);
    add(CheckKind::kLostComparisons, limits.lost_comparisons, lost_comparisons(facts.health),
        std::nullopt);
  }
  if (pair.sample_ratio) {
    if (ledger.options().assigned) {
      add(CheckKind::kAssignment, limits.misassigned, misassigned(in_a), misassigned(in_b));
    }
    const SampleRatio& ratio = *pair.sample_ratio;
    const std::uint64_t topics = std::uint64_t{ratio.topics_a} + ratio.topics_b;
    add(CheckKind::kSampleRatio, 1.0, {ratio.topics_a, topics}, Share{ratio.topics_b, topics});
    if (ratio.alarm) checks.back().state = CheckState::kVeto;
  }
  add(CheckKind::kDrops, limits.drops, drops(facts.health), std::nullopt);
  return checks;
}

}  // namespace prescope
