#pragma once

#include <array>
#include <map>

#include "prescope/observation.h"
#include "statistics/latency_sketch.h"
#include "store/sqlite/database.h"

namespace prescope {

/// The sums of an arm of a session over an hour: a row of `hourly`.
struct HourlySum {
  std::uint64_t judged = 0, unjudged = 0, failed = 0, timed_out = 0;
  struct Mean {
    std::uint64_t n = 0;
    double sum = 0.0;
  };
  std::array<Mean, 3> scores{};  ///< PRES, R, AP
  std::uint64_t latency_n = 0;
  std::chrono::nanoseconds latency_sum{};
  LatencySketch latency{};  ///< of the searches that users waited for

  /// `of_measures`: PRES, R and AP; std::nullopt for an unjudged query.
  void add(const Observation& observation,
           std::span<const std::optional<double>> of_measures) noexcept;
};

/// Says that unjudged queries are in these sums only, and not in a summary.
[[nodiscard]] std::string only_counted(std::uint64_t unjudged);

/// The hours that are being written. Rows of the past are read again if a clock went back.
class HourlySums {
 public:
  /// Returns the sums of an arm of `session_arms` in the hour of `time`. Throws Error.
  HourlySum& at(const Database& database, std::int64_t arm, UtcTime time);

  /// Writes the sums, and forgets all but the newest hour.
  void write(const Database& database);

 private:
  using Hour = std::chrono::sys_time<std::chrono::hours>;
  std::map<std::pair<Hour, std::int64_t>, HourlySum> kept_;  // by hour and arm
};

}  // namespace prescope
