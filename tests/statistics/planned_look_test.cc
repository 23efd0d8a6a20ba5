// Planned tests of differences that are not there.
#include "statistics/planned_look.h"

#include <gtest/gtest.h>

#include <cmath>

#include "live/ledger/margin_statements.h"
#include "support/null_differences.h"

namespace prescope {
namespace {

// At most 5.5 of 100 are promised for symmetric differences.
TEST(PlannedLooks, AreWrongInFewOfTenThousandExperiments) {
  constexpr std::array kShares{0.5, 0.75, 1.0};
  constexpr unsigned kExperiments = 10'000, kTopics = 400;
  for (const Spending spending : {Spending::kObrienFleming, Spending::kPocock}) {
    const std::vector<double> boundaries = planned_boundaries(kShares, 0.05, spending);
    unsigned wrong = 0;
    for (unsigned seed = 1; seed <= kExperiments; ++seed) {
      std::mt19937_64 random(seed);
      TopicSums sums;
      bool has_ended = false;
      for (std::size_t k = 0; k < kShares.size(); ++k) {
        while (static_cast<double>(sums.n()) < kShares[k] * kTopics) {
          sums.add(symmetric_difference(random));
        }
        const auto look = look_at(sums, boundaries[k]);
        has_ended = has_ended || (look && std::abs(look->z) >= boundaries[k]);
      }
      wrong += has_ended ? 1 : 0;
    }
    EXPECT_LE(wrong, kExperiments * 55 / 1000);
    EXPECT_GT(wrong, kExperiments * 40 / 1000);  // it uses what it may
  }
}

// 1 % of topics lose nearly all, and nothing else changes: an interval says "the same within
// 0.0095" in 30 of 100 experiments.
TEST(MarginBetsTest, AreWrongInFewExperimentsWhateverTheDistribution) {
  constexpr unsigned kExperiments = 1000, kTopics = 1500;
  constexpr double kMargin = 0.0095, kTwentyfold = 2.995732273553991;
  unsigned wrong = 0;
  for (unsigned seed = 1; seed <= kExperiments; ++seed) {
    std::mt19937_64 random(seed);
    MarginBets bets;
    bool is_stated = false;
    for (unsigned t = 0; t < kTopics && !is_stated; ++t) {
      const double value = draw_share(random) < 0.01 ? -0.99 : 0.0;
      bets.bet_on({value, value}, kMargin, 1.0);
      is_stated = bets.not_worse.log_e() >= kTwentyfold;
    }
    wrong += is_stated ? 1 : 0;
  }
  EXPECT_LE(wrong, kExperiments * 5 / 100);
}

TEST(PlannedLooks, SayNothingAboutEqualValues) {
  EXPECT_FALSE(look_at(TopicSums(50, 50 * 0.1, 50 * 0.1 * 0.1), 2.0));
  EXPECT_FALSE(look_at(TopicSums(1, 0.1, 0.01), 2.0));
  EXPECT_FALSE(look_at(TopicSums(), 2.0));
}

TEST(PlannedLooks, AreUndoneByTheNumberOfTopicsThatIsNamed) {
  const TopicSums sums(100, 20.0, 8.0);
  constexpr double kBoundary = 2.5;
  const std::uint32_t undo = topics_to_undo_look(sums, kBoundary);
  ASSERT_GT(undo, 1U);
  const auto z_with = [&](std::uint32_t more) {
    return look_at(TopicSums(100 + more, 20.0 - more, 8.0 + more), kBoundary)->z;
  };
  EXPECT_GE(z_with(undo - 1), kBoundary);
  EXPECT_LT(z_with(undo), kBoundary);
}

}  // namespace
}  // namespace prescope
