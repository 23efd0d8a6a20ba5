// Words, table and JSON about queries without judgements, and the sentence about what an arm costs,
// of summaries made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/report.h"
#include "report/live/live_report.h"
#include "support/report_summary.h"

namespace prescope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

OverlapSummary overlap() {
  using std::chrono::milliseconds;
  return {.depth = 100,
          .persistence = 0.98,
          .alpha = 0.05,
          .visits = 1200,
          .empty = 1,
          .shallow = 20,
          .other_index = 3,
          .left_out = 4,
          .incomplete = 5,
          .waiting = 6,
          .failed_a = 1,
          .failed_b = 8,
          .identical = 300,
          .shallow_depth = 10,
          .jaccard = {.mean = 0.5, .low = 0.475, .high = 0.525, .latest = 0.25},
          .rbo = {.mean = 0.625, .low = 0.6, .high = 0.65, .latest = 0.375},
          .most_changed = {{.query = "valve\tof a pump",
                            .visit = 17,
                            .request_id = 9,
                            .time = UtcTime(milliseconds(0)),
                            .jaccard = 0.0,
                            .rbo = 0.125},
                           {.visit = 18, .jaccard = 0.25, .rbo = 0.25}}};
}

Summary with_overlap() {
  Summary summary = live_summary();
  summary.pairs[0].overlap = overlap();
  return summary;
}

TEST(ReportOverlap, SaysWhatBothArmsShareAndWhatIsMissing) {
  const Summary summary = with_overlap();
  EXPECT_EQ(overlap_sentence(summary, summary.pairs[0]),
            "Without judgements, tfidf and bm25 in 1,200 visits: rank-biased overlap 0.625 [0.600, "
            "0.650], Jaccard@100 0.500 [0.475, 0.525]; 25.0 % ranked the same.");
  EXPECT_THAT(
      overlap_remarks(summary, summary.pairs[0]),
      ElementsAre(
          "the last 100 visits: rank-biased overlap 0.375, Jaccard@100 0.250",
          "p = 0.98: 1 is the same ranking, 0 has nothing in common; each interval holds whenever "
          "one looks but for a chance of 5 %",
          "tfidf failed in 1 visit, which counts as an empty ranking",
          "bm25 failed in 8 visits, which counts as an empty ranking",
          "not compared: 1 of 1,233 visits: neither arm found anything",
          "not compared: 20 of 1,233 visits: a ranking ends before rank 100, and may go on; both "
          "are known down to rank 10 at most, so a smaller depth of overlap would compare them",
          "not compared: 3 of 1,233 visits: the arms named documents by integers of different "
          "indexes, or searched different states of one; arms that name documents by docno can be "
          "compared",
          "not compared: 4 of 1,233 visits: sorted, filtered or collapsed for the user",
          "not compared: 5 of 1,233 visits: an arm's ranking from rank 1 on is missing",
          "6 visits wait for an arm's ranking"));
}

TEST(ReportOverlap, BeforeTheFirstVisitAndUnlessAskedForThereIsNothing) {
  Summary summary = with_overlap();
  summary.pairs[0].overlap = OverlapSummary{.depth = 100, .persistence = 0.98};
  EXPECT_EQ(overlap_sentence(summary, summary.pairs[0]),
            "Without judgements: no visit was compared between tfidf and bm25 yet.");
  EXPECT_THAT(overlap_remarks(summary, summary.pairs[0]), IsEmpty());
  summary.pairs[0].overlap.reset();
  EXPECT_EQ(overlap_sentence(summary, summary.pairs[0]), "");
  EXPECT_THAT(overlap_remarks(summary, summary.pairs[0]), IsEmpty());
  EXPECT_THAT(to_table(summary, {}), Not(HasSubstr("ithout judgements")));
  EXPECT_TRUE(summary_json(summary)["pairs"][0]["overlap"].is_null());
}

