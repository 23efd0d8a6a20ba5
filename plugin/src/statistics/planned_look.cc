#include "statistics/planned_look.h"

#include <cmath>
#include <map>
#include <mutex>
#include <ranges>
#include <tuple>

#include "statistics/effect_size.h"

namespace prescope {

namespace {

/// Returns the z of a t value.
double normal_scale(double t, double degrees) {
  constexpr double kLargest = 37.0;  // no tail behind it is above 0
  const double tail = student_t_tail(std::abs(t), degrees);
  const double z = tail > 0.0 ? -normal_quantile(tail) : kLargest;
  return std::copysign(std::min(z, kLargest), t);
}

}  // namespace

std::optional<LookResult> look_at(const TopicSums& sums, double boundary, double null_mean) {
  if (sums.n() < 2) return std::nullopt;
  const auto n = static_cast<double>(sums.n());
  // Equal values leave a rest of rounding.
  constexpr double kNothing = 1e-12;
  if (sums.squared_deviations() <= kNothing * std::max(sums.squares(), kNothing)) {
    return std::nullopt;
  }
  const double standard_error = std::sqrt(sums.squared_deviations() / (n - 1.0) / n);
  const double mean = sums.mean();
  const double reach = -student_t_quantile(normal_tail(boundary), n - 1.0) * standard_error;
  return LookResult{.mean = mean,
                    .z = normal_scale((mean - null_mean) / standard_error, n - 1.0),
                    .low = mean - reach,
                    .high = mean + reach};
}

std::uint32_t topics_to_undo_look(const TopicSums& sums, double boundary) {
  const double against = sums.sum() > 0.0 ? -1.0 : 1.0;
  const auto is_shown = [&](std::uint32_t more) {
    const double added = more;
    const TopicSums then(sums.n() + more, sums.sum() + against * added, sums.squares() + added);
    const auto look = look_at(then, boundary);
    return look && look->z * against <= -boundary;
  };
  const auto enough = static_cast<std::uint32_t>(std::ceil(std::abs(sums.sum()))) + 1;
  return *std::ranges::partition_point(std::views::iota(0U, enough), is_shown);
}

std::vector<double> planned_boundaries(std::span<const double> information, double alpha,
                                       Spending spending) {
  using Key = std::tuple<std::vector<double>, double, Spending>;
  constexpr std::size_t kKept = 64;
  static std::mutex mutex;
  static std::map<Key, std::vector<double>> known;
  Key key({information.begin(), information.end()}, alpha, spending);
  {
    const std::lock_guard lock(mutex);
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
  }
  const GroupSequential test(std::get<0>(key), alpha, spending);
  std::vector<double> boundaries(test.boundaries().begin(), test.boundaries().end());
  const std::lock_guard lock(mutex);
  if (known.size() >= kKept) known.clear();
  known.emplace(std::move(key), boundaries);
  return boundaries;
}

}  // namespace prescope
