#include "support/expect_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prescope {
namespace {

constexpr double kExact = 1e-12;

std::uint32_t num_topics(const Ledger& ledger) {
  return static_cast<std::uint32_t>(ledger.qrels().topics().size());
}

double on_scale(const Measure& measure, double mean) {
  return measure.name() == "GMAP" ? std::log(std::max(mean, 1e-5)) : mean;
}

/// Compares the number, mean and mean square of a topic's values with the ledger's sums.
void expect_sums(const TopicSums& sums, const std::vector<double>& values) {
  double sum = 0.0, squares = 0.0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  ASSERT_EQ(sums.n(), values.size());
  const auto n = std::max(1.0, static_cast<double>(values.size()));
  EXPECT_NEAR(sums.sum() / n, sum / n, kExact);
  EXPECT_NEAR(sums.squares() / n, squares / n, kExact * std::max(1.0, squares / n));
}

void expect_sketch(const LatencySketch& sketch, std::vector<std::chrono::nanoseconds> values) {
  ASSERT_EQ(sketch.count(), values.size());
  const auto failed = std::erase(values, PlainLedger::kNever);
  if (failed > 0) {
    EXPECT_EQ(sketch.at_rank(values.size() + 1), LatencySketch::kNever);
  }
  if (values.empty()) return;
  EXPECT_LT(sketch.at_rank(values.size()), LatencySketch::kNever);
  EXPECT_EQ(sketch.max(), *std::ranges::max_element(values));
}

void expect_topic(const Ledger& ledger, const PlainLedger& plain, std::uint32_t a,
                  std::uint32_t t) {
  SCOPED_TRACE("arm " + std::to_string(a) + ", topic " + std::to_string(t));
  const Ledger::TopicState& state = ledger.arm(ArmIndex(a)).topics[t];
  const PlainLedger::Topic* const topic = plain.topic(a, t);
  EXPECT_EQ(state.visits, topic == nullptr ? 0 : topic->visits);
  EXPECT_EQ(state.seen, topic != nullptr && !topic->counted.empty());
  EXPECT_EQ(state.awaiting, plain.is_awaiting(a, t));
  EXPECT_EQ(state.timed_visits, topic == nullptr ? 0 : topic->log_ms.size());
  EXPECT_EQ(state.last_latency_ms, topic == nullptr ? std::nullopt : topic->last_ms);
  for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
    SCOPED_TRACE(ledger.scorer().measures()[m].name());
    const Ledger::Score& score = ledger.score(ArmIndex(a), TopicIndex(t), m);
    const std::vector<double> values = plain.values(a, t, m);
    ASSERT_EQ(score.visits, values.size());
    if (values.empty()) continue;
    EXPECT_NEAR(score.mean, *plain.mean(a, t, m), kExact);
    EXPECT_NEAR(score.last, values.back(), kExact);
  }
}

