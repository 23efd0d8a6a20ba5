// The live view of summaries made by hand.

#include <fmt/format.h>
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
  return to_table(summary, {.color = color});
}

TEST(ReportLiveTable, ShowsMeansLatencyVerdictsWorstTopicsAndDrift) {
  // 0.5 * 212 / 398 = 0.2663. Half of [-0.0123, 0.0123] is 0.0123. 0.0125 is 1.2 %, half to even.
  EXPECT_EQ(live_table_of(live_summary()),
            R"(patents: 400 topics, 7 judgements, each topic in every arm
Epoch 3, since a change of the arms: 1,204 observations in it, 600 visits compared
Epoch 2 ended after 3,210 observations:
  PRES@100, bm25 minus tfidf: +0.0123, bm25 leading

Mean over the topics that have a value, by visits that every arm ranked
arm            topics  PRES@100   R@100  MAP@100
────────────────────────────────────────────────
tfidf             212    0.5000  0.6667   0.2500
bm25 (paused)     212    0.6250  0.6667   0.2500

Mean over all topics with relevant documents, 0 if there is no value
arm            topics  PRES@100   R@100  MAP@100
────────────────────────────────────────────────
tfidf             398    0.2663  0.3551   0.1332
bm25 (paused)     398    0.3329  0.3551   0.1332

Served to users: mean over all visits that the arm served
arm            topics  PRES@100   R@100  MAP@100
────────────────────────────────────────────────
tfidf             230    0.4750  0.6667   0.2500
bm25 (paused)       0         -       -        -

Latency of queries that users waited for
arm            queries  failed  timed out  p50 ms  p90 ms  p95 ms  p99 ms   p99 interval  max ms
────────────────────────────────────────────────────────────────────────────────────────────────
tfidf            1,234       0          0    12.3    18.0    20.0     123          ≥ 118     130
bm25 (paused)    1,234      12          3    12.3    18.0    20.0  failed  [118, failed]     130

An interval holds for one look. There is none if queries depend on each other too strongly to tell.

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
measure   topics  difference        ±  all visits  wins/ties/losses  state
──────────────────────────────────────────────────────────────────────────────────────────
PRES@100     212     +0.1250  ±0.0250     +0.1275             2/1/0  bm25 confirmed better
R@100        212      0.0000  ±0.0123      0.0000             0/3/0  described
AP@100       212     -0.0200  ±0.0150     -0.0300             1/1/1  described

bm25 is better than tfidf by 0.1250 PRES@100.

+0.1250 over 212 topics, interval [+0.1000, +0.1500]. You may look as often as you like: the
interval holds at all times but for a chance of 1.2 %. 7 further topics of the largest opposite
difference would undo it. With as many topics, a true difference of 0.0321 shows in 4 of 5 cases.

Shadow latency, bm25 over tfidf in 640 visits: 0.800 [0.700, 0.900] (40 blocks of 16 visits); bm25
  is faster; not among them: tfidf had no time of its own in 0 visits, bm25 in 2

bm25 gains 12.5 points of PRES@100 and saves 20 % of the latency.

Topics that bm25 loses most in, PRES@100
  EP1A1  0.5000  →  0.2500  -0.2500
  EP2A1  0.7500  →  0.7400  -0.0100

Drift: topics whose score moved since their earlier visits of this epoch
  bm25 PRES@100: 3 of 40 topics served again moved, by 0.0021 on average, EP1A1 by 0.0500

Worth knowing
  2 topics have no relevant document and count in no mean
)");
}

struct StateCase {
  LiveState state;
  double mean;
  const char* in_table;
  const char* sentence;
  const char* color;  ///< of the state; empty if it is no verdict
};

