#pragma once

#include <algorithm>
#include <functional>
#include <random>

namespace prescope {

/// A difference of mean 0 of one topic; the worlds D, K and C of docs/slices.md.
using NullDifference = std::function<double(std::mt19937_64&)>;

inline double draw_share(std::mt19937_64& random) {
  return std::uniform_real_distribution<double>(0.0, 1.0)(random);
}
/// Every topic moves; differences are symmetric.
inline double symmetric_difference(std::mt19937_64& random) {
  if (draw_share(random) < 0.1) return 0.0;
  return std::clamp(std::normal_distribution<double>(0.0, 0.11)(random), -1.0, 1.0);
}
/// 38 % gain a little, 4 % lose their best citation.
inline double lost_citation_difference(std::mt19937_64& random) {
  const double u = draw_share(random);
  return u < 0.38 ? 0.04 : u < 0.42 ? -0.38 : 0.0;
}
/// 48 % gain a trace, 0.8 % fall to 0.
inline double rare_fall_difference(std::mt19937_64& random) {
  const double u = draw_share(random);
  return u < 0.48 ? 0.005 : u < 0.488 ? -0.3 : 0.0;
}

/// The sizes of ten slices in thousandths of the topics.
inline constexpr int kSlicePermilles[] = {280, 200, 140, 100, 80, 60, 50, 35, 30, 25};

}  // namespace prescope
