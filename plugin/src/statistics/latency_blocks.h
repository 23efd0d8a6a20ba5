#pragma once

#include "statistics/evidence.h"

namespace prescope {

/// Returns the correlation of each value with the next: the sum of products of neighbours'
/// deviations over the sum of squared deviations. 0 if they vary by less than 1e-12.
[[nodiscard]] double lag1_autocorrelation(std::span<const double> values) noexcept;

/// The hypothesis "this latency is the q-quantile", tested by the shares of requests at or below it
/// in blocks of equal length, in the order of time. Blocks, because neighbouring requests are slow
/// together (Woodruff 1952, with batch means).
struct QuantileCheck {
  double q = 0.5;
  double mean = 0.0;  ///< of the shares
  /// Standard error of the mean by the blocks, or that of independent requests if that is larger.
  double standard_error = 0.0;
  double autocorrelation = 0.0;  ///< of neighbouring blocks' shares
  double largest_block = 0.0;    ///< the largest block's part of the sum of squared deviations
  double effective_n = 0.0;      ///< independent requests that would have this standard error

  /// Returns true if the shares do not speak against the hypothesis at 5 %. `t`: the 97.5 %
  /// quantile of Student's t for one degree of freedom less than there are blocks.
  [[nodiscard]] bool accepts(double t) const noexcept;
  /// Returns true if the blocks can tell how exact the mean is: autocorrelation and largest_block
  /// are at most 0.2, and 20 effective requests or more are expected on each side of q.
  [[nodiscard]] bool is_estimable() const noexcept;
};
/// `shares`: of at least 2 blocks of `requests_per_block` >= 1 requests each; `q` in (0, 1).
[[nodiscard]] QuantileCheck check_quantile(std::span<const double> shares, double q,
                                           std::uint64_t requests_per_block) noexcept;

/// A 95 % interval of a quantile. `LatencySketch::kNever`: a failure, or an upper end above 1000 s.
struct QuantileInterval {
  std::chrono::nanoseconds low{}, high{};
};

/// The latencies of one arm in blocks of equal length, in the order of time: for intervals of
/// quantiles that are not misled if slow requests come together. The length starts with one request
/// and doubles when 64 blocks are full, so that 32 to 63 are. Not thread-safe. At most 360 kB.
class LatencyBlocks {
 public:
  static constexpr std::size_t kFewest = 32, kMost = 64;

  LatencyBlocks();

  // O(1), but when a block begins, which allocates, or when neighbours are merged.
  void add(std::chrono::nanoseconds duration);
  void add_failure();

  /// Returns the 95 % interval of a quantile, `q` in (0, 1), each end within 1 %. It contains the
  /// quantile of all requests. std::nullopt before 32 blocks are full, and if the full blocks vary
  /// too much or depend on each other too strongly to tell (QuantileCheck::is_estimable). The
  /// interval is for one look: if somebody looks again and again, it will be wrong some time.
  [[nodiscard]] std::optional<QuantileInterval> interval(double q) const;

  /// Number of full blocks.
  [[nodiscard]] std::size_t blocks() const noexcept { return full_.size(); }
  [[nodiscard]] std::uint64_t requests_per_block() const noexcept { return length_; }

 private:
  /// The number of requests in each range of LatencySketch, then of those that failed.
  using Counts = std::vector<std::uint32_t>;

  void count(std::size_t range);
  void merge_neighbours();

  std::uint64_t length_ = 1, in_current_ = 0;
  std::vector<Counts> full_;
  Counts current_;
  std::vector<std::uint64_t> all_;
};

/// The logarithms of the latency ratios of pairs, ln(B / A), in the order of time. State: at most
/// 1024 block means. Not thread-safe.
class PairedLatency {
 public:
  /// `pairs_in_block` >= 1: the length of the first blocks.
  explicit PairedLatency(std::uint32_t pairs_in_block = 32) : length_(pairs_in_block) {}

  /// Adds a pair. Its cost does not grow with the pairs: a full block takes a look at all others.
  void add(double log_ratio);

  [[nodiscard]] const TopicSums& pairs() const noexcept { return pairs_; }
  /// Returns ln of the e-value against "the arms are interchangeable", pair by pair, b^2 = 2. If a
  /// coin chose which arm was first in each pair, and nothing else told them apart, it is exact at
  /// every look, however much the queries depend on each other. An arm's own cache or its own slow
  /// noise tells them apart: see SpeedEvidence.
  [[nodiscard]] double log_e() const noexcept;

  /// The means of full blocks. The length of a block doubles, and neighbours are merged, when 30
  /// blocks or more have an autocorrelation above 0.1, and when 1024 are full.
  [[nodiscard]] std::span<const double> block_means() const noexcept { return means_; }
  [[nodiscard]] std::uint32_t pairs_in_block() const noexcept { return length_; }

 private:
  void merge_neighbours() noexcept;

  TopicSums pairs_;
  std::vector<double> means_;
  std::uint32_t length_, in_current_ = 0;
  double current_sum_ = 0.0;
};

/// Returns the ratio of latencies with its evidence and its confidence sequence (b^2 = 0.1; `alpha`
/// in (0, 1)), which needs 30 full blocks with an autocorrelation of at most 0.1. The mean is that
/// of those blocks then, else of all pairs. It has no verdict.
[[nodiscard]] LatencyRatio live_latency_ratio(const PairedLatency& latency, double alpha);

}  // namespace prescope
