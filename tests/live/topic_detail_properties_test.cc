// A topic in detail agrees with its row, and its shares sum to the whole difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "live/summary/summarize.h"
#include "measures/citation_changes.h"
#include "support/ledger_traffic.h"

namespace prescope {
namespace {

std::vector<ArmFacts> nameless_arms(const Ledger& ledger) {
  return std::vector<ArmFacts>(ledger.num_arms());
}

std::vector<Rank> relevant_ranks_of(const TopicDetail& topic, std::size_t arm) {
  std::vector<Rank> ranks;
  for (const TopicDetail::Citation& citation : topic.citations) {
    if (citation.relevant && citation.arms[arm].rank) ranks.push_back(*citation.arms[arm].rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

void expect_shares(const TopicDetail& topic, std::span<const Measure> measures) {
  for (const TopicDetail::Difference& difference : topic.differences) {
    const auto m = static_cast<std::size_t>(
        std::ranges::find(measures, difference.measure.name(), &Measure::name) - measures.begin());
    const double a = topic.row.arms[difference.a.value()].scores[m].value();
    const double b = topic.row.arms[difference.b.value()].scores[m].value();
    EXPECT_NEAR(difference.difference, b - a, 1e-12);
    const double sum = std::accumulate(difference.shares.begin(), difference.shares.end(), 0.0);
    EXPECT_NEAR(sum, b - a, 1e-12);
    // Exactly: each is a whole number of credits.
    const double whole =
        static_cast<double>(CitationCredits::of(difference.measure)->whole(topic.row.num_rel));
    double credits = 0.0;
    for (std::size_t j = 0; j < difference.shares.size(); ++j) {
      const double credit = difference.shares[j] * whole;
      EXPECT_NEAR(credit, std::round(credit), 1e-9);
      EXPECT_TRUE(topic.citations[j].relevant || credit == 0.0);
      credits += std::round(credit);
    }
    EXPECT_DOUBLE_EQ(credits, std::round((b - a) * whole));
  }
}

/// Pairs of arms with a score of the first PRES, which is measure 1.
std::size_t scored_pairs(const TopicDetail& topic) {
  const auto scored = std::ranges::count_if(topic.row.arms, [](const TopicRow::Arm& arm) {
    return arm.seen && arm.scores[1].has_value();
  });
  return static_cast<std::size_t>(scored * (scored - 1) / 2);
}

TEST(TopicDetailProperties, AgreesWithItsRowOnRandomTraffic) {
  constexpr std::uint64_t kSeeds = 60;
  constexpr int kEvents = 120;
  const Scorer scorer(parse_measures("R@10 PRES@10 AP@10 PRES@20"));
  std::size_t differences = 0, ranks = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    Judgements judgements(dice);
    LedgerTraffic server(judgements, scorer, {}, dice);
    for (int i = 0; i < kEvents; ++i) {
      if (dice.one_in(80)) server.change_arms();
      if (dice.one_in(30)) {
        judgements.change(dice);
        (void)server.rejudge();
      }
      server.serve();
    }
    const std::vector<ArmFacts> arms = nameless_arms(server.ledger);
    const Summary summary = summarize(server.ledger, {.arms = arms}, SummaryDetail::kEveryTopic);
    for (const TopicRow& row : summary.rows) {
      const TopicDetail topic = topic_detail(server.ledger, arms, row.id).value();
      EXPECT_EQ(topic.citations.size(),
                server.ledger.qrels()
                    .topic(server.ledger.qrels().find(row.id.text()).value())
                    .judgements()
                    .size());
      for (std::size_t a = 0; a < arms.size(); ++a) {
        EXPECT_EQ(topic.row.arms[a].scores, row.arms[a].scores);
        EXPECT_EQ(relevant_ranks_of(topic, a), row.arms[a].relevant_ranks);
        ranks += row.arms[a].relevant_ranks.size();
      }
      EXPECT_EQ(topic.differences.size(), scored_pairs(topic));
      expect_shares(topic, scorer.measures());
      differences += topic.differences.size();
    }
  }
  EXPECT_GT(differences, kSeeds);
  EXPECT_GT(ranks, 2 * kSeeds);
}

}  // namespace
}  // namespace prescope
