#include "live/ledger/split_expectation.h"

#include <algorithm>
#include <cmath>

namespace prescope {

SplitExpectation::SplitExpectation(const Qrels& qrels, const Scorer& scorer,
                                   std::span<const BaselineScore> baseline)
    : means_(scorer.measures().size()),
      topics_(qrels.topics().size() * means_.size()),
      fixed_(qrels.topics().size()) {
  for (const BaselineScore& score : baseline) {
    const std::optional<TopicIndex> topic = qrels.find(score.topic.text());
    const auto measure = std::ranges::find(scorer.measures(), Measure::parse(score.measure));
    if (!topic || measure == scorer.measures().end()) continue;
    at(*topic, static_cast<std::size_t>(measure - scorer.measures().begin())).baseline =
        score.score;
  }
}

void SplitExpectation::fix(TopicIndex topic) noexcept {
  if (is_fixed(topic)) return;
  fixed_[topic.value()] = 1;
  for (std::size_t m = 0; m < means_.size(); ++m) {
    One& one = at(topic, m);
    const Mean& mean = means_[m];
    const double so_far = mean.n == 0 ? 0.5 : mean.sum.value() / static_cast<double>(mean.n);
    one.expected = std::isnan(one.baseline) ? so_far : one.baseline;
  }
}

void SplitExpectation::saw(TopicIndex topic, std::size_t measure, double value) noexcept {
  One& one = at(topic, measure);
  if (one.has_value) return;
  one.has_value = true;
  means_[measure].sum.add(value);
  ++means_[measure].n;
}

void SplitExpectation::begin_epoch() noexcept {
  std::ranges::fill(means_, Mean{});
  std::ranges::fill(fixed_, std::uint8_t{0});
  for (One& one : topics_) one.has_value = false;
}

void SplitExpectation::merge(const SplitExpectation& other) noexcept {
  for (std::size_t m = 0; m < means_.size(); ++m) {
    means_[m].sum.add(other.means_[m].sum);
    means_[m].n += other.means_[m].n;
  }
  for (std::uint32_t t = 0; t < fixed_.size(); ++t) {
    for (std::size_t m = 0; m < means_.size(); ++m) {
      const One& theirs = other.at(TopicIndex(t), m);
      One& ours = at(TopicIndex(t), m);
      if (fixed_[t] == 0) ours.expected = theirs.expected;
      ours.has_value = ours.has_value || theirs.has_value;
    }
    fixed_[t] = fixed_[t] | other.fixed_[t];
  }
}

}  // namespace prescope
