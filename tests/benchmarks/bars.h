#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace prescope::benchmarks {

/// The names by which the bars find their benchmarks.
inline constexpr const char* kCopyIds = "copy_ids";
inline constexpr const char* kWholeHook = "whole_hook";
inline constexpr const char* kQuery = "query_40_terms";
inline constexpr const char* kResolve = "resolve_13000";
inline constexpr const char* kNightly = "reopen_after_nightly_change";

/// Prints as usual and, at the end, each bar with what was measured.
class BarReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  [[nodiscard]] double median_us(const char* name) const;

  std::map<std::string, double> median_us_;
};

}  // namespace prescope::benchmarks