TEST(ReportOverlap, TableListsTheMostChangedQueries) {
  const std::string table = to_table(with_overlap(), {});
  EXPECT_THAT(table, HasSubstr(R"(
Queries without judgements that changed most
query            rank-biased overlap  Jaccard
─────────────────────────────────────────────
valve of a pump                0.125    0.000
visit 18                       0.250    0.250
)")) << table;
  EXPECT_THAT(table, HasSubstr("\nQueries without judgements\n  the last 100 visits: "));
}

TEST(ReportOverlap, LongQueriesAreShortenedInTheTableOnly) {
  Summary summary = with_overlap();
  summary.pairs[0].overlap->most_changed[0].query = std::string(100, 'a') + std::string(100, 'z');
  const std::string table = to_table(summary, {});
  EXPECT_THAT(table, HasSubstr("\naaa"));
  EXPECT_THAT(table, HasSubstr("zzz  "));
  EXPECT_THAT(table, Not(HasSubstr(std::string(60, 'a'))));
  const Json changed = summary_json(summary)["pairs"][0]["overlap"]["most_changed"][0];
  EXPECT_EQ(changed["name"].get<std::string>().size(), 200U);
}

TEST(ReportOverlap, JsonHasAllOfIt) {
  const Json found = summary_json(with_overlap())["pairs"][0]["overlap"];
  const Json expected = Json::parse(R"({
    "depth": 100, "persistence": 0.98, "alpha": 0.05, "visits": 1200, "identical": 300,
    "jaccard": {"mean": 0.5, "low": 0.475, "high": 0.525, "latest": 0.25},
    "rbo": {"mean": 0.625, "low": 0.6, "high": 0.65, "latest": 0.375},
    "failed_a": 1, "failed_b": 8, "empty": 1, "shallow": 20, "shallow_depth": 10,
    "other_index": 3, "left_out": 4, "incomplete": 5, "waiting": 6,
    "most_changed": [
      {"query": "valve\tof a pump", "visit": 17, "time": "1970-01-01T00:00:00.000Z",
       "jaccard": 0.0, "rbo": 0.125, "name": "valve of a pump"},
      {"query": "", "visit": 18, "time": "1970-01-01T00:00:00.000Z", "jaccard": 0.25, "rbo": 0.25,
       "name": "visit 18"}]})");
  Json without_words = found;
  without_words.erase("words");
  EXPECT_EQ(without_words, expected) << found;
  EXPECT_EQ(found["words"]["remarks"].size(), 10U);
  EXPECT_THAT(found["words"]["sentence"].get<std::string>(), HasSubstr("Without judgements, "));
}

