#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace prescope::benchmarks {

/// CPU time of this thread, or of another clock; other work of the machine is not counted.
inline double cpu_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The largest allowed median of a benchmark.
struct Bar {
  enum class Unit { kMicroseconds, kMilliseconds, kTimes, kPercent, kKilobytes };

  std::string what;
  std::string benchmark;  ///< as registered
  std::string per{};      ///< measured as a part of this one; empty for a time
  Unit unit = Unit::kMicroseconds;
  double most = 0.0;
  std::string counter{};  ///< this counter of the benchmark instead of its time
};

/// Prints as usual and, at the end, each bar with its measured value; bars whose benchmarks did not
/// run are left out.
class BarReporter : public benchmark::ConsoleReporter {
 public:
  explicit BarReporter(std::vector<Bar> bars) : bars_(std::move(bars)) {}

  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  [[nodiscard]] double measured(const Bar& bar) const;
  [[nodiscard]] double median_us(const std::string& name) const;

  std::vector<Bar> bars_;
  std::map<std::string, double> median_us_;
  std::map<std::string, double> counters_;  // by benchmark and counter
};

/// Runs the benchmarks that the command line asks for, interleaved, and says how they stand to the
/// bars. Returns the program's exit code.
int run_with_bars(int argc, char** argv, std::vector<Bar> bars);

}  // namespace prescope::benchmarks
