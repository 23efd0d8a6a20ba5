#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace prescope {

/// The usual number of random cases of a test, times PRESCOPE_CASES of the environment, rounded up.
/// Sanitizers take fewer, because they are slow and look for other faults.
inline std::uint64_t number_of_cases(std::uint64_t usual) {
  const char* const factor = std::getenv("PRESCOPE_CASES");
  if (factor == nullptr) return usual;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(usual) * std::atof(factor)));
}

}  // namespace prescope
