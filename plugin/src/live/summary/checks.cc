#include "live/summary/checks.h"

#include <algorithm>
#include <cmath>

#include "statistics/evidence.h"

namespace prescope {

std::string_view to_string(CheckKind kind) noexcept {
  static constexpr std::string_view kWords[] = {
      "failures",   "unseen",           "shallow",    "unscored",     "not_in_index",
      "incomplete", "lost_comparisons", "assignment", "sample_ratio", "drops"};
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
                    .alarm = ledger.pair(b).has_ratio_alarm};
  ratio.log_e = std::max(sample_ratio_log_e(ratio.topics_a, ratio.topics_b),
                         sample_ratio_log_e(ratio.seen_a, ratio.seen_b));
  ratio.p = std::min(sample_ratio_p(ratio.topics_a, ratio.topics_b),
                     sample_ratio_p(ratio.seen_a, ratio.seen_b));
  return ratio;
}

namespace {

using Share = Check::Share;

/// Fewer cases than this are no share of anything yet.
constexpr std::uint64_t kFewestCases = 5;
/// An alarm is raised from this part of a limit on.
constexpr double kAlarmPart = 0.2;

/// Users sort and filter under every arm alike; only what differs between arms says something.
double tested_share(const Check& check) noexcept {
  const Share b = check.b.value_or(Share());
  if (check.kind == CheckKind::kUnscored) return std::abs(check.a.value() - b.value());
  const auto counted = [](const Share& share) {
    return share.count < kFewestCases ? 0.0 : share.value();
  };
  return std::max(counted(check.a), counted(b));
}

CheckState state_of(const Check& check) noexcept {
  if (check.limit >= 1.0 || check.a.count + check.b.value_or(Share()).count < kFewestCases) {
    return CheckState::kFine;
  }
  const double share = tested_share(check);
  return share > check.limit                ? CheckState::kVeto
         : share > kAlarmPart * check.limit ? CheckState::kAlarm
                                            : CheckState::kFine;
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

Share drops(const Health& health) {
  const std::uint64_t lost =
      health.dropped_queue_full + health.unmatched_rankings + health.adapter_failures;
  return {lost + health.recorder_failures, health.pushed + lost};
}

}  // namespace

std::vector<Check> checks_of(const Ledger& ledger, const ArmPair& pair, const SummaryFacts& facts) {
  const Ledger::Track &in_a = ledger.track(pair.a), &in_b = ledger.track(pair.b);
  const VerdictLimits& limits = facts.limits;
  std::vector<Check> checks;
  const auto add = [&](CheckKind kind, double limit, Share a, std::optional<Share> b) {
    Check& check = checks.emplace_back(Check{.kind = kind, .a = a, .b = b, .limit = limit});
    check.state = state_of(check);
  };
  add(CheckKind::kFailures, limits.failures, {in_a.failed, in_a.visits},
      Share{in_b.failed, in_b.visits});
  add(CheckKind::kUnseen, limits.unseen, {in_a.unseen, in_a.visits},
      Share{in_b.unseen, in_b.visits});
  add(CheckKind::kShallow, limits.shallow, {in_a.bounded, in_a.visits},
      Share{in_b.bounded, in_b.visits});
  add(CheckKind::kUnscored, limits.unscored, {in_a.unscored, in_a.visits + in_a.unscored},
      Share{in_b.unscored, in_b.visits + in_b.unscored});
  add(CheckKind::kNotInIndex, limits.not_in_index, not_in_index(ledger, facts, pair.a),
      not_in_index(ledger, facts, pair.b));
  if (ledger.options().mode == Mode::kPaired) {
    const Epoch& epoch = ledger.epoch();
    add(CheckKind::kIncomplete, limits.incomplete,
        {epoch.incomplete_visits, epoch.incomplete_visits + epoch.compared_visits}, std::nullopt);
    add(CheckKind::kLostComparisons, limits.lost_comparisons, lost_comparisons(facts.health),
        std::nullopt);
  }
  if (pair.sample_ratio) {
    if (ledger.options().assigned) {
      add(CheckKind::kAssignment, limits.misassigned, {in_a.topics_misassigned, in_a.topics_seen},
          Share{in_b.topics_misassigned, in_b.topics_seen});
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
