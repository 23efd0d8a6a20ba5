// After any events in any order, a ledger agrees with the plain one, which keeps every visit and
// recomputes every number.
#include <gtest/gtest.h>

#include "live/ledger/ledger.h"
#include "support/expect_ledger.h"
#include "support/ledger_traffic.h"
#include "support/number_of_cases.h"
#include "support/plain_ledger.h"

namespace prescope {
namespace {

Scorer scorer_of_all_kinds() {
  return Scorer(parse_measures("PRES@5 R@10 AP@10 PRES@20 AP GMAP nDCG@5 Rnorm"));
}

class LedgerProperties : public ::testing::TestWithParam<Mode> {
 protected:
  const Scorer scorer_ = scorer_of_all_kinds();

  /// Calls `run(dice)` for each seed, and stops at the first that fails.
  template <class Run>
  void for_seeds(std::uint64_t seeds, Run run) {
    for (std::uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Dice dice(seed);
      run(dice);
    }
  }
};

/// One history of requests, reopened indexes, arms that come and go, and late judgements.
class History {
 public:
  History(const Scorer& scorer, Mode mode, Dice& dice)
      : dice_(dice),
        judgements_(dice),
        server(judgements_, scorer, draw_ledger_options(dice, mode), dice) {}

  void step() {
    const std::uint32_t event = dice_.below(100);
    if (event < 3) {
      server.renew_index();
    } else if (event < 5) {
      server.change_arms();
    } else if (event < 9) {
      judgements_.change(dice_);
      add(rejudged, server.rejudge());
      if (dice_.one_in(2)) add(located, server.locate());
    } else if (event < 14) {
      add(located, server.locate());
    } else {
      server.serve();
    }
  }
  [[nodiscard]] std::string difference() {
    return server.places_agree ? difference_of(server.ledger, server.plain)
                               : "a query's place in its visit";
  }

 private:
  Dice& dice_;
  Judgements judgements_;

 public:
  LedgerTraffic server;
  Rejudged rejudged, located;
};

/// Numbers of events, so that the test says what it has covered.
struct Covered {
  std::uint64_t late = 0, page_gaps = 0, pages_without_key = 0, clock_steps = 0, epochs = 0;
  std::uint64_t compared = 0, incomplete = 0, shallow = 0, sorted = 0;
  Rejudged rejudged, located;

  void add(const History& history) {
    const Ledger& ledger = history.server.ledger;
    late += ledger.counts().late_observations;
    page_gaps += ledger.counts().page_gaps;
    pages_without_key += ledger.counts().pages_without_key;
    clock_steps += ledger.counts().clock_steps;
    epochs += ledger.epoch().number;
    compared += ledger.epoch().compared_visits;
    incomplete += ledger.epoch().incomplete_visits;
    for (const std::uint32_t arm : {0U, 1U}) sorted += ledger.arm(ArmIndex(arm)).sorted_queries;
    for (const ScoreTotals& of_measure : ledger.track(ArmIndex(0)).totals) {
      shallow += of_measure.means(0).shallow_visits;
    }
    prescope::add(rejudged, history.rejudged);
    prescope::add(located, history.located);
  }
};

/// In the three modes together 10,500 histories.
TEST_P(LedgerProperties, EqualsThePlainLedgerOnRandomTraffic) {
  const std::uint64_t histories = number_of_cases(3500);
  constexpr std::uint32_t kMostEvents = 80;
  Covered covered;
  for_seeds(histories, [&](Dice& dice) {
    History history(scorer_, GetParam(), dice);
    const std::uint32_t events = 1 + dice.below(kMostEvents);
    for (std::uint32_t i = 0; i < events; ++i) {
      history.step();
      if (!dice.one_in(10)) continue;
      ASSERT_EQ(history.difference(), "") << "after " << i << " events";
    }
    ASSERT_EQ(history.difference(), "") << "after " << events << " events";
    covered.add(history);
  });
  for (const Rejudged& some : {covered.rejudged, covered.located}) {
    EXPECT_GT(some.rescored, histories / 20);
    EXPECT_GT(some.awaiting, histories / 20);
    EXPECT_EQ(some.rescored + some.awaiting, some.topics);
  }
  const std::map<std::string, std::uint64_t> events{
      {"late", covered.late},
      {"page gaps", covered.page_gaps},
      {"pages without key", covered.pages_without_key},
      {"clock steps", covered.clock_steps},
      {"epochs", covered.epochs},
      {"shallow", covered.shallow},
      {"sorted", covered.sorted}};
  for (const auto& [event, times] : events) EXPECT_GT(times, histories / 2) << event;
  if (GetParam() != Mode::kPaired) return;
  EXPECT_GT(covered.compared, histories);
  EXPECT_GT(covered.incomplete, histories);
}

TEST_P(LedgerProperties, RecordingTheStoredObservationsAgainGivesTheSameLedger) {
  for_seeds(number_of_cases(300), [&](Dice& dice) {
    const Judgements judgements(dice);
    const LedgerOptions options = draw_ledger_options(dice, GetParam());
    LedgerTraffic server(judgements, scorer_, options, dice);
    for (int i = 0; i < 100; ++i) {
      if (dice.one_in(40)) server.renew_index();
      server.serve();
      if (dice.one_in(20)) server.ledger.settle();
    }
    server.ledger.settle();
    Ledger again(judgements.judged(0), scorer_, server.ledger.num_arms(), options);
    for (const PlainQuery& query : server.queries) (void)record(again, query, judgements);
    EXPECT_EQ(difference_of(again, server.plain), "");
    for (std::size_t m = 0; m < scorer_.measures().size(); ++m) {
      EXPECT_EQ(again.pair(ArmIndex(1)).totals[m].mean_difference(),
                server.ledger.pair(ArmIndex(1)).totals[m].mean_difference())
          << "bit for bit";
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, LedgerProperties, kEveryMode, mode_name);

}  // namespace
}  // namespace prescope
