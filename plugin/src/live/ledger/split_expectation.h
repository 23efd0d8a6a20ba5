#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "measures/scorer.h"
#include "prescope/experiment_options.h"
#include "prescope/qrels.h"
#include "statistics/compensated_sum.h"

namespace prescope {

/// Mode::kSplit: what each topic is expected to score, so that arms which serve different topics
/// can be compared by what is above or below it. An expectation is fixed before the topic's first
/// value is known, and stays.
class SplitExpectation {
 public:
  /// For topics and measures as `qrels` and `scorer` number them; scores of others are left out.
  /// Throws as Measure::parse.
  SplitExpectation(const Qrels& qrels, const Scorer& scorer,
                   std::span<const BaselineScore> baseline);

  /// Before the topic's first visit is scored; no effect later. No allocation.
  void fix(TopicIndex topic) noexcept;
  [[nodiscard]] bool is_fixed(TopicIndex topic) const noexcept {
    return fixed_[topic.value()] != 0;
  }
  /// The baseline's score, else the mean of the first values of the topics before it, 0.5 where
  /// there were none. Only for a topic that is fixed.
  [[nodiscard]] double of(TopicIndex topic, std::size_t measure) const noexcept {
    return at(topic, measure).expected;
  }
  /// A value of the topic, of any arm; only its first is kept.
  void saw(TopicIndex topic, std::size_t measure, double value) noexcept;
  /// Forgets all but the baseline.
  void begin_epoch() noexcept;
  /// Another server's: keeps what is fixed here.
  void merge(const SplitExpectation& other) noexcept;

 private:
  struct One {
    double expected = 0.0;
    double baseline = std::numeric_limits<double>::quiet_NaN();  // none
    bool has_value = false;
  };
  struct Mean {
    CompensatedSum sum;
    std::uint64_t n = 0;
  };
  [[nodiscard]] One& at(TopicIndex topic, std::size_t measure) noexcept {
    return topics_[topic.value() * means_.size() + measure];
  }
  [[nodiscard]] const One& at(TopicIndex topic, std::size_t measure) const noexcept {
    return topics_[topic.value() * means_.size() + measure];
  }

  std::vector<Mean> means_;  // by measure
  std::vector<One> topics_;  // topics x measures
  std::vector<std::uint8_t> fixed_;
};

}  // namespace prescope
