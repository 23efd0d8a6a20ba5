// Error rates of the gate on simulated nights whose true difference is known. The bounds follow
// from the promised error rate and the number of nights alone: 5 %, and four standard errors.
// tests/benchmarks/gate_simulation_benchmark.cc prints the table of more nights and scenarios.
#include <gtest/gtest.h>

#include "support/number_of_cases.h"
#include "support/simulated_nights.h"

namespace prescope::testing {
namespace {

constexpr int kNights = 150;
/// Enough for the rare topics that fall far to be as rare as they are.
constexpr std::size_t kPopulation = 10'000;

TEST(GateSimulation, FewNightsWorseByTheMarginPass) {
  for (const NightModel& model : night_models()) {
    SCOPED_TRACE(model.name);
    const SimulatedNights nights(model, -model.margin, kPopulation);
    ASSERT_NEAR(nights.mean(), -model.margin, 1e-4);
    EXPECT_LE(count_outcomes(nights, {.margin = model.margin}, kNights).pass,
              most_by_chance(0.05, kNights));
  }
}

TEST(GateSimulation, NightsWithoutALossPass) {
  for (const NightModel& model : night_models()) {
    // The others lose citations in so many topics that they are no nights without a loss.
    const bool is_a_refresh = model.name.starts_with('Z') || model.name.starts_with('S');
    const bool is_quiet = model.name.starts_with('N');
    if (!is_a_refresh && !is_quiet) continue;
    SCOPED_TRACE(model.name);
    const SimulatedNights nights(model, 0.0, kPopulation);
    const GateRules rules = is_quiet ? GateRules{} : only_falls(model.margin);
    EXPECT_LE(kNights - count_outcomes(nights, rules, kNights).pass, most_by_chance(0.05, kNights));
  }
}

TEST(GateSimulation, FaultsAreNamed) {
  const SimulatedNights quiet(night_models().back(), 0.0, kPopulation);
  for (const Fault& fault : faults()) EXPECT_EQ(count_named(quiet, fault, 20), 20) << fault.what;
}

// The bars: alarms in at most 2 % of nights with equal arms, and 95 % of slowdowns by half found,
// however slow and unsteady the machine is. By past nights, as the reference has it.
TEST(GateSimulation, SlowerSearchesAreFoundAndEqualOnesAreNot) {
  constexpr int kMany = 500;
  for (const double autocorrelation : {0.0, 0.95, 0.999}) {
    SCOPED_TRACE(autocorrelation);
    EXPECT_LE(count_slow({.autocorrelation = autocorrelation}, 0, kMany), kMany / 50);
    EXPECT_GE(count_slow({.ratio = 1.5, .autocorrelation = autocorrelation}, 0, kMany),
              kMany * 95 / 100);
  }
  for (const int past : {10, 20, 30}) {
    SCOPED_TRACE(past);
    EXPECT_LE(count_slow({.sd_of_nights = 0.05}, past, kMany), kMany / 50);
    EXPECT_LE(count_slow({.sd_of_nights = 0.2}, past, kMany), kMany / 50);
    EXPECT_GE(count_slow({.ratio = 1.5, .sd_of_nights = 0.05}, past, kMany), kMany * 95 / 100);
  }
}

// Slices of nights of 1,000 topics. A slice speaks falsely if it fails although its true loss is
// the margin, or warns although there is none.

TEST(GateSimulation, FewNightsWithoutALossFailOrWarnBySlices) {
  const auto nights = static_cast<int>(number_of_cases(250));
  for (const NightModel& model : night_models()) {
    SCOPED_TRACE(model.name);
    const SliceNights found =
        count_slice_nights(SimulatedNights(model, 0.0, kPopulation), model.margin, nights);
    EXPECT_LE(found.failed, nights / 20) << "beyond the margin, which is further away";
    EXPECT_LE(found.regressions, nights / 20);
    EXPECT_LE(found.reported, most_by_chance(0.05, nights));
    // If 5.5 % of the topics move, no slice has 20 that do.
    EXPECT_EQ(found.speaking > nights, !model.name.starts_with('S'));
  }
}

TEST(GateSimulation, FewNightsWorseByTheMarginFailBySlices) {
  const auto nights = static_cast<int>(number_of_cases(250));
  for (const NightModel& model : night_models()) {
    SCOPED_TRACE(model.name);
    const SimulatedNights worse(model, -model.margin, kPopulation);
    EXPECT_LE(count_slice_nights(worse, model.margin, nights).failed, most_by_chance(0.05, nights));
  }
}

TEST(GateSimulation, ASliceThatLosesMuchIsFound) {
  constexpr int kFew = 40;
  const NightModel& model = night_models()[1];
  const SimulatedNights worse(model, -0.1, kPopulation), alike(model, 0.0, kPopulation);
  EXPECT_GE(count_slice_found(alike, worse, 0, model.margin, kFew), kFew * 9 / 10);
  EXPECT_LE(count_slice_found(alike, alike, 0, model.margin, kFew), kFew / 20);
}

}  // namespace
}  // namespace prescope::testing
