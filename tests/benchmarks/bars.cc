#include "benchmarks/bars.h"

#include <cstdio>

namespace prescope::benchmarks {
namespace {

void print_bar(const char* what, double measured, const char* unit, double bar) {
  std::printf("%-52s %9.3f %-3s  bar %g %s: %s\n", what, measured, unit, bar, unit,
              measured <= bar ? "within" : "OVER");
}

}  // namespace

void BarReporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    if (run.error_occurred || run.aggregate_name != "median") continue;
    // An aggregate's time is in the benchmark's unit, for one iteration.
    const double in_us = run.time_unit == benchmark::kMillisecond ? 1e3 : 1.0;
    median_us_[run.run_name.function_name] = run.GetAdjustedRealTime() * in_us;
  }
}

double BarReporter::median_us(const char* name) const {
  const auto found = median_us_.find(name);
  return found == median_us_.end() ? 0.0 : found->second;
}

void BarReporter::Finalize() {
  ConsoleReporter::Finalize();
  const double copy = median_us(kCopyIds);
  const double hook = median_us(kWholeHook);
  const double query = median_us(kQuery);
  std::printf("\n");
  if (hook > 0.0) print_bar("hook on a 1000-hit ranking, 27 judged", hook, "us", 3.0);
  if (hook > 0.0 && copy > 0.0) print_bar("hook / copying the ids", hook / copy, "x", 4.0);
  if (hook > 0.0 && query > 0.0) {
    print_bar("hook / query of 40 terms", 100.0 * hook / query, "%", 0.05);
  }
  const double resolve = median_us(kResolve) / 1e3;
  if (resolve > 0.0) print_bar("resolving 13,000 docnos, 200k documents", resolve, "ms", 150.0);
  const double nightly = median_us(kNightly) / 1e3;
  if (nightly > 0.0) print_bar("reopen after 500 deleted, 1000 added", nightly, "ms", 20.0);
}

}  // namespace prescope::benchmarks
