#include "core/statistics/wilcoxon.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/statistics/distributions.h"

namespace prescope {
namespace {

bool is_smaller(double x, double y) { return std::abs(x) < std::abs(y); }

/// n (n + 1) (2 n + 1): 24 times the variance of the rank sum of n signs.
double variance_24(double n) { return n * (n + 1.0) * (2.0 * n + 1.0); }

}  // namespace

Wilcoxon wilcoxon(std::span<const double> differences, ZeroRule zeros) {
  std::vector<double> values;
  for (const double difference : differences) {
    if (difference != 0.0 || zeros == ZeroRule::kPratt) values.push_back(difference);
  }
  std::ranges::sort(values, is_smaller);
  Wilcoxon test{.ranked = static_cast<std::uint32_t>(values.size())};
  double ties = 0.0, zero_count = 0.0;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    while (end < values.size() && !is_smaller(values[begin], values[end])) ++end;
    const auto count = static_cast<double>(end - begin);
    if (values[begin] == 0.0) {
      zero_count = count;
      continue;
    }
    ties += count * count * count - count;
    const double middle_rank = static_cast<double>(begin + 1 + end) / 2.0;
    for (std::size_t i = begin; i < end; ++i) {
      (values[i] > 0.0 ? test.rank_sum_up : test.rank_sum_down) += middle_rank;
    }
  }
  const auto n = static_cast<double>(values.size());
  test.mean = (n * (n + 1.0) - zero_count * (zero_count + 1.0)) / 4.0;
  test.variance = (variance_24(n) - variance_24(zero_count) - ties / 2.0) / 24.0;
  if (!(test.variance > 0.0)) return test;
  test.z = (test.rank_sum_up - test.mean) / std::sqrt(test.variance);
  test.p_value = std::min(1.0, 2.0 * normal_tail(std::abs(test.z)));
  return test;
}

}  // namespace prescope
