#include <fmt/format.h>

#include "nightly/gate/checks.h"
#include "runs/topic_units.h"
#include "statistics/effect_size.h"

namespace prescope {

namespace {

using Result = GateVerdict::MeasureResult;
using Status = GateVerdict::Status;

Status status_of(const NonInferiority& test, double margin, double confidence) {
  switch (test.answer) {
    case NonInferiority::Answer::kInferior:
      return Status::kFail;
    case NonInferiority::Answer::kUnknown:
      return Status::kInconclusive;
    case NonInferiority::Answer::kNotInferior:
      break;
  }
  // Every change of an index moves something, and many topics show very small losses.
  const bool is_worse = -test.t.mean * 2.0 > margin && test.t.p_value < 1.0 - confidence;
  return is_worse ? Status::kWarning : Status::kPass;
}

void test_margin(std::span<const double> differences, double confidence, Result& result) {
  const auto test = non_inferiority(differences, result.margin, confidence);
  if (!test) {
    result.status =
        result.wins + result.losses == 0 && result.ties > 0 ? Status::kPass : Status::kInconclusive;
    return;
  }
  result.low = test->t.ci_low;
  result.high = test->t.ci_high;
  result.p_non_inferior = test->p_not_inferior;
  result.p_equivalent = test->p_equivalent();
  result.p_different = test->t.p_value;
  result.sd = test->t.sd;
  result.status = status_of(*test, result.margin, confidence);
}

std::string sentence(const Result& result, double confidence) {
  const std::string name = result.measure.name();
  if (result.topics == 0) return fmt::format("{} has no value in any topic of both.", name);
  if (result.wins + result.losses == 0) {
    return fmt::format("{} is identical in all {}: {:.4f}.", name,
                       units_text(result.topics, result.by_family), *result.tonight);
  }
  if (!result.low) {
    return fmt::format("{} has a value in one {} only; it takes two.", name,
                       result.by_family ? "family" : "topic");
  }
  const std::string all = figures_words(result, confidence);
  switch (result.status) {
    case Status::kFail:
      return fmt::format("{}: worse than the margin of {}.", all, result.margin);
    case Status::kInconclusive:
      return fmt::format(
          "{}: these topics cannot tell whether it is worse than the margin of {}{}.", all,
          result.margin, topics_needed_words(result, confidence));
    case Status::kWarning:
      return fmt::format("{}: within the margin of {}, but significantly worse ({}).", all,
                         result.margin, p_words(*result.p_different));
    default:
      return fmt::format("{}: not worse than the margin of {}.", all, result.margin);
  }
}

}  // namespace

PairedScores paired_scores(const std::vector<PairedTopic>& topics, const Measure& measure) {
  PairedScores scores;
  std::uint32_t alone = UINT32_MAX;  // no family has so high a number
  for (const PairedTopic& topic : topics) {
    const auto then = EvaluationRecord::score(*topic.baseline, measure);
    const auto now = EvaluationRecord::score(*topic.tonight, measure);
    if (then && now) scores.add(FamilyIndex(topic.tonight->family.value_or(alone--)), *then, *now);
  }
  return scores;
}

bool has_families(const std::vector<PairedTopic>& topics) noexcept {
  return std::ranges::any_of(topics,
                             [](const auto& topic) { return topic.tonight->family.has_value(); });
}

Result measure_result(const PairedScores& scores, bool by_family,
                      const GateRules::Decision& decision, double confidence) {
  const std::vector<double> differences = scores.differences();
  const DifferenceCounts counts = count_differences(differences);
  Result result{.measure = decision.measure,
                .margin = decision.margin,
                .by_family = by_family,
                .topics = counts.total(),
                .wins = counts.wins,
                .ties = counts.ties,
                .losses = counts.losses};
  if (result.topics > 0) {
    result.baseline = mean_of(scores.a());
    result.tonight = mean_of(scores.b());
    result.difference = mean_of(differences);
  }
  test_margin(differences, confidence, result);
  return result;
}

std::string figures_words(const Result& result, double confidence) {
  return fmt::format(
      "{} went from {:.4f} to {:.4f} over {}: {:+.4f}, with {} confidence each above "
      "{:+.4f} and below {:+.4f}",
      result.measure.name(), *result.baseline, *result.tonight,
      units_text(result.topics, result.by_family), *result.difference, percent_words(confidence),
      *result.low, *result.high);
}

std::string topics_needed_words(const Result& result, double confidence) {
  const auto needed =
      topics_needed(result.sd.value_or(0.0), result.margin, {.alpha = 2.0 * (1.0 - confidence)});
  return needed && *needed > result.topics
             ? fmt::format(" (with differences like these about {} {} would)", *needed,
                           result.by_family ? "families" : "topics")
             : std::string();
}

void judge_margins(const GateSubject& subject, GateVerdict& verdict) {
  const bool by_family = has_families(subject.topics);
  for (const GateRules::Decision& decision : subject.rules.decisions) {
    Result result = measure_result(paired_scores(subject.topics, decision.measure), by_family,
                                   decision, subject.rules.confidence);
    verdict.rules.push_back({.id = "margin." + result.measure.name(),
                             .status = result.status,
                             .reason = sentence(result, subject.rules.confidence)});
    verdict.measures.push_back(result);
  }
}

}  // namespace prescope