TEST(ReportLiveTable, SaysEachStateInWordsAndColoursOnlyVerdicts) {
  // Half of [-0.01, 0.03] is 0.02. The measure's mean over all visits has another sign.
  for (const auto& [state, mean, in_table, sentence, color] :
       {StateCase{LiveState::kCollecting, 0.01, "collecting (7 of 10 topics)",
                  "Too few topics to compare bm25 with tfidf: 7 topics of 10.", ""},
        {LiveState::kNoVerdict, 0.01, "no verdict yet (±0.0200)",
         "No difference in PRES@100 between tfidf and bm25 is shown yet.", ""},
        {LiveState::kAhead, 0.01, "bm25 ahead so far",
         "bm25 ahead so far: the arms differ in these topics; rare failures are not ruled out.",
         ""},
        {LiveState::kAhead, -0.01, "tfidf ahead so far",
         "tfidf ahead so far: the arms differ in these topics; rare failures are not ruled out.",
         ""},
        {LiveState::kLeading, 0.01, "bm25 leading", "bm25 leads tfidf by 0.0100 PRES@100.",
         "\x1b[32m"},
        {LiveState::kConfirmed, -0.01, "tfidf confirmed better",
         "tfidf is better than bm25 by 0.0100 PRES@100.", "\x1b[31m"}}) {
    Summary summary = live_summary();
    MeasureDifference& pres = summary.pairs[0].differences[0];
    pres.mean = -mean;
    pres.live = {.state = state, .topics = 7, .mean = mean, .low = -0.01, .high = 0.03};
    EXPECT_THAT(live_table_of(summary), HasSubstr(fmt::format("  {}\n", in_table)));
    EXPECT_THAT(live_table_of(summary), HasSubstr(fmt::format("\n{}\n", sentence)));
    const std::string colored = live_table_of(summary, TableOptions::Color::kAlways);
    for (const std::string green_or_red : {"\x1b[32m", "\x1b[31m"}) {
      EXPECT_EQ(colored.find(green_or_red + in_table) != std::string::npos, green_or_red == color)
          << in_table;
    }
  }
}

TEST(ReportLiveTable, VerdictsAreAboutThePrimaryMeasure) {
  Summary summary = live_summary();
  std::vector<MeasureDifference>& differences = summary.pairs[0].differences;
  summary.primary = 2;
  differences[2].live->state = LiveState::kNoVerdict;
  differences[0].live->state = LiveState::kDescribed;
  summary.past_epochs[0].differences.push_back(summary.past_epochs[0].differences[0]);
  summary.past_epochs[0].differences[1].measure = summary.measures[2];
  const std::string table = live_table_of(summary);
  EXPECT_THAT(table, HasSubstr("No difference in MAP@100 between tfidf and bm25 is shown yet.\n"));
  EXPECT_THAT(table, HasSubstr("  AP@100, bm25 minus tfidf: +0.0123, bm25 leading\n"));
  EXPECT_THAT(table, Not(HasSubstr("  PRES@100, bm25")));
}

TEST(ReportLiveTable, ObservedTrafficHasDifferencesAndNoVerdict) {
  const std::string table = live_table_of(observed_summary());
  EXPECT_THAT(table, HasSubstr("PRES@100     212  0.5000  0.6275     +0.1275             2/1/0\n"));
  EXPECT_THAT(table, HasSubstr("There is no verdict, because nobody chose at random which arm"));
  for (const char* absent :
       {"±", "state", "interval [", "confirmed", "better", "faster", "Served"}) {
    EXPECT_THAT(table, Not(HasSubstr(absent))) << absent;
  }
}

