#pragma once

#include <optional>
#include <span>
#include <vector>

#include "measures/scorer.h"
#include "prescope/experiment_options.h"
#include "statistics/evidence.h"

namespace prescope {

/// Mode::kSplit: the expected score of each topic, so that arms which serve different topics can be
/// compared by their distance from it. An expectation is fixed before the topic's first value is
/// known, and stays.
class SplitExpectation {
 public:
  /// Scores of other topics and measures are left out. Throws as Measure::parse.
  SplitExpectation(const Qrels& qrels, const Scorer& scorer,
                   std::span<const BaselineScore> baseline);

  /// Fixes the expectation, before the topic's first visit is scored; no effect later. No
  /// allocation.
  void fix(TopicIndex topic) noexcept;
  /// Returns the baseline's score, else the mean of the first values of the topics before it, 0.5
  /// if there were none. Returns std::nullopt for a topic whose expectation is not fixed yet.
  [[nodiscard]] std::optional<double> of(TopicIndex topic, std::size_t measure) const noexcept {
    return topics_[topic.value() * means_.size() + measure].expected;
  }
  /// Adds a value of the topic, of any arm; only its first is kept.
  void saw(TopicIndex topic, std::size_t measure, double value) noexcept;
  /// Forgets everything except the baseline.
  void begin_epoch() noexcept;

 private:
  struct One {
    std::optional<double> expected{}, baseline{};
    bool has_value = false;
  };
  struct RunningMean {
    CompensatedSum sum;
    std::uint64_t n = 0;
  };

  std::vector<RunningMean> means_;  // by measure
  std::vector<One> topics_;         // topics x measures
};

}  // namespace prescope
