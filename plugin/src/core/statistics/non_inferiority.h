#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/statistics/paired_t.h"

namespace prescope {

/// Whether a mean difference may be as bad as a margin. "Not significantly worse" says nothing of
/// the kind: with few topics nothing is significant.
struct NonInferiority {
  enum class Answer {
    kNotInferior,  ///< the lower bound is above -margin
    kInferior,     ///< the upper bound is below -margin
    kUnknown,      ///< -margin lies between the bounds, or on one
  };

  PairedT t{};                   ///< its interval has the bounds as ends
  double low = 0.0, high = 0.0;  ///< each alone bounds the true mean with the confidence asked for
  double p_not_inferior = 1.0;   ///< one-sided, against "the mean is -margin or less"
  double p_not_superior = 1.0;   ///< one-sided, against "the mean is margin or more"
  Answer answer = Answer::kUnknown;

  /// Two one-sided tests (Schuirmann 1987), against "the mean is outside (-margin, margin)".
  [[nodiscard]] double p_equivalent() const noexcept {
    return p_not_inferior > p_not_superior ? p_not_inferior : p_not_superior;
  }
};

/// By the paired t. `margin` > 0, `confidence` in (0.5, 1). Nothing for fewer than two differences.
/// Where all differences are equal the bounds are that point.
[[nodiscard]] std::optional<NonInferiority> non_inferiority(std::span<const double> differences,
                                                            double margin,
                                                            double confidence = 0.95);

}  // namespace prescope