TEST(ReportLiveTable, LatencySaysWhichArmIsFasterOrWhyNotYet) {
  using enum LatencyState;
  struct Case {
    LatencyRatio ratio{};
    std::string_view text{};
  };
  const Case cases[] = {
      {{.pairs = 640, .mean = 1.25, .state = kFaster},
       "in 640 visits: 1.250, without an interval yet; tfidf is faster\n"},
      {{.pairs = 640, .failed_b = 1200, .mean = 0.75, .state = kFaster},
       "bm25 is faster; not among them: tfidf failed in 0 visits, bm25 in 1,200\n"},
      {{.pairs = 640, .failed_a = 1, .untimed_a = 2, .mean = 0.75, .state = kNoVerdict},
       "no verdict yet; not among them: tfidf failed in 1 visit, bm25 in 0; tfidf had no time of "
       "its own in 2 visits, bm25 in 0\n"},
      {{.pairs = 640, .mean = 1.25, .low = 1.1, .high = 1.4, .blocks = 40, .pairs_in_block = 16},
       "1.250 [1.100, 1.400] (40 blocks of 16 visits); no verdict before 512 visits\n"},
      {{.pairs = 640, .mean = 1.25, .state = kDependent},
       "no verdict: visits that follow each other are too much alike to tell\n"},
      {{.pairs = 640, .untimed_b = 90, .mean = 0.75, .least = 0.7, .most = 1.25, .state = kOpen},
       "no verdict: the visits that only one arm was timed in could turn it, between 0.700 and "
       "1.250 with each visit limited to a factor of 2; not among them: tfidf had no time of its "
       "own in 0 visits, bm25 in 90\n"},
      {{.pairs = 640, .repeated_a = 640, .mean = 1.25, .least = 0.5, .state = kOpen},
       "no verdict: tfidf had searched for the users before, so the caches of the arms are not in "
       "like state; a verdict needs every arm searched twice (kBothArmsTwice)\n"}};
  Summary summary = live_summary();
  for (const Case& one : cases) {
    summary.pairs[0].latency = one.ratio;
    std::string table = live_table_of(summary);
    for (std::size_t at; (at = table.find("\n  ")) != std::string::npos;) table.replace(at, 3, " ");
    EXPECT_THAT(table, HasSubstr(one.text));
  }
  summary.mode = Mode::kObserve;
  EXPECT_THAT(live_table_of(summary), Not(HasSubstr("Shadow latency")));
}

TEST(ReportLiveTable, HalfWidthIsTheLongerHalfAtTheEndOfTheRange) {
  Summary summary = live_summary();
  LiveVerdict& live = *summary.pairs[0].differences[0].live;
  live.mean = 0.75;
  live.low = 0.25;
  live.high = 1.0;  // 0.75 + 0.5, cut off
  EXPECT_THAT(live_table_of(summary), HasSubstr("+0.7500  ±0.5000"));
  live.low = -1.0;  // the interval is still the whole range
  EXPECT_THAT(live_table_of(summary), HasSubstr("+0.7500        -"));
}

