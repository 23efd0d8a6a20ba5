// Simulates the gate on nights of 400 topics whose true difference is known: nights that are worse
// by exactly the margin, and nights on which nothing changed on average. Each is gated by the
// default rules, by the rules of the reference simulation (the only catastrophes are topics that
// fall by 0.2), and by the margin alone. Exits with 1 if more than 5 % of the nights at the margin
// pass the default rules, or if fewer than 95 % of the nights without a loss pass (documents added
// under the default rules, Z and S under those of the reference). Then, as the tables of
// docs/gate.md: how often losses are found, also in slices, which rule names a fault, and how often
// a slower search is found; exits with 1 if one of their bars does not hold, too.
// `gate_simulation_benchmark [NIGHTS]`, 2000 by default.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "support/simulated_nights.h"

namespace prescope::benchmarks {
namespace {

using testing::count_outcomes;
using testing::LatencyModel;
using testing::most_by_chance;
using testing::NightModel;
using testing::Outcomes;
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
  return {.margin_alone = count_outcomes(simulated, only_margin(margin), nights).pass,
          .with_falls = count_outcomes(simulated, testing::only_falls(margin), nights).pass,
          .by_default = count_outcomes(simulated, {.margin = margin}, nights).pass};
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

/// Prints how often losses of a known size are found; returns true if at most 5 % of nights without
/// one fail the margin.
bool print_losses(int nights) {
  constexpr double kLosses[] = {0.0, 0.005, 0.01, 0.02, 0.05};
  const double percent = 100.0 / nights;
  bool holds = true;
  fmt::print(
      "\n| change | true loss | REGRESSION | INCONCLUSIVE | PASS | REGRESSION by all rules |\n"
      "|---|---|---|---|---|---|\n");
  for (const NightModel& model : testing::night_models()) {
    if (model.name[0] != 'D' && model.name[0] != 'Z' && model.name[0] != 'N') continue;
    for (const double loss : kLosses) {
      const SimulatedNights simulated(model, -loss, kPopulation);
      const Outcomes alone = count_outcomes(simulated, only_margin(0.01), nights);
      const Outcomes all = count_outcomes(simulated, {}, nights);
      fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n", model.name, loss,
                 percent * alone.regression, percent * alone.inconclusive, percent * alone.pass,
                 percent * all.regression);
      holds = holds && (loss > 0.0 || alone.regression <= most_by_chance(0.05, nights));
    }
  }
  return holds;
}

/// Prints how often a slice fails or warns although none lost more than it may; returns true if
/// that is rare. Then prints how often a slice that lost more is found.
bool print_slices(int nights) {
  const double percent = 100.0 / nights, most = most_by_chance(0.05, nights);
  bool holds = true;
  fmt::print(
      "\n| change | no loss: a slice fails | fails or warns | a loss of the margin: a slice fails "
      "|\n|---|---|---|---|\n");
  for (const NightModel& model : testing::night_models()) {
    const SimulatedNights same(model, 0.0, kPopulation), worse(model, -model.margin, kPopulation);
    const auto quiet = testing::count_slice_nights(same, model.margin, nights);
    const auto at_margin = testing::count_slice_nights(worse, model.margin, nights);
    fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} |\n", model.name, percent * quiet.failed,
               percent * quiet.reported, percent * at_margin.failed);
    holds = holds && quiet.reported <= most && at_margin.failed <= most;
  }
  constexpr std::size_t kSlices[] = {0, 3, 9};
  constexpr double kLosses[] = {0.02, 0.05, 0.1};
  fmt::print(
      "\n| change | topics of the slice | 0.02 | 0.05 | 0.1 lost |\n|---|---|---|---|---|\n");
  for (const NightModel& model : testing::night_models()) {
    if (model.name[0] != 'D' && model.name[0] != 'Z' && model.name[0] != 'N') continue;
    const SimulatedNights same(model, 0.0, kPopulation);
    for (const std::size_t slice : kSlices) {
      fmt::print("| {} | {} |", model.name, testing::kSliceSizes.at(slice));
      for (const double loss : kLosses) {
        const SimulatedNights worse(model, -loss, kPopulation);
        fmt::print(" {:.1f} |",
                   percent * testing::count_slice_found(same, worse, slice, 0.01, nights));
      }
      fmt::print("\n");
    }
  }
  return holds;
}

/// Prints how often each fault is named; returns true if it always is.
bool print_faults(int nights) {
  const SimulatedNights quiet(testing::night_models().back(), 0.0, kPopulation);
  bool holds = true;
  fmt::print("\n| what happened to a quiet night | rule | named, % |\n|---|---|---|\n");
  for (const testing::Fault& fault : testing::faults()) {
    const int named = testing::count_named(quiet, fault, nights);
    fmt::print("| {} | `{}`: {} | {:.1f} |\n", fault.what, fault.rule, to_string(fault.status),
               100.0 * named / nights);
    holds = holds && named == nights;
  }
  return holds;
}

/// Prints how often a slower search fails the gate; returns true if the bars of pairs hold.
bool print_latency(int nights) {
  constexpr double kRatios[] = {1.0, 1.2, 1.3, 1.5, 2.0};
  bool holds = true;
  const auto print = [&](std::string_view how, int past, LatencyModel model) {
    fmt::print("| {} |", how);
    for (const double ratio : kRatios) {
      model.ratio = ratio;
      const double percent = 100.0 * testing::count_slow(model, past, nights) / nights;
      fmt::print(" {:.1f} |", percent);
      if (past == 0 && ratio == 1.0) holds = holds && percent <= 2.0;
      if (past == 0 && ratio == 1.5) holds = holds && percent >= 95.0;
    }
    fmt::print("\n");
  };
  fmt::print(
      "\n| judged by | 1.0 | 1.2 | 1.3 | 1.5 | 2.0 times as long |\n|---|---|---|---|---|---|\n");
  print("pairs, machine up and down from search to search", 0, {.autocorrelation = 0.0});
  print("pairs, machine up and down within seconds", 0, {.autocorrelation = 0.95});
  print("pairs, machine up and down within minutes", 0, {.autocorrelation = 0.999});
  for (const int past : {10, 20, 30}) {
    for (const double sd : {0.05, 0.1, 0.2}) {
      print(fmt::format("{} past nights that vary by {} %", past, 100.0 * sd), past,
            {.sd_of_nights = sd});
    }
  }
  return holds;
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
  holds = print_losses(nights) && holds;
  holds = print_slices(nights) && holds;
  holds = print_faults(std::min(nights, 200)) && holds;
  holds = print_latency(nights) && holds;
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
