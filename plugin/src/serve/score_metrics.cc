#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "serve/metric_groups.h"

namespace prescope::serve {
namespace {

using prometheus::MetricFamily;

/// Topics by score: 0 alone, then steps of 0.05 up to 1; the last is for what is above.
constexpr std::size_t kSteps = 20;
using ScoreCounts = std::array<std::uint64_t, kSteps + 2>;

constexpr std::array<double, kSteps + 1> kEnds = [] {
  std::array<double, kSteps + 1> ends{};
  for (std::size_t i = 0; i <= kSteps; ++i) ends[i] = static_cast<double>(i) / kSteps;
  return ends;
}();

/// The first step that ends at the score or above.
std::size_t step_of(double score) {
  if (!(score > 0.0)) return 0;
  if (score > 1.0) return kSteps + 1;
  const auto step = static_cast<std::size_t>(score * static_cast<double>(kSteps));
  return score > kEnds[step] ? step + 1 : step;
}

/// By arm and measure. Once over the rows: they are far apart in memory.
std::vector<std::vector<ScoreCounts>> counts_of(const Summary& summary) {
  std::vector<std::vector<ScoreCounts>> counts(summary.arms.size(),
                                               std::vector<ScoreCounts>(summary.measures.size()));
  for (const TopicRow& row : summary.rows) {
    for (std::size_t arm = 0; arm < row.arms.size(); ++arm) {
      const std::vector<std::optional<double>>& means = row.arms[arm].means;
      for (std::size_t m = 0; m < means.size(); ++m) {
        if (means[m]) ++counts[arm][m][step_of(*means[m])];
      }
    }
  }
  return counts;
}

std::string end_text(std::size_t step) {
  return step > kSteps ? "+Inf" : fmt::format("{}", kEnds[step]);
}

void add_cumulated(MetricFamily& family, const Labels& labels, const ScoreCounts& counts) {
  std::uint64_t cumulated = 0;
  for (std::size_t step = 0; step < counts.size(); ++step) {
    cumulated += counts[step];
    add(family, with(labels, "le", end_text(step)), static_cast<double>(cumulated));
  }
}

/// Not a histogram to Prometheus, whose counts must never fall.
MetricFamily score_distribution(const Summary& summary, const MetricLabels& labels) {
  MetricFamily family =
      untyped("prescope_topic_scores_bucket",
              "Topics that now score at most le, each with its mean over visits.");
  if (summary.detail != SummaryDetail::kEveryTopic) return family;
  const std::vector<std::vector<ScoreCounts>> counts = counts_of(summary);
  for (const std::size_t arm : labels.arms()) {
    for (std::size_t m = 0; m < summary.measures.size(); ++m) {
      add_cumulated(family, labels.arm_measure(arm, m), counts[arm][m]);
    }
  }
  return family;
}

}  // namespace

MetricFamilies score_metrics(const Summary& summary, const MetricLabels& labels) {
  MetricFamily score = gauge("prescope_topic_score",
                             "Mean score over topics, each with its mean over visits, 0 to 1.");
  MetricFamily topics = gauge("prescope_topics", "Topics that have a score and are in the mean.");
  MetricFamily too_shallow =
      gauge("prescope_topics_too_shallow",
            "Topics without a score because their ranking ends before the cutoff.");
  for (const std::size_t arm : labels.arms()) {
    const std::vector<MeasureMean>& means = summary.arms[arm].means;
    for (std::size_t m = 0; m < means.size(); ++m) {
      const Labels of_measure = labels.arm_measure(arm, m);
      if (means[m].mean) add(score, of_measure, *means[m].mean);
      add(topics, of_measure, means[m].topics);
      add(too_shallow, of_measure, means[m].too_shallow);
    }
  }
  return {std::move(score), std::move(topics), std::move(too_shallow),
          score_distribution(summary, labels)};
}

}  // namespace prescope::serve
