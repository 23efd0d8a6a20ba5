#include "core/statistics/sample_ratio.h"

#include "core/statistics/beta_mixture.h"

namespace prescope {

double sample_ratio_log_e(std::uint64_t in_a, std::uint64_t in_b) noexcept {
  constexpr BetaMixture kNearlyFair{100.0, 100.0};
  return kNearlyFair.log_e_value(in_b, in_a, 0.5);
}

}  // namespace prescope
