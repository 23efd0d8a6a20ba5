#pragma once

#include "base/utc_time.h"
#include "prescope/summary.h"

namespace prescope::serve {

/// The latency of the queries between two summaries.
struct StretchLatency {
  std::uint64_t count = 0;               ///< failed ones among them
  std::vector<LatencyBucket> buckets{};  ///< ascending; also empty if they were not counted

  /// Returns the order statistic with floor(q (count - 1)) values before it, q in [0, 1]; within 1
  /// %, at most 1000 s. Returns std::nullopt if it is a failed query, without queries, and if
  /// `buckets` do not cover all of `count`.
  [[nodiscard]] std::optional<double> quantile_ms(double q) const;
};

/// Returns the difference of `after` and `before`; all of `after` if the arm was restarted between
/// them.
[[nodiscard]] StretchLatency latency_between(const LatencySummary& before,
                                             const LatencySummary& after);

/// The course of an experiment over time, in bounded memory: when there are too many points, every
/// other one is dropped, its queries join those of the next, and from then on one point stands for
/// twice as many summaries. The newest point is always the summary added last. Not thread-safe.
class TimeSeries {
 public:
  struct Limits {
    std::size_t points = 1024;  ///< at least 4
    std::size_t epochs = 1024;  ///< the oldest are forgotten
  };

  struct ArmPoint {
    StretchLatency latency{};
    std::vector<std::optional<double>> means{};  ///< in the order of `measures()`
  };
  struct Point {
    UtcTime time{};
    std::uint64_t epoch = 0;
    std::vector<ArmPoint> arms{};  ///< fewer than `arms()` if some came later
    /// In the order of `pairs()` and of the measures; empty for a pair that was not compared.
    std::vector<std::vector<MeanDifference>> pairs{};
  };
  struct Pair {
    ArmIndex a{}, b{};
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  struct EpochMark {
    Epoch epoch{};
    UtcTime seen{};  ///< of the first summary that names it
  };

  TimeSeries() = default;
  explicit TimeSeries(const Limits& limits) : limits_(limits) {}

  /// `summary`: the next one of the same experiment, with the same measures.
  void add(UtcTime time, const Summary& summary);

  [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }
  /// Returns the last summary's point, with the queries since the one before it. Null before the
  /// first.
  [[nodiscard]] const Point* newest() const noexcept { return newest_ ? &*newest_ : nullptr; }
  [[nodiscard]] const std::vector<ArmId>& arms() const noexcept { return arms_; }
  [[nodiscard]] const std::vector<Pair>& pairs() const noexcept { return pairs_; }
  [[nodiscard]] const std::vector<Measure>& measures() const noexcept { return measures_; }
  [[nodiscard]] const std::vector<EpochMark>& epochs() const noexcept { return epochs_; }

 private:
  void add_names(const Summary& summary);
  void add_epochs(UtcTime time, const Summary& summary);
  [[nodiscard]] Point point_of(UtcTime time, const Summary& summary) const;
  void keep(const Point& point);
  void thin_out();

  Limits limits_;
  std::vector<ArmId> arms_;
  std::vector<Measure> measures_;
  std::vector<Pair> pairs_;
  std::vector<EpochMark> epochs_;
  std::vector<LatencySummary> latency_;  // by arm, of the summary added last
  std::vector<Point> points_;
  std::optional<Point> newest_;
  std::size_t stride_ = 1;   // number of summaries that a point stands for
  std::size_t in_last_ = 0;  // of these in the last point; it is full with stride_
};

/// Returns the whole series, and the newest point alone: objects in one line, `docs/http-json.md`,
/// section "Over time". Scores with 6 digits. The second is null before the first point.
[[nodiscard]] std::string series_json(const TimeSeries& series);
[[nodiscard]] std::string newest_point_json(const TimeSeries& series);

}  // namespace prescope::serve
