// Blocks of latencies, compared with plain programs that keep every value, and how often their
// intervals miss if neighbouring requests depend on each other.
#include "statistics/latency_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "statistics/latency_sketch.h"
#include "support/number_of_cases.h"

namespace prescope {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

/// ln latency that stays near its last value (autocorrelation `dependence`), deviation 1.
class Drifting {
 public:
  Drifting(std::uint64_t seed, double dependence)
      : random_(seed), dependence_(dependence), value_(normal_(random_)) {}
  double next() {
    value_ = dependence_ * value_ + std::sqrt(1.0 - dependence_ * dependence_) * normal_(random_);
    return value_;
  }
  double noise() { return normal_(random_); }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double dependence_, value_;
};

nanoseconds around_10_ms(double log_factor) {
  return nanoseconds{std::llround(1e7 * std::exp(log_factor))};
}

double student_97_5(std::size_t blocks) {
  return student_t_quantile(0.975, static_cast<double>(blocks - 1));
}

/// Every request, in the order of time, and the interval as docs/statistics.md defines it.
class PlainBlocks {
 public:
  void add(std::size_t range) { ranges_.push_back(range); }

  struct Ends {
    std::size_t low, high;
  };
  [[nodiscard]] std::optional<Ends> interval(double q, std::size_t length) const {
    const std::size_t blocks = ranges_.size() / length;
    if (blocks < 32) return std::nullopt;
    const std::size_t estimate = quantile(q, blocks * length);
    // Range -1, below the first, has no request.
    const auto at = [&](std::size_t ranges) {
      return check_quantile(shares(ranges, length), q, length);
    };
    if (!at(estimate).is_estimable() || !at(estimate + 1).is_estimable()) return std::nullopt;
    Ends ends{estimate, estimate};
    while (at(ends.low).accepts(student_97_5(blocks))) --ends.low;
    while (at(ends.high + 1).accepts(student_97_5(blocks))) ++ends.high;
    const std::size_t now = quantile(q, ranges_.size());
    return Ends{std::min(ends.low, now), std::max(ends.high, now)};
  }

 private:
  [[nodiscard]] std::size_t quantile(double q, std::size_t n) const {
    std::vector<std::size_t> sorted(ranges_.begin(),
                                    ranges_.begin() + static_cast<std::ptrdiff_t>(n));
    std::ranges::sort(sorted);
    return sorted[static_cast<std::size_t>(q * static_cast<double>(n - 1))];
  }
  /// The share of each block's requests in the first `ranges` ranges.
  [[nodiscard]] std::vector<double> shares(std::size_t ranges, std::size_t length) const {
    std::vector<double> shares(ranges_.size() / length);
    for (std::size_t i = 0; i < shares.size() * length; ++i) {
      if (ranges_[i] < ranges) shares[i / length] += 1.0 / static_cast<double>(length);
    }
    return shares;
  }

  std::vector<std::size_t> ranges_;
};

void expect_ends(const std::optional<QuantileInterval>& interval,
                 const std::optional<PlainBlocks::Ends>& expected) {
  ASSERT_EQ(interval.has_value(), expected.has_value());
  if (!interval) return;
  const auto value = [](std::size_t range) {
    return range == LatencySketch::kRanges ? LatencySketch::kNever
                                           : LatencySketch::value_of_range(range);
  };
  EXPECT_EQ(interval->low, value(expected->low));
  EXPECT_EQ(interval->high, value(expected->high));
}

TEST(LatencyBlocks, HaveTheIntervalsOfAPlainProgram) {
  int shown = 0, hidden = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Drifting latency(seed, seed % 4 == 0 ? 0.9 : 0.0);
    LatencyBlocks blocks;
    PlainBlocks plain;
    const std::uint64_t n = 10 + latency.random()() % 3000;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (seed % 5 == 0 && latency.random()() % 12 == 0) {
        blocks.add_failure();
        plain.add(LatencySketch::kRanges);
        continue;
      }
      const nanoseconds duration = around_10_ms(0.5 * latency.next());
      blocks.add(duration);
      plain.add(LatencySketch::range_of(duration));
    }
    if (n >= 32) {
      EXPECT_GE(blocks.blocks(), 32U);
      EXPECT_LT(blocks.blocks(), 64U);
    }
    EXPECT_EQ(n / blocks.requests_per_block(), blocks.blocks());
    for (const double q : {0.5, 0.9, 0.95, 0.99}) {
      const auto interval = blocks.interval(q);
      ++(interval ? shown : hidden);
      expect_ends(interval, plain.interval(q, blocks.requests_per_block()));
    }
  }
  EXPECT_GT(shown, 40);
  EXPECT_GT(hidden, 20);
}

