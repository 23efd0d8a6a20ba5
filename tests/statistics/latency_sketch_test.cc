#include "statistics/latency_sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace prescope {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

nanoseconds from_ms(double milliseconds) { return nanoseconds{std::llround(milliseconds * 1e6)}; }

double ms(nanoseconds duration) { return static_cast<double>(duration.count()) / 1e6; }

LatencySketch sketch_of(const std::vector<nanoseconds>& durations) {
  LatencySketch sketch;
  for (const nanoseconds duration : durations) sketch.add(duration);
  return sketch;
}

// The order statistic that `quantile` estimates.
nanoseconds exact_quantile(std::vector<nanoseconds> durations, double q) {
  std::ranges::sort(durations);
  return durations[static_cast<std::size_t>(q * static_cast<double>(durations.size() - 1))];
}

// 1 % of the true value, and half a nanosecond of rounding.
void expect_within_one_percent(nanoseconds estimate, nanoseconds exact) {
  EXPECT_NEAR(static_cast<double>(estimate.count()), static_cast<double>(exact.count()),
              0.01 * static_cast<double>(exact.count()) + 0.5);
}

TEST(LatencySketch, EqualsTheTwentyLatenciesOfTheReference) {
  // Values in ms and the sketch's answers, from an independent program with the same mapping.
  LatencySketch sketch;
  for (const double value : {0.8, 1.2, 1.9, 2.2,  2.3,  2.4,  2.5,  3.0,   3.3,   4.1,
                             5.0, 7.5, 9.9, 12.0, 15.0, 31.0, 55.0, 120.0, 400.0, 2500.0}) {
    sketch.add(from_ms(value));
  }
  EXPECT_NEAR(ms(*sketch.quantile(0.5)), 4.09594311753, 5e-7);
  EXPECT_NEAR(ms(*sketch.quantile(0.9)), 120.314563289, 5e-7);
  EXPECT_NEAR(ms(*sketch.quantile(0.95)), 399.474397241, 5e-7);
  EXPECT_EQ(*sketch.max(), from_ms(2500));
}

TEST(LatencySketch, EqualsTheStoredVectors) {
  const std::filesystem::path path = PRESCOPE_TEST_REFERENCE "/statistics_vectors.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto expected = nlohmann::json::parse(std::ifstream(path))["latency"];
  LatencySketch sketch;
  for (const double value : expected["values_ms"]) sketch.add(from_ms(value));
  for (const auto& [q, answer] : expected["quantiles"].items()) {
    EXPECT_NEAR(ms(*sketch.quantile(std::stod(q))), answer["sketch"].get<double>(), 5e-7) << q;
  }
}

TEST(LatencySketch, IsWithinOnePercentAtEveryQuantile) {
  std::mt19937_64 random(20100719);
  std::lognormal_distribution<double> spread(std::log(2e6), 3.0);
  std::vector<nanoseconds> durations;
  for (int i = 0; i < 5000; ++i) {
    durations.emplace_back(static_cast<std::int64_t>(std::clamp(spread(random), 1.0, 1e12)));
  }
  const LatencySketch sketch = sketch_of(durations);
  for (int i = 0; i <= 1000; ++i) {
    const double q = i / 1000.0;
    expect_within_one_percent(*sketch.quantile(q), exact_quantile(durations, q));
  }
}

TEST(LatencySketch, IsWithinOnePercentForEverySingleDuration) {
  // The neighbours keep the exact minimum and maximum from answering.
  for (double value = 1.0; value <= 1e12; value *= 1.003) {
    const nanoseconds duration{std::llround(value)};
    const LatencySketch sketch = sketch_of({nanoseconds{0}, duration, 2000s});
    expect_within_one_percent(*sketch.quantile(0.5), duration);
  }
}

TEST(LatencySketch, IsEmptyAtFirst) {
  const LatencySketch sketch;
  EXPECT_EQ(sketch.count(), 0U);
  EXPECT_FALSE(sketch.quantile(0.5));
  EXPECT_FALSE(sketch.max());
}

TEST(LatencySketch, AnswersOneDurationExactly) {
  const LatencySketch sketch = sketch_of({12345ns});
  for (const double q : {0.0, 0.5, 1.0}) EXPECT_EQ(sketch.quantile(q), 12345ns);
}

TEST(LatencySketch, CountsDurationsOutOfRangeAtTheEnds) {
  const LatencySketch sketch = sketch_of({0ns, -5ns, 1ns, 1000s, 1001s, 5000s});
  EXPECT_EQ(sketch.count(), 6U);
  EXPECT_EQ(sketch.quantile(0.0), -5ns);
  EXPECT_EQ(sketch.quantile(0.2), -5ns) << "floor(0.2 * 5) = 1, the second of two below";
  EXPECT_EQ(sketch.quantile(0.4), 1ns);
  expect_within_one_percent(*sketch.quantile(0.6), 1000s);
  EXPECT_EQ(sketch.quantile(0.8), 5000s);
  EXPECT_EQ(sketch.quantile(1.0), 5000s);
}

TEST(LatencySketch, AcceptsTheLongestAndShortestDurations) {
  const LatencySketch sketch = sketch_of({nanoseconds::min(), nanoseconds::max()});
  EXPECT_EQ(sketch.quantile(0.0), nanoseconds::min());
  EXPECT_EQ(sketch.quantile(1.0), nanoseconds::max());
}

