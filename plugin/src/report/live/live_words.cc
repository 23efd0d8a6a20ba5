#include "report/live/live_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/runs/comparison_report.h"
#include "report/text/tables.h"
#include "statistics/evidence.h"

namespace prescope {

ArmNames names_of(const Summary& summary, const ArmPair& pair) {
  return {.a = summary.arms[pair.a.value()].id.text(), .b = summary.arms[pair.b.value()].id.text()};
}

std::optional<double> live_half_width(const LiveVerdict& live, std::optional<double> mean) {
  if (!mean || (live.low <= -1.0 && live.high >= 1.0)) return std::nullopt;
  // One of the two ends may have been cut off at the end of the range.
  return std::max(*mean - live.low, live.high - *mean);
}

std::string live_state_text(const LiveVerdict& live, std::uint32_t topics,
                            std::optional<double> mean, const ArmNames& names) {
  const std::string& ahead = mean.value_or(0.0) > 0.0 ? names.b : names.a;
  switch (live.state) {
    case LiveState::kCollecting:
      return fmt::format("collecting ({} of {} topics)", topics, kFewestTopics);
    case LiveState::kNoVerdict: {
      const std::optional<double> half_width = live_half_width(live, mean);
      return half_width ? fmt::format("no verdict yet (±{})", score_text(half_width))
                        : "no verdict yet";
    }
    case LiveState::kLeading:
      return ahead + " leading";
    case LiveState::kConfirmed:
      return ahead + " confirmed better";
  }
  return {};
}

std::string live_sentence(const MeasureDifference& difference, const ArmNames& names) {
  if (difference.live.state == LiveState::kCollecting || !difference.mean) {
    return fmt::format("Too few topics to compare {} with {}: {} of {}.", names.b, names.a,
                       count_text(difference.topics, "topic"), kFewestTopics);
  }
  const std::string measure = mean_name(difference.measure);
  if (difference.live.state == LiveState::kNoVerdict) {
    return fmt::format("No difference in {} between {} and {} is shown yet.", measure, names.a,
                       names.b);
  }
  const bool is_b_ahead = *difference.mean > 0.0;
  const auto& [ahead, behind] =
      is_b_ahead ? std::tie(names.b, names.a) : std::tie(names.a, names.b);
  return fmt::format("{} {} {} by {} {}.", ahead,
                     difference.live.state == LiveState::kConfirmed ? "is better than" : "leads",
                     behind, score_text(std::abs(*difference.mean)), measure);
}

std::string live_grounds(const MeasureDifference& difference) {
  const LiveVerdict& live = difference.live;
  if (live.state == LiveState::kCollecting) {
    return "Nothing yet, whatever the numbers say. Evidence begins with the tenth topic that both "
           "arms have served.";
  }
  return fmt::format(
      "{} over {}, interval [{}, {}]. You may look as often as you like: the interval holds at all "
      "times but for a chance of {:.2g} %.",
      difference_text(difference.mean), count_text(difference.topics, "topic"),
      difference_text(live.low), difference_text(live.high), live.alpha * 100.0);
}

std::string live_latency_words(const Summary& summary, const ArmPair& pair) {
  const LatencyRatio& ratio = pair.latency;
  if (!ratio.mean) return {};
  const ArmNames names = names_of(summary, pair);
  const std::string what = fmt::format(
      "{}, {} over {} in {}: {:.3f}", summary.mode == Mode::kPaired ? "Shadow latency" : "Latency",
      names.b, names.a, count_text(ratio.topics, "topic"), *ratio.mean);
  if (!ratio.low || !ratio.high) return what + ", not bounded yet";
  const std::string verdict = *ratio.high < 1.0  ? names.b + " is faster"
                              : *ratio.low > 1.0 ? names.a + " is faster"
                                                 : "no verdict yet";
  return fmt::format("{} [{:.3f}, {:.3f}]; {}", what, *ratio.low, *ratio.high, verdict);
}

std::string sample_ratio_words(const Summary& summary, const ArmPair& pair) {
  if (!pair.sample_ratio) return {};
  const SampleRatio& ratio = *pair.sample_ratio;
  const ArmNames names = names_of(summary, pair);
  const std::string counts =
      fmt::format("{} served by {}, {} by {}", count_text(ratio.topics_a, "topic"), names.a,
                  grouped_text(ratio.topics_b), names.b);
  if (!ratio.alarm) return counts + ", as a fair coin gives them";
  return fmt::format("ALARM: {}, which no fair coin gives (ln e {:.1f})", counts, ratio.log_e);
}

std::string verdict_words(const MeasureDifference& difference, const ArmNames& names) {
  switch (difference.verdict) {
    case Verdict::kTooFewTopics:
      return "fewer than 2 topics";
    case Verdict::kIdentical:
      return "every topic the same";
    case Verdict::kNoDifference:
      if (!difference.ci_low || !difference.ci_high) return "no difference shown";
      return fmt::format("no difference shown (±{})",
                         score_text((*difference.ci_high - *difference.ci_low) / 2.0));
    case Verdict::kBetter:
      return names.b + " is better";
    case Verdict::kWorse:
      return names.a + " is better";
  }
  return {};
}

std::string latency_words(const Summary& summary, const ArmPair& pair) {
  const LatencyRatio& ratio = pair.latency;
  if (!ratio.mean || !ratio.ci_low || !ratio.ci_high) return {};
  const ArmNames names = names_of(summary, pair);
  const std::string verdict = *ratio.ci_high < 1.0  ? names.b + " is faster"
                              : *ratio.ci_low > 1.0 ? names.a + " is faster"
                                                    : "no difference shown";
  return fmt::format("Latency, {} over {} in the same topic: {:.3f} [{:.3f}, {:.3f}]; {}.", names.b,
                     names.a, *ratio.mean, *ratio.ci_low, *ratio.ci_high, verdict);
}

std::string pair_sentence(const Summary& summary, const ArmPair& pair) {
  std::vector<MeasureVerdict> verdicts;
  for (const auto& each : pair.differences) verdicts.push_back({each.measure, each.verdict});
  const auto [a, b] = names_of(summary, pair);
  return verdicts_sentence(a, b, verdicts);
}

}  // namespace prescope
