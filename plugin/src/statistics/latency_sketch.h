#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/summary.h"

namespace prescope {

/// Order statistics, from 1, between which a quantile lies. `low` 0: nothing bounds it from below;
/// `high` > n: there are too few values to bound it from above.
struct QuantileRanks {
  std::uint64_t low = 0, high = 0;
};

/// For a number of values `n` >= 1 that was fixed beforehand; `q`, `alpha` in (0, 1).
[[nodiscard]] QuantileRanks quantile_ranks(std::uint64_t n, double q, double alpha = 0.05);

/// The same, valid while somebody looks after every value.
[[nodiscard]] QuantileRanks quantile_ranks_always(std::uint64_t n, double q, double alpha = 0.05);

/// A histogram of durations with 1 % relative error at every quantile (the bucket mapping of
/// DDSketch: Masson, Rim, Lee, VLDB 2019), mergeable by addition. 1 ns to 1000 s; outside, the
/// overflow counters at both ends stand for the exact minimum and maximum. What failed is counted
/// above every duration, so that failing cannot make anything look faster. Not thread-safe. About
/// 11 KB.
class LatencySketch {
 public:
  /// The duration of what failed.
  static constexpr std::chrono::nanoseconds kNever = std::chrono::nanoseconds::max();

  LatencySketch();

  /// O(1), no allocation.
  void add(std::chrono::nanoseconds duration) noexcept;
  /// A query without end. O(1), no allocation.
  void add_failure() noexcept;
  void merge(const LatencySketch& other) noexcept;

  /// Of durations and failures.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The order statistic that `floor(q (n-1))` others are before, within 1 % and half a nanosecond
  /// of rounding; `kNever` where it failed. q in [0, 1]. Nothing when empty.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> quantile(double q) const noexcept;
  /// The order statistic of a rank, likewise: 1 is the shortest. Nothing for ranks outside
  /// [1, count()], which is how an interval says that it has no end there.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> at_rank(std::uint64_t rank) const noexcept;
  /// Of the durations, exact; nothing where there are none.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> min() const noexcept;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> max() const noexcept;

  /// Of the durations, milliseconds: within 1 %, where none is longer than 1000 s; those count as
  /// the longest. Those below 1 ns count as 0. Never falls while durations come.
  [[nodiscard]] double sum_ms() const noexcept;
  /// All of `count()`, ascending, empty ones left out. Their ends are the same in every sketch: 0,
  /// then 2 % wide each from 1 ns to 1000 s, then the longest duration that there is, infinity.
  [[nodiscard]] std::vector<LatencyBucket> buckets() const;

  /// To be kept and read again, by any later version: its format is that of `docs/formats.md`. As
  /// large as there are different durations: about 2 bytes for each 2 %.
  [[nodiscard]] std::string bytes() const;
  /// The sketch of which these are the `bytes()`; nothing where they are of none.
  [[nodiscard]] static std::optional<LatencySketch> from_bytes(std::string_view bytes);

  friend bool operator==(const LatencySketch&, const LatencySketch&) = default;

 private:
  [[nodiscard]] bool has_durations() const noexcept { return count_ > failures_; }
  /// Whether counts, buckets, minimum and maximum can have come from durations added.
  [[nodiscard]] bool is_sound() const noexcept;

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t below_ = 0, above_ = 0, failures_ = 0;
  std::chrono::nanoseconds min_{}, max_{};
};

}  // namespace prescope
