#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "base/varint.h"
#include "statistics/latency_sketch.h"

namespace prescope {
namespace {

using std::chrono::nanoseconds;

/// From below the smallest bucket to above the largest, evenly over the orders of magnitude.
rc::Gen<nanoseconds> any_duration() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 42), rc::gen::inRange<std::int64_t>(0, 1024)),
      [](std::pair<int, std::int64_t> parts) {
        return nanoseconds{(parts.second << parts.first) >> 10};
      });
}

rc::Gen<LatencySketch> any_sketch() {
  return rc::gen::exec([] {
    LatencySketch sketch;
    for (const nanoseconds each : *rc::gen::container<std::vector<nanoseconds>>(any_duration())) {
      sketch.add(each);
    }
    const int failures = *rc::gen::inRange(0, 3);
    for (int i = 0; i < failures; ++i) sketch.add_failure();
    return sketch;
  });
}

/// Returns the counts of a sketch, or of the difference of two, by the end of the bucket.
std::map<double, std::uint64_t> by_end(const LatencySketch& sketch) {
  std::map<double, std::uint64_t> counts;
  for (const LatencyBucket& bucket : sketch.buckets()) counts[bucket.at_most_ms] = bucket.count;
  return counts;
}

std::map<double, std::uint64_t> sum(std::map<double, std::uint64_t> counts,
                                    const std::map<double, std::uint64_t>& more) {
  for (const auto& [end, count] : more) counts[end] += count;
  return counts;
}

void add_all(LatencySketch& sketch, const std::vector<std::int64_t>& durations) {
  for (const std::int64_t each : durations) sketch.add(nanoseconds{each});
}

double exact_sum_ms(const std::vector<std::int64_t>& durations) {
  double exact = 0.0;
  for (const std::int64_t each : durations) exact += static_cast<double>(each) / 1e6;
  return exact;
}

/// Within the range of the sketch: 1 ns to 1000 s.
rc::Gen<std::vector<std::int64_t>> durations_in_range() {
  return rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 39), rc::gen::inRange(1024, 1800)),
                   [](std::pair<int, int> parts) {
                     return (static_cast<std::int64_t>(parts.second) << parts.first) >> 10;
                   }));
}

RC_GTEST_PROP(LatencySketchBuckets, HoldEveryDurationAndFailureOnceInOrder, ()) {
  const LatencySketch sketch = *any_sketch();
  std::uint64_t all = 0;
  double before = -1.0;
  for (const LatencyBucket& bucket : sketch.buckets()) {
    RC_ASSERT(bucket.count > 0U);
    RC_ASSERT(bucket.at_most_ms > before);
    before = bucket.at_most_ms;
    all += bucket.count;
    // The last of them is at most as long as its bucket's end; if others follow, they are longer.
    const auto last = static_cast<double>(sketch.at_rank(all)->count()) / 1e6;
    RC_ASSERT(last <= bucket.at_most_ms * 1.0101 + 1e-6);
  }
  RC_ASSERT(all == sketch.count());
}

RC_GTEST_PROP(LatencySketchBuckets, BoundTheirDurationsWithinTwoPercent, ()) {
  const auto durations = *durations_in_range();
  for (const std::int64_t each : durations) {
    LatencySketch sketch;
    sketch.add(nanoseconds{each});
    const double milliseconds = static_cast<double>(each) / 1e6;
    const double end = sketch.buckets().at(0).at_most_ms;
    RC_ASSERT(milliseconds <= end * (1 + 1e-12));
    RC_ASSERT(milliseconds > end * 0.99 / 1.01 * (1 - 1e-12));
  }
}

RC_GTEST_PROP(LatencySketchBuckets, DifferBetweenTwoSnapshotsByTheNewDurations, ()) {
  LatencySketch sketch = *any_sketch(), between;
  const auto before = by_end(sketch);
  for (const nanoseconds each : *rc::gen::container<std::vector<nanoseconds>>(any_duration())) {
    sketch.add(each);
    between.add(each);
  }
  const auto all = sum(before, by_end(between));
  RC_ASSERT(by_end(sketch) == all);
}

RC_GTEST_PROP(LatencySketchBuckets, AndTheSumReadBackEqual, ()) {
  const LatencySketch sketch = *any_sketch();
  const auto read = LatencySketch::from_bytes(sketch.bytes());
  RC_ASSERT(read.has_value());
  RC_ASSERT(by_end(*read) == by_end(sketch));
  RC_ASSERT(read->sum_ms() == sketch.sum_ms());
}

