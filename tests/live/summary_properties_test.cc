// After any events, a summary of a ledger agrees with the textbook formulas on every visit kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "live/summary/summarize.h"
#include "statistics/evidence.h"
#include "support/ledger_traffic.h"
#include "support/plain_ledger.h"

namespace prescope {
namespace {

constexpr double kSameNumber = 1e-12;

void expect_number(std::optional<double> found, std::optional<double> expected) {
  ASSERT_EQ(found.has_value(), expected.has_value());
  if (found) {
    EXPECT_NEAR(*found, *expected, kSameNumber);
  }
}

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

class SummaryProperties : public ::testing::TestWithParam<Mode> {
 protected:
  const Scorer scorer_{parse_measures("PRES@5 R@10 AP@10 AP")};
  int drifted_ = 0, lost_ = 0;

  void expect_means(const Summary& summary, const LedgerTraffic& server, std::uint32_t arm) {
    for (std::size_t m = 0; m < scorer_.measures().size(); ++m) {
      std::vector<double> means;
      std::uint32_t revisited = 0, changed = 0;
      double largest = 0.0;
      for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
        if (const auto mean = server.plain.mean(arm, t, m)) means.push_back(*mean);
        std::vector<double> values = server.plain.values(arm, t, m);
        if (values.size() < 2) continue;
        ++revisited;
        const double last = values.back();
        values.pop_back();
        const double change = std::abs(last - *mean_of(values));
        changed += change > 1e-9 ? 1 : 0;
        largest = std::max(largest, change);
      }
      const MeasureMean& found = summary.arms[arm].means[m];
      expect_number(found.mean, mean_of(means));
      means.resize(summary.topics - summary.topics_without_relevant, 0.0);
      expect_number(found.mean_over_all, mean_of(means));
      EXPECT_EQ(found.drift.revisited, revisited);
      EXPECT_EQ(found.drift.changed, changed);
      EXPECT_NEAR(found.drift.largest, largest, 1e-9);
      drifted_ += static_cast<int>(changed);
    }
  }

  void expect_pair(const ArmPair& pair, const LedgerTraffic& server, double alpha) {
    const bool split = GetParam() == Mode::kSplit;
    for (std::size_t m = 0; m < scorer_.measures().size(); ++m) {
      std::vector<double> values;
      std::multiset<double> losses;
      for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
        const auto difference = server.plain.difference(pair.b.value(), t, m);
        if (!difference) continue;
        values.push_back(*difference);
        if (*difference < -kSameNumber && !split) losses.insert(*difference);
      }
      const MeasureDifference& found = pair.differences[m];
      const auto mean = mean_of(values);
      expect_number(found.mean, mean ? std::optional(*mean * (split ? 2.0 : 1.0)) : mean);
      EXPECT_NEAR(found.live.alpha, alpha, kSameNumber);
      EXPECT_NEAR(found.live.log_e_better, betting_evidence(values).log_e_above, 1e-10);
      ASSERT_EQ(found.worst.size(), std::min<std::size_t>(5, losses.size()));
      auto loss = losses.begin();
      for (const TopicDifference& topic : found.worst) {
        EXPECT_NEAR(topic.difference, *loss++, kSameNumber);
      }
      lost_ += static_cast<int>(losses.size());
    }
  }

  void expect_latency(const ArmPair& pair, const LedgerTraffic& server) {
    std::vector<double> log_ratios;
    for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
      if (const auto ratio = server.plain.log_ratio(pair.b.value(), t))
        log_ratios.push_back(*ratio);
    }
    EXPECT_EQ(pair.latency.topics, log_ratios.size());
    if (log_ratios.size() < 2) return;
    EXPECT_NEAR(std::log(pair.latency.mean.value()), *mean_of(log_ratios), 1e-10);
  }

  void expect_same_as_plain(const LedgerTraffic& server) {
    std::vector<ArmFacts> arms(server.ledger.num_arms());
    const Summary summary =
        summarize(server.ledger, {.alpha = 0.1, .arms = arms}, SummaryDetail::kEveryTopic);
    std::size_t pairs = 0;
    for (std::uint32_t a = 0; a < arms.size(); ++a) {
      if (server.plain.arms()[a].removed) continue;
      expect_means(summary, server, a);
      pairs += a > 0 ? 1 : 0;
    }
    ASSERT_EQ(summary.pairs.size(), pairs);
    for (const ArmPair& pair : summary.pairs) {
      const auto statements = static_cast<double>(pairs * scorer_.measures().size());
      expect_pair(pair, server, 0.1 / statements);
      if (GetParam() != Mode::kSplit) expect_latency(pair, server);
      EXPECT_EQ(pair.sample_ratio.has_value(), GetParam() == Mode::kSplit);
    }
  }
};

TEST_P(SummaryProperties, EqualsThePlainLedgerOnRandomTraffic) {
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Judgements judgements(dice);
    LedgerTraffic server(judgements, scorer_, {.mode = GetParam()}, dice);
    for (int i = 0; i < 150 && !HasFailure(); ++i) {
      if (dice.one_in(60)) server.renew_index();
      if (dice.one_in(60)) server.change_arms();
      server.serve();
      if (i % 15 == 0) expect_same_as_plain(server);
    }
  }
  // Otherwise the test has not covered them.
  EXPECT_GT(drifted_, 100);
  if (GetParam() != Mode::kSplit) {
    EXPECT_GT(lost_, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SummaryProperties,
                         testing::Values(Mode::kObserve, Mode::kPaired, Mode::kSplit),
                         [](const testing::TestParamInfo<Mode>& mode) {
                           return mode.param == Mode::kObserve  ? "observe"
                                  : mode.param == Mode::kPaired ? "paired"
                                                                : "split";
                         });

}  // namespace
}  // namespace prescope
