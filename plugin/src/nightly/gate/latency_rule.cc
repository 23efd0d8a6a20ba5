#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>

#include "nightly/gate/checks.h"
#include "nightly/gate/gate.h"
#include "statistics/latency_sketch.h"

namespace prescope {

namespace {

using std::chrono::nanoseconds;
using Status = GateVerdict::Status;

constexpr double kQuantile = 0.95;

/// A quantile and its bounds, in ms; infinite where queries failed.
struct BoundedQuantile {
  double value = 0.0, low = 0.0, high = 0.0;
};

double milliseconds(nanoseconds duration) {
  return duration == LatencySketch::kNever
             ? std::numeric_limits<double>::infinity()
             : std::chrono::duration<double, std::milli>(duration).count();
}

/// Nothing where there are too few values for both bounds.
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

GateVerdict::Rule skipped(std::string reason) {
  return {.id = "latency.p95", .status = Status::kSkipped, .reason = std::move(reason)};
}

/// Least number of queries that bound the quantile from above.
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

/// Both quantiles are bounded, the baseline's above 0 and not infinite.
LatencyResult judge(const GateSubject& subject, const BoundedQuantile& then,
                    const BoundedQuantile& now, double limit) {
  const double ratio = now.value / then.value;
  const double low = now.low / then.high, high = now.high / then.low;
  LatencyResult result{.latency = {.baseline_p95_ms = then.value,
                                   .tonight_p95_ms = finite(now.value),
                                   .ratio = finite(ratio),
                                   .low = finite(low),
                                   .high = finite(high)},
                       .rule = {.id = "latency.p95"}};
  const std::string figures = fmt::format(
      "95 % of queries took up to {}, at the baseline {}: {} times as long, with {} confidence "
      "each above {} and below {}",
      time_words(now.value), time_words(then.value), ratio_words(ratio),
      percent_words(subject.rules.confidence), ratio_words(low), ratio_words(high));
  if (low > limit) {
    result.rule.status = Status::kFail;
    result.rule.reason = fmt::format("{}: slower than {} times.", figures, limit);
  } else if (ratio > limit) {
    result.rule.status = Status::kInconclusive;
    result.rule.reason = fmt::format(
        "{}: above {} times, but so few queries cannot tell chance from a slower search.", figures,
        limit);
  } else {
    result.rule.reason = fmt::format("{}: at most {} times.", figures, limit);
  }
  return result;
}

std::string too_few_words(const GateSubject& subject, double alpha) {
  return fmt::format(
      "Too few queries bound the slowest 5 %: {} at the baseline, {} tonight; it takes {} of each.",
      subject.baseline.evaluation.latency.count(), subject.tonight.latency.count(),
      queries_needed(alpha));
}

}  // namespace

LatencyResult compare_latency(const GateSubject& subject) {
  const LatencySketch& then = subject.baseline.evaluation.latency;
  const LatencySketch& now = subject.tonight.latency;
  const std::optional<double>& limit = subject.rules.latency.p95_ratio;
  if (!limit) return {.rule = skipped("Not looked at, as the rules say.")};
  if (then.count() == 0) return {.rule = skipped("The baseline was not timed.")};
  if (now.count() == 0) return {.rule = skipped("Tonight was not timed.")};
  // A bound of the ratio is wrong only where one of two bounds is: each gets half of the chance.
  const double alpha = 1.0 - subject.rules.confidence;
  const auto before = bounded_quantile(then, alpha), after = bounded_quantile(now, alpha);
  if (!before || !after) return {.rule = skipped(too_few_words(subject, alpha))};
  if (before->low <= 0.0 || !finite(before->high)) {
    return {.rule = skipped(fmt::format(
                "The baseline's slowest 5 % of queries took {}: nothing to compare with.",
                time_words(before->low <= 0.0 ? 0.0 : before->high)))};
  }
  return judge(subject, *before, *after, *limit);
}

}  // namespace prescope
