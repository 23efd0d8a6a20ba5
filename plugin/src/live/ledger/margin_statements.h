#pragma once

#include "prescope/experiment_options.h"
#include "statistics/evidence.h"

namespace prescope {

/// A loss of a measure that is asked about: "B is not worse by more than `margin`", and "B is not
/// better by more than `margin`".
struct LossMargin {
  std::size_t measure = 0;  ///< by its place
  double margin = 0.0;      ///< of the arms' difference, above 0
};

/// What bets have made of the values against "worse by `margin` or more", and against "better by
/// `margin` or more"; see TopicEvidence. A value between bounds counts with the worse one.
struct MarginBets {
  Bets not_worse, not_better;

  /// Counts a value so many `times`; -1 takes it out. `margin` is on the scale of the value.
  void bet_on(const Bounds& value, double margin, double times) noexcept {
    not_worse.bet_on((value.low + margin) / (1.0 - margin), times);
    not_better.bet_on((margin - value.high) / (1.0 - margin), times);
  }
};

/// Returns the statements about losses that a test asks for: one for each guardrail in their order,
/// but none for the latency; and last, if the test has `same_within`, one about the primary
/// measure. Throws Error(kUsage) for a guardrail whose measure is none of these.
[[nodiscard]] std::vector<LossMargin> loss_margins(const TestOptions& test,
                                                   std::span<const Measure> measures,
                                                   std::size_t primary);

/// Returns the shares of the looks.
[[nodiscard]] std::vector<double> looks_of(const PlanOptions& plan);

/// Returns why the looks of a plan make no sense, "plan.looks are ..."; empty if they do, and
/// without a plan.
[[nodiscard]] std::string why_not_planned(const PlanOptions& plan);

/// Returns the number of topics of each look: its share of the plan's, rounded up, each at least
/// one more than before; none without a plan.
[[nodiscard]] std::vector<std::uint32_t> topics_at_looks(const PlanOptions& plan);

}  // namespace prescope
