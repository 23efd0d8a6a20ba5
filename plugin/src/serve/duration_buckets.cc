#include "serve/duration_buckets.h"

#include <array>
#include <limits>

namespace prescope::serve {
namespace {

constexpr double kMsPerSecond = 1e3;

/// Steps of at most 5/3: a quantile that is interpolated within one is useful still.
constexpr std::array kEndsMs = {1.0,    1.5,    2.0,    3.0,    5.0,    7.5,    10.0,
                                15.0,   20.0,   30.0,   50.0,   75.0,   100.0,  150.0,
                                200.0,  300.0,  500.0,  750.0,  1000.0, 1500.0, 2000.0,
                                3000.0, 5000.0, 7500.0, 10000.0};

}  // namespace

prometheus::ClientMetric::Histogram duration_histogram(const LatencySummary& latency) {
  prometheus::ClientMetric::Histogram histogram;
  histogram.sample_count = latency.count;
  histogram.sample_sum = latency.sum_ms / kMsPerSecond;
  auto next = latency.buckets.begin();
  std::uint64_t cumulated = 0;
  for (const double end_ms : kEndsMs) {
    for (; next != latency.buckets.end() && next->at_most_ms <= end_ms; ++next) {
      cumulated += next->count;
    }
    histogram.bucket.push_back({cumulated, end_ms / kMsPerSecond});
  }
  histogram.bucket.push_back({latency.count, std::numeric_limits<double>::infinity()});
  return histogram;
}

}  // namespace prescope::serve
