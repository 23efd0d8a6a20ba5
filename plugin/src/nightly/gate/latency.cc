#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "nightly/gate/checks.h"
#include "statistics/effect_size.h"
#include "statistics/latency_blocks.h"

namespace prescope {

namespace {

using Latency = GateVerdict::Latency;
using Status = GateVerdict::Status;

/// Blocks of pairs, because neighbouring queries are slow together; two pairs each at least.
constexpr std::size_t kBlocks = 20, kFewestPairs = 2 * kBlocks;
constexpr std::size_t kFewestNights = 10, kMostNights = 30;
/// Nights are called no more alike than this standard deviation of ln latency.
constexpr double kLeastSpread = 0.03;
constexpr double kNightConfidence = 0.99;

std::optional<double> p95_ms(const EvaluationRecord& record) {
  const auto quantile = record.latency.quantile(0.95);
  if (!quantile) return std::nullopt;
  return *quantile == LatencySketch::kNever
             ? std::numeric_limits<double>::infinity()
             : std::chrono::duration<double, std::milli>(*quantile).count();
}

std::optional<double> finite(std::optional<double> value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string time_words(double ms) {
  return std::isfinite(ms) ? fmt::format("{:.3g} ms", ms) : "without end (failed)";
}

std::string ratio_words(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.2f} times", ratio) : "without end";
}

/// Says how a ratio stands to the limit of the rules. One above it that may be chance is a remark.
Finding judged(bool has_failed, double ratio, double limit, const std::string& figures) {
  if (has_failed) {
    return {Status::kFail, fmt::format("{}: slower than {} times.", figures, limit)};
  }
  if (ratio > limit) {
    return {Status::kWarning,
            fmt::format("{}: above {} times, but that may be chance.", figures, limit)};
  }
  return {Status::kPass, fmt::format("{}: not slower than {} times.", figures, limit)};
}

/// Judges the mean ln ratio by a t interval over the means of blocks.
Finding judge_pairs(std::span<const double> log_ratios, const GateRules& rules, Latency& latency) {
  const double limit = *rules.latency.ratio;
  PairedLatency pairs(static_cast<std::uint32_t>(log_ratios.size() / kBlocks));
  for (const double log_ratio : log_ratios) pairs.add(log_ratio);
  const auto test = paired_t(pairs.block_means(), 2.0 * rules.confidence - 1.0);
  latency.pairs = static_cast<std::uint32_t>(log_ratios.size());
  latency.ratio = std::exp(test->mean);
  latency.ratio_low = std::exp(test->ci_low);
  latency.ratio_high = std::exp(test->ci_high);
  const std::string figures = fmt::format(
      "{} queries, searched in turn by the baseline and by tonight, took {} as long, with {} "
      "confidence each above {:.2f} and below {:.2f}",
      latency.pairs, ratio_words(*latency.ratio), percent_words(rules.confidence),
      *latency.ratio_low, *latency.ratio_high);
  return judged(*latency.ratio_low > limit, *latency.ratio, limit, figures);
}

/// Judges tonight's quantile by the prediction bound of one more night.
Finding judge_nights(std::span<const double> past_ms, double tonight_ms, double limit,
                     Latency& latency) {
  std::vector<double> logs;
  for (const double ms : past_ms) logs.push_back(std::log(ms));
  const auto nights = static_cast<double>(logs.size());
  const PairedT past = *paired_t(logs);
  const double spread = std::max(past.sd, kLeastSpread);
  const double t = student_t_quantile(kNightConfidence, nights - 1.0);
  const double reach = t * spread * std::sqrt(1.0 + 1.0 / nights);
  const double ratio = tonight_ms / std::exp(past.mean);
  latency.nights = static_cast<std::uint32_t>(logs.size());
  latency.ratio = finite(ratio);
  latency.bound = std::exp(reach);
  // A slower search fails on four nights in five if it is above the bound by .84 deviations.
  latency.finds_from = std::exp(std::max(std::log(limit), reach) + 0.84 * spread);
  const std::string figures = fmt::format(
      "95 % of queries took up to {}, {} the mean of {} earlier nights, which vary by up to {}; a "
      "search {} as slow would be found on four nights in five",
      time_words(tonight_ms), ratio_words(ratio), latency.nights, ratio_words(*latency.bound),
      ratio_words(*latency.finds_from));
  const bool has_failed = ratio > *latency.bound && ratio > limit &&
                          std::ranges::all_of(past_ms, [&](double ms) { return tonight_ms > ms; });
  return judged(has_failed, ratio, limit, figures);
}

/// There is too little to judge by. A large ratio of the two quantiles is still worth a remark.
Finding not_judged(const std::string& why, const GateRules& rules, const Latency& latency) {
  const auto& then = latency.baseline_p95_ms;
  const auto& now = latency.tonight_p95_ms;
  if (!then || !now || *now <= *then * *rules.latency.ratio) return {Status::kSkipped, why};
  return {Status::kWarning,
          fmt::format("{} 95 % of queries took up to {}, at the baseline {}: {} as long, "
                      "by the machine's night or by a slower search.",
                      why, time_words(*now), time_words(*then), ratio_words(*now / *then))};
}

/// Sets the figures of `latency` if there are any.
Finding find_latency(const GateSubject& subject, Latency& latency) {
  if (!subject.rules.latency.ratio) return {Status::kSkipped, kSwitchedOff};
  const std::optional<double> tonight = p95_ms(subject.tonight);
  latency.baseline_p95_ms = finite(p95_ms(subject.baseline.evaluation));
  latency.tonight_p95_ms = finite(tonight);
  if (!tonight) return {Status::kSkipped, "Tonight was not timed."};

  const LatencyPairs pairs =
      subject.evidence.run_pairs ? subject.evidence.run_pairs() : LatencyPairs();
  if (pairs.log_ratios.size() >= kFewestPairs) {
    return judge_pairs(pairs.log_ratios, subject.rules, latency);
  }
  std::span<const double> past = subject.evidence.past_p95_ms;
  if (past.size() >= kFewestNights) {
    past = past.last(std::min(past.size(), kMostNights));
    Finding finding = judge_nights(past, *tonight, *subject.rules.latency.ratio, latency);
    if (!pairs.why_none.empty()) finding.reason += ' ' + pairs.why_none;
    return finding;
  }
  std::string why = pairs.why_none;
  if (!pairs.log_ratios.empty()) {
    why = fmt::format("Only {} queries could be searched in turn; it takes {}.",
                      pairs.log_ratios.size(), kFewestPairs);
  }
  if (!why.empty()) why += ' ';
  return not_judged(
      fmt::format("{}Accepted nights since the baseline that were timed: {}; it takes "
                  "{} to know how much nights vary.",
                  why, past.size(), kFewestNights),
      subject.rules, latency);
}

}  // namespace

void judge_latency(const GateSubject& subject, GateVerdict& verdict) {
  verdict.rules.push_back(find_latency(subject, verdict.latency).as_rule("latency.ratio"));
}

}  // namespace prescope