TEST(ReportLiveTable, SaysWhatWasLeftOutBelowTheVerdict) {
  Summary summary = live_summary();
  ArmSummary& tfidf = summary.arms[0];
  tfidf.sorted_queries = 3;
  tfidf.filtered_queries = 1;
  tfidf.collapsed_queries = 2;
  tfidf.partial_queries = 4;
  tfidf.means[0].shallow_visits = tfidf.means[1].shallow_visits = 5;
  tfidf.means[2].visits = 604;
  tfidf.means[2].shallow_visits = 1;
  summary.epoch.incomplete_visits = 2;
  summary.epoch.index_changes = 8;
  Health& health = summary.health;
  health.shadow_expired = 9;
  health.pages_without_key = 10;
  health.page_gaps = 11;
  health.unobserved_searches = 12;
  health.misplaced_scopes = 13;
  health.unknown_start = 1;
  EXPECT_THAT(live_table_of(summary), HasSubstr(R"(
Left out
  tfidf: 3 of 640 judged rankings were sorted by something else than relevance; not scored
  tfidf: 1 of 640 judged rankings was filtered by the user; not scored
  tfidf: 2 of 640 judged rankings were collapsed into groups of documents; not scored
  tfidf: 4 of 640 judged rankings were partial answers; scored as they were served
  tfidf: 1 of 605 scored visits ends before the cutoff of AP@100
  tfidf: 5 of 605 scored visits end before the cutoff of PRES@100, R@100
  2 of 602 visits for comparison were not ranked by every arm: what is missing may be anything
  the index changed 8 times within this epoch
  12 searches not recorded: made in a way that the adapter cannot observe
  13 query scopes misplaced: opened within another visit's scope, or closed on another thread
  1 ranking without a latency: the adapter did not say when the search began
  10 later pages not scored: no key names the visit
  11 later pages not scored: the earlier pages were not seen, or rankings are collapsed
  9 queries not compared: the wait was too long

Drift)"));
}

TEST(ReportLiveTable, WarnsOfAnUnfairAssignment) {
  Summary summary = split_summary();
  summary.pairs[0].checks = {{.kind = CheckKind::kSampleRatio,
                              .a = {400, 600},
                              .b = Check::Share{200, 600},
                              .state = CheckState::kVeto}};
  summary.pairs[0].differences[summary.primary].live.value().state = LiveState::kVetoed;
  EXPECT_THAT(
      live_table_of(summary),
      HasSubstr("\nNo verdict: 400 topics with a value served by tfidf, 200 by bm25; no fair "
                "coin gives such numbers,\n  now or earlier in this epoch (p <0.0001), so "
                "something else decides which arm a topic is served\n  by.\n\n+0.1250 over "
                "212 topics. What voids the verdict voids an interval, too.\n"));
  EXPECT_THAT(live_table_of(summary), HasSubstr("bm25 minus tfidf, between topics of the one"));
  EXPECT_THAT(live_table_of(summary), Not(HasSubstr("wins/ties/losses")));
  EXPECT_THAT(live_table_of(summary), HasSubstr("\nSalt patents|2026-11-23T13:41:00Z\n"));
  summary.pairs[0].sample_ratio =
      SampleRatio{.topics_a = 101, .topics_b = 99, .seen_a = 104, .seen_b = 99};
  EXPECT_THAT(
      live_table_of(summary),
      HasSubstr("\n101 topics with a value served by tfidf, 99 by bm25 (of 104 and 99 topics "
                "served)\n"));
}

TEST(ReportLiveTable, EachCheckSaysWhatItFoundInWhichArm) {
  struct Case {
    CheckKind kind;
    std::string_view sentence;
  };
  for (const auto& [kind, sentence] :
       {Case{CheckKind::kFailures, "bm25 failed in 829 of 829 searches"},
        {CheckKind::kUnseen, "no answer of bm25 was seen in 829 of 829 visits"},
        {CheckKind::kShallow,
         "what bm25 served ends before the cutoff of PRES@100 in 829 of 829 visits"},
        {CheckKind::kUnscored,
         "829 of 829 rankings of bm25 were sorted, filtered or collapsed, and are not scored"},
        {CheckKind::kNotInIndex, "the index of bm25 lacks 829 of 829 relevant judged documents"},
        {CheckKind::kNothingFound,
         "bm25 found no judged document in 829 topics, so its index or its document numbers may "
         "not be those of the judgements"},
        {CheckKind::kAssignment,
         "in 829 of 829 topics of bm25 the host served another arm than the hash gives"}}) {
    Summary summary = live_summary();
    summary.pairs[0].checks = {{.kind = kind,
                                .a = {3, 10},
                                .b = Check::Share{829, 829},
                                .limit = 0.02,
                                .state = CheckState::kAlarm}};
    std::string table = live_table_of(summary);
    for (std::size_t at; (at = table.find("\n    ")) != std::string::npos;)
      table.replace(at, 5, " ");
    EXPECT_THAT(table,
                HasSubstr(fmt::format("\n  ALARM: {}; tfidf: 3 of 10 (limit 2 %)\n", sentence)));
  }
  Summary summary = live_summary();
  summary.pairs[0].checks = {
      {.kind = CheckKind::kDrops, .a = {1, 10}, .limit = 0.02, .state = CheckState::kVeto}};
  EXPECT_THAT(live_table_of(summary),
              HasSubstr("\n  VETO: 1 of 10 rankings were lost on the way to the ledger, or not "
                        "matched with a table (limit 2 %)\n"));
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
  EXPECT_THAT(table,
              HasSubstr("Epoch 1, since the start: 0 observations in it, 0 visits compared\n\n"));
  for (const char* absent : {"timed out", "Mean over all", "for comparison", "Drift", "atency, ",
                             "loses most", "Left out", "Worth knowing", "ended"}) {
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
        "4 observations in no score: of an index, of judgements or of arms that had been replaced",
        "1 latency below zero, taken as unknown", "1 summary that could not be made or published",
        "2 queries not compared: the wait was too long"}) {
    EXPECT_THAT(table, HasSubstr(sentence));
  }
  EXPECT_THAT(table, Not(HasSubstr("sampling")));
}

TEST(ReportLiveTable, IsAtMostAHundredColumnsWide) {
  for (const Summary& summary : {live_summary(), split_summary(), observed_summary()}) {
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
