// The live view of summaries made by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "prescope/report.h"
#include "support/report_summary.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string live_table_of(const Summary& summary,
                          TableOptions::Color color = TableOptions::Color::kNever) {
  return to_table(summary, {.color = color, .view = TableOptions::View::kLive});
}

TEST(ReportLiveTable, ShowsMeansLatencyVerdictsWorstTopicsAndDrift) {
  // 0.5 * 212 / 398 = 0.2663. Half of [-0.0123, 0.0123] is 0.0123. 0.0125 is 1.2 %, half to even.
  EXPECT_EQ(live_table_of(live_summary()),
            R"(patents: 400 topics, 7 judgements, each topic in every arm
Epoch 3, since a new generation of the index: 1,204 observations in it
Epoch 2 ended after 3,210 observations:
  PRES@100, bm25 minus tfidf: +0.0123, bm25 leading

Mean over the topics that have a value
arm            topics  PRES@100   R@100  MAP@100
────────────────────────────────────────────────
tfidf             212    0.5000  0.6667   0.2500
bm25 (paused)     212    0.6250  0.6667   0.2500

Mean over all topics with relevant documents, 0 if there is no value
arm            topics  PRES@100   R@100  MAP@100
────────────────────────────────────────────────
tfidf             398    0.2663  0.3551   0.1332
bm25 (paused)     398    0.3329  0.3551   0.1332

Latency of queries that users waited for
arm            queries  failed  timed out  p50 ms  p90 ms  p95 ms  p99 ms   p99 interval  max ms
────────────────────────────────────────────────────────────────────────────────────────────────
tfidf            1,234       0          0    12.3    18.0    20.0     123          ≥ 118     130
bm25 (paused)    1,234      12          3    12.3    18.0    20.0  failed  [118, failed]     130

Latency of searches for comparison, which nobody waited for
arm            queries  p50 ms  p90 ms  p95 ms  p99 ms  p99 interval  max ms
────────────────────────────────────────────────────────────────────────────
tfidf              212    10.0       -       -       -             -    55.0
bm25 (paused)      212    10.0       -       -       -             -    55.0

The plugin's own time on the query thread
arm            judged p50 us  judged p99 us  unjudged p50 us  unjudged p99 us  judged/query
───────────────────────────────────────────────────────────────────────────────────────────
tfidf                    2.6            5.1             0.06                -       0.021 %
bm25 (paused)            2.6            5.1             0.06                -       0.021 %

bm25 minus tfidf, topic by topic
measure   topics  difference        ±  detectable  wins/ties/losses  state
─────────────────────────────────────────────────────────────────────────────────────────────
PRES@100     212     +0.1250  ±0.0250      0.0321             2/1/0  bm25 confirmed better
R@100        212      0.0000  ±0.0123           -             0/3/0  no verdict yet (±0.0123)
AP@100       212     -0.0200  ±0.0150           -             1/1/1  tfidf leading
They hold while you look, each but for a chance of 1.2 %. Leading: if a topic is as likely to move
up as down by chance. Confirmed: whatever the scores. Detectable: the difference that so many topics
would show in 4 of 5 cases.

Shadow latency, bm25 over tfidf in 212 topics: 0.800 [0.700, 0.900]; bm25 is faster

Topics that bm25 loses most in, PRES@100
  EP1A1  0.5000  →  0.2500  -0.2500
  EP2A1  0.7500  →  0.7400  -0.0100

Drift: topics whose score moved since their earlier visits of this epoch
  bm25 PRES@100: 3 of 40 topics served again moved, by 0.0021 on average, EP1A1 by 0.0500

Worth knowing
  2 topics have no relevant document and count in no mean
)");
}

TEST(ReportLiveTable, ShowsTheEvidenceSoFar) {
  Summary summary = live_summary();
  MeasureDifference& difference = summary.pairs[0].differences[0];
  difference.topics = 7;
  difference.live = {};
  EXPECT_THAT(live_table_of(summary),
              HasSubstr("      -             2/1/0  collecting (7 of 10 topics)\n"));
  difference.live.state = LiveState::kNoVerdict;  // the interval is still the whole range
  EXPECT_THAT(live_table_of(summary), HasSubstr("  no verdict yet\n"));
  difference.mean = -0.125;
  difference.live.state = LiveState::kConfirmed;
  EXPECT_THAT(live_table_of(summary), HasSubstr("  tfidf confirmed better\n"));
}

