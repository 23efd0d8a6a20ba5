#include "live/summary/planned.h"

#include <algorithm>
#include <cmath>

#include "live/ledger/margin_statements.h"
#include "statistics/planned_look.h"

namespace prescope {

namespace {

/// The one-sided alpha of each guardrail, and of "the same within a margin". It is not divided,
/// because an arm is shipped only if all of these statements hold.
constexpr double kMarginAlpha = 0.05;

/// A look at evidence that may have bounded values: the result with all at their lower bounds, and
/// with all at their upper bounds.
struct BoundedLook {
  std::optional<LookResult> at_low{}, at_high{};

  BoundedLook(const BoundedEvidence& evidence, double boundary, double null_mean = 0.0)
      : at_low(look_at(evidence.cautious_at_low(), boundary, null_mean)),
        at_high(look_at(evidence.cautious_at_high(), boundary, null_mean)) {}

  [[nodiscard]] bool is_seen() const noexcept { return at_low && at_high; }
  /// The z that is nearer to 0; 0 if the bounds are on both sides of it.
  [[nodiscard]] double z() const noexcept {
    if (at_low->z > 0.0) return at_low->z;
    return std::min(at_high->z, 0.0);
  }
};

PlannedLook taken_look(const BoundedEvidence& evidence, double boundary, double scale) {
  PlannedLook look{.boundary = boundary, .is_taken = true};
  const BoundedLook seen(evidence, boundary);
  if (!seen.is_seen()) return look;
  look.z = seen.z();
  look.mean = scale * (seen.at_low->mean + seen.at_high->mean) / 2.0;
  look.low = scale * seen.at_low->low;
  look.high = scale * seen.at_high->high;
  return look;
}

/// Returns whether the look ends the test.
bool ends_test(const PlannedLook& look) { return look.z && std::abs(*look.z) >= look.boundary; }

std::vector<double> information_of(const PlanOptions& plan) {
  std::vector<double> information;
  for (const std::uint32_t topics : topics_at_looks(plan)) {
    information.push_back(static_cast<double>(topics) / plan.topics);
  }
  return information;
}

/// Returns whether a measure is shown at one of the looks to lose less than its margin. The looks
/// have the boundaries of a two-sided test at twice the one-sided alpha.
bool is_cleared_at_a_look(const Ledger& ledger, ArmIndex b, const LossMargin& margin) {
  const PlanOptions& plan = ledger.options().test.plan;
  const std::vector<double> boundaries =
      planned_boundaries(information_of(plan), 2.0 * kMarginAlpha, plan.spending);
  const auto looks = ledger.looks(b);
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const BoundedLook seen(looks[k][margin.measure], boundaries[k],
                           -margin.margin / ledger.scale());
    if (seen.at_low && seen.at_low->z >= boundaries[k]) return true;
  }
  return false;
}

GuardrailSummary measure_guardrail(const Ledger& ledger, const ComparedPair& pair, std::size_t g,
                                   double alarm_alpha) {
  const LossMargin& margin = ledger.margins()[g];
  const ArmIndex b = pair.b;
  BoundedEvidence evidence;
  if (pair.is_shown) evidence = ledger.evidence(b, margin.measure);
  const double scale = ledger.scale();
  GuardrailSummary guardrail{.name = ledger.scorer().measures()[margin.measure].name(),
                             .margin = margin.margin,
                             .topics = static_cast<std::uint32_t>(evidence.topics())};
  if (evidence.topics() == 0) return guardrail;
  guardrail.mean =
      scale * (evidence.at_low().sums().mean() + evidence.at_high().sums().mean()) / 2.0;
  guardrail.log_e_kept = ledger.margin_bets(g, b).not_worse.log_e();
  // Broken even if everything that is not known were to the advantage of B.
  const ConfidenceSequence sequence{.alpha = alarm_alpha,
                                    .b_squared = ledger.statement(alarm_alpha).b_squared};
  guardrail.log_e_broken =
      sequence.log_e_below(evidence.cautious_at_high(), -margin.margin / scale);
  if (guardrail.topics < kFewestTopics) return guardrail;
  const bool is_kept = ledger.options().test.plan.topics > 0
                           ? is_cleared_at_a_look(ledger, b, margin)
                           : guardrail.log_e_kept >= -std::log(kMarginAlpha);
  if (is_kept) guardrail.state = GuardrailState::kKept;
  if (guardrail.log_e_broken >= -std::log(alarm_alpha)) guardrail.state = GuardrailState::kBroken;
  return guardrail;
}

/// Judges the ratio of the latencies, B over A, which may be up to `margin`.
GuardrailSummary latency_guardrail(const LatencyRatio& ratio, double margin) {
  GuardrailSummary guardrail{.name = std::string(kLatencyGuardrail),
                             .margin = margin,
                             .topics = static_cast<std::uint32_t>(ratio.pairs),
                             .mean = ratio.mean};
  const bool is_told = ratio.state == LatencyState::kNoVerdict || ratio.differs;
  if (!is_told || !ratio.low || !ratio.high) return guardrail;
  if (*ratio.high <= margin) guardrail.state = GuardrailState::kKept;
  if (*ratio.low > margin && ratio.differs) guardrail.state = GuardrailState::kBroken;
  return guardrail;
}

}  // namespace

