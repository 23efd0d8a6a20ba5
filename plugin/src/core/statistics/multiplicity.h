#pragma once

#include <span>
#include <vector>

namespace prescope {

/// How p-values of several comparisons are corrected.
enum class Correction {
  kHolm,  ///< Holm 1979: bounds the chance of any false claim; under any dependence
  kBh,    ///< Benjamini & Hochberg 1995: bounds the expected share of false claims
  kNone,
};

/// The corrected p-values, in the order given, each in [p, 1]. An empty list gives an empty list.
[[nodiscard]] std::vector<double> correct_p_values(std::span<const double> p_values,
                                                   Correction correction);

}  // namespace prescope
