#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "nightly/gate/checks.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// Refuses evaluations that cannot be compared.
void check_comparable(const Baseline& baseline, const EvaluationRecord& tonight,
                      const std::vector<PairedTopic>& topics) {
  const DocnoPolicy then = baseline.evaluation.qrels.docno, now = tonight.qrels.docno;
  if (then != now) {
    throw usage_error(
        "baseline '{}' was made with docno policy {}, tonight with {}; evaluate with --docno {}, "
        "or pin a new baseline",
        baseline.name, to_string(then), to_string(now), to_string(then));
  }
  if (topics.empty()) {
    throw usage_error(
        "baseline '{}' ({} topics) and tonight ({} topics) have no topic in common; are these the "
        "judgements it was made with?",
        baseline.name, baseline.evaluation.topics.size(), tonight.topics.size());
  }
}

GateOutcome outcome_of(const std::vector<GateVerdict::Rule>& rules) {
  Status worst = Status::kPass;
  for (const GateVerdict::Rule& rule : rules) worst = std::max(worst, rule.status);
  if (worst == Status::kBadInput) return GateOutcome::kBadInput;
  if (worst == Status::kFail) return GateOutcome::kRegression;
  return worst == Status::kInconclusive ? GateOutcome::kInconclusive : GateOutcome::kPass;
}

void judge_ranking(const GateSubject& subject, GateVerdict& verdict) {
  judge_margins(subject, verdict);
  judge_slices(subject, verdict);
  judge_topics(subject, verdict);
  judge_latency(subject, verdict);
}

/// Adds all rules about the ranking and the latency with the same reason.
void skip_ranking(const GateSubject& subject, GateVerdict& verdict) {
  const std::vector<PairedTopic> no_topics;
  const GateEvidence evidence{.slices = subject.evidence.slices};  // without latency
  GateVerdict names;
  judge_ranking({.baseline = subject.baseline,
                 .tonight = subject.tonight,
                 .rules = subject.rules,
                 .topics = no_topics,
                 .evidence = evidence},
                names);
  for (GateVerdict::Rule& rule : names.rules) {
    verdict.rules.push_back({.id = std::move(rule.id),
                             .status = Status::kSkipped,
                             .reason = "Not checked, because the input is bad."});
  }
}

}  // namespace

std::string_view to_string(Status status) noexcept {
  constexpr std::string_view kNames[] = {"pass",         "skipped", "warning",
                                         "inconclusive", "fail",    "bad_input"};
  return kNames[static_cast<std::size_t>(status)];
}

std::string_view to_string(GateOutcome outcome) noexcept {
  constexpr std::string_view kNames[] = {"PASS", "REGRESSION", "INCONCLUSIVE", "BAD INPUT"};
  return kNames[static_cast<std::size_t>(outcome)];
}

int exit_code(GateOutcome outcome) noexcept {
  constexpr int kCodes[] = {0, 1, 3, 2};
  return kCodes[static_cast<std::size_t>(outcome)];
}

GateVerdict gate(const Baseline& baseline, const EvaluationRecord& tonight, const GateRules& rules,
                 const GateEvidence& evidence) {
  GateVerdict verdict;
  verdict.applied = applied_rules(baseline, rules);
  verdict.baseline = baseline;
  verdict.tonight = tonight;
  // Later reports of tonight have a value for each measure that decided.
  for (const GateRules::Decision& decision : verdict.applied.decisions) {
    std::vector<Measure>& measures = verdict.tonight.measures;
    if (std::ranges::find(measures, decision.measure) == measures.end()) {
      measures.push_back(decision.measure);
    }
  }
  std::vector<PairedTopic> topics = paired_topics(baseline.evaluation, tonight);
  check_comparable(baseline, tonight, topics);
  const bool is_identical = std::ranges::all_of(
      topics, [](const auto& topic) { return topic.baseline->found == topic.tonight->found; });
  // A topic that the baseline did not serve can only gain, which would hide losses of the others.
  std::erase_if(topics, [](const PairedTopic& topic) { return !topic.baseline->served; });
  verdict.moving = moving_measure(verdict.applied);
  const GateSubject subject{.baseline = baseline,
                            .tonight = tonight,
                            .rules = verdict.applied,
                            .topics = topics,
                            .evidence = evidence,
                            .moving = verdict.moving};
  verdict.rules = input_checks(subject);
  if (outcome_of(verdict.rules) == GateOutcome::kBadInput) {
    skip_ranking(subject, verdict);
  } else {
    judge_ranking(subject, verdict);
    verdict.identical = is_identical;
  }
  verdict.outcome = outcome_of(verdict.rules);
  return verdict;
}

std::string percent_words(double share) {
  const double percent = 100.0 * share;
  const double from_end = std::min(percent, std::abs(100.0 - percent));
  return fmt::format("{:.{}f} %", percent, from_end > 0.0 && from_end < 0.1 ? 3 : 1);
}

std::string p_words(double p) { return p < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.2g}", p); }

std::string counted_words(std::uint64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string listed_names(std::span<const std::string> names) {
  constexpr std::size_t kListed = 5;
  const std::size_t listed = std::min(names.size(), kListed);
  std::string words = fmt::format("{}", fmt::join(names.first(listed), ", "));
  if (names.size() > listed) words += fmt::format(" and {} more", names.size() - listed);
  return words;
}

}  // namespace prescope
