#include "serve/stretch_latency.h"

#include <algorithm>
#include <cmath>

namespace prescope::serve {
namespace {

/// The point of a bucket that is within 1 % of both its ends, over its upper end.
constexpr double kWithinBucket = 0.99;
/// Nothing longer is counted by buckets.
constexpr double kLongestMs = 1e6;

/// Nothing where a bucket, or all of them, have become less.
std::optional<std::vector<LatencyBucket>> buckets_between(const LatencySummary& before,
                                                          const LatencySummary& after) {
  std::vector<LatencyBucket> more;
  auto old = before.buckets.begin();
  for (const LatencyBucket& bucket : after.buckets) {
    if (old != before.buckets.end() && old->at_most_ms < bucket.at_most_ms) return std::nullopt;
    std::uint64_t count = bucket.count;
    if (old != before.buckets.end() && old->at_most_ms == bucket.at_most_ms) {
      if (old->count > count) return std::nullopt;
      count -= old->count;
      ++old;
    }
    if (count > 0) more.push_back({bucket.at_most_ms, count});
  }
  if (old != before.buckets.end()) return std::nullopt;
  return more;
}

std::uint64_t counted(const std::vector<LatencyBucket>& buckets) {
  std::uint64_t sum = 0;
  for (const LatencyBucket& bucket : buckets) sum += bucket.count;
  return sum;
}

}  // namespace

std::optional<double> StretchLatency::quantile_ms(double q) const {
  if (count == 0 || counted(buckets) != count) return std::nullopt;
  auto before = static_cast<std::uint64_t>(q * static_cast<double>(count - 1));
  for (const LatencyBucket& bucket : buckets) {
    if (before < bucket.count) {
      if (!std::isfinite(bucket.at_most_ms)) return std::nullopt;
      return std::min(bucket.at_most_ms * kWithinBucket, kLongestMs);
    }
    before -= bucket.count;
  }
  return std::nullopt;
}

StretchLatency latency_between(const LatencySummary& before, const LatencySummary& after) {
  if (after.count >= before.count) {
    auto more = buckets_between(before, after);
    if (more) return {.count = after.count - before.count, .buckets = std::move(*more)};
  }
  return {.count = after.count, .buckets = after.buckets};
}

StretchLatency joined(const StretchLatency& a, const StretchLatency& b) {
  StretchLatency both{.count = a.count + b.count};
  auto in_a = a.buckets.begin();
  for (const LatencyBucket& bucket : b.buckets) {
    for (; in_a != a.buckets.end() && in_a->at_most_ms < bucket.at_most_ms; ++in_a) {
      both.buckets.push_back(*in_a);
    }
    both.buckets.push_back(bucket);
    if (in_a != a.buckets.end() && in_a->at_most_ms == bucket.at_most_ms) {
      both.buckets.back().count += in_a->count;
      ++in_a;
    }
  }
  both.buckets.insert(both.buckets.end(), in_a, a.buckets.end());
  return both;
}

}  // namespace prescope::serve
