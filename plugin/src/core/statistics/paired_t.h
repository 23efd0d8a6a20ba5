#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace prescope {

/// Student's paired t test of mean difference 0, with its confidence interval.
struct PairedT {
  std::uint32_t n = 0;
  double mean = 0.0, sd = 0.0, standard_error = 0.0;
  double t = 0.0;        ///< 0 where all differences are 0; infinite where sd is 0 and mean is not
  double p_value = 1.0;  ///< two-sided
  double ci_low = 0.0, ci_high = 0.0;
};

/// Nothing for fewer than two differences. `confidence` in (0, 1). Where all differences are equal
/// the interval is that point and p is 1 (all zero) or 0.
[[nodiscard]] std::optional<PairedT> paired_t(std::span<const double> differences,
                                              double confidence = 0.95);

}  // namespace prescope
