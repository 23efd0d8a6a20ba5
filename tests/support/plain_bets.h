#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace prescope {

/// Returns ln of what the eight bets on one side of `mean` have made of `values`, each bet by
/// itself as the formula of docs/statistics.md says: player j stakes 0.99 / 2^j of the largest
/// possible share and starts with 2^-(j+1), the last with 2^-7. `side` is 1 for bets on larger
/// values, -1 for bets on smaller ones.
inline double log_wealth(std::span<const double> values, double side, double mean = 0.0) {
  std::array<long double, 8> parts{};
  for (int j = 0; j < 8; ++j) {
    const long double stake = side * std::ldexp(0.99L, -j) / (1.0L + side * mean);
    long double log_wealth = std::log(std::ldexp(1.0L, j < 7 ? -(j + 1) : -7));
    for (const double value : values) log_wealth += std::log1p(stake * (value - mean));
    parts[static_cast<std::size_t>(j)] = log_wealth;
  }
  const long double largest = *std::ranges::max_element(parts);
  long double sum = 0.0L;
  for (const long double part : parts) sum += std::exp(part - largest);
  return static_cast<double>(largest + std::log(sum));
}

}  // namespace prescope