TEST(LatencySketch, CountsFailuresAboveEveryDuration) {
  LatencySketch sketch = sketch_of({1ms, 2ms, 2000s});
  sketch.add_failure();
  sketch.add_failure();
  EXPECT_EQ(sketch.count(), 5U);
  expect_within_one_percent(*sketch.quantile(0.25), 2ms);  // floor(0.25 * 4) = 1, the second
  EXPECT_EQ(sketch.quantile(0.5), 2000s);
  EXPECT_EQ(sketch.quantile(0.75), LatencySketch::kNever);
  EXPECT_EQ(sketch.quantile(1.0), LatencySketch::kNever);
  EXPECT_EQ(sketch.max(), 2000s) << "of those that did not fail";
}

TEST(LatencySketch, FailuresMakeNoQuantileFaster) {
  std::mt19937_64 random(11);
  LatencySketch some_failed, none_failed;
  for (int i = 0; i < 300; ++i) {
    const nanoseconds duration{static_cast<std::int64_t>(1 + random() % 1'000'000)};
    none_failed.add(duration);
    if (i % 7 == 0) {
      some_failed.add_failure();
    } else {
      some_failed.add(duration);
    }
  }
  for (int i = 0; i <= 100; ++i) {
    const double q = i / 100.0;
    // The ends of the two ranges may differ by the sketch's precision.
    EXPECT_GE(some_failed.quantile(q)->count(), none_failed.quantile(q)->count() * 98 / 100) << q;
  }
}

TEST(LatencySketch, HasNoDurationIfEverythingFailed) {
  LatencySketch sketch;
  sketch.add_failure();
  EXPECT_EQ(sketch.quantile(0.0), LatencySketch::kNever);
  EXPECT_FALSE(sketch.max());
  sketch.add(3ms);  // the first duration is the shortest, whatever failed before it
  EXPECT_EQ(sketch.quantile(0.0), 3ms);
  EXPECT_EQ(sketch.at_rank(1), 3ms);
  EXPECT_EQ(sketch.at_rank(2), LatencySketch::kNever);
}

TEST(LatencySketch, HasAValueAtEveryRankAndNoOther) {
  std::vector<nanoseconds> durations = {-1ns, 0ns, 5us, 7us, 7us, 90ms, 3000s};
  const LatencySketch sketch = sketch_of(durations);
  EXPECT_FALSE(sketch.at_rank(0));
  EXPECT_FALSE(sketch.at_rank(8));
  EXPECT_FALSE(LatencySketch().at_rank(1));
  EXPECT_EQ(sketch.at_rank(2), -1ns) << "below the range, the minimum stands for all";
  for (const std::uint64_t rank : {3U, 4U, 5U, 6U}) {
    expect_within_one_percent(*sketch.at_rank(rank), durations[rank - 1]);
  }
  EXPECT_EQ(sketch.at_rank(7), 3000s);
}

TEST(LatencySketch, SumsDurationsWithinOnePercent) {
  std::mt19937_64 random(20100720);
  std::lognormal_distribution<double> spread(std::log(5e6), 2.5);
  LatencySketch sketch;
  double exact_ms = 0.0;
  for (int i = 0; i < 5000; ++i) {
    const nanoseconds duration{static_cast<std::int64_t>(std::clamp(spread(random), 1.0, 1e12))};
    sketch.add(duration);
    exact_ms += ms(duration);
    EXPECT_NEAR(sketch.sum_ms(), exact_ms, 0.01 * exact_ms);
  }
  sketch.add_failure();
  EXPECT_NEAR(sketch.sum_ms(), exact_ms, 0.01 * exact_ms) << "a failure took no known time";
}

TEST(LatencySketch, SumsDurationsOutOfRange) {
  EXPECT_EQ(LatencySketch().sum_ms(), 0.0);
  EXPECT_EQ(sketch_of({0ns, -5ns}).sum_ms(), 0.0);
  EXPECT_EQ(sketch_of({2000s, 3000s}).sum_ms(), 6e6) << "both as long as the longest";
}

TEST(LatencySketch, SumNeverFalls) {
  std::mt19937_64 random(3);
  LatencySketch sketch;
  double before = 0.0;
  // Many of one length first, so that a relative error of them would outweigh the later ones.
  for (int i = 0; i < 10000; ++i) sketch.add(7ms);
  for (int i = 0; i < 2000; ++i) {
    sketch.add(nanoseconds{static_cast<std::int64_t>(random() >> (22 + i % 42))});
    EXPECT_GE(sketch.sum_ms(), before);
    before = sketch.sum_ms();
  }
}

TEST(LatencySketch, ReturnsTheEndsOfItsBuckets) {
  LatencySketch sketch = sketch_of({0ns, 1ms, 1000001ns, 2000s});
  sketch.add_failure();
  const std::vector<LatencyBucket> buckets = sketch.buckets();
  ASSERT_EQ(buckets.size(), 5U);
  EXPECT_EQ(buckets[0].at_most_ms, 0.0);
  EXPECT_EQ(buckets[1].at_most_ms, 1.0) << "gamma^0, which belongs to its bucket";
  EXPECT_DOUBLE_EQ(buckets[2].at_most_ms, 1.01 / 0.99);
  EXPECT_DOUBLE_EQ(buckets[3].at_most_ms, 9223372036854.775807) << "2^63 - 1 ns";
  EXPECT_EQ(buckets[4].at_most_ms, std::numeric_limits<double>::infinity());
  for (const LatencyBucket& bucket : buckets) EXPECT_EQ(bucket.count, 1U);
  EXPECT_THAT(LatencySketch().buckets(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace prescope
