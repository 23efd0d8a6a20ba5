#include <fmt/format.h>
#include <limits>

#include "nightly/gate/checks.h"
#include "statistics/effect_size.h"
#include "statistics/latency_sketch.h"
#include "statistics/paired_tests.h"

namespace prescope {

namespace {

using Result = GateVerdict::MeasureResult;
using Status = GateVerdict::Status;

Status status_of(const NonInferiority& test, double confidence) {
  switch (test.answer) {
    case NonInferiority::Answer::kInferior:
      return Status::kFail;
    case NonInferiority::Answer::kUnknown:
      return Status::kInconclusive;
    case NonInferiority::Answer::kNotInferior:
      break;
  }
  const bool is_worse = test.t.mean < 0.0 && test.t.p_value < 1.0 - confidence;
  return is_worse ? Status::kWarning : Status::kPass;
}

void test_margin(const PairedScores& scores, double confidence, Result& result) {
  const auto test = non_inferiority(scores.differences, result.margin, confidence);
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
  result.status = status_of(*test, confidence);
}

Result judge_measure(const GateSubject& subject, const GateRules::Decision& decision) {
  const PairedScores scores = score_both(subject.topics, decision.measure);
  const DifferenceCounts counts = count_differences(scores.differences);
  Result result{.measure = decision.measure,
                .margin = decision.margin,
                .topics = counts.total(),
                .wins = counts.wins,
                .ties = counts.ties,
                .losses = counts.losses};
  if (result.topics > 0) {
    const double n = result.topics;
    CompensatedSum sum;
    for (const double difference : scores.differences) sum.add(difference);
    result.baseline = scores.baseline.value() / n;
    result.tonight = scores.tonight.value() / n;
    result.difference = sum.value() / n;
  }
  test_margin(scores, subject.rules.confidence, result);
  return result;
}

std::string figures(const Result& result, double confidence) {
  return fmt::format(
      "{} went from {:.4f} to {:.4f} over {}: {:+.4f}, with {} confidence each above "
      "{:+.4f} and below {:+.4f}",
      result.measure.name(), *result.baseline, *result.tonight,
      counted_words(result.topics, "topic"), *result.difference, percent_words(confidence),
      *result.low, *result.high);
}

/// Names the number of topics that would decide if nothing were worse.
std::string topics_words(const Result& result, double confidence) {
  const auto needed =
      topics_needed(result.sd.value_or(0.0), result.margin, {.alpha = 2.0 * (1.0 - confidence)});
  return needed && *needed > result.topics
             ? fmt::format(" (with differences like these about {} topics would)", *needed)
             : std::string();
}

std::string sentence(const Result& result, double confidence) {
  const std::string name = result.measure.name();
  if (result.topics == 0) return fmt::format("{} has no value in any topic of both.", name);
  if (result.wins + result.losses == 0) {
    return fmt::format("{} is identical in all {}: {:.4f}.", name,
                       counted_words(result.topics, "topic"), *result.tonight);
  }
  if (!result.low) return fmt::format("{} has a value in one topic only; it takes two.", name);
  const std::string all = figures(result, confidence);
  switch (result.status) {
    case Status::kFail:
      return fmt::format("{}: worse than the margin of {}.", all, result.margin);
    case Status::kInconclusive:
      return fmt::format(
          "{}: these topics cannot tell whether it is worse than the margin of {}{}.", all,
          result.margin, topics_words(result, confidence));
    case Status::kWarning:
      return fmt::format("{}: within the margin of {}, but significantly worse ({}).", all,
                         result.margin, p_words(*result.p_different));
    default:
      return fmt::format("{}: not worse than the margin of {}.", all, result.margin);
  }
}

constexpr double kQuantile = 0.95;

/// A quantile and its bounds, in ms; infinite if queries failed.
struct BoundedQuantile {
  double value = 0.0, low = 0.0, high = 0.0;
};

double milliseconds(std::chrono::nanoseconds duration) {
  return duration == LatencySketch::kNever
             ? std::numeric_limits<double>::infinity()
             : std::chrono::duration<double, std::milli>(duration).count();
}

/// Returns std::nullopt if there are too few values for both bounds.
std::optional<BoundedQuantile> bounded_quantile(const LatencySketch& sketch, double alpha) {
  if (sketch.count() == 0) return std::nullopt;
  const QuantileRanks ranks = quantile_ranks(sketch.count(), kQuantile, alpha);
  const auto low = sketch.at_rank(ranks.low), high = sketch.at_rank(ranks.high);
  if (!low || !high) return std::nullopt;
  return BoundedQuantile{.value = milliseconds(*sketch.quantile(kQuantile)),
                         .low = milliseconds(*low),
                         .high = milliseconds(*high)};
}

std::optional<double> finite(double value) {
  return value < std::numeric_limits<double>::infinity() ? std::optional(value) : std::nullopt;
}

/// Returns the least number of queries that bound the quantile from above.
std::uint64_t queries_needed(double alpha) {
  std::uint64_t n = 1;
  while (quantile_ranks(n, kQuantile, alpha).high > n) ++n;
  return n;
}

std::string ratio_words(double ratio) {
  return finite(ratio) ? fmt::format("{:.2f}", ratio) : "without end";
}

std::string time_words(double ms) {
  return finite(ms) ? fmt::format("{:.3g} ms", ms) : "without end (failed)";
}

/// Returns true if both quantiles are bounded, the baseline's above 0 and finite.
GateVerdict::Rule judge_latency(const BoundedQuantile& then, const BoundedQuantile& now,
                                const GateRules& rules, GateVerdict::Latency& latency) {
  const double limit = *rules.latency.p95_ratio;
  const double ratio = now.value / then.value;
  const double low = now.low / then.high, high = now.high / then.low;
  latency = {.baseline_p95_ms = then.value,
             .tonight_p95_ms = finite(now.value),
             .ratio = finite(ratio),
             .ratio_low = finite(low),
             .ratio_high = finite(high)};
  const std::string figures = fmt::format(
      "95 % of queries took up to {}, at the baseline {}: {} times as long, with {} confidence "
      "each above {} and below {}",
      time_words(now.value), time_words(then.value), ratio_words(ratio),
      percent_words(rules.confidence), ratio_words(low), ratio_words(high));
  if (low > limit) {
    return {.status = Status::kFail,
            .reason = fmt::format("{}: slower than {} times.", figures, limit)};
  }
  if (ratio > limit) {
    return {.status = Status::kInconclusive,
            .reason = fmt::format("{}: above {} times, but so few queries cannot tell chance from "
                                  "a slower search.",
                                  figures, limit)};
  }
  return {.reason = fmt::format("{}: at most {} times.", figures, limit)};
}

/// Sets the figures of `latency` if there are any.
GateVerdict::Rule latency_rule(const GateSubject& subject, GateVerdict::Latency& latency) {
  const auto skipped = [](std::string reason) {
    return GateVerdict::Rule{.status = Status::kSkipped, .reason = std::move(reason)};
  };
  const LatencySketch& then = subject.baseline.evaluation.latency;
  const LatencySketch& now = subject.tonight.latency;
  if (!subject.rules.latency.p95_ratio) return skipped("Not looked at, as the rules say.");
  if (then.count() == 0) return skipped("The baseline was not timed.");
  if (now.count() == 0) return skipped("Tonight was not timed.");
  // A bound of the ratio is wrong only if one of two bounds is: each gets half of the error.
  const double alpha = 1.0 - subject.rules.confidence;
  const auto before = bounded_quantile(then, alpha), after = bounded_quantile(now, alpha);
  if (!before || !after) {
    return skipped(
        fmt::format("Too few queries bound the slowest 5 %: {} at the baseline, {} "
                    "tonight; it takes {} of each.",
                    then.count(), now.count(), queries_needed(alpha)));
  }
  if (before->low <= 0.0 || !finite(before->high)) {
    return skipped(
        fmt::format("The baseline's slowest 5 % of queries took {}: nothing to compare with.",
                    time_words(before->low <= 0.0 ? 0.0 : before->high)));
  }
  return judge_latency(*before, *after, subject.rules, latency);
}

}  // namespace

PairedScores score_both(const std::vector<PairedTopic>& topics, const Measure& measure) {
  PairedScores scores;
  for (const PairedTopic& topic : topics) {
    const auto then = EvaluationRecord::score(*topic.baseline, measure);
    const auto now = EvaluationRecord::score(*topic.tonight, measure);
    if (!then || !now) continue;
    scores.baseline.add(*then);
    scores.tonight.add(*now);
    scores.differences.push_back(clean_difference(*now, *then));
  }
  return scores;
}

void judge_margins(const GateSubject& subject, GateVerdict& verdict) {
  for (const GateRules::Decision& decision : subject.rules.decisions) {
    Result result = judge_measure(subject, decision);
    verdict.rules.push_back({.id = "margin." + result.measure.name(),
                             .status = result.status,
                             .reason = sentence(result, subject.rules.confidence)});
    verdict.measures.push_back(result);
  }
}

void judge_latency(const GateSubject& subject, GateVerdict& verdict) {
  verdict.rules.push_back(latency_rule(subject, verdict.latency));
  verdict.rules.back().id = "latency.p95";
}

}  // namespace prescope
