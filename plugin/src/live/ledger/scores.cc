#include "live/ledger/scores.h"

#include <algorithm>
#include <cmath>

#include "runs/evaluation.h"
#include "statistics/paired_tests.h"

namespace prescope {

double Score::change() const noexcept {
  if (visits < 2 || !has_last) return 0.0;
  const double of_visits = visits;
  return std::abs(clean_difference(last, mean) * of_visits / (of_visits - 1.0));
}

namespace {

/// Returns the first step of ScoreCounts that ends at the score or above.
std::size_t step_of(double score) noexcept {
  if (!(score > 0.0)) return 0;
  if (score > 1.0) return kScoreSteps + 1;
  const auto step = static_cast<std::size_t>(score * double{kScoreSteps});
  return score > static_cast<double>(step) / kScoreSteps ? step + 1 : step;
}

}  // namespace

void ScoreTotals::count(const Score& score, Sign add_or_take_out) noexcept {
  const int sign = static_cast<int>(add_or_take_out);
  const auto one = static_cast<std::uint32_t>(sign);  // counts wrap around when one is taken out
  counts_.visits += static_cast<std::uint64_t>(sign) * score.visits;
  counts_.shallow_visits += static_cast<std::uint64_t>(sign) * score.shallow_visits;
  if (score.visits == 0) {
    counts_.too_shallow += score.shallow_visits > 0 ? one : 0U;
    return;
  }
  counts_.topics += one;
  counts_.scores[step_of(score.mean)] += one;
  values_.add(sign * on_scale_of_mean(counts_.measure, score.mean));
  if (score.visits < 2) return;
  counts_.drift.revisited += one;
  const double change = score.change();
  counts_.drift.changed += change > 0.0 ? one : 0U;
  changes_.add(sign * change);
}

void ScoreTotals::saw_change(const Score& score, TopicIndex topic) noexcept {
  const double change = score.change();
  if (change <= counts_.drift.largest) return;
  counts_.drift.largest = change;
  most_changed_ = topic;
}

MeasureMean ScoreTotals::means(std::uint32_t with_relevant) const {
  MeasureMean means = counts_;
  const auto mean_over = [&](std::uint32_t topics) -> std::optional<double> {
    if (topics == 0) return std::nullopt;
    const double missing = topics > means.topics ? topics - means.topics : 0.0;
    const double sum = values_.value() + missing * on_scale_of_mean(means.measure, 0.0);
    return mean_from_scale(means.measure, sum / (means.topics + missing));
  };
  means.mean = mean_over(means.topics);
  means.mean_over_all = mean_over(with_relevant);
  if (means.drift.revisited > 0) means.drift.mean_change = changes_.value() / means.drift.revisited;
  return means;
}

void PairTotals::count(const Topic& topic, Sign add_or_take_out) noexcept {
  const int sign = static_cast<int>(add_or_take_out);
  a_.add(sign * topic.a);
  b_.add(sign * topic.b);
  difference_.add(sign * topic.difference);
  const double d = topic.difference;
  (d > 0.0 ? wins_ : d < 0.0 ? losses_ : ties_) += static_cast<std::uint32_t>(sign);
}

void WorstTopics::add(double difference, TopicIndex topic) noexcept {
  if (!(difference < 0.0)) return;  // nor NaN
  const Loss loss{difference, topic};
  if (loss >= limit_) return;
  if (kept_now_ == kKept) {
    if (loss > kept_.back()) {
      limit_ = loss;
      return;
    }
    limit_ = kept_[--kept_now_];
  }
  const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(kept_now_++);
  const auto at = std::upper_bound(kept_.begin(), end, loss);
  std::move_backward(at, end, end + 1);
  *at = loss;
}

void WorstTopics::take_out(double difference, TopicIndex topic) noexcept {
  const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(kept_now_);
  const auto at = std::lower_bound(kept_.begin(), end, Loss{difference, topic});
  if (at == end || *at != Loss{difference, topic}) return;
  std::move(at + 1, end, at);
  --kept_now_;
}

SplitExpectation::SplitExpectation(const Qrels& qrels, const Scorer& scorer,
                                   std::span<const BaselineScore> baseline)
    : means_(scorer.measures().size()), topics_(seen_, means_.size()) {
  for (const BaselineScore& score : baseline) {
    const std::optional<TopicIndex> topic = qrels.look_up(score.topic.text());
    const auto measure = std::ranges::find(scorer.measures(), Measure::parse(score.measure));
    if (!topic || measure == scorer.measures().end()) continue;
    const auto m = static_cast<std::size_t>(measure - scorer.measures().begin());
    make_room(*topic);
    topics_.row_at(topic->value())[m].baseline = score.score;
  }
}

void SplitExpectation::make_room(TopicIndex topic) {
  if (seen_.has_seen(topic.value())) return;
  seen_.make_room(topic.value());
  topics_.make_room();
  seen_.see(topic.value());
}

void SplitExpectation::fix(TopicIndex topic) noexcept {
  const std::span<One> row = topics_.row_at(topic.value());
  for (std::size_t m = 0; m < means_.size(); ++m) {
    One& one = row[m];
    if (one.expected) return;
    one.expected = one.baseline.value_or(so_far(m));
  }
}

void SplitExpectation::saw(TopicIndex topic, std::size_t measure, double value) noexcept {
  if (std::exchange(topics_.row_at(topic.value())[measure].has_value, true)) return;
  means_[measure].sum.add(value);
  ++means_[measure].n;
}

void SplitExpectation::begin_epoch() noexcept {
  std::ranges::fill(means_, RunningMean{});
  seen_.for_each([&](std::size_t t) {
    for (One& one : topics_.row_at(t)) one = {.baseline = one.baseline};
  });
}

}  // namespace prescope
