#include "core/statistics/clopper_pearson.h"

#include <boost/math/special_functions/beta.hpp>

namespace prescope {

ProportionInterval clopper_pearson_interval(std::uint64_t k, std::uint64_t n, double confidence) {
  const double outside = (1.0 - confidence) / 2.0;
  const auto seen = static_cast<double>(k), rest = static_cast<double>(n - k);
  return {.low = k == 0 ? 0.0 : boost::math::ibeta_inv(seen, rest + 1.0, outside),
          .high = k == n ? 1.0 : boost::math::ibetac_inv(seen + 1.0, rest, outside)};
}

}  // namespace prescope