RC_GTEST_PROP(LatencySketchSum, IsWithinOnePercent, ()) {
  const auto durations = *durations_in_range();
  LatencySketch sketch;
  add_all(sketch, durations);
  const double exact = exact_sum_ms(durations);
  RC_ASSERT(std::abs(sketch.sum_ms() - exact) <= 0.01 * exact * (1 + 1e-9));
}

RC_GTEST_PROP(LatencySketchSum, NeverFalls, ()) {
  LatencySketch sketch = *any_sketch();
  const double before = sketch.sum_ms();
  add_all(sketch, *durations_in_range());
  RC_ASSERT(sketch.sum_ms() >= before);
}

RC_GTEST_PROP(LatencySketchBytes, ReadBackAsTheSameSketch, ()) {
  const LatencySketch sketch = *any_sketch();
  const auto read = LatencySketch::from_bytes(sketch.bytes());
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == sketch);
}

RC_GTEST_PROP(LatencySketchBytes, ReadBackWithEveryOrderStatistic, ()) {
  const LatencySketch sketch = *any_sketch();
  const auto read = LatencySketch::from_bytes(sketch.bytes());
  RC_ASSERT(read.has_value());
  for (std::uint64_t rank = 0; rank <= sketch.count() + 1; ++rank) {
    RC_ASSERT(read->at_rank(rank) == sketch.at_rank(rank));
  }
  RC_ASSERT(read->max() == sketch.max());
}

RC_GTEST_PROP(LatencySketchBytes, AreRefusedWhenTheyEndEarlyOrLate, ()) {
  const std::string bytes = (*any_sketch()).bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    RC_ASSERT(!LatencySketch::from_bytes(std::string_view(bytes).substr(0, size)));
  }
  RC_ASSERT(!LatencySketch::from_bytes(bytes + '\0'));
}

RC_GTEST_PROP(LatencySketchBytes, AreRefusedOrConsistentWhenDamaged, ()) {
  std::string bytes = (*any_sketch()).bytes();
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  const auto read = LatencySketch::from_bytes(bytes);
  if (read) RC_ASSERT(read->bytes() == bytes);
}

RC_GTEST_PROP(LatencySketchBytes, OfAnotherVersionAreRefused, (const std::string& bytes)) {
  RC_PRE(!bytes.starts_with('\x01'));
  RC_ASSERT(!LatencySketch::from_bytes(bytes));
}

TEST(LatencySketchBytes, AreFewForManyQueriesOfSimilarDuration) {
  LatencySketch sketch;
  for (int i = 0; i < 100'000; ++i) sketch.add(nanoseconds{10'000'000 + 100 * i});
  // 10 to 20 ms: ln 2 / ln(1.01/0.99) = 34.7 buckets, a gap and a count of two bytes each.
  EXPECT_LT(sketch.bytes().size(), 36 * 3 + 30);
}

// Format, count 4, failures 1, below 1, above 0; minimum 0 ns, maximum 2 ms (1'000'000 has the
// bytes c0 84 3d, twice that 80 89 7a); 1 ms is gamma^0 ms in bucket 690 (b2 05), 2 ms is in
// ceil(ln 2 / 0.0200007) = 35, whose gap is 34.
TEST(LatencySketchBytes, EqualTheDocumentedExample) {
  LatencySketch sketch;
  sketch.add(nanoseconds{0});
  sketch.add(std::chrono::milliseconds{1});
  sketch.add(std::chrono::milliseconds{2});
  sketch.add_failure();
  const std::string expected("\x01\x04\x01\x01\x00\x00\x80\x89\x7a\xb2\x05\x01\x22\x01", 14);
  EXPECT_EQ(sketch.bytes(), expected);
}

RC_GTEST_PROP(Varint, ReadsBackAndLeavesTheRest, (std::uint64_t number, const std::string& rest)) {
  const auto shift = *rc::gen::inRange(0U, 64U);
  std::string bytes;
  append_varint(bytes, number >> shift);
  RC_ASSERT(bytes.size() <= 10);
  const std::string all = bytes + rest;
  std::string_view view = all;
  RC_ASSERT(take_varint(view) == number >> shift);
  RC_ASSERT(view == rest);
}

TEST(Varint, IsRefusedIfTruncatedTooLongOrPadded) {
  for (const std::string_view bytes :
       {std::string_view(""), std::string_view("\x80"), std::string_view("\x80\x00", 2),
        std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
        std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")}) {
    std::string_view view = bytes;
    EXPECT_EQ(take_varint(view), std::nullopt);
  }
}

}  // namespace
}  // namespace prescope
