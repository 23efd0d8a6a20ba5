#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "nightly/evaluation_record.h"
#include "prescope/observation.h"
#include "statistics/latency_sketch.h"
#include "store/sqlite/database.h"

namespace prescope {

/// What an arm of a session did in an hour: a row of `hourly`.
struct HourlySum {
  std::uint64_t judged = 0, unjudged = 0, failed = 0, timed_out = 0;
  struct Mean {
    std::uint64_t n = 0;
    double sum = 0.0;
  };
  std::array<Mean, 3> scores{};  ///< PRES, R, AP
  std::uint64_t latency_n = 0;
  std::int64_t latency_sum_ns = 0;
  LatencySketch latency{};  ///< of what users waited for

  /// `of_measures`: PRES, R and AP, or nothing for what is not judged.
  void add(const Observation& observation,
           std::span<const std::optional<double>> of_measures) noexcept;
};

/// The hours that are being written. Rows of the past are read again where a clock went back.
class HourlySums {
 public:
  /// Of the arm of this number in `session_arms`, in the hour of `time`. Throws Error.
  [[nodiscard]] HourlySum& at(Database& database, std::int64_t arm, UtcTime time);
  /// Writes those that `at` gave since the last time, and forgets all but the newest hour.
  void write(Database& database);

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;  // hour in ms, arm
  struct Kept {
    HourlySum sum{};
    bool is_written = false;
  };
  std::map<Key, Kept> kept_;
};

}  // namespace prescope
