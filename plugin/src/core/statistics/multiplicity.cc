#include "core/statistics/multiplicity.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace prescope {
namespace {

std::vector<std::size_t> ascending(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  return order;
}

/// max over j <= k of (m - j + 1) p_(j), at most 1.
std::vector<double> holm(std::span<const double> p_values) {
  std::vector<double> corrected(p_values.size());
  double most = 0.0;
  std::size_t left = p_values.size();
  for (const std::size_t i : ascending(p_values)) {
    most = std::max(most, std::min(1.0, static_cast<double>(left--) * p_values[i]));
    corrected[i] = most;
  }
  return corrected;
}

/// min over j >= k of m p_(j) / j, at most 1.
std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  std::vector<double> corrected(p_values.size());
  const std::vector<std::size_t> order = ascending(p_values);
  const auto m = static_cast<double>(p_values.size());
  double least = 1.0;
  for (std::size_t j = order.size(); j > 0; --j) {
    // A factor of at least 1, so that rounding does not lower p itself.
    least = std::min(least, m / static_cast<double>(j) * p_values[order[j - 1]]);
    corrected[order[j - 1]] = least;
  }
  return corrected;
}

}  // namespace

std::vector<double> correct_p_values(std::span<const double> p_values, Correction correction) {
  switch (correction) {
    case Correction::kHolm:
      return holm(p_values);
    case Correction::kBh:
      return benjamini_hochberg(p_values);
    case Correction::kNone:
      break;
  }
  return {p_values.begin(), p_values.end()};
}

}  // namespace prescope
