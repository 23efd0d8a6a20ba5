#include "nightly/gate/gate.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "nightly/gate/checks.h"
#include "nightly/gate/gate_rules.h"
#include "prescope/error.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// Refuses what cannot be compared at all.
void check_comparable(const Baseline& baseline, const EvaluationRecord& tonight,
                      const std::vector<PairedTopic>& topics) {
  const DocnoPolicy then = baseline.evaluation.qrels.docno, now = tonight.qrels.docno;
  if (then != now) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("baseline '{}' was made with docno policy {}, tonight's evaluation with "
                    "{}; evaluate with --docno {}, or pin a new baseline",
                    baseline.name, to_string(then), to_string(now), to_string(then)));
  }
  if (topics.empty()) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("baseline '{}' ({} topics) and tonight's evaluation ({} topics) have no "
                    "topic in common; are these the judgements it was made with?",
                    baseline.name, baseline.evaluation.topics.size(), tonight.topics.size()));
  }
}

bool is_identical(const std::vector<PairedTopic>& topics) {
  return std::ranges::all_of(topics, [](const PairedTopic& topic) {
    return topic.baseline->found == topic.tonight->found;
  });
}

bool has_failed(const std::vector<GateVerdict::Rule>& rules, Status status) {
  return std::ranges::any_of(rules, [&](const auto& rule) { return rule.status == status; });
}

GateOutcome outcome_of(const std::vector<GateVerdict::Rule>& rules) {
  if (has_failed(rules, Status::kBadInput)) return GateOutcome::kBadInput;
  if (has_failed(rules, Status::kFail)) return GateOutcome::kRegression;
  if (has_failed(rules, Status::kInconclusive)) return GateOutcome::kInconclusive;
  return GateOutcome::kPass;
}

/// Those that fail first, then by how far they fell.
bool comes_before(const GateVerdict::Topic& a, const GateVerdict::Topic& b) {
  if (a.fails.empty() != b.fails.empty()) return b.fails.empty();
  return a.difference < b.difference;
}

void add_topics(const std::vector<ChangedTopic>& topics,
                const std::vector<CatastropheRule>& catastrophes, GateVerdict& verdict) {
  std::map<const ChangedTopic*, std::vector<std::string>> fails;
  for (const CatastropheRule& catastrophe : catastrophes) {
    for (const ChangedTopic* topic : catastrophe.failing) {
      fails[topic].push_back(catastrophe.rule.id);
    }
  }
  for (const ChangedTopic& topic : topics) {
    const auto failing = fails.find(&topic);
    if (!topic.has_changes && failing == fails.end()) continue;
    verdict.topics.push_back(topic.shown);
    if (failing != fails.end()) verdict.topics.back().fails = failing->second;
  }
  std::ranges::stable_sort(verdict.topics, comes_before);
}

void judge_ranking(const GateSubject& subject, GateVerdict& verdict) {
  verdict.measures = compare_with_margins(subject);
  for (const GateVerdict::MeasureResult& measure : verdict.measures) {
    verdict.rules.push_back(margin_rule(measure, subject.rules.confidence));
  }
  std::vector<ChangedTopic> topics;
  if (subject.moving) topics = changed_topics(subject);
  const std::vector<CatastropheRule> catastrophes = find_catastrophes(subject, topics);
  for (const CatastropheRule& catastrophe : catastrophes) verdict.rules.push_back(catastrophe.rule);
  verdict.emptied = count_emptied(topics);
  add_topics(topics, catastrophes, verdict);
  LatencyResult latency = compare_latency(subject);
  verdict.latency = latency.latency;
  verdict.rules.push_back(std::move(latency.rule));
}

/// The names of all rules about the ranking and the latency, with the same reason.
void skip_ranking(const GateSubject& subject, GateVerdict& verdict) {
  std::vector<std::string> ids;
  for (const GateRules::Decision& decision : subject.rules.decisions) {
    ids.push_back("margin." + decision.measure.name());
  }
  const GateSubject nothing{.baseline = subject.baseline,
                            .tonight = subject.tonight,
                            .rules = subject.rules,
                            .topics = subject.topics};
  for (const CatastropheRule& each : find_catastrophes(nothing, {})) ids.push_back(each.rule.id);
  ids.emplace_back("latency.p95");
  for (std::string& id : ids) {
    verdict.rules.push_back(
        {.id = std::move(id),
         .status = Status::kSkipped,
         .reason = "Not looked at, because the input is not what it should be."});
  }
}

}  // namespace

std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::kPass:
      return "pass";
    case Status::kSkipped:
      return "skipped";
    case Status::kWarning:
      return "warning";
    case Status::kInconclusive:
      return "inconclusive";
    case Status::kFail:
      return "fail";
    case Status::kBadInput:
      return "bad_input";
  }
  return "";
}

std::string_view to_string(GateOutcome outcome) noexcept {
  switch (outcome) {
    case GateOutcome::kRegression:
      return "REGRESSION";
    case GateOutcome::kInconclusive:
      return "INCONCLUSIVE";
    case GateOutcome::kBadInput:
      return "BAD INPUT";
    case GateOutcome::kPass:
      break;
  }
  return "PASS";
}

int exit_code(GateOutcome outcome) noexcept {
  switch (outcome) {
    case GateOutcome::kRegression:
      return 1;
    case GateOutcome::kBadInput:
      return 2;
    case GateOutcome::kInconclusive:
      return 3;
    case GateOutcome::kPass:
      break;
  }
  return 0;
}

GateVerdict gate(const Baseline& baseline, const EvaluationRecord& tonight,
                 const GateRules& rules) {
  GateVerdict verdict{
      .applied = applied_rules(baseline, rules), .baseline = baseline, .tonight = tonight};
  const std::vector<PairedTopic> topics = paired_topics(baseline.evaluation, tonight);
  check_comparable(baseline, tonight, topics);
  verdict.moving = moving_measure(verdict.applied);
  const GateSubject subject{.baseline = baseline,
                            .tonight = tonight,
                            .rules = verdict.applied,
                            .topics = topics,
                            .moving = verdict.moving};
  verdict.rules = input_checks(subject);
  if (outcome_of(verdict.rules) == GateOutcome::kBadInput) {
    skip_ranking(subject, verdict);
  } else {
    judge_ranking(subject, verdict);
    verdict.identical = is_identical(topics);
  }
  verdict.outcome = outcome_of(verdict.rules);
  return verdict;
}

std::string percent_words(double share) {
  const double percent = 100.0 * share;
  const double from_end = std::min(percent, std::abs(100.0 - percent));
  return fmt::format("{:.{}f} %", percent, from_end > 0.0 && from_end < 0.1 ? 3 : 1);
}

std::string relative_words(double change) { return fmt::format("{:+.1f} %", 100.0 * change); }

std::string counted_words(std::uint64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string listed_topics(std::span<const TopicId> topics) {
  constexpr std::size_t kNamed = 5;
  std::string words;
  for (const TopicId& topic : topics.first(std::min(topics.size(), kNamed))) {
    if (!words.empty()) words += ", ";
    words += topic.text();
  }
  if (topics.size() > kNamed) words += fmt::format(" and {} more", topics.size() - kNamed);
  return words;
}

}  // namespace prescope
