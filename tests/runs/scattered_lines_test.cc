// Runs whose topics' lines are anywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "prescope/error.h"
#include "runs/read_runs.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

Qrels judged() {
  const Qrels::Line lines[] = {{TopicId("t1"), Docno("a"), 1},
                               {TopicId("t1"), Docno("b"), 0},
                               {TopicId("t2"), Docno("a"), 2}};
  return Qrels::from_lines(lines);
}

class ScatteredLines : public ::testing::Test {
 protected:
  RunFacts read(const std::filesystem::path& path) const { return read_run_facts(qrels_, path); }

  ScratchFolder folder_;
  Qrels qrels_ = judged();
};

TEST_F(ScatteredLines, AreReadFromGzipToo) {
  const std::string run = "t1 Q0 c 1 2 x\nt2 Q0 a 1 1 x\nt1 Q0 a 2 2 x\nt1 Q0 b 3 2 last\n";
  for (const auto& path : {folder_.write("run.txt", run), folder_.write_gzip("run.gz", run)}) {
    // t1: all tie, so docnos descend: c, b, a.
    const RunFacts facts = read(path);
    ASSERT_EQ(facts.retrieved.size(), 3U) << path;
    EXPECT_EQ(facts.retrieved[0], (Retrieved{.judgement = JudgementIndex(1),
                                             .trec_rank = 2,
                                             .file_rank = 3,
                                             .first_tied = 1,
                                             .last_tied = 3}));
    EXPECT_EQ(facts.retrieved[1].trec_rank, 3U);
    EXPECT_EQ(facts.retrieved[2].trec_rank, 1U);
    EXPECT_EQ(facts.tag, "last");
  }
}

TEST_F(ScatteredLines, OfAnyLengthAreReadAgain) {
  const std::string filler(100'000, 't');
  std::string run = "t1 Q0 c 1 2 x\nt2 Q0 a 1 1 x\n";
  for (int i = 0; i < 20; ++i) run += "t1 Q0 d" + std::to_string(i) + " 1 5 " + filler + "\n";
  run += "t1 Q0 a 2 2 " + filler;  // no line feed at the end
  const RunFacts facts = read(folder_.write("run.txt", run));
  ASSERT_EQ(facts.retrieved.size(), 2U);
  // Behind twenty scores of 5, and behind c, which ties.
  EXPECT_EQ(facts.retrieved[0].trec_rank, 22U);
  EXPECT_EQ(facts.retrieved[0].file_rank, 22U);
}

TEST_F(ScatteredLines, ThatAreMalformedAreNamedByTheirNumbers) {
  std::string run;
  for (int i = 0; i < 1'000; ++i) {
    run += i == 700
               ? "t1 Q0 five 5 columns\n"
               : std::string(i % 2 == 0 ? "t1" : "t2") + " Q0 d" + std::to_string(i) + " 1 5 x\n";
  }
  const auto path = folder_.write("run.txt", run);
  const auto refused = refusal_of([&] { (void)read(path); });
  EXPECT_EQ(refused.code, ErrorCode::kBadInput);
  EXPECT_THAT(refused.message, HasSubstr("run.txt:701: 5 columns"));
}

}  // namespace
}  // namespace prescope
