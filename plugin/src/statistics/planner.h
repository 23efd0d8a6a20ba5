#pragma once

#include <cstdint>
#include <optional>
#include <span>

/// How many topics a test needs. Formulas and their errors: docs/statistics.md.
namespace prescope {

/// The difference that a test must find, and how surely.
struct TestGoal {
  double difference = 0.0;  ///< the mean difference that is there, above 0
  double sd = 0.0;          ///< of the topics' differences, above 0
  double alpha = 0.05;      ///< two-sided
  double power = 0.8;       ///< the chance to find it, in [0.5, 1)
};

/// Returns the topics that an ordinary t test needs, which looks once.
[[nodiscard]] double topics_for_one_look(const TestGoal& goal) noexcept;
/// Returns the topics that a planned test needs if it goes on to its last look. `drift` is its
/// `drift_of` the goal's power, which takes some milliseconds to compute.
[[nodiscard]] double topics_for_plan(const TestGoal& goal, double drift) noexcept;
/// Returns the topics after which an always-valid verdict is there in a share `power` of cases, by
/// the confidence sequence with this b squared. The formula was fitted for powers of 0.5, 0.8 and
/// 0.9, and is interpolated between. Errors: -3 to +6 % at 0.8. Infinite above 10^15.
[[nodiscard]] double topics_for_sequence(const TestGoal& goal, double b_squared);

/// Returns the topics after which "not worse by more than a margin" is shown, if nothing differs:
/// one-sided at `alpha_one_sided`.
[[nodiscard]] double topics_for_not_worse(double sd, double margin, double alpha_one_sided,
                                          double power) noexcept;
/// Returns the topics after which "the same within a margin" is shown, if nothing differs.
[[nodiscard]] double topics_for_equivalence(double sd, double margin, double alpha_one_sided,
                                            double power) noexcept;

/// Returns the least difference that a test of `topics` topics finds: `needed(d)` topics, falling
/// in d, find d. Nothing if that is above 1, the largest difference of scores.
template <class Needed>
[[nodiscard]] std::optional<double> detectable_with(double topics, const Needed& needed) {
  double low = 1e-9, high = 1.0;
  if (needed(high) > topics) return std::nullopt;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (needed(middle) > topics ? low : high) = middle;
  }
  return high;
}

/// Mode::kSplit: returns the standard deviation to plan with, if half of the topics go to each arm.
/// `sd_a` and `sd_b` are the standard deviations of the arms' scores; with a baseline, the root
/// mean squares of the distances between scores and baseline.
[[nodiscard]] double split_sd(double sd_a, double sd_b, double difference) noexcept;

}  // namespace prescope
