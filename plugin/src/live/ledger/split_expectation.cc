#include "live/ledger/split_expectation.h"

#include <algorithm>

namespace prescope {

SplitExpectation::SplitExpectation(const Qrels& qrels, const Scorer& scorer,
                                   std::span<const BaselineScore> baseline)
    : means_(scorer.measures().size()), topics_(qrels.topics().size() * means_.size()) {
  for (const BaselineScore& score : baseline) {
    const std::optional<TopicIndex> topic = qrels.find(score.topic.text());
    const auto measure = std::ranges::find(scorer.measures(), Measure::parse(score.measure));
    if (!topic || measure == scorer.measures().end()) continue;
    const auto m = static_cast<std::size_t>(measure - scorer.measures().begin());
    topics_[topic->value() * means_.size() + m].baseline = score.score;
  }
}

void SplitExpectation::fix(TopicIndex topic) noexcept {
  for (std::size_t m = 0; m < means_.size(); ++m) {
    One& one = topics_[topic.value() * means_.size() + m];
    if (one.expected) return;
    const RunningMean& mean = means_[m];
    const double so_far = mean.n == 0 ? 0.5 : mean.sum.value() / static_cast<double>(mean.n);
    one.expected = one.baseline.value_or(so_far);
  }
}

void SplitExpectation::saw(TopicIndex topic, std::size_t measure, double value) noexcept {
  if (std::exchange(topics_[topic.value() * means_.size() + measure].has_value, true)) return;
  means_[measure].sum.add(value);
  ++means_[measure].n;
}

void SplitExpectation::begin_epoch() noexcept {
  std::ranges::fill(means_, RunningMean{});
  for (One& one : topics_) one = {.baseline = one.baseline};
}

}  // namespace prescope
