// After any events in any order, a ledger agrees with the plain one, which keeps every visit and
// recomputes every number.
#include <gtest/gtest.h>

#include "live/ledger/ledger.h"
#include "support/expect_ledger.h"
#include "support/ledger_traffic.h"
#include "support/plain_ledger.h"

namespace prescope {
namespace {

Scorer scorer_of_all_kinds() {
  return Scorer(parse_measures("PRES@5 R@10 AP@10 PRES@20 AP GMAP nDCG@5 Rnorm"));
}

LedgerOptions draw_options(Dice& dice, Mode mode) {
  LedgerOptions options{.mode = mode,
                        .epochs = dice.of({EpochRule::kGeneration, EpochRule::kConfiguration}),
                        .shadow_latency = dice.of({ShadowOptions::Latency::kBothArms,
                                                   ShadowOptions::Latency::kNotCompared})};
  for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
    if (!dice.one_in(3)) continue;
    options.baseline.push_back(
        {TopicId("t" + std::to_string(t)), dice.of({"R@10", "AP"}), 0.01 * dice.below(101)});
  }
  return options;
}

class LedgerProperties : public ::testing::TestWithParam<Mode> {
 protected:
  static constexpr std::uint64_t kSeeds = 150;
  static constexpr int kEvents = 150;

  const Scorer scorer_ = scorer_of_all_kinds();

  /// Calls `run(dice)` for each seed, and stops at the first that fails.
  template <class Run>
  void for_all_seeds(Run run) {
    for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Dice dice(seed);
      run(dice);
    }
  }
};

TEST_P(LedgerProperties, EqualsThePlainLedgerOnRandomTraffic) {
  Rejudged rejudged, located;
  std::uint64_t late = 0, page_gaps = 0, clock_steps = 0;
  for_all_seeds([&](Dice& dice) {
    Judgements judgements(dice);
    LedgerTraffic server(judgements, scorer_, draw_options(dice, GetParam()), dice);
    for (int i = 0; i < kEvents && !HasFailure(); ++i) {
      SCOPED_TRACE("event " + std::to_string(i));
      const std::uint32_t event = dice.below(200);
      if (event < 4) {
        server.renew_index();
      } else if (event < 6) {
        server.change_arms();
      } else if (event == 6) {
        server.ledger.begin_epoch(EpochReason::kArms);
        server.plain.begin_epoch();
      } else if (event < 12) {
        judgements.change(dice);
        add(rejudged, server.ledger.rejudge(judgements.judged(judgements.newest())));
        server.plain.rejudge(judgements.qrels(judgements.newest()));
        if (dice.one_in(2)) add(located, server.locate());
      } else if (event < 22) {
        add(located, server.locate());
      } else {
        server.serve();
      }
      if (event < 22 || i % 10 == 0) expect_same(server.ledger, server.plain);
    }
    expect_same(server.ledger, server.plain);
    late += server.ledger.late_observations();
    page_gaps += server.ledger.page_gaps();
    clock_steps += server.ledger.clock_steps();
  });
  // Otherwise the test has not covered them.
  for (const Rejudged& some : {rejudged, located}) {
    EXPECT_GT(some.rescored, 50U);
    EXPECT_GT(some.awaiting, 50U);
    EXPECT_EQ(some.rescored + some.awaiting, some.topics);
  }
  EXPECT_GT(late, 50U);
  EXPECT_GT(page_gaps, 50U);
  EXPECT_GT(clock_steps, 50U);
}

TEST_P(LedgerProperties, RecordingTheStoredObservationsAgainGivesTheSameLedger) {
  for_all_seeds([&](Dice& dice) {
    const Judgements judgements(dice);
    const LedgerOptions options = draw_options(dice, GetParam());
    LedgerTraffic server(judgements, scorer_, options, dice);
    for (int i = 0; i < kEvents; ++i) {
      if (dice.one_in(40)) server.renew_index();
      server.serve();
    }
    Ledger again(judgements.judged(0), scorer_, server.ledger.num_arms(), options);
    for (const PlainQuery& query : server.queries) record(again, query, judgements);
    expect_same(again, server.plain);
    for (std::size_t m = 0; m < scorer_.measures().size(); ++m) {
      EXPECT_EQ(again.differences(ArmIndex(1), m).sums.sum(),
                server.ledger.differences(ArmIndex(1), m).sums.sum())
          << "bit for bit";
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, LedgerProperties,
                         testing::Values(Mode::kObserve, Mode::kPaired, Mode::kSplit),
                         [](const testing::TestParamInfo<Mode>& mode) {
                           return mode.param == Mode::kObserve  ? "observe"
                                  : mode.param == Mode::kPaired ? "paired"
                                                                : "split";
                         });

}  // namespace
}  // namespace prescope
