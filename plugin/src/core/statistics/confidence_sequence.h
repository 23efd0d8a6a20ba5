#pragma once

#include <cstdint>
#include <optional>

#include "core/statistics/compensated_sum.h"

/// Statements about a mean that stay valid while somebody looks after every value: the
/// self-normalised normal mixture (de la Pena 1999; Howard, Ramdas, McAuliffe, Sekhon 2020). Where
/// each value is as likely as its opposite, as differences are between two arms that do not differ,
/// the chance that an interval ever misses 0 is at most alpha, whatever the values' distribution.
namespace prescope {

/// n, the sum and the sum of squares of one value for each topic: all that is needed. O(1) in
/// memory and in time.
class TopicSums {
 public:
  TopicSums() = default;
  TopicSums(std::uint64_t n, double sum, double squares) noexcept;

  /// The first value of a topic.
  void add(double value) noexcept;
  /// A topic's value has changed, as a mean does with a new visit.
  void replace(double before, double now) noexcept;
  /// Sums over other topics.
  void merge(const TopicSums& others) noexcept;

  [[nodiscard]] std::uint64_t n() const noexcept { return n_; }
  [[nodiscard]] double sum() const noexcept { return sum_.value(); }
  [[nodiscard]] double squares() const noexcept { return squares_.value(); }
  /// 0 without values.
  [[nodiscard]] double mean() const noexcept;
  /// Sum of squared deviations from the mean, >= 0.
  [[nodiscard]] double squared_deviations() const noexcept;

 private:
  std::uint64_t n_ = 0;
  CompensatedSum sum_, squares_;
};

/// Both are fixed before the data: changing them begins a new epoch.
struct ConfidenceSequence {
  /// The chance of ever being wrong, in (0, 1); of K statements at once, a Kth each.
  double alpha = 0.05;
  /// The square of b, > 0: the interval behaves as if one topic more with deviation b had been
  /// seen. 0.25 for differences of scores, 4 for split traffic without a baseline, 0.5 with one, 2
  /// for logarithms of latency ratios.
  double b_squared = 0.25;

  /// ln of the e-value against "the mean is `mean`".
  [[nodiscard]] double log_e_value(const TopicSums& sums, double mean = 0.0) const noexcept;
  /// The interval is the mean plus and minus this; nothing where it is unbounded, as it is for the
  /// first few topics.
  [[nodiscard]] std::optional<double> half_width(const TopicSums& sums) const noexcept;
};

}  // namespace prescope
