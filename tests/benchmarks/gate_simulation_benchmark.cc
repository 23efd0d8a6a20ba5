// Simulates the gate on nights of 400 topics whose true difference is known: nights that are worse
// by exactly the margin, and nights on which nothing changed on average. Each is gated by the
// default rules, by the rules of the reference simulation (the only catastrophes are topics that
// fall by 0.2), and by the margin alone. Exits with 1 if more than 5 % of the nights at the margin
// pass the default rules, or if fewer than 95 % of the nights without a loss pass (documents added
// under the default rules, Z and S under those of the reference). `gate_simulation_benchmark
// [NIGHTS]`, 2000 by default.
#include <fmt/format.h>

#include <cstdlib>

#include "support/simulated_nights.h"

namespace prescope::benchmarks {
namespace {

using testing::count_passes;
using testing::most_by_chance;
using testing::NightModel;
using testing::SimulatedNights;

constexpr std::size_t kPopulation = 10'000;

/// Results of the reference, in per cent of nights that passed; negative if it has none.
struct Reference {
  double margin_alone, with_falls;
};
struct References {
  Reference at_margin, unchanged;
};

References reference_of(const NightModel& model) {
  switch (model.name.front()) {
    case 'D':
      return {{5.8, 0.0}, {91.0, 0.0}};
    case 'Z':
      return {{4.8, 4.6}, {99.5, 97.2}};
    case 'S':
      return {{6.8, 4.2}, {100.0, 97.9}};
    case 'K':
      return {{6.2, 0.1}, {98.9, 22.5}};
    case 'C':
      return {{11.0, 3.0}, {92.2, 83.6}};
    default:
      return {{-1.0, -1.0}, {-1.0, -1.0}};
  }
}

GateRules only_margin(double margin) {
  GateRules rules = testing::only_falls(margin);
  rules.catastrophe.fall_share = 1.0;
  return rules;
}

struct Passes {
  int margin_alone = 0, with_falls = 0, by_default = 0;
};

Passes count_all(const SimulatedNights& simulated, double margin, int nights) {
  return {.margin_alone = count_passes(simulated, only_margin(margin), nights),
          .with_falls = count_passes(simulated, testing::only_falls(margin), nights),
          .by_default = count_passes(simulated, {.margin = margin}, nights)};
}

std::string reference_text(double percent) {
  return percent < 0.0 ? "-" : fmt::format("{:.1f}", percent);
}

void print_row(const NightModel& model, const char* truth, const SimulatedNights& simulated,
               const Passes& passes, const Reference& reference, int nights) {
  const auto percent = [&](int count) { return 100.0 * count / nights; };
  fmt::print("{:<18} {:<10} {:+.4f} {:.3f}  {:5.1f} ({:>5})  {:5.1f} ({:>5})  {:5.1f}\n",
             model.name, truth, simulated.mean(), simulated.sd(), percent(passes.margin_alone),
             reference_text(reference.margin_alone), percent(passes.with_falls),
             reference_text(reference.with_falls), percent(passes.by_default));
}

/// Prints the figures of one model; returns true if they are within their bounds.
bool simulate(const NightModel& model, int nights) {
  const References reference = reference_of(model);
  const SimulatedNights worse(model, -model.margin, kPopulation), same(model, 0.0, kPopulation);
  const Passes at_margin = count_all(worse, model.margin, nights);
  const Passes unchanged = count_all(same, model.margin, nights);
  print_row(model, "-margin", worse, at_margin, reference.at_margin, nights);
  print_row(model, "0", same, unchanged, reference.unchanged, nights);
  const double most = most_by_chance(0.05, nights);
  const char kind = model.name.front();
  const bool is_quiet = kind != 'N' || nights - unchanged.by_default <= most;
  const bool is_refresh = (kind != 'Z' && kind != 'S') || nights - unchanged.with_falls <= most;
  return at_margin.by_default <= most && is_quiet && is_refresh;
}

int run(int nights) {
  fmt::print(
      "Nights of 400 topics that pass, in per cent of {}; margin 0.01 (D 0.02). In brackets: the "
      "reference.\n\n{:<18} {:<10} {:<7} {:<5}  {:<13}  {:<13}  {}\n",
      nights, "nights", "truth", "mean", "sd", "margin alone", "and falls", "all rules");
  bool holds = true;
  for (const NightModel& model : testing::night_models()) holds = simulate(model, nights) && holds;
  fmt::print("\nAt the margin at most {:.1f} % may pass (5 % and four standard errors): {}\n",
             100.0 * most_by_chance(0.05, nights) / nights,
             holds ? "as it should be" : "NOT AS IT SHOULD BE");
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  const int nights = argc > 1 ? std::atoi(argv[1]) : 2000;
  if (nights < 100) {
    fmt::print(stderr, "expected a number of nights, at least 100\n");
    return 2;
  }
  return prescope::benchmarks::run(nights);
}
