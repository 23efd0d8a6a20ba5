// The table of a summary made by hand. Layout: columns two spaces apart, words left, numbers right.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "prescope/report.h"
#include "report/live/live_report.h"
#include "support/report_summary.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string finished_arms_of(const Summary& summary) {
  return document_as_text({.sections = finished_arms_sections(summary, {})}, {});
}

TEST(ReportTable, ShowsTheArmsOfAFinishedReplay) {
  // 2.6 us of 12.34 ms are 0.0211 %.
  EXPECT_EQ(finished_arms_of(example_summary()), R"(patents: 3 topics, 7 judgements

arm    topics  PRES@100   R@100  MAP@100
────────────────────────────────────────
tfidf       3    0.5000  0.6667   0.2500
bm25        3    0.6250  0.6667   0.2500

Latency of a query, and of it the plugin's own time on the query thread
arm    queries  p50 ms  p95 ms  p99 ms  max ms  own p50 us  own p99 us  own/query
─────────────────────────────────────────────────────────────────────────────────
tfidf        3    12.3    20.0     123     130         2.6         5.1    0.021 %
bm25         3    12.3    20.0     123     130         2.6         5.1    0.021 %
)");
}

TEST(ReportTable, ShowsTheTopicsThatMovedAndEachCitationsPart) {
  EXPECT_THAT(to_table(example_summary()), HasSubstr(R"(
1 topic that moved most, of 1: PRES@100, tfidf → bm25, and each citation's part
  EP1A1  0.2500 → 0.5000  +0.2500  2 relevant documents
    US4893752  grade 3  not in 100  →  rank 31  +0.3500
    ÉP77       grade 1      rank 5  →  rank 25  -0.1000
)"));
}

TEST(ReportTable, MeansHaveTheNamesOfTheField) {
  const std::string table = to_table(example_summary());
  EXPECT_THAT(table, HasSubstr("MAP@100"));
  EXPECT_THAT(table, Not(HasSubstr("Recall@")));
}

TEST(ReportTable, ColoursOnlyIfAsked) {
  EXPECT_THAT(to_table(example_summary()), Not(HasSubstr("\x1b")));
  const std::string colored = to_table(example_summary(), {.color = TableOptions::Color::kAlways});
  EXPECT_THAT(colored, HasSubstr("\x1b[32m+0.3500\x1b[0m"));
  EXPECT_THAT(colored, HasSubstr("\x1b[31m-0.1000\x1b[0m"));
}

TEST(ReportTable, ListsTheGivenNumberOfTopics) {
  Summary summary = example_summary();
  std::vector<TopicMove>& moves = summary.pairs[0].moves;
  moves.resize(7, moves.front());
  const auto count = [](const std::string& table) {
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = table.find("  EP1A1  ", at)) != std::string::npos; ++at) ++lines;
    return lines;
  };
  EXPECT_EQ(count(to_table(summary)), 5);
  EXPECT_EQ(count(to_table(summary, {.moves = 2})), 2);
  EXPECT_THAT(to_table(summary), HasSubstr("5 topics that moved most, of 7"));
  EXPECT_THAT(to_table(summary, {.moves = 0}), Not(HasSubstr("moved most")));
}

TEST(ReportTable, CitationsAfterTheFirstFiveAreSummed) {
  Summary summary = example_summary();
  std::vector<CitationMove>& citations = summary.pairs[0].moves[0].citations;
  citations.resize(7,
                   {.docno = Docno("EP9"), .grade = 1, .rank_a = 2, .rank_b = 1, .share = 0.005});
  const std::string table = to_table(summary);
  EXPECT_THAT(table, HasSubstr("2 more"));
  EXPECT_THAT(table, HasSubstr("+0.0100\n"));  // 2 x 0.005
}

TEST(ReportTable, FailedQueriesHaveNoMilliseconds) {
  Summary summary = example_summary();
  summary.arms[1].latency.p99.ms = std::numeric_limits<double>::infinity();
  EXPECT_THAT(finished_arms_of(summary),
              HasSubstr("bm25         3    12.3    20.0  failed     130  "));
}

TEST(ReportTable, ManyMeasuresAreSplitIntoBlocksOf100Columns) {
  Summary summary = example_summary();
  summary.pairs.clear();
  // Shorter than the title of their column.
  summary.arms[0].id = ArmId("a");
  summary.arms[1].id = ArmId("b");
  std::vector<Measure> measures;
  for (int cutoff = 101; cutoff <= 120; ++cutoff) {
    measures.push_back(Measure::parse("PRES@" + std::to_string(cutoff)));
  }
  summary.measures = measures;
  for (ArmSummary& arm : summary.arms) {
    arm.means.clear();
    for (const Measure& measure : measures) arm.means.push_back({{0.5}, measure});
  }
  const std::string table = to_table(summary);
  EXPECT_THAT(table, HasSubstr("PRES@120"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const auto continuation = [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    };
    const auto width = line.size() - static_cast<std::size_t>(
                                         std::count_if(line.begin(), line.end(), continuation));
    EXPECT_LE(width, 100) << line;
  }
}

TEST(ReportTable, HealthyRunHasNoNotes) {
  EXPECT_THAT(to_table(example_summary()), Not(HasSubstr("Worth knowing")));
}

TEST(ReportTable, EveryOddityIsReported) {
  Summary summary = example_summary();
  summary.topics_without_relevant = 1;
  summary.judgements_repeated = 2;
  summary.judgements_merged = 3;
  summary.arms[0].relevant_missing = 4;
  summary.arms[1].duplicate_hits = 6;
  summary.arms[1].retried_queries = 9;
  summary.arms[1].means[0].too_shallow = 7;
  summary.health.dropped_queue_full = 8;
  const std::string table = to_table(summary);
  for (const char* sentence :
       {"Worth knowing", "1 topic has no relevant document and count",
        "2 lines of the qrels repeat an earlier one", "3 judgements were merged with another",
        "4 relevant judgements are not in the index of tfidf and count as not found",
        "bm25 served 6 judged documents again at a worse rank",
        "bm25 answered 9 queries only when asked again; their latency is left out",
        "bm25 did not serve 7 topics deep enough for PRES@100",
        "8 observations dropped: the recorder's queue was full"}) {
    EXPECT_THAT(table, HasSubstr(sentence));
  }
}

TEST(ReportTable, OneOfAKindIsSingular) {
  Summary summary = example_summary();
  summary.topics_without_relevant = 1;
  summary.judgements_repeated = 1;
  summary.arms[0].relevant_missing = 1;
  const std::string table = to_table(summary);
  for (const char* sentence :
       {"1 topic has no relevant document and counts in no mean",
        "1 line of the qrels repeats an earlier one and counts once",
        "1 relevant judgement is not in the index of tfidf and counts as not found"}) {
    EXPECT_THAT(table, HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace prescope::testing
