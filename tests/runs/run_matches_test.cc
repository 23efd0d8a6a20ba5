// Judged documents that a run has in another form.
#include "runs/run_matches.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/read_runs.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Pairs = std::vector<std::pair<std::string, std::string>>;  ///< topic and docno

std::vector<std::string> report_of(const Pairs& judged, const Pairs& retrieved,
                                   DocnoPolicy policy = DocnoPolicy::kRaw) {
  std::vector<Qrels::Line> lines;
  for (const auto& [topic, docno] : judged) lines.push_back({TopicId(topic), Docno(docno)});
  const Qrels qrels = Qrels::from_lines(lines, {.docno = policy});
  std::string run;
  std::size_t rank = 0;
  for (const auto& [topic, docno] : retrieved) {
    ++rank;
    run += fmt::format("{} Q0 {} {} {} x\n", topic, docno, rank, 1'000'000 - rank);
  }
  const ScratchFolder folder;
  return run_match_report(qrels, read_run_facts(qrels, folder.write("a.run", run)));
}

TEST(RunMatches, NameTheFormInWhichARunHasThem) {
  const std::string zero =
      "US applications: 0 of 1 judged documents found; they would match with a zero behind the "
      "year (US2003220294 in the qrels, US20030220294A1 in the run): use --docno patent";
  EXPECT_THAT(report_of({{"T1", "US2003220294"}, {"T1", "EP1000000A1"}},
                        {{"T1", "EP1000000A1"}, {"T1", "US20030220294A1"}}),
              ElementsAre(zero));
  EXPECT_THAT(
      report_of({{"T1", "US2003220294"}}, {{"T1", "US20030220294A1"}}, DocnoPolicy::kPatent),
      IsEmpty());
  // The forms differ by more than separators, so that policy publication would not do.
  EXPECT_THAT(report_of({{"T1", "WO9532567A1"}, {"T2", "WO9532568A1"}},
                        {{"T1", "WO1995032567A1"}, {"T2", "WO1995032568A1"}}),
              ElementsAre("WO applications: 0 of 2 judged documents found; they would match with a "
                          "year of four digits (WO9532567A1 in the qrels, WO1995032567A1 in the "
                          "run): use --docno publication"));
  EXPECT_THAT(report_of({{"T1", "7123456"}}, {{"T1", "US7123456B2"}}, DocnoPolicy::kPatent),
              ElementsAre("other docnos: 0 of 1 judged documents found; they would match with the "
                          "country code (7123456 in the qrels, US7123456B2 in the run): write both "
                          "in one form"));
}

TEST(RunMatches, AreSilentAboutOtherDocuments) {
  // The document of another topic, other numbers and other countries.
  EXPECT_THAT(report_of({{"T1", "US2003220294"}, {"T2", "EP1"}}, {{"T2", "US20030220294A1"}}),
              IsEmpty());
  EXPECT_THAT(report_of({{"T1", "US2003220294"}}, {{"T1", "US20030220295A1"}}), IsEmpty());
  EXPECT_THAT(report_of({{"T1", "EP7123456A1"}}, {{"T1", "US7123456B2"}}), IsEmpty());
  // Both publications of the patent are judged, and one is retrieved.
  EXPECT_THAT(report_of({{"T1", "EP1000000A1"}, {"T1", "EP1000000B1"}}, {{"T1", "EP1000000A1"}}),
              IsEmpty());
  // A topic that the run lacks says nothing about forms.
  EXPECT_THAT(report_of({{"T1", "EP1000000A1"}, {"T2", "US2003220294"}}, {{"T1", "EP1000000A1"}}),
              IsEmpty());
}

// The first lines of a long run have no such document: the counts make the run be read.
TEST(RunMatches, AreFoundFarBehindTheFirstLines) {
  Pairs judged, retrieved;
  for (int t = 0; t < 12; ++t) {
    const std::string topic = fmt::format("T{:02}", t);
    judged.emplace_back(topic, fmt::format("EP10000{:02}A1", t));
    retrieved.emplace_back(topic, fmt::format("EP10000{:02}A1", t));
    for (int i = 0; i < 1500; ++i) retrieved.emplace_back(topic, fmt::format("EP2{:06}A1", i));
    judged.emplace_back(topic, fmt::format("US20032202{:02}", t));
  }
  EXPECT_THAT(report_of(judged, retrieved),
              ElementsAre("US applications: 0 of 12 judged documents found, of the other series 12 "
                          "of 12; are they written in another form than 'US2003220200'?"));
  retrieved.emplace_back("T11", "US20030220211A1");
  EXPECT_THAT(
      report_of(judged, retrieved),
      ElementsAre("US applications: 0 of 12 judged documents found; 1 more would match with "
                  "a zero behind the year (US2003220211 in the qrels, US20030220211A1 in "
                  "the run): use --docno patent"));
}

}  // namespace
}  // namespace prescope
