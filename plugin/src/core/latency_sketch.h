#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace prescope {

/// A histogram of durations with 1 % relative error at every quantile (the bucket mapping of
/// DDSketch: Masson, Rim, Lee, VLDB 2019), mergeable by addition. 1 ns to 1000 s; outside, the
/// overflow counters at both ends stand for the exact minimum and maximum. Not thread-safe. About
/// 11 KB.
class LatencySketch {
 public:
  LatencySketch();

  /// O(1), no allocation.
  void add(std::chrono::nanoseconds duration) noexcept;
  void merge(const LatencySketch& other) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The order statistic of rank floor(q (n-1)), within 1 % and half a nanosecond of rounding; q in
  /// [0, 1]. Nothing when empty.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> quantile(double q) const noexcept;
  /// Exact; nothing when empty.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> min() const noexcept;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> max() const noexcept;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t below_ = 0, above_ = 0;
  std::chrono::nanoseconds min_{}, max_{};
};

}  // namespace prescope
