// Series of summaries made by hand.
#include "serve/site/time_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "statistics/latency_sketch.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kNeverMs = std::numeric_limits<double>::infinity();

UtcTime at(std::int64_t ms) { return UtcTime(milliseconds(ms)); }

LatencySummary latency_of(std::vector<LatencyBucket> buckets) {
  LatencySummary latency{.buckets = std::move(buckets)};
  for (const LatencyBucket& bucket : latency.buckets) latency.count += bucket.count;
  return latency;
}

/// Arms a, b, ... with these latencies; a against b with PRES@10.
Summary summary_with(std::vector<LatencySummary> latencies, double mean = 0.5) {
  const Measure pres = Measure::parse("PRES@10");
  Summary summary{.measures = {pres}};
  for (LatencySummary& latency : latencies) {
    const std::string name(1, static_cast<char>('a' + summary.arms.size()));
    summary.arms.push_back(
        {.id = ArmId(name), .means = {{{mean, 3}, pres}}, .latency = std::move(latency)});
  }
  if (summary.arms.size() > 1) {
    summary.pairs.push_back({.a = ArmIndex(0),
                             .b = ArmIndex(1),
                             .differences = {{{{0.3, 13},
                                               pres,
                                               LiveVerdict{.state = LiveState::kLeading,
                                                           .topics = 12,
                                                           .mean = 0.25,
                                                           .low = 0.125,
                                                           .high = 0.375}}}}});
  }
  return summary;
}

TEST(StretchLatency, IsTheDifferenceFromTheLastSummary) {
  const LatencySummary before = latency_of({{1.0, 5}, {4.0, 2}});
  const LatencySummary after = latency_of({{1.0, 5}, {2.0, 3}, {4.0, 4}, {kNeverMs, 1}});
  const StretchLatency stretch = latency_between(before, after);
  EXPECT_EQ(stretch.count, 6U);
  ASSERT_THAT(stretch.buckets, SizeIs(3));
  // Three of at most 2 ms, two of at most 4 ms, one that failed; values lie 1 % below.
  EXPECT_DOUBLE_EQ(stretch.quantile_ms(0.0).value(), 1.98);
  EXPECT_DOUBLE_EQ(stretch.quantile_ms(0.4).value(), 1.98);  // floor(0.4 * 5) = 2 before it
  EXPECT_DOUBLE_EQ(stretch.quantile_ms(0.6).value(), 3.96);  // 3 before it
  EXPECT_FALSE(stretch.quantile_ms(1.0)) << "the slowest has failed";
}

TEST(StretchLatency, OfARestartedArmIsItsWholeLatency) {
  const LatencySummary before = latency_of({{1.0, 5}, {4.0, 2}});
  for (const LatencySummary& after :
       {latency_of({{4.0, 3}}), latency_of({{4.0, 9}}), latency_of({{1.0, 4}, {2.0, 9}}),
        latency_of({{0.5, 1}, {4.0, 7}}), latency_of({})}) {
    EXPECT_EQ(latency_between(before, after).count, after.count);
  }
}

TEST(StretchLatency, HasNoQuantilesWithoutBuckets) {
  LatencySummary before{.count = 3}, after{.count = 8};
  EXPECT_EQ(latency_between(before, after).count, 5U);
  EXPECT_FALSE(latency_between(before, after).quantile_ms(0.5));
  EXPECT_FALSE(latency_between(after, after).quantile_ms(0.5)) << "no queries";
}

TEST(StretchLatency, AgreesWithTheSketchOfTheBuckets) {
  std::mt19937 random(1);
  LatencySketch before, after, between;
  for (int i = 0; i < 2000; ++i) {
    const std::chrono::nanoseconds duration(1000 + random() % 100'000'000);
    if (i < 1000) before.add(duration);
    if (i >= 1000) between.add(duration);
    after.add(duration);
  }
  const auto summary_of = [](const LatencySketch& sketch) {
    return LatencySummary{.count = sketch.count(), .buckets = sketch.buckets()};
  };
  const StretchLatency stretch = latency_between(summary_of(before), summary_of(after));
  EXPECT_EQ(stretch.count, 1000U);
  for (const double q : {0.0, 0.1, 0.5, 0.95, 0.99, 1.0}) {
    const double ms = static_cast<double>(between.quantile(q)->count()) / 1e6;
    EXPECT_NEAR(stretch.quantile_ms(q).value(), ms, 0.011 * ms);
  }
  LatencySketch endless;
  endless.add(std::chrono::hours(1));
  EXPECT_EQ(latency_between({}, summary_of(endless)).quantile_ms(0.5), 1e6);
}

