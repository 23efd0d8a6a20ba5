#include "statistics/planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "statistics/effect_size.h"

namespace prescope {

namespace {

double squared(double x) noexcept { return x * x; }

/// Returns how many standard errors later than its median a sequence ends in a share `power` of
/// cases; see docs/statistics.md.
double lateness(double power) noexcept {
  constexpr std::array<std::pair<double, double>, 3> kFitted{
      {{0.5, -0.25}, {0.8, 0.55}, {0.9, 0.95}}};
  const std::size_t i = power < kFitted[1].first ? 0 : 1;
  const double low = normal_quantile(kFitted[i].first),
               high = normal_quantile(kFitted[i + 1].first);
  const double share = (normal_quantile(power) - low) / (high - low);
  return std::lerp(kFitted[i].second, kFitted[i + 1].second, share);
}

}  // namespace

double topics_for_one_look(const TestGoal& goal) noexcept {
  const double z = normal_quantile(1.0 - goal.alpha / 2.0) + normal_quantile(goal.power);
  return squared(z * goal.sd / goal.difference) + 2.0;
}

double topics_for_plan(const TestGoal& goal, double drift) noexcept {
  return squared(drift * goal.sd / goal.difference) + 2.0;
}

double topics_for_sequence(const TestGoal& goal, double b_squared) {
  const double d = goal.difference, q = squared(goal.sd) + squared(d);
  const double kappa = lateness(goal.power);
  const auto is_enough = [&](double n) {
    const double width = std::sqrt(
        (b_squared + n * q) * (2.0 * std::log(1.0 / goal.alpha) + std::log1p(n * q / b_squared)));
    return n * d >= width + kappa * goal.sd * std::sqrt(n);
  };
  double high = 1.0;
  constexpr double kMost = 1e15;
  while (!is_enough(high)) {
    high *= 2.0;
    if (high > kMost) return std::numeric_limits<double>::infinity();
  }
  double low = high / 2.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

double topics_for_not_worse(double sd, double margin, double alpha_one_sided,
                            double power) noexcept {
  const double z = normal_quantile(1.0 - alpha_one_sided) + normal_quantile(power);
  return squared(z * sd / margin) + 2.0;
}

double topics_for_equivalence(double sd, double margin, double alpha_one_sided,
                              double power) noexcept {
  const double z = normal_quantile(1.0 - alpha_one_sided) + normal_quantile((1.0 + power) / 2.0);
  return squared(z * sd / margin) + 2.0;
}

double split_sd(double sd_a, double sd_b, double difference) noexcept {
  return std::sqrt(std::max(0.0, 2.0 * (squared(sd_a) + squared(sd_b)) - squared(difference)));
}

}  // namespace prescope