void expect_arm(const Ledger& ledger, const PlainLedger& plain, std::uint32_t a) {
  const Ledger::ArmState& arm = ledger.arm(ArmIndex(a));
  const PlainLedger::Arm& expected = plain.arms()[a];
  ASSERT_EQ(arm.is_removed(), expected.removed);
  if (expected.removed) return;
  std::uint32_t seen = 0, awaiting = 0;
  for (std::uint32_t t = 0; t < num_topics(ledger); ++t) {
    expect_topic(ledger, plain, a, t);
    const PlainLedger::Topic* const topic = plain.topic(a, t);
    seen += topic != nullptr && !topic->counted.empty() ? 1 : 0;
    awaiting += plain.is_awaiting(a, t) ? 1 : 0;
  }
  const Ledger::Sums sums = ledger.sums(ArmIndex(a));
  EXPECT_EQ(sums.topics_seen, seen);
  EXPECT_EQ(sums.topics_awaiting, awaiting);
  for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
    SCOPED_TRACE(ledger.scorer().measures()[m].name());
    std::vector<double> values;
    std::uint32_t too_shallow = 0;
    for (std::uint32_t t = 0; t < num_topics(ledger); ++t) {
      too_shallow += plain.is_too_shallow(a, t, m) ? 1 : 0;
      const auto mean = plain.mean(a, t, m);
      if (mean) values.push_back(on_scale(ledger.scorer().measures()[m], *mean));
    }
    expect_sums(sums.measures[m].values, values);
    EXPECT_EQ(sums.measures[m].too_shallow, too_shallow);
  }
  EXPECT_EQ(arm.judged_queries, expected.judged);
  EXPECT_EQ(arm.unjudged_queries, expected.unjudged);
  EXPECT_EQ(arm.retried_queries, expected.retried);
  EXPECT_EQ(arm.failed_queries, expected.failed);
  EXPECT_EQ(arm.timed_out_queries, expected.timed_out);
  expect_sketch(arm.latency, expected.latency);
  expect_sketch(arm.shadow_latency, expected.shadow_latency);
  expect_sketch(arm.self_time, expected.self_time);
  expect_sketch(arm.unjudged_self_time, expected.unjudged_self);
}

void expect_pair(const Ledger& ledger, const PlainLedger& plain, std::uint32_t b) {
  SCOPED_TRACE("arm 0 and " + std::to_string(b));
  const bool removed = plain.arms()[b].removed;
  for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
    SCOPED_TRACE(ledger.scorer().measures()[m].name());
    std::vector<double> differences;
    for (std::uint32_t t = 0; t < num_topics(ledger) && !removed; ++t) {
      const auto difference = plain.difference(b, t, m);
      const auto found = ledger.difference(ArmIndex(b), TopicIndex(t), m);
      ASSERT_EQ(found.has_value(), difference.has_value());
      if (!difference) continue;
      EXPECT_NEAR(*found, *difference, kExact);
      differences.push_back(*difference);
    }
    const Ledger::Differences counted = ledger.differences(ArmIndex(b), m);
    expect_sums(counted.sums, differences);
    const auto count = [&](auto is) {
      return static_cast<std::uint32_t>(std::ranges::count_if(differences, is));
    };
    EXPECT_EQ(counted.wins, count([](double d) { return d > kExact / 2; }));
    EXPECT_EQ(counted.losses, count([](double d) { return d < -kExact / 2; }));
    EXPECT_EQ(counted.wins + counted.ties + counted.losses, differences.size());
  }
  std::vector<double> log_ratios;
  for (std::uint32_t t = 0; t < num_topics(ledger) && !removed; ++t) {
    if (const auto ratio = plain.log_ratio(b, t)) log_ratios.push_back(*ratio);
  }
  expect_sums(ledger.log_latency_ratios(ArmIndex(b)).sums, log_ratios);
}

}  // namespace

void expect_same(const Ledger& ledger, const PlainLedger& plain) {
  ASSERT_EQ(ledger.num_arms(), plain.arms().size());
  for (std::uint32_t t = 0; t < num_topics(ledger); ++t) {
    for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
      const auto expected = plain.expected(t, m);
      const auto found = ledger.expected(TopicIndex(t), m);
      ASSERT_EQ(found.has_value(), expected.has_value());
      EXPECT_NEAR(found.value_or(0.0), expected.value_or(0.0), kExact);
    }
  }
  for (std::uint32_t a = 0; a < ledger.num_arms(); ++a) expect_arm(ledger, plain, a);
  for (std::uint32_t b = 1; b < ledger.num_arms(); ++b) expect_pair(ledger, plain, b);
  EXPECT_EQ(ledger.epoch().number, plain.epoch);
  EXPECT_EQ(ledger.page_gaps(), plain.page_gaps);
  EXPECT_EQ(ledger.late_observations(), plain.late);
  EXPECT_EQ(ledger.clock_steps(), plain.clock_steps);
}

}  // namespace prescope
