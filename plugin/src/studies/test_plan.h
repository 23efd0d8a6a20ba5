#pragma once

#include <string_view>
#include <vector>

#include "prescope/summary.h"
#include "runs/evaluation.h"
#include "statistics/group_sequential.h"
#include "statistics/planner.h"

namespace prescope {

/// Facts about the topics before a test, from a pilot or assumed.
struct PilotFacts {
  bool are_families = false;  ///< the units are families of topics, not topics
  std::uint32_t topics = 0;   ///< units at hand; 0: unknown
  /// Standard deviation of the units' differences; nothing if each unit was served by one arm.
  std::optional<double> sd{};
  std::optional<double> difference{};    ///< the mean difference of the pilot, of either sign
  std::optional<double> sd_a{}, sd_b{};  ///< of the scores of each run or arm
  /// Mode::kSplit: see LiveVerdict::sd, and whether the session had a baseline.
  std::optional<double> split_sd{};
  bool has_baseline = false;
  std::uint32_t zeros = 0;     ///< units without a difference
  std::uint32_t compared = 0;  ///< units that the pilot has compared
};
/// Returns the facts of a pilot: two runs evaluated alike, by their `measure`-th measure. Throws
/// Error(kBadInput) if fewer than two units have a value in both, or none differs.
[[nodiscard]] PilotFacts pilot_facts(const Evaluation& a, const Evaluation& b, std::size_t measure);
/// Returns the facts of an experiment's session: arm `b`, which has a pair, compared with the first
/// one, by the `measure`-th measure. `session`: SummaryDetail::kEveryTopic. Throws Error(kBadInput)
/// like the other.
[[nodiscard]] PilotFacts pilot_facts(const Summary& session, ArmIndex b, std::size_t measure);

/// The ways to a verdict.
enum class VerdictWay {
  kOneLook,        ///< an ordinary test at the end, as `compare` makes it
  kPlanned,        ///< a few looks, stated beforehand
  kAlwaysValid,    ///< a live verdict in Mode::kPaired
  kSplitBaseline,  ///< a live verdict in Mode::kSplit, with the scores of A as baseline
  kSplit,          ///< a live verdict in Mode::kSplit without a baseline
};
inline constexpr std::array<VerdictWay, 5> kVerdictWays{
    VerdictWay::kOneLook, VerdictWay::kPlanned, VerdictWay::kAlwaysValid,
    VerdictWay::kSplitBaseline, VerdictWay::kSplit};
/// Returns the place of a way in arrays by VerdictWay.
[[nodiscard]] constexpr std::size_t place_of(VerdictWay way) noexcept {
  return static_cast<std::size_t>(way);
}
[[nodiscard]] std::string_view words_of(VerdictWay way) noexcept;
/// "one_look", "planned", "always_valid", "split_baseline", "split"
[[nodiscard]] std::string_view key_of(VerdictWay way) noexcept;

struct TestPlanOptions {
  double alpha = 0.05;
  double power = 0.8;
  std::vector<double> looks{0.5, 0.75, 1.0};     ///< of kPlanned, shares of the topics
  Spending spending = Spending::kObrienFleming;  ///< of kPlanned
  std::vector<double> differences{};             ///< to find, above 0, ascending
  std::optional<double> margin{};                ///< for "not worse" and "equivalent"
  std::optional<double> per_day{};               ///< new topics a day
};

/// The topics that each way needs, and what the topics at hand can show.
struct TestPlan {
  struct Needed {
    double difference = 0.0;
    std::array<std::optional<double>, kVerdictWays.size()> topics{};  ///< by VerdictWay
  };
  PilotFacts pilot{};
  TestPlanOptions options{};
  std::vector<double> boundaries{};       ///< |z| at which the planned test ends at each look
  double average_share = 1.0;             ///< share of topics used by a planned test that finds
  double final_width = 1.0;               ///< see GroupSequential::final_width
  std::vector<Needed> needed{}, curve{};  ///< in the order of the differences
  std::array<std::optional<double>, kVerdictWays.size()> detectable{};  ///< with the pilot's topics
  std::optional<double> not_worse{}, equivalent{};  ///< topics, by an ordinary test
};

/// Throws Error(kUsage) for options out of their range.
[[nodiscard]] TestPlan plan_test(const PilotFacts& pilot, const TestPlanOptions& options);

}  // namespace prescope
