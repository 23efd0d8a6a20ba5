#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "prescope/summary.h"
#include "statistics/effect_size.h"

namespace prescope {

/// A sum that keeps its rounding errors and adds them at the end (Neumaier 1974): adding and taking
/// back a million values leaves the sum of the rest, to the last digits.
class CompensatedSum {
 public:
  void add(double value) noexcept {
    const double sum = sum_ + value;
    error_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    sum_ = sum;
  }
  void add(const CompensatedSum& other) noexcept {
    add(other.sum_);
    error_ += other.error_;
  }
  [[nodiscard]] double value() const noexcept { return sum_ + error_; }

 private:
  double sum_ = 0.0, error_ = 0.0;
};

/// n, the sum and the sum of squares of one value for each topic, or for each pair or block.
class TopicSums {
 public:
  TopicSums() = default;
  TopicSums(std::uint64_t n, double sum, double squares) noexcept : n_(n) {
    sum_.add(sum);
    squares_.add(squares);
  }

  /// The first value of a topic.
  void add(double value) noexcept {
    ++n_;
    sum_.add(value);
    squares_.add(value * value);
  }
  /// Takes out the value of a topic.
  void remove(double value) noexcept {
    --n_;
    sum_.add(-value);
    squares_.add(-(value * value));
  }

  /// Adds the topics of `other`, which must be others.
  void add(const TopicSums& other) noexcept {
    n_ += other.n_;
    sum_.add(other.sum_);
    squares_.add(other.squares_);
  }

  [[nodiscard]] std::uint64_t n() const noexcept { return n_; }
  [[nodiscard]] double sum() const noexcept { return sum_.value(); }
  [[nodiscard]] double squares() const noexcept { return squares_.value(); }
  /// 0 without values.
  [[nodiscard]] double mean() const noexcept {
    return n_ == 0 ? 0.0 : sum() / static_cast<double>(n_);
  }
  /// Sum of squared deviations from the mean, >= 0.
  [[nodiscard]] double squared_deviations() const noexcept {
    return n_ == 0 ? 0.0 : std::max(0.0, squares() - sum() * mean());
  }

 private:
  std::uint64_t n_ = 0;
  CompensatedSum sum_, squares_;
};

/// What eight bets have made of values of -1 or more, against "the mean is at most 0". The bets
/// were fixed beforehand, so the order of the topics does not matter.
class Bets {
 public:
  /// Bets on a value so many `times`; -1 takes the bets back. 8 logarithms; none for 0.
  void bet_on(double value, double times) noexcept;
  void add(const Bets& other) noexcept;
  /// Returns ln of the e-value. O(1).
  [[nodiscard]] double log_e() const noexcept;

 private:
  static constexpr std::size_t kBets = 8;
  std::array<CompensatedSum, kBets> log_wealths_{};
};

/// The evidence of one value in [-1, 1] for each topic, kept up to date value by value: the sums
/// that intervals need, and what bets on each side of 0 have made of the values. 300 bytes; not
/// thread-safe.
class TopicEvidence {
 public:
  /// Adds a new topic's value. Takes 16 logarithms; none if the value is 0.
  void add(double value) noexcept {
    sums_.add(value);
    bet_on(value, 1.0);
  }
  /// Adds as many new topics with one value.
  void add(double value, std::uint64_t topics) noexcept {
    const auto n = static_cast<double>(topics);
    sums_.add(TopicSums(topics, n * value, n * value * value));
    bet_on(value, n);
  }
  /// Takes out the value of a topic that was added before. Adding and taking out a million times
  /// leaves the evidence of the others, to 1e-12.
  void remove(double value) noexcept {
    sums_.remove(value);
    bet_on(value, -1.0);
  }

  /// Adds the topics of `other`, which must be others.
  void add(const TopicEvidence& other) noexcept;

  [[nodiscard]] const TopicSums& sums() const noexcept { return sums_; }
  /// Returns ln W+, the e-value against "the mean is at most 0". O(1).
  [[nodiscard]] double log_e_above() const noexcept { return above_.log_e(); }
  /// Returns ln W-, the e-value against "the mean is at least 0".
  [[nodiscard]] double log_e_below() const noexcept { return below_.log_e(); }
  /// Returns ln of the e-value against "the mean is 0": half of the bets are on each side.
  [[nodiscard]] double log_e_different() const noexcept;

 private:
  void bet_on(double value, double times) noexcept {
    above_.bet_on(value, times);
    below_.bet_on(-value, times);
  }

  TopicSums sums_;
  Bets above_, below_;
};

/// The ends of an interval that a value is in. A known value is both of them.
struct Bounds {
  double low = 0.0, high = 0.0;
  [[nodiscard]] bool is_known() const noexcept { return low == high; }
  /// Returns false for kNoBounds.
  [[nodiscard]] bool has_value() const noexcept { return !std::isnan(low); }
  [[nodiscard]] bool excludes_zero() const noexcept { return low > 0.0 || high < 0.0; }
  friend bool operator==(const Bounds&, const Bounds&) = default;
};
/// The bounds of a value that is not there.
inline constexpr Bounds kNoBounds{std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::quiet_NaN()};

/// The evidence of one value for each topic, some of which are only known to lie between bounds:
/// what it is if all of those lie at their lower bounds, and at their upper bounds. As known values
/// fall or rise with the bounds, what holds at both holds for what is between them.
class BoundedEvidence {
 public:
  BoundedEvidence() = default;
  /// Not explicit: evidence of known values is the usual case.
  BoundedEvidence(const TopicEvidence& known) noexcept : known_(known) {}  // NOLINT

