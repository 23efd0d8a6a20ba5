#pragma once

#include <cstdint>
#include <optional>

namespace prescope {

/// What a two-sided paired t test is asked to be able to show.
struct PowerOptions {
  double alpha = 0.05;  ///< in (0, 1)
  double power = 0.8;   ///< in (0, 1): the chance to show a difference that is there
};

/// The mean difference that `n` >= 2 topics of this standard deviation show with that power:
/// (t_{1 - alpha/2} + t_{power}) sd / sqrt(n), within 0.03 % of the noncentral t from 50 topics on.
[[nodiscard]] double minimum_detectable_difference(double sd, std::uint32_t n,
                                                   const PowerOptions& options = {});

/// Topics needed to show `difference` with that power: ((z_{1 - alpha/2} + z_{power}) sd / d)^2 +
/// 2, rounded up; at least 2. None where `difference` is 0, or more than 2^53 would be needed.
[[nodiscard]] std::optional<std::uint64_t> topics_needed(double sd, double difference,
                                                         const PowerOptions& options = {});

}  // namespace prescope
