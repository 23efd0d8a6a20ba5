#include "core/statistics/power.h"

#include <cmath>

#include "core/statistics/distributions.h"

namespace prescope {

double minimum_detectable_difference(double sd, std::uint32_t n, const PowerOptions& options) {
  const double degrees = n - 1.0;
  return (student_t_quantile(options.power, degrees) -
          student_t_quantile(options.alpha / 2.0, degrees)) *
         sd / std::sqrt(static_cast<double>(n));
}

std::optional<std::uint64_t> topics_needed(double sd, double difference,
                                           const PowerOptions& options) {
  constexpr double kMost = 9007199254740992.0;
  const double deviations =
      (normal_quantile(options.power) - normal_quantile(options.alpha / 2.0)) * sd / difference;
  const double topics = std::ceil(deviations * deviations + 2.0);
  if (!(topics <= kMost)) return std::nullopt;
  return static_cast<std::uint64_t>(topics);
}

}  // namespace prescope