TEST(TimeSeries, HasAPointForEachSummary) {
  TimeSeries series;
  EXPECT_EQ(series.newest(), nullptr);
  series.add(at(1000), summary_with({latency_of({{1.0, 2}}), {}}));
  Summary next = summary_with({latency_of({{1.0, 2}, {2.0, 1}}), latency_of({{8.0, 1}})}, 0.75);
  next.epoch = {.number = 2, .reason = EpochReason::kArms};
  series.add(at(2500), next);
  const json all = json::parse(series_json(series));
  EXPECT_EQ(all["time_ms"], json({1000, 2500}));
  EXPECT_EQ(all["epoch"], json({1, 2}));
  EXPECT_EQ(all["epochs"], json::parse(R"([{"number": 1, "reason": "start", "time_ms": 1000},
                                           {"number": 2, "reason": "arms", "time_ms": 2500}])"));
  EXPECT_EQ(all["arms"], json::parse(R"([
    {"name": "a", "queries": [2, 1], "p50_ms": [0.99, 1.98], "p95_ms": [null, null],
     "p99_ms": [null, null], "means": {"PRES@10": [0.5, 0.75]}},
    {"name": "b", "queries": [0, 1], "p50_ms": [null, 7.92], "p95_ms": [null, null],
     "p99_ms": [null, null], "means": {"PRES@10": [0.5, 0.75]}}])"));
  EXPECT_EQ(all["pairs"], json::parse(R"([{"a": "a", "b": "b", "differences": {"PRES@10": {
     "topics": [12, 12], "mean": [0.25, 0.25], "low": [0.125, 0.125], "high": [0.375, 0.375],
     "state": ["leading", "leading"]}}}])"));
  const json newest = json::parse(newest_point_json(series));
  EXPECT_EQ(newest["time_ms"], json({2500}));
  EXPECT_EQ(newest["arms"][0]["queries"], json({1}));
  EXPECT_EQ(newest["arms"][0].size(), all["arms"][0].size());
}

// p95 and p99 of 7 to 16 queries would be the same query.
TEST(TimeSeries, HighQuantilesNeedAQueryBehindThem) {
  for (const auto& [queries, has_p95, has_p99] : {std::tuple{19U, false, false},
                                                  {20U, true, false},
                                                  {99U, true, false},
                                                  {100U, true, true}}) {
    TimeSeries series;
    series.add(at(1), summary_with({latency_of({{4.0, queries}})}));
    const json arm = json::parse(series_json(series))["arms"][0];
    EXPECT_EQ(arm["p50_ms"], json({3.96})) << queries;
    EXPECT_EQ(arm["p95_ms"][0].is_number(), has_p95) << queries;
    EXPECT_EQ(arm["p99_ms"][0].is_number(), has_p99) << queries;
  }
}

TEST(TimeSeries, LaterArmsAndPairsHaveNullsBefore) {
  TimeSeries series;
  series.add(at(1), summary_with({{}}));
  series.add(at(2), summary_with({{}, {}}));
  Summary alone = summary_with({{}, {}});
  alone.pairs.clear();  // b was removed
  series.add(at(3), alone);
  const json all = json::parse(series_json(series));
  EXPECT_EQ(all["arms"][1]["queries"], json({nullptr, 0, 0}));
  EXPECT_EQ(all["arms"][1]["means"]["PRES@10"], json({nullptr, 0.5, 0.5}));
  const json& pres = all["pairs"][0]["differences"]["PRES@10"];
  EXPECT_EQ(pres["mean"], json({nullptr, 0.25, nullptr}));
  EXPECT_EQ(pres["topics"], json({nullptr, 12, nullptr}));
  EXPECT_EQ(pres["state"], json({nullptr, "leading", nullptr}));
}

TEST(TimeSeries, ObservedTrafficHasDifferencesWithoutEvidence) {
  TimeSeries series;
  Summary summary = summary_with({{}, {}});
  summary.pairs[0].differences[0].live.reset();
  series.add(at(1), summary);
  EXPECT_EQ(json::parse(series_json(series))["pairs"][0]["differences"]["PRES@10"],
            json::parse(R"({"topics": [13], "mean": [0.3], "low": [null], "high": [null],
                            "state": [null]})"));
}

