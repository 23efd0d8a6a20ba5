#pragma once

#include "statistics/paired_tests.h"

namespace prescope {

struct ProportionInterval {
  double low = 0.0, high = 1.0;
};

/// Wilson's score interval of a share of `n` >= 1, `confidence` in (0, 1).
[[nodiscard]] ProportionInterval wilson_interval(double share, std::uint32_t n, double confidence);

/// The size of a difference, independent of its certainty.
struct EffectSize {
  /// Mean over standard deviation of the differences; std::nullopt if the deviation is 0.
  std::optional<double> d_z{};
  /// d_z less its bias in small samples (Hedges); std::nullopt also below 3 differences.
  std::optional<double> g_z{};
  double superiority = 0.5;  ///< (wins + ties / 2) / n
  ProportionInterval superiority_interval{};
};

/// `counts` and `test` of the same differences.
[[nodiscard]] EffectSize effect_size(const PairedT& test, const DifferenceCounts& counts,
                                     double confidence = 0.95);

/// Options for the power of a two-sided paired t test.
struct PowerOptions {
  double alpha = 0.05;  ///< in (0, 1)
  double power = 0.8;   ///< in (0, 1): the chance to show a difference that is there
};

/// The mean difference that `n` >= 2 topics of this standard deviation show with that power:
/// (t_{1 - alpha/2} + t_{power}) sd / sqrt(n), within 0.03 % of the noncentral t from 50 topics on.
[[nodiscard]] double minimum_detectable_difference(double sd, std::uint32_t n,
                                                   const PowerOptions& options = {});

/// Returns the topics needed to show `difference` with that power: ((z_{1 - alpha/2} + z_{power})
/// sd / d)^2 + 2, rounded up; std::nullopt if `difference` is 0, or for more than 2^53.
[[nodiscard]] std::optional<std::uint64_t> topics_needed(double sd, double difference,
                                                         const PowerOptions& options = {});

/// Tells whether a mean difference may be as bad as a margin. "Not significantly worse" does not
/// answer this: with few topics nothing is significant.
struct NonInferiority {
  enum class Answer {
    kNotInferior,  ///< the lower bound is above -margin
    kInferior,     ///< the upper bound is below -margin
    kUnknown,      ///< -margin lies between the bounds, or on one
  };

  /// Each end of its interval alone bounds the true mean with the confidence asked for.
  PairedT t{};
  double p_not_inferior = 1.0;  ///< one-sided, against "the mean is -margin or less"
  double p_not_superior = 1.0;  ///< one-sided, against "the mean is margin or more"
  Answer answer = Answer::kUnknown;

  /// Two one-sided tests (Schuirmann 1987), against "the mean is outside (-margin, margin)".
  [[nodiscard]] double p_equivalent() const noexcept {
    return p_not_inferior > p_not_superior ? p_not_inferior : p_not_superior;
  }
};

/// Tests by the paired t. `margin` > 0, `confidence` in (0.5, 1). Returns std::nullopt for fewer
/// than two differences. If all differences are equal, the bounds are that point.
[[nodiscard]] std::optional<NonInferiority> non_inferiority(std::span<const double> differences,
                                                            double margin,
                                                            double confidence = 0.95);

// Distributions. They never throw and never give NaN for finite arguments: a tail too far out to
// have a double is 0, a quantile too far out is infinite. `p` in (0, 1), `degrees` > 0.

/// P(T > t) of Student's t.
[[nodiscard]] double student_t_tail(double t, double degrees) noexcept;
/// The t with P(T <= t) = p.
[[nodiscard]] double student_t_quantile(double p, double degrees) noexcept;
/// P(Z > z) of the standard normal.
[[nodiscard]] double normal_tail(double z) noexcept;
/// The z with P(Z <= z) = p.
[[nodiscard]] double normal_quantile(double p) noexcept;
/// P(X >= successes) of `trials` throws of a fair coin, `successes` <= `trials`.
[[nodiscard]] double fair_coin_tail(std::uint64_t successes, std::uint64_t trials) noexcept;
/// ln of the beta function; `a`, `b` > 0.
[[nodiscard]] double log_beta(double a, double b) noexcept;

/// The exact interval of a share of which `k` of `n` >= 1 were seen, `k` <= `n` (Clopper & Pearson
/// 1934); `confidence` in (0, 1), two-sided. A one-sided bound of confidence c is an end of the
/// interval of confidence 2c - 1.
[[nodiscard]] ProportionInterval clopper_pearson_interval(std::uint64_t k, std::uint64_t n,
                                                          double confidence);

}  // namespace prescope