std::string_view to_string(PlannedState state) noexcept {
  static constexpr std::string_view kWords[] = {"going", "better", "worse", "not_shown", "vetoed"};
  return kWords[static_cast<std::size_t>(state)];
}

std::string_view to_string(GuardrailState state) noexcept {
  static constexpr std::string_view kWords[] = {"open", "kept", "broken", "vetoed"};
  return kWords[static_cast<std::size_t>(state)];
}

std::optional<PlannedTest> planned_test(const Ledger& ledger, const ComparedPair& pair,
                                        double alpha) {
  const PlanOptions& plan = ledger.options().test.plan;
  if (plan.topics == 0 || ledger.options().mode == Mode::kObserve) return std::nullopt;
  const std::size_t primary = ledger.options().primary;
  const std::vector<std::uint32_t> at = topics_at_looks(plan);
  const std::vector<double> boundaries =
      planned_boundaries(information_of(plan), alpha, plan.spending);
  PlannedTest test{.alpha = alpha};
  std::vector<Ledger::Look> taken;
  if (pair.is_shown) {
    taken = ledger.looks(pair.b);
    test.topics = static_cast<std::uint32_t>(ledger.pair(pair.b).evidence[primary].topics());
  }
  bool has_ended = false;
  for (std::size_t k = 0; k < at.size(); ++k) {
    PlannedLook look{.boundary = boundaries[k]};
    // A test that has ended does not look again.
    if (k < taken.size() && !has_ended) {
      look = taken_look(taken[k][primary], boundaries[k], ledger.scale());
    }
    look.topics = at[k];
    if (ends_test(look)) {
      has_ended = true;
      test.state = *look.z > 0.0 ? PlannedState::kBetter : PlannedState::kWorse;
      const BoundedEvidence& seen = taken[k][primary];
      test.topics_to_undo = topics_to_undo_look(
          *look.z > 0.0 ? seen.cautious_at_low() : seen.cautious_at_high(), boundaries[k]);
    }
    test.looks.push_back(look);
  }
  if (!has_ended && taken.size() == at.size()) test.state = PlannedState::kNotShown;
  if (pair.is_vetoed) test.state = PlannedState::kVetoed;
  return test;
}

std::vector<GuardrailSummary> guardrails_of(const Ledger& ledger, const ComparedPair& pair,
                                            const LatencyRatio& latency) {
  std::vector<GuardrailSummary> guardrails;
  if (ledger.options().mode == Mode::kObserve) return guardrails;
  const std::vector<Guardrail>& asked = ledger.options().test.guardrails;
  std::size_t next = 0;  // of the ledger's margins
  for (const Guardrail& one : asked) {
    guardrails.push_back(one.measure == kLatencyGuardrail
                             ? latency_guardrail(latency, one.margin)
                             : measure_guardrail(ledger, pair, next++,
                                                 kMarginAlpha / static_cast<double>(asked.size())));
  }
  if (pair.is_vetoed) {
    for (GuardrailSummary& guardrail : guardrails) guardrail.state = GuardrailState::kVetoed;
  }
  return guardrails;
}

std::optional<Equivalence> equivalence_of(const Ledger& ledger, const ComparedPair& pair) {
  const double margin = ledger.options().test.same_within;
  if (margin == 0.0 || ledger.options().mode == Mode::kObserve) return std::nullopt;
  Equivalence same{.margin = margin};
  if (!pair.is_shown) return same;
  // The statement about the primary measure is the last one.
  const MarginBets bets = ledger.margin_bets(ledger.margins().size() - 1, pair.b);
  same.log_e_not_worse = bets.not_worse.log_e();
  same.log_e_not_better = bets.not_better.log_e();
  const bool is_enough =
      ledger.pair(pair.b).evidence[ledger.options().primary].topics() >= kFewestTopics;
  same.is_shown = is_enough && !pair.is_vetoed &&
                  std::min(same.log_e_not_worse, same.log_e_not_better) >= -std::log(kMarginAlpha);
  return same;
}

}  // namespace prescope