TEST(TimeSeries, SkippedEpochsAreMarkedToo) {
  TimeSeries series;
  Summary first = summary_with({{}});
  first.epoch.number = 5;
  first.past_epochs.push_back({.epoch = {.number = 4}});  // before anybody looked
  series.add(at(1), first);
  Summary later = first;
  later.epoch = {.number = 8, .reason = EpochReason::kGeneration};
  for (const std::uint64_t number : {5U, 6U, 7U}) {
    later.past_epochs.push_back({.epoch = {.number = number}});
  }
  series.add(at(2), later);
  std::vector<std::uint64_t> numbers;
  for (const auto& mark : series.epochs()) numbers.push_back(mark.epoch.number);
  EXPECT_THAT(numbers, ElementsAre(5U, 6U, 7U, 8U));
  TimeSeries short_memory({.epochs = 2});
  for (std::uint64_t e = 1; e <= 5; ++e) {
    Summary summary = summary_with({{}});
    summary.epoch.number = e;
    short_memory.add(at(static_cast<std::int64_t>(e)), summary);
  }
  ASSERT_THAT(short_memory.epochs(), SizeIs(2));
  EXPECT_EQ(short_memory.epochs()[0].epoch.number, 4U);
}

/// The true traffic, query by query.
struct Traffic {
  std::vector<double> buckets_hit;  // of each query, in order
  std::vector<std::size_t> until;   // queries up to each summary
  [[nodiscard]] std::optional<double> quantile(std::size_t from, std::size_t to, double q) const {
    std::vector<double> stretch(buckets_hit.begin() + static_cast<std::ptrdiff_t>(from),
                                buckets_hit.begin() + static_cast<std::ptrdiff_t>(to));
    if (stretch.empty()) return std::nullopt;
    std::ranges::sort(stretch);
    const double at_most =
        stretch[static_cast<std::size_t>(q * static_cast<double>(stretch.size() - 1))];
    return at_most == kNeverMs ? std::nullopt : std::optional(at_most * 0.99);
  }
};

TEST(TimeSeries, ThinningKeepsEveryQueryInItsStretch) {
  constexpr std::size_t kMost = 16, kSummaries = 500;
  std::mt19937 random(20100719);
  TimeSeries series({.points = kMost});
  Traffic traffic;
  std::map<double, std::uint64_t> counts;
  for (std::size_t s = 0; s < kSummaries; ++s) {
    for (auto i = random() % 4; i > 0; --i) {
      const double at_most = random() % 20 == 0 ? kNeverMs : static_cast<double>(1 + random() % 9);
      traffic.buckets_hit.push_back(at_most);
      ++counts[at_most];
    }
    traffic.until.push_back(traffic.buckets_hit.size());
    std::vector<LatencyBucket> buckets;
    for (const auto& [at_most, count] : counts) buckets.push_back({at_most, count});
    series.add(at(static_cast<std::int64_t>(s)), summary_with({latency_of(buckets)}));

    ASSERT_LE(series.points().size(), kMost);
    ASSERT_EQ(series.points().back().time, at(static_cast<std::int64_t>(s)));
    std::size_t from = 0;
    for (const TimeSeries::Point& point : series.points()) {
      const auto summary = static_cast<std::size_t>(point.time.time_since_epoch().count());
      const std::size_t to = traffic.until[summary];
      const StretchLatency& latency = point.arms[0].latency;
      ASSERT_EQ(latency.count, to - from);
      for (const double q : {0.5, 0.95, 0.99}) {
        ASSERT_EQ(latency.quantile_ms(q), traffic.quantile(from, to, q));
      }
      from = to;
    }
    ASSERT_EQ(from, traffic.buckets_hit.size());
  }
  EXPECT_GE(series.points().size(), kMost / 2);
  // Points are equally far apart, except for the newest.
  const auto& points = series.points();
  for (std::size_t i = 2; i + 1 < points.size(); ++i) {
    EXPECT_EQ(points[i].time - points[i - 1].time, points[i - 1].time - points[i - 2].time);
  }
}

TEST(TimeSeries, HostileNamesAreEscaped) {
  TimeSeries series;
  Summary summary = summary_with({{}, {}});
  summary.arms[0].id = ArmId("</script>\"\xff\n");
  series.add(at(1), summary);
  const json all = json::parse(series_json(series));
  EXPECT_EQ(all["arms"][0]["name"], "</script>\"\xEF\xBF\xBD\n");
  EXPECT_EQ(all["pairs"][0]["a"], all["arms"][0]["name"]);
  EXPECT_THAT(json::parse(series_json(TimeSeries()))["time_ms"], IsEmpty());
  EXPECT_EQ(newest_point_json(TimeSeries()), "null");
}

}  // namespace
}  // namespace prescope::serve
