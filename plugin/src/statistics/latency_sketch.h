#pragma once

#include "prescope/summary.h"

namespace prescope {

/// A histogram of durations with 1 % relative error at every quantile (the bucket mapping of
/// DDSketch: Masson, Rim, Lee, VLDB 2019), from 1 ns to 1000 s; those outside count as the exact
/// minimum or maximum. Failures are counted above every duration, so that failing cannot make
/// anything look faster. Not thread-safe. About 11 KB.
class LatencySketch {
 public:
  /// The duration of a query that failed.
  static constexpr std::chrono::nanoseconds kNever = std::chrono::nanoseconds::max();

  /// The ranges that durations are counted in: the first for those below 1 ns, then 2 % wide each,
  /// the last for those above 1000 s.
  static constexpr std::size_t kRanges = 1384;
  /// Returns the range of a duration, in [0, kRanges).
  [[nodiscard]] static std::size_t range_of(std::chrono::nanoseconds duration) noexcept;
  /// Returns a duration within 1 % of all of a range; 0 for the first, 1000 s for the last.
  [[nodiscard]] static std::chrono::nanoseconds value_of_range(std::size_t range) noexcept;

  LatencySketch();

  // O(1), no allocation.
  void add(std::chrono::nanoseconds duration) noexcept;
  void add_failure() noexcept {
    ++count_;
    ++failures_;
  }

  /// Returns the number of durations and failures.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Returns the order statistic with `floor(q (n-1))` values before it, within 1 % and half a
  /// nanosecond of rounding; `kNever` if it failed. q in [0, 1]. Returns std::nullopt if empty.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> quantile(double q) const noexcept {
    if (count_ == 0) return std::nullopt;
    return at_rank(static_cast<std::uint64_t>(q * static_cast<double>(count_ - 1)) + 1);
  }
  /// Returns the duration at a rank, 1 for the shortest, as `quantile` does. Returns std::nullopt
  /// for ranks outside [1, count()], which stand for the open end of an interval.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> at_rank(std::uint64_t rank) const noexcept;
  /// Returns the longest duration, exact; std::nullopt if there are none.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> max() const noexcept {
    return has_durations() ? std::optional(max_) : std::nullopt;
  }

  /// Returns the sum of the durations, within 1 % if none is longer than 1000 s; those count as the
  /// longest, those below 1 ns as 0. It never falls while durations come.
  [[nodiscard]] double sum_ms() const noexcept;
  /// Returns buckets with all of `count()`, ascending, without empty ones. Their ends are the same
  /// in every sketch: 0, then each 2 % further from 1 ns to 1000 s, the longest duration, infinity.
  [[nodiscard]] std::vector<LatencyBucket> buckets() const;

  /// The format of `docs/formats.md`, which every later version reads: about 2 bytes for each
  /// bucket that is not empty.
  [[nodiscard]] std::string bytes() const;
  /// Returns the sketch with these `bytes()`; std::nullopt if they are invalid.
  [[nodiscard]] static std::optional<LatencySketch> from_bytes(std::string_view bytes);

  friend bool operator==(const LatencySketch&, const LatencySketch&) = default;

 private:
  [[nodiscard]] bool has_durations() const noexcept { return count_ > failures_; }
  /// Returns true if counts, minimum and maximum can be those of added durations.
  [[nodiscard]] bool is_sound() const noexcept;

  std::vector<std::uint64_t> counts_;  // of durations, by range
  std::uint64_t count_ = 0, failures_ = 0;
  std::chrono::nanoseconds min_{}, max_{};
};

}  // namespace prescope