TEST(LatencyBlocks, EndAtFailuresIfTheQuantileMayHaveFailed) {
  // Every 20th request fails: the 95 % quantile is the longest duration or a failure.
  LatencyBlocks blocks;
  for (int i = 0; i < 5000; ++i) {
    if (i % 20 == 7) {
      blocks.add_failure();
    } else {
      blocks.add(10ms);
    }
  }
  const auto p50 = blocks.interval(0.5), p95 = blocks.interval(0.95), p99 = blocks.interval(0.99);
  ASSERT_TRUE(p50 && p95 && p99);
  for (const nanoseconds end : {p50->low, p50->high, p95->low}) {
    EXPECT_NEAR(static_cast<double>(end.count()), 1e7, 1e5);
  }
  EXPECT_EQ(p95->high, LatencySketch::kNever);
  EXPECT_EQ(p99->low, LatencySketch::kNever);
}

TEST(LatencyBlocks, HaveNoUpperEndAboveTheRange) {
  LatencyBlocks blocks;
  for (int i = 0; i < 1000; ++i) blocks.add(i % 2 == 0 ? 2000s : 3000s);
  const auto interval = blocks.interval(0.5);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 1000s);
  EXPECT_EQ(interval->high, LatencySketch::kNever);
}

TEST(LatencyBlocks, HideTheIntervalIfOneBlockDecides) {
  // 300 of 10,000 requests fail, in one outage or evenly.
  LatencyBlocks outage, even;
  Drifting latency(3, 0.0);
  const auto add = [](LatencyBlocks& blocks, nanoseconds duration, bool failed) {
    failed ? blocks.add_failure() : blocks.add(duration);
  };
  for (int i = 0; i < 10'000; ++i) {
    const nanoseconds duration = around_10_ms(0.5 * latency.next());
    add(outage, duration, i >= 5000 && i < 5300);
    add(even, duration, i % 100 < 3);
  }
  for (const double q : {0.5, 0.95}) {
    EXPECT_FALSE(outage.interval(q)) << q;
    EXPECT_TRUE(even.interval(q)) << q;
  }
}

/// How often an interval of the 95 % quantile was shown, and how often it missed.
struct Coverage {
  std::uint64_t histories = number_of_cases(200), shown = 0, wrong = 0;
};

/// Returns the number of misses at 5 % of the histories, and three standard errors.
double most_misses(std::uint64_t histories) {
  const auto n = static_cast<double>(histories);
  return n * 0.05 + 3.0 * std::sqrt(n * 0.05 * 0.95);
}

Coverage coverage(double dependence, int requests) {
  const double truth = 1e7 * std::exp(0.5 * normal_quantile(0.95));
  Coverage result;
  for (std::uint64_t seed = 1; seed <= result.histories; ++seed) {
    Drifting latency(seed, dependence);
    LatencyBlocks blocks;
    for (int i = 0; i < requests; ++i) blocks.add(around_10_ms(0.5 * latency.next()));
    const auto interval = blocks.interval(0.95);
    if (!interval) continue;
    ++result.shown;
    const auto low = static_cast<double>(interval->low.count()) / 1.01;
    const auto high = static_cast<double>(interval->high.count()) / 0.99;
    if (truth < low || truth > high) ++result.wrong;
  }
  return result;
}

