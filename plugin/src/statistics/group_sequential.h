#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "prescope/experiment_options.h"

namespace prescope {

/// The names of Spending, at the positions of its enumerators.
inline constexpr std::array<std::string_view, 2> kSpendingNames{"obrien-fleming", "pocock"};
[[nodiscard]] constexpr std::string_view key_of(Spending spending) noexcept {
  return kSpendingNames[static_cast<std::size_t>(spending)];
}
/// Returns the two-sided error that is spent by the share `information`, in (0, 1], of the topics.
[[nodiscard]] double spent_alpha(Spending spending, double alpha, double information) noexcept;

/// A two-sided test of a mean that looks at its topics several times and may end at each look. The
/// z values are taken for values of a Brownian motion.
class GroupSequential {
 public:
  /// `information`: the shares of the topics at each look, ascending, each in (0, 1], at most 20; a
  /// test that ends before its last topic spends what is left of `alpha`, in (0, 1), at its last
  /// look. Throws std::invalid_argument.
  GroupSequential(std::vector<double> information, double alpha, Spending spending);

  [[nodiscard]] std::span<const double> information() const noexcept { return information_; }
  /// A boundary that no z reaches: the test cannot end at that look.
  static constexpr double kNever = 8.0;
  /// Returns c for each look: the test ends if |z| is c or more.
  [[nodiscard]] std::span<const double> boundaries() const noexcept { return boundaries_; }

  /// Chances to end at each look above the boundary, and below minus it, if z has the mean
  /// `drift` at the information 1, and `drift` times the square root of the information before.
  struct Exits {
    std::vector<double> above{}, below{};
  };
  [[nodiscard]] Exits exits(double drift) const;
  /// Returns the drift at which the test ends above in a share `power` of cases, in (alpha, 1).
  [[nodiscard]] double drift_of(double power) const;
  /// Returns the share of the topics that the test uses on average at this drift.
  [[nodiscard]] double expected_share(double drift) const;
  /// Returns the width of the interval at the last look divided by the width of an ordinary one.
  [[nodiscard]] double final_width() const noexcept;

 private:
  std::vector<double> information_, boundaries_;
  double alpha_;
};

}  // namespace prescope
