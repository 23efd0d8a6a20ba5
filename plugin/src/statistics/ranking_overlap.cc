#include "statistics/ranking_overlap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "statistics/rank_correlation.h"

namespace prescope {

namespace {

/// Gives small numbers to documents, the same number to the same document.
class RankedDocuments {
 public:
  /// Returns the numbers of a ranking's documents, each once, at its first place.
  std::vector<std::uint32_t> of(std::span<const std::uint64_t> ranking) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(ranking.size());
    std::vector<bool> is_ranked(numbers_.size());
    for (const std::uint64_t document : ranking) {
      const auto next = static_cast<std::uint32_t>(numbers_.size());
      const std::uint32_t number = numbers_.try_emplace(document, next).first->second;
      if (number >= is_ranked.size()) is_ranked.resize(number + 1);
      if (is_ranked[number]) continue;
      is_ranked[number] = true;
      numbers.push_back(number);
    }
    return numbers;
  }
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

/// The constants of the stitched boundary: epochs grow by a factor of 2, and the i-th one has a
/// share of 1 / (zeta(1.4) i^1.4) of alpha.
constexpr double kGrowth = 2.0;
constexpr double kPower = 1.4;
constexpr double kZetaOfPower = 3.10554727797758;

/// Returns a bound of the sum of deviations whose squares sum to `spread`, for values in a range of
/// length 1, which is crossed with a chance of `alpha`.
double stitched_boundary(double spread, double alpha) noexcept {
  const double variance = std::max(spread, 1.0);
  const double log_term = kPower * std::log(1.0 + std::log(variance) / std::log(kGrowth)) +
                          std::log(kZetaOfPower / alpha);
  const double k1 = (std::pow(kGrowth, 0.25) + std::pow(kGrowth, -0.25)) / std::sqrt(2.0);
  const double k2 = (std::sqrt(kGrowth) + 1.0) / 2.0;
  const double linear = k2 * log_term;
  return std::sqrt(k1 * k1 * variance * log_term + linear * linear) + linear;
}

}  // namespace

std::optional<RankingOverlap> ranking_overlap(std::span<const std::uint64_t> a,
                                              std::span<const std::uint64_t> b,
                                              double persistence) {
  if (a.empty() && b.empty()) return std::nullopt;
  RankedDocuments documents;
  const std::vector<std::uint32_t> in_a = documents.of(a), in_b = documents.of(b);
  const std::size_t all = documents.size(), shared = in_a.size() + in_b.size() - all;
  RankingOverlap overlap{
      .jaccard = static_cast<double>(shared) / static_cast<double>(all),
      .is_identical = in_a == in_b,
  };
  if (const auto biased = rank_biased_overlap(in_a, in_b, persistence)) {
    overlap.rbo = std::clamp(biased->extrapolated, 0.0, 1.0);
  }
  return overlap;
}

void BoundedMean::add(double value) noexcept {
  // The mean of the values before, drawn a little to the middle.
  const double predicted = (sum_ + 0.5) / static_cast<double>(n_ + 1);
  spread_ += (value - predicted) * (value - predicted);
  sum_ += value;
  ++n_;
}

std::optional<double> BoundedMean::mean() const noexcept {
  return n_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(n_));
}

BoundedMean::Interval BoundedMean::interval(double alpha) const noexcept {
  if (n_ == 0) return {};
  const double half_width = stitched_boundary(spread_, alpha / 2.0) / static_cast<double>(n_);
  return {std::max(0.0, *mean() - half_width), std::min(1.0, *mean() + half_width)};
}

void LatestValues::add(double value) {
  if (values_.size() < most_) {
    values_.push_back(value);
  } else {
    values_[next_] = value;
  }
  next_ = (next_ + 1) % most_;
}

std::optional<double> LatestValues::mean() const noexcept {
  if (values_.size() < most_) return std::nullopt;
  return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(most_);
}

}  // namespace prescope