TEST(ReportLiveTable, HalfWidthIsTheLongerHalfAtTheEndOfTheRange) {
  Summary summary = live_summary();
  MeasureDifference& difference = summary.pairs[0].differences[0];
  difference.mean = 0.75;
  difference.live.low = 0.25;
  difference.live.high = 1.0;  // 0.75 + 0.5, cut off
  EXPECT_THAT(live_table_of(summary), HasSubstr("+0.7500  ±0.5000"));
}

TEST(ReportLiveTable, WarnsOfAnUnfairAssignment) {
  Summary summary = split_summary();
  EXPECT_THAT(
      live_table_of(summary),
      HasSubstr("\nALARM: 400 topics served by tfidf, 200 by bm25, which no fair coin gives "
                "(ln e 29.5)\n"));
  EXPECT_THAT(live_table_of(summary), HasSubstr("bm25 minus tfidf, between topics of the one"));
  EXPECT_THAT(live_table_of(summary), Not(HasSubstr("wins/ties/losses")));
  summary.pairs[0].sample_ratio = SampleRatio{.topics_a = 101, .topics_b = 99};
  EXPECT_THAT(live_table_of(summary),
              HasSubstr("\n101 topics served by tfidf, 99 by bm25, as a fair coin gives them\n"));
}

TEST(ReportLiveTable, LeavesOutEmptySections) {
  Summary summary = live_summary();
  summary.epoch = {};
  summary.past_epochs.clear();
  for (ArmSummary& arm : summary.arms) {
    arm.failed_queries = arm.timed_out_queries = 0;
    arm.shadow_latency = {};
    for (MeasureMean& mean : arm.means) {
      mean.mean_over_all = mean.mean;
      mean.drift = {};
    }
  }
  summary.pairs[0].latency = {};
  for (MeasureDifference& difference : summary.pairs[0].differences) difference.worst.clear();
  summary.topics_without_relevant = 0;
  const std::string table = live_table_of(summary);
  EXPECT_THAT(table, HasSubstr("Epoch 1, since the start: 0 observations in it\n\n"));
  for (const char* absent : {"timed out", "Mean over all", "for comparison", "Drift", "atency, ",
                             "loses most", "Worth knowing", "ended"}) {
    EXPECT_THAT(table, Not(HasSubstr(absent))) << absent;
  }
}

TEST(ReportLiveTable, LeavesOutARemovedArmAndNamesOnlyFaults) {
  Summary summary = live_summary();
  summary.arms[1].status = ArmStatus::kRemoved;
  summary.pairs.clear();
  summary.past_epochs.clear();
  summary.arms[0].topics_awaiting = 3;
  summary.health.late_observations = 4;
  summary.health.publish_failures = 1;
  summary.health.shadow_expired = 2;
  summary.health.clock_steps = 1;
  const std::string table = live_table_of(summary);
  EXPECT_THAT(table, Not(HasSubstr("bm25  ")));
  for (const char* sentence :
       {"tfidf: 3 topics have no value since the judgements changed, until served again",
        "4 queries: in no score: served by an index, or matched with judgements, that had been",
        "1 query: without a latency: the clock had stepped back",
        "1 summary could not be made or published",
        "2 queries: not compared: they had waited for too long"}) {
    EXPECT_THAT(table, HasSubstr(sentence));
  }
  EXPECT_THAT(table, Not(HasSubstr("sampling")));
}

TEST(ReportLiveTable, ColoursTheStates) {
  const std::string colored = live_table_of(live_summary(), TableOptions::Color::kAlways);
  EXPECT_THAT(colored, HasSubstr("\x1b[32mbm25 confirmed better\x1b[0m"));
  EXPECT_THAT(colored, HasSubstr("\x1b[31mtfidf leading\x1b[0m"));
}

TEST(ReportLiveTable, IsAtMostAHundredColumnsWide) {
  for (const Summary& summary : {live_summary(), split_summary()}) {
    std::istringstream lines(live_table_of(summary));
    for (std::string line; std::getline(lines, line);) {
      const auto continued = [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
      };
      EXPECT_LE(static_cast<std::ptrdiff_t>(line.size()) - std::ranges::count_if(line, continued),
                100)
          << line;
    }
  }
}

TEST(ReportLiveTable, EmptySummaryIsShown) {
  const std::string table =
      live_table_of({.experiment = "nothing yet",
                     .measures = parse_measures("PRES@100"),
                     .arms = {{.id = ArmId("a"), .means = {{{}, Measure::parse("PRES@100")}}}}});
  EXPECT_THAT(table, HasSubstr("nothing yet: 0 topics, 0 judgements, as served\n"));
  EXPECT_THAT(table, HasSubstr("a         0         -\n"));
}

}  // namespace
}  // namespace prescope::testing
