#include "statistics/speed_evidence.h"

#include <algorithm>

namespace prescope {

namespace {

/// Returns the variance of the values; 0 if they vary by rounding errors alone.
double variance_of(std::span<const double> values) noexcept {
  TopicSums sums;
  const double first = values.front();
  for (const double value : values) sums.add(value - first);
  const double variance = sums.squared_deviations() / static_cast<double>(values.size() - 1);
  return variance < 1e-24 ? 0.0 : variance;
}

/// Returns ln of the e-value against equally fast arms. Blocks that vary more over long times than
/// over short ones count for fewer.
double log_e_of_blocks(std::span<const double> means, double inflation) {
  const double blocks = static_cast<double>(means.size()) / inflation;
  double squares = 0.0;
  for (const double mean : means) squares += mean * mean;
  const ConfidenceSequence sequence{.b_squared = 0.1};
  return sequence.log_e_value(
      TopicSums(static_cast<std::uint64_t>(blocks), blocks * mean_of(means), squares / inflation));
}

}  // namespace

std::optional<double> variance_inflation(std::vector<double> means) {
  constexpr std::size_t kFewestTold = 8, kFewestChecked = 4;
  constexpr double kMostInflation = 2.5, kMostOfFew = 4.0;
  const double independent = variance_of(means);
  double inflation = 1.0, joined = 1.0;
  if (independent == 0.0) return inflation;
  while (means.size() / 2 >= kFewestChecked) {
    for (std::size_t i = 0; i < means.size() / 2; ++i) {
      means[i] = (means[2 * i] + means[2 * i + 1]) / 2.0;
    }
    means.resize(means.size() / 2);
    joined *= 2.0;
    const double ratio = joined * variance_of(means) / independent;
    const bool is_told = means.size() >= kFewestTold;
    if (ratio > (is_told ? kMostInflation : kMostOfFew)) return std::nullopt;
    if (is_told) inflation = std::max(inflation, ratio);
  }
  return inflation;
}

SpeedEvidence::Bounds SpeedEvidence::average(const Bounds& a, const Bounds& b) noexcept {
  return {(a.least + b.least) / 2.0, (a.most + b.most) / 2.0};
}

void SpeedEvidence::add(Bounds log_ratio) {
  const double least = std::clamp(log_ratio.least, Bounds().least, Bounds().most);
  const double most = std::clamp(log_ratio.most, Bounds().least, Bounds().most);
  ++visits_;
  for (Bounds* const sum : {&sum_, &current_}) {
    sum->least += least;
    sum->most += most;
  }
  if (++in_current_ < length_) return;
  full_.push_back({current_.least / length_, current_.most / length_});
  current_ = {0.0, 0.0};
  in_current_ = 0;
  if (full_.size() < 2 * kFewest) return;
  for (std::size_t i = 0; i < kFewest; ++i) full_[i] = average(full_[2 * i], full_[2 * i + 1]);
  full_.resize(kFewest);
  length_ *= 2;
}

SpeedEvidence::Bounds SpeedEvidence::mean() const noexcept {
  if (visits_ == 0) return {0.0, 0.0};
  const auto n = static_cast<double>(visits_);
  return {sum_.least / n, sum_.most / n};
}

std::vector<double> SpeedEvidence::means(double Bounds::*end) const {
  std::vector<double> means;
  for (const Bounds& block : full_) means.push_back(block.*end);
  return means;
}

LatencyState SpeedEvidence::state(double alpha) const {
  if (full_.size() < kFewest) return LatencyState::kCollecting;
  const double enough = -std::log(alpha);
  // A is faster if even the least ratio is above 1, B if even the most is below 1.
  for (const auto& [end, sign] : {std::pair(&Bounds::least, 1.0), std::pair(&Bounds::most, -1.0)}) {
    const std::vector<double> means = this->means(end);
    const std::optional<double> inflation = variance_inflation(means);
    if (!inflation) return LatencyState::kDependent;
    if (sign * mean_of(means) > 0.0 && log_e_of_blocks(means, *inflation) >= enough) {
      return LatencyState::kFaster;
    }
  }
  const auto [least, most] = mean();
  const bool could_turn = most - least > 1e-12 && least <= 0.0 && most >= 0.0;
  return could_turn ? LatencyState::kOpen : LatencyState::kNoVerdict;
}

}  // namespace prescope
