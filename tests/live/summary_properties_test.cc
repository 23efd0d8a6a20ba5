// After any events, a summary of a ledger agrees with the textbook formulas on every visit kept.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "live/summary/summarize.h"
#include "support/expect_ledger.h"
#include "support/ledger_traffic.h"
#include "support/number_of_cases.h"

namespace prescope {
namespace {

class SummaryProperties : public ::testing::TestWithParam<Mode> {
 protected:
  const Scorer scorer_{parse_measures("PRES@5 R@10 AP@10 AP GMAP")};
  std::uint32_t changed_ = 0, lost_ = 0;

  std::string difference_from_plain(LedgerTraffic& server) {
    constexpr double kAlpha = 0.1;
    const std::vector<ArmFacts> arms(server.ledger.num_arms());
    const Summary summary =
        summarize(server.ledger, {.alpha = kAlpha, .arms = arms}, SummaryDetail::kEveryTopic);
    for (const MeasureMean& mean : summary.arms[0].means) changed_ += mean.drift.changed;
    for (const ArmPair& pair : summary.pairs) {
      lost_ += static_cast<std::uint32_t>(pair.differences[0].worst.size());
      EXPECT_EQ(pair.sample_ratio.has_value(), GetParam() == Mode::kSplit);
    }
    return difference_of(summary, server.plain, kAlpha);
  }
};

TEST_P(SummaryProperties, EqualsThePlainLedgerOnRandomTraffic) {
  for (std::uint64_t seed = 1; seed <= number_of_cases(1500) && !HasFailure(); ++seed) {
    Dice dice(seed);
    Judgements judgements(dice);
    LedgerOptions options = draw_ledger_options(dice, GetParam());
    options.primary = dice.below(scorer_.measures().size());
    LedgerTraffic server(judgements, scorer_, options, dice);
    for (int i = 0; i < 100; ++i) {
      if (dice.one_in(50)) server.renew_index();
      if (dice.one_in(50)) server.change_arms();
      if (dice.one_in(40)) {
        judgements.change(dice);
        (void)server.rejudge();
      }
      server.serve();
      if (i % 15 != 0) continue;
      ASSERT_EQ(difference_from_plain(server), "") << "seed " << seed;
    }
  }
  // Otherwise the test has not covered them.
  EXPECT_GT(changed_, 100U);
  if (GetParam() == Mode::kSplit) return;
  EXPECT_GT(lost_, 100U);
}

INSTANTIATE_TEST_SUITE_P(Modes, SummaryProperties, kEveryMode, mode_name);

}  // namespace
}  // namespace prescope
