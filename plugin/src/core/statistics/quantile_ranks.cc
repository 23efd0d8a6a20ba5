#include "core/statistics/quantile_ranks.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "core/statistics/beta_mixture.h"

namespace prescope {
namespace {

namespace policies = boost::math::policies;
/// The least number of successes that is likely enough.
using RoundedUp = policies::policy<policies::discrete_quantile<policies::integer_round_up>>;

}  // namespace

QuantileRanks quantile_ranks(std::uint64_t n, double q, double alpha) {
  const boost::math::binomial_distribution<double, RoundedUp> below(static_cast<double>(n), q);
  return {.low = static_cast<std::uint64_t>(quantile(below, alpha / 2.0)),
          .high = static_cast<std::uint64_t>(quantile(below, 1.0 - alpha / 2.0)) + 1};
}

QuantileRanks quantile_ranks_always(std::uint64_t n, double q, double alpha) {
  constexpr double kWeight = 20.0;  // of the mixture, in values
  const BetaMixture mixture{kWeight * q, kWeight * (1.0 - q)};
  const double enough = -std::log(alpha);
  const auto is_in = [&](std::uint64_t k) { return mixture.log_e_value(k, n - k, q) < enough; };
  // Evidence grows with the distance from the share expected, on both sides.
  const auto expected = static_cast<std::uint64_t>(std::llround(q * static_cast<double>(n)));
  const auto last_towards = [&](std::uint64_t out) {
    if (is_in(out)) return out;
    std::uint64_t in = expected;
    while (std::max(in, out) - std::min(in, out) > 1) {
      const std::uint64_t middle = std::min(in, out) + (std::max(in, out) - std::min(in, out)) / 2;
      (is_in(middle) ? in : out) = middle;
    }
    return in;
  };
  return {.low = last_towards(0), .high = last_towards(n) + 1};
}

}  // namespace prescope