TEST(TradeOff, SaysWhatAnArmCostsAndSavesOnlyAsFarAsItIsShown) {
  struct Case {
    LiveState state;
    double mean;
    LatencyState latency;
    std::optional<double> ratio;
    const char* sentence;
  };
  using L = LiveState;
  using T = LatencyState;
  // A third of a hundredth is 0.33 points; a ratio of .15 saves 85 %.
  const Case cases[] = {
      {L::kConfirmed, -0.003, T::kFaster, 0.15,
       "bm25 costs 0.30 points of PRES@100 and saves 85 % of the latency."},
      {L::kLeading, -0.003, T::kFaster, 0.15,
       "bm25 costs 0.30 points of PRES@100 and saves 85 % of the latency."},
      {L::kConfirmed, 0.125, T::kFaster, 1.5,
       "bm25 gains 12.5 points of PRES@100 and takes 1.50 times the latency."},
      {L::kNoVerdict, -0.003, T::kFaster, 0.15,
       "So far, bm25 costs 0.30 points of PRES@100 and saves 85 % of the latency; not shown yet: "
       "the difference in PRES@100."},
      {L::kAhead, -0.003, T::kFaster, 0.15,
       "So far, bm25 costs 0.30 points of PRES@100 and saves 85 % of the latency; not shown yet: "
       "the difference in PRES@100."},
      {L::kConfirmed, -0.003, T::kNoVerdict, 0.15,
       "So far, bm25 costs 0.30 points of PRES@100 and saves 85 % of the latency; not shown yet: "
       "the difference in latency."},
      {L::kNoVerdict, 0.25, T::kNoVerdict, 1.0,
       "So far, bm25 gains 25.0 points of PRES@100 and takes 1.00 times the latency; not shown "
       "yet: the difference in PRES@100, the difference in latency."},
      // The ratio may be due to warm caches, or to visits that are missing.
      {L::kConfirmed, -0.003, T::kOpen, 0.15, ""},
      {L::kConfirmed, -0.003, T::kDependent, 0.15, ""},
      {L::kConfirmed, -0.003, T::kCollecting, 0.15, ""},
      {L::kConfirmed, -0.003, T::kFaster, std::nullopt, ""},
      {L::kNoVerdict, 0.0, T::kFaster, 0.15,
       "So far, bm25 changes PRES@100 by less than 0.01 points and saves 85 % of the latency; not "
       "shown yet: the difference in PRES@100."},
  };
  for (const Case& one : cases) {
    Summary summary = live_summary();
    MeasureDifference& primary = summary.pairs[0].differences[0];
    primary.live->state = one.state;
    primary.live->mean = one.mean;
    summary.pairs[0].latency.state = one.latency;
    summary.pairs[0].latency.mean = one.ratio;
    EXPECT_EQ(trade_off_sentence(summary, summary.pairs[0]), one.sentence);
  }
}

TEST(TradeOff, IsNotSaidWithAVetoTooFewTopicsOrInOtherModes) {
  const Summary shown = live_summary();
  EXPECT_THAT(trade_off_sentence(shown, shown.pairs[0]), HasSubstr("12.5 points"));
  Summary few = shown;
  few.pairs[0].differences[0].live->topics = 9;
  EXPECT_EQ(trade_off_sentence(few, few.pairs[0]), "");
  Summary vetoed = shown;
  vetoed.pairs[0].checks = {{.kind = CheckKind::kFailures, .state = CheckState::kVeto}};
  EXPECT_EQ(trade_off_sentence(vetoed, vetoed.pairs[0]), "");
  Summary split = shown;
  split.mode = Mode::kSplit;
  EXPECT_EQ(trade_off_sentence(split, split.pairs[0]), "");
  Summary none = shown;
  none.pairs[0].differences.clear();
  EXPECT_EQ(trade_off_sentence(none, none.pairs[0]), "");
}

// Between the bounds the loss is from 1 to 4 points.
TEST(TradeOff, BoundedDifferencesAreSaidWithTheirSmallerSize) {
  Summary summary = live_summary();
  LiveVerdict& live = *summary.pairs[0].differences[0].live;
  live.bounded_topics = 3;
  live.mean = -0.025;
  live.mean_low = -0.04;
  live.mean_high = -0.01;
  EXPECT_EQ(trade_off_sentence(summary, summary.pairs[0]),
            "bm25 costs at least 1.0 points of PRES@100 and saves 20 % of the latency.");
}

// The look that ended the test saw -.05.
TEST(TradeOff, OfAPlannedTestIsThatOfTheLookThatEndedIt) {
  Summary summary = live_summary();
  summary.pairs[0].planned =
      PlannedTest{.state = PlannedState::kWorse,
                  .looks = {{.topics = 200, .is_taken = true, .z = -4.0, .mean = -0.05}}};
  EXPECT_EQ(trade_off_sentence(summary, summary.pairs[0]),
            "bm25 costs 5.0 points of PRES@100 and saves 20 % of the latency.");
  summary.pairs[0].planned->state = PlannedState::kGoing;
  EXPECT_THAT(trade_off_sentence(summary, summary.pairs[0]), HasSubstr("So far, bm25 gains 12.5"));
}

}  // namespace
}  // namespace prescope::testing
