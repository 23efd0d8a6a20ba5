#include "live/ledger/totals.h"

#include <cmath>

#include "runs/evaluation.h"
#include "statistics/paired_tests.h"

namespace prescope {

double Score::change() const noexcept {
  if (visits < 2) return 0.0;
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
  visits_ += static_cast<std::uint64_t>(sign) * score.visits;
  shallow_visits_ += static_cast<std::uint64_t>(sign) * score.shallow_visits;
  if (score.visits == 0) {
    too_shallow_ += score.shallow_visits > 0 ? one : 0U;
    return;
  }
  topics_ += one;
  scores_[step_of(score.mean)] += one;
  values_.add(sign * on_scale_of_mean(measure_, score.mean));
  if (score.visits < 2) return;
  revisited_ += one;
  const double change = score.change();
  changed_ += change > 0.0 ? one : 0U;
  changes_.add(sign * change);
}

void ScoreTotals::saw_change(const Score& score, TopicIndex topic) noexcept {
  const double change = score.change();
  if (change <= largest_change_) return;
  largest_change_ = change;
  most_changed_ = topic;
}

std::optional<double> ScoreTotals::mean() const { return mean_over(topics_); }

std::optional<double> ScoreTotals::mean_over(std::uint32_t topics) const {
  if (topics == 0) return std::nullopt;
  const double missing = topics > topics_ ? topics - topics_ : 0.0;
  const double sum = values_.value() + missing * on_scale_of_mean(measure_, 0.0);
  return mean_from_scale(measure_, sum / (topics_ + missing));
}

double ScoreTotals::mean_change() const noexcept {
  return revisited_ == 0 ? 0.0 : changes_.value() / revisited_;
}

void PairTotals::count(const Topic& topic, Sign add_or_take_out) noexcept {
  const int sign = static_cast<int>(add_or_take_out);
  a_.add(sign * topic.a);
  b_.add(sign * topic.b);
  difference_.add(sign * topic.difference);
  const double d = topic.difference;
  (d > 0.0 ? wins_ : d < 0.0 ? losses_ : ties_) += static_cast<std::uint32_t>(sign);
}

}  // namespace prescope
