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

/// The rows of `hourly` that a transaction changes.
class HourlySums {
 public:
  explicit HourlySums(const Database& database) : database_(database) {}

  /// Returns the sums of an arm of `session_arms` in the hour of `time`. Throws Error.
  HourlySum& at(std::int64_t arm, UtcTime time);
  void write() const;

 private:
  const Database& database_;
  std::map<std::pair<std::int64_t, UtcTime>, HourlySum> sums_;  // by arm and hour
};

}  // namespace prescope
