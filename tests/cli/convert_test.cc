// prescope convert; transcripts/convert_*.transcript have the formats and the bad input.
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "base/text_file.h"
#include "prescope/run.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

namespace fs = std::filesystem;

TEST(Convert, ExamplesOfTheHelpRun) {
  const Workspace workspace;
  workspace.write("bm25.run", "T1 Q0 EP-1-A1 1 2.5 bm25\n");
  workspace.write_gzip("ranking.txt.gz", "T1 0 EP-1-A1 1\nT1 0 EP-3-A1 1\n");
  workspace.write("qrels.txt", "T1 0 EP-1-A1 1\nT1 0 EP-3-A1 0\n");
  std::istringstream help(workspace.run({"convert", "--help"}).out);
  std::size_t examples = 0;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  prescope convert ")) continue;
    std::istringstream command(line.substr(0, line.find('|')));
    std::vector<std::string> words{std::istream_iterator<std::string>(command), {}};
    words.erase(words.begin());
    const Outcome outcome = workspace.run(std::move(words));
    EXPECT_EQ(outcome.exit_code, 0) << line << '\n' << outcome.err;
    ++examples;
  }
  EXPECT_EQ(examples, 3U);
}

/// CLEF-IP 2010: the ranking without scores, and the run made from it outside prescope.
TEST(Convert, RealRankingWithoutScoresBecomesTheKnownRun) {
  const fs::path folder = fs::path(PRESCOPE_TEST_DATA) / "clefip2010";
  if (!fs::exists(folder)) GTEST_SKIP() << "the collection is absent: " << folder.string();
  const Workspace workspace;
  const std::string out = workspace
                              .run({"convert", folder / "run.HongguLin.result.txt.gz", "--kind",
                                    "run", "--tag", "HongguLin"})
                              .out;
  TextFile known(folder / "run.HongguLin.trec.gz");
  std::string expected;
  for (std::string_view line; known.next(line);) expected.append(line).push_back('\n');
  EXPECT_GT(expected.size(), 1000U);
  EXPECT_TRUE(out == expected);
  workspace.write("made.run", out);
  const auto by_file = load_run(workspace.path("made.run"), RunOrder::kFile);
  const auto by_score = load_run(workspace.path("made.run"), RunOrder::kTrec);
  for (std::size_t t = 0; t < by_file.topics.size(); ++t) {
    EXPECT_EQ(by_file.topics[t].docnos, by_score.topics[t].docnos);
  }
}

}  // namespace
}  // namespace prescope::testing