TEST(LatencyBlocks, CoverTheQuantileAlthoughRequestsDependOnEachOther) {
  // Order statistics would miss in 8 and in 65 of 100 histories at 0.5 and at 0.95.
  for (const double dependence : {0.0, 0.5, 0.95}) {
    SCOPED_TRACE(dependence);
    const Coverage result = coverage(dependence, 20'000);
    RecordProperty("wrong_at_" + std::to_string(dependence), std::to_string(result.wrong));
    EXPECT_GE(result.shown, result.histories * 3 / 10);
    EXPECT_LE(static_cast<double>(result.wrong), most_misses(result.histories));
  }
}

TEST(LatencyBlocks, HideTheIntervalIfLatencyFollowsTheDay) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0.0, 0.5);
  LatencyBlocks blocks;
  for (int i = 0; i < 20'000; ++i) {
    blocks.add(around_10_ms(0.3 * std::sin(6.283185307 * i / 20'000) + noise(random)));
  }
  for (const double q : {0.5, 0.95}) EXPECT_FALSE(blocks.interval(q)) << q;
}

/// The block means and the length that follow from all pairs so far.
struct PlainPairs {
  std::vector<double> pairs;
  std::size_t length = 32;

  [[nodiscard]] std::vector<double> means() const {
    std::vector<double> means;
    for (auto next = pairs.begin(); pairs.end() - next >= std::ptrdiff_t(length);) {
      means.push_back(std::accumulate(next, next + std::ptrdiff_t(length), 0.0) / double(length));
      next += std::ptrdiff_t(length);
    }
    return means;
  }
  void add(double log_ratio) {
    pairs.push_back(log_ratio);
    if (pairs.size() % length != 0) return;
    if (pairs.size() / length == 1024) length *= 2;
    while (pairs.size() / length >= 30 && lag1_autocorrelation(means()) > 0.1) length *= 2;
  }
};

TEST(PairedLatency, HasTheBlocksOfAPlainProgram) {
  bool doubled = false;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Drifting slow(seed, seed % 3 == 0 ? 0.95 : 0.3);
    PairedLatency latency;
    PlainPairs plain;
    const int n = seed == 1 ? 70'000 : 9'000;
    for (int i = 0; i < n; ++i) {
      const double log_ratio = 0.2 * slow.next() + 0.3 * slow.noise();
      latency.add(log_ratio);
      plain.add(log_ratio);
    }
    doubled = doubled || plain.length > 32;
    ASSERT_EQ(latency.pairs_in_block(), plain.length);
    const std::vector<double> means = plain.means();
    ASSERT_EQ(latency.block_means().size(), means.size());
    ASSERT_LT(means.size(), 1024U);
    for (std::size_t i = 0; i < means.size(); ++i) {
      ASSERT_NEAR(latency.block_means()[i], means[i], 1e-12);
    }
  }
  EXPECT_TRUE(doubled);
}

TEST(PairedLatency, DoublesTheBlocksWhenThereIsNoMoreRoom) {
  PairedLatency latency;
  for (int i = 0; i < 1024 * 32; ++i) latency.add(0.25);
  EXPECT_EQ(latency.pairs_in_block(), 64U);
  EXPECT_EQ(latency.block_means().size(), 512U);
  EXPECT_EQ(latency.pairs().n(), 1024U * 32U);
}

TEST(PairedLatency, KeepsItsBlocksIfAllRatiosAreEqual) {
  // 0.1 is no binary fraction, so the mean of equal values is not exactly one of them.
  PairedLatency latency;
  for (int i = 0; i < 32 * 100; ++i) latency.add(0.1);
  EXPECT_EQ(latency.pairs_in_block(), 32U);
  EXPECT_TRUE(live_latency_ratio(latency, 0.05).low);
}

TEST(PairedLatency, ShowsAnIntervalFrom30Blocks) {
  PairedLatency latency;
  // Every other block is a little slower, so that neighbours are not alike.
  const auto add_block = [&](int block) {
    for (int i = 0; i < 32; ++i) latency.add(block % 2 == 0 ? 0.1 : 0.2);
  };
  for (int block = 0; block < 29; ++block) add_block(block);
  EXPECT_FALSE(live_latency_ratio(latency, 0.05).low);
  EXPECT_NEAR(live_latency_ratio(latency, 0.05).mean.value(), std::exp((15 * 0.1 + 14 * 0.2) / 29),
              1e-12);
  add_block(29);
  latency.add(5.0);  // begins the next block, which the interval is not about
  const LatencyRatio ratio = live_latency_ratio(latency, 0.05);
  EXPECT_EQ(ratio.pairs, 30U * 32U + 1U);
  EXPECT_EQ(ratio.blocks, 30U);
  EXPECT_EQ(ratio.pairs_in_block, 32U);
  EXPECT_NEAR(ratio.mean.value(), std::exp(0.15), 1e-12);
  // S = 4.5, Q = 15 (0.01 + 0.04) = 0.75, b^2 = 0.1.
  const double half_width =
      ConfidenceSequence{.b_squared = 0.1}.half_width(TopicSums(30, 4.5, 0.75)).value();
  EXPECT_NEAR(ratio.low.value(), std::exp(0.15 - half_width), 1e-12);
  EXPECT_NEAR(ratio.high.value(), std::exp(0.15 + half_width), 1e-12);
}

TEST(PairedLatency, HasExactEvidenceForEachPair) {
  // 40 pairs of ratio e^0.5: S = 20, Q = 10; ln E = -ln(6) / 2 + 400 / 24 = 15.8.
  PairedLatency latency;
  EXPECT_EQ(live_latency_ratio(latency, 0.05).mean, std::nullopt);
  for (int i = 0; i < 40; ++i) latency.add(0.5);
  const LatencyRatio ratio = live_latency_ratio(latency, 0.05);
  EXPECT_NEAR(ratio.log_e, -0.5 * std::log(6.0) + 400.0 / 24.0, 1e-12);
  EXPECT_FALSE(ratio.differs) << "40 visits are too few, whatever the coin says";
}

TEST(PairedLatency, SeldomMissesTheRatioWheneverOneLooks) {
  // An arm's own slow noise (sd 0.2). An interval of single pairs would miss in 18 of 100
  // histories at 0.5, in 99 at 0.95.
  const std::uint64_t histories = number_of_cases(200);
  for (const double dependence : {0.0, 0.5, 0.95, 0.99}) {
    SCOPED_TRACE(dependence);
    std::uint64_t wrong = 0, shown = 0;
    for (std::uint64_t seed = 1; seed <= histories; ++seed) {
      Drifting slow(seed, dependence);
      PairedLatency latency;
      bool missed = false;
      for (int i = 1; i <= 20'000; ++i) {
        latency.add(std::log(1.1) + 0.2 * slow.next() + 0.3 * slow.noise());
        if (i % 168 != 0) continue;
        const LatencyRatio ratio = live_latency_ratio(latency, 0.05);
        if (!ratio.low) continue;
        ++shown;
        missed = missed || *ratio.low > 1.1 || *ratio.high < 1.1;
      }
      wrong += missed ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(wrong), most_misses(histories));
    EXPECT_GE(shown, histories * 119 / 10);
  }
}

}  // namespace
}  // namespace prescope
