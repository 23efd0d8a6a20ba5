#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// How much two rankings of documents have in common, and the mean of that over many visits.
namespace prescope {

/// The overlap of two rankings, in which a document that comes again is left out, so that the ones
/// behind it move up.
struct RankingOverlap {
  /// |A and B| / |A or B|, in [0, 1] (Jaccard 1901).
  double jaccard = 0.0;
  /// RankBiasedOverlap::extrapolated, in [0, 1]; 0 if one of the rankings is empty.
  double rbo = 0.0;
  bool is_identical = false;  ///< the same documents in the same order
};
/// `a` and `b` name documents, the first one at rank 1; `persistence` in (0, 1). Returns
/// std::nullopt if both are empty: nothing can be shared. O(hits).
[[nodiscard]] std::optional<RankingOverlap> ranking_overlap(std::span<const std::uint64_t> a,
                                                            std::span<const std::uint64_t> b,
                                                            double persistence);

/// The mean of values in [0, 1], with an interval that holds at every look, whatever the values
/// depend on: the chance that it ever misses the mean of what was to be expected of each value,
/// given those before, is at most alpha. Howard, Ramdas, McAuliffe & Sekhon, Annals of Statistics
/// 2021: theorem 4 (empirical Bernstein) with the polynomial stitched boundary of theorem 1.
class BoundedMean {
 public:
  void add(double value) noexcept;
  [[nodiscard]] std::uint64_t n() const noexcept { return n_; }
  [[nodiscard]] std::optional<double> mean() const noexcept;

  struct Interval {
    double low = 0.0, high = 1.0;
  };
  /// `alpha` in (0, 1). [0, 1] without values.
  [[nodiscard]] Interval interval(double alpha) const noexcept;

 private:
  std::uint64_t n_ = 0;
  double sum_ = 0.0;
  double spread_ = 0.0;  // squared distances of the values from what was predicted for them
};

/// The last values of a series.
class LatestValues {
 public:
  /// `most` >= 1 values are kept.
  explicit LatestValues(std::size_t most) : most_(most) {}
  void add(double value);
  /// Returns the mean of the last values; std::nullopt before there are `most`.
  [[nodiscard]] std::optional<double> mean() const noexcept;

 private:
  std::size_t most_;
  std::size_t next_ = 0;  // place of the next value, which takes the place of the oldest
  std::vector<double> values_;
};

}  // namespace prescope
