#include "benchmarks/bars.h"

#include <cstdio>
#include <utility>

namespace prescope::benchmarks {
namespace {

const char* name_of(Bar::Unit unit) {
  switch (unit) {
    case Bar::Unit::kMicroseconds:
      return "us";
    case Bar::Unit::kMilliseconds:
      return "ms";
    case Bar::Unit::kTimes:
      return "x";
    case Bar::Unit::kPercent:
      return "%";
    case Bar::Unit::kKilobytes:
      return "KB";
  }
  return "";
}

/// Converts from microseconds, or from a ratio.
double in_unit(double value, Bar::Unit unit) {
  if (unit == Bar::Unit::kMilliseconds) return value / 1e3;
  return unit == Bar::Unit::kPercent ? value * 100.0 : value;
}

void print(const Bar& bar, double measured) {
  const char* const unit = name_of(bar.unit);
  std::printf("%-52s %9.3f %-3s  bar %g %s: %s\n", bar.what.c_str(), measured, unit, bar.most, unit,
              measured <= bar.most ? "within" : "OVER");
}

}  // namespace

void BarReporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    if (run.error_occurred || run.aggregate_name != "median") continue;
    // An aggregate's time is in the benchmark's unit, for one iteration.
    const double in_us = run.time_unit == benchmark::kMillisecond ? 1e3 : 1.0;
    median_us_[run.run_name.function_name] = run.GetAdjustedRealTime() * in_us;
    for (const auto& [name, counter] : run.counters) {
      counters_[run.run_name.function_name + ' ' + name] = counter.value;
    }
  }
}

double BarReporter::median_us(const std::string& name) const {
  const auto found = median_us_.find(name);
  return found == median_us_.end() ? 0.0 : found->second;
}

double BarReporter::measured(const Bar& bar) const {
  if (bar.counter.empty()) return median_us(bar.benchmark);
  const auto found = counters_.find(bar.benchmark + ' ' + bar.counter);
  return found == counters_.end() ? 0.0 : found->second;
}

void BarReporter::Finalize() {
  ConsoleReporter::Finalize();
  std::printf("\n");
  for (const Bar& bar : bars_) {
    const double value = measured(bar);
    const double whole = bar.per.empty() ? 1.0 : median_us(bar.per);
    if (value > 0.0 && whole > 0.0) print(bar, in_unit(value / whole, bar.unit));
  }
}

int run_with_bars(int argc, char** argv, std::vector<Bar> bars) {
  // Interleaves the benchmarks, because a machine's speed varies during a run.
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, interleaved);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
  BarReporter reporter(std::move(bars));
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}

}  // namespace prescope::benchmarks
