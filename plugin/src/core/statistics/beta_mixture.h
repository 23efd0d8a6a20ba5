#pragma once

#include <cmath>
#include <cstdint>

#include "core/statistics/distributions.h"

namespace prescope {

/// A Beta(a, b) mixture of binomials, as evidence against one binomial.
struct BetaMixture {
  double a, b;  ///< > 0

  /// ln of the e-value of `successes` and `failures` against "each is a success with probability
  /// p", p in (0, 1); valid after any number of them.
  [[nodiscard]] double log_e_value(std::uint64_t successes, std::uint64_t failures,
                                   double p) const noexcept {
    const auto k = static_cast<double>(successes), rest = static_cast<double>(failures);
    return log_beta(a + k, b + rest) - log_beta(a, b) - k * std::log(p) - rest * std::log1p(-p);
  }
};

}  // namespace prescope