  void add(const Bounds& value) noexcept;
  /// Adds as many new topics, all between the same bounds.
  void add(const Bounds& unknown, std::uint64_t topics) noexcept {
    at_low_.add(unknown.low, topics);
    at_high_.add(unknown.high, topics);
  }
  /// Takes out what was added before.
  void remove(const Bounds& value) noexcept;

  [[nodiscard]] TopicEvidence at_low() const noexcept { return with(at_low_); }
  [[nodiscard]] TopicEvidence at_high() const noexcept { return with(at_high_); }
  /// Returns the sums with the mean at the lower, or the upper, bounds, and squares at least as
  /// large as any values between the bounds have: a t test of them is cautious.
  [[nodiscard]] TopicSums cautious_at_low() const noexcept { return cautious(at_low_); }
  [[nodiscard]] TopicSums cautious_at_high() const noexcept { return cautious(at_high_); }
  /// Returns the number of topics, and how many of these are not known exactly.
  [[nodiscard]] std::uint64_t topics() const noexcept { return known_.sums().n() + bounded(); }
  [[nodiscard]] std::uint64_t bounded() const noexcept { return at_low_.sums().n(); }

 private:
  [[nodiscard]] TopicEvidence with(const TopicEvidence& bounded) const noexcept {
    TopicEvidence all = known_;
    all.add(bounded);
    return all;
  }

  [[nodiscard]] TopicSums cautious(const TopicEvidence& bounded) const noexcept {
    return {topics(), known_.sums().sum() + bounded.sums().sum(),
            known_.sums().squares() + at_low_.sums().squares() + at_high_.sums().squares()};
  }

  TopicEvidence known_, at_low_, at_high_;
};

/// Both are fixed before the data: changing them begins a new epoch.
struct ConfidenceSequence {
  /// The chance of ever being wrong, in (0, 1); of K statements at once, a Kth each.
  double alpha = 0.05;
  /// The square of b, > 0: the interval is as if one topic more with deviation b had been seen.
  double b_squared = 0.25;

  /// Returns ln of the e-value against "the mean is `mean`".
  [[nodiscard]] double log_e_value(const TopicSums& sums, double mean = 0.0) const noexcept;
  /// Returns ln of the one-sided e-value against "the mean is `mean` or more".
  [[nodiscard]] double log_e_below(const TopicSums& sums, double mean) const noexcept;
  /// The interval is the mean plus and minus this; unbounded (std::nullopt) for the first topics.
  [[nodiscard]] std::optional<double> half_width(const TopicSums& sums) const noexcept;
};

/// The parameters of a statement about two arms, fixed before the data.
struct LiveStatement {
  double alpha = 0.05;      ///< its share of the chance of ever being wrong, (0, 0.5]
  double b_squared = 0.25;  ///< see ConfidenceSequence
  double scale = 1.0;       ///< the difference of the arms is this many times the mean value
  /// False: the measure is described, LiveState::kDescribed whatever the evidence. Its interval is
  /// valid by itself, not together with the others, so `alpha` is not a share.
  bool is_primary = true;
};

/// Topics below which no state but "collecting" is given.
inline constexpr std::uint64_t kFewestTopics = 10;

enum class BaselineScores { kNone, kKnown };
/// Returns the statement for differences of scores: in split traffic about half the difference.
[[nodiscard]] LiveStatement score_statement(Mode mode, BaselineScores baseline,
                                            double alpha) noexcept;
/// Returns what may be said at this moment, whatever the values between the bounds are. The largest
/// value of a topic is 1, also in split traffic: `LiveVerdict::topics_to_undo` counts topics of -1
/// or 1. O(1).
[[nodiscard]] LiveVerdict live_verdict(const BoundedEvidence& evidence,
                                       const LiveStatement& statement) noexcept;

/// Returns ln of the e-value against "a coin gave each topic its arm, B with the chance `share_b`",
/// valid after any number of topics. From `kSampleRatioAlarm` on the arms are not comparable.
[[nodiscard]] double sample_ratio_log_e(std::uint64_t in_a, std::uint64_t in_b,
                                        double share_b = 0.5) noexcept;
inline constexpr double kSampleRatioAlarm = 6.907755278982137;  // ln 1000
/// Returns ln of the e-value against "each of `of` cases counts with the chance `share`", valid
/// after any number of cases.
[[nodiscard]] double share_log_e(std::uint64_t count, std::uint64_t of, double share) noexcept;
/// Returns the two-sided p-value of such numbers under that coin, for one look: twice that of the
/// less likely side, at most 1; 1 for no topics.
[[nodiscard]] double sample_ratio_p(std::uint64_t in_a, std::uint64_t in_b, double share_b = 0.5);

}  // namespace prescope
