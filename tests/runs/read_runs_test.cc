#include "runs/read_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "prescope/error.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Qrels some_qrels() {
  const Qrels::Line lines[] = {{TopicId("t1"), Docno("a"), 1},
                               {TopicId("t1"), Docno("b"), 0},
                               {TopicId("t2"), Docno("a"), 2}};
  return Qrels::from_lines(lines);
}

class RunFactsTest : public ::testing::Test {
 protected:
  RunFacts read(std::string_view bytes, const ReadRunOptions& options = {}) const {
    return read_run_facts(qrels_, folder_.write("run.txt", bytes), options);
  }
  std::string refusal(std::string_view bytes, const ReadRunOptions& options = {}) const {
    return refusal_of([&] { (void)read(bytes, options); }).message;
  }

  ScratchFolder folder_;
  Qrels qrels_ = some_qrels();
};

TEST_F(RunFactsTest, LinesThatEndBeforeTheTagAreRefusedEachTime) {
  for (const std::string end : {"\n", "\r\n"}) {
    const std::string message = refusal("t1 Q0 a 1 2.5 x" + end + "t1 Q0 b 2 1.5 " + end +
                                        "t1 Q0 c 3 1.4 " + end + "t1 Q0 d 4 1.3 x" + end);
    EXPECT_THAT(message, HasSubstr("run.txt:2: 5 columns"));
    EXPECT_THAT(message, HasSubstr("run.txt:3: 5 columns"));
    EXPECT_THAT(message, ::testing::Not(HasSubstr("run.txt:4")));
  }
}

TEST_F(RunFactsTest, LineThatGoesOnInTheNextOneIsRefused) {
  // Together, two lines have the layout of the one before them.
  for (const std::string split :
       {"t1 Q0 a 1 2.5\nx\n", "t1\nQ0 a 1 2.5 x\n", "t1 Q0 a\n1 2.5 x\n"}) {
    const std::string message = refusal("t1 Q0 c 1 3.5 x\n" + split);
    EXPECT_THAT(message, HasSubstr("run.txt:2: ")) << split;
    EXPECT_THAT(message, HasSubstr("run.txt:3: ")) << split;
  }
}

TEST_F(RunFactsTest, HoldRanksUnderBothOrdersAndTies) {
  // By score: c 3; a, b, d 2 (docno descending: d b a); e 1.
  const RunFacts facts =
      read("t1 Q0 a 1 2 x\nt1 Q0 c 2 3 x\nt1 Q0 b 3 2.0 x\nt1 Q0 d 4 2 x\nt1 Q0 e 5 1 last\n");
  ASSERT_EQ(facts.topics.size(), 1U);
  EXPECT_EQ(facts.topics[0].num_ret, 5U);
  EXPECT_TRUE(facts.topics[0].orders_differ);
  EXPECT_THAT(facts.of(facts.topics[0]), ElementsAre(Retrieved{.judgement = JudgementIndex(1),
                                                               .trec_rank = 3,
                                                               .file_rank = 3,
                                                               .first_tied = 2,
                                                               .last_tied = 4},
                                                     Retrieved{.judgement = JudgementIndex(0),
                                                               .trec_rank = 4,
                                                               .file_rank = 1,
                                                               .first_tied = 2,
                                                               .last_tied = 4}));
  EXPECT_EQ(facts.tag, "last");
  EXPECT_EQ(facts.lines, 5U);
}

TEST_F(RunFactsTest, ScoresAreTheSameAsFloatsOrDoubles) {
  // trec_eval up to 9 reads floats, in which 1.00000001 is 1.
  const char* const run = "t1 Q0 a 1 1.00000001 x\nt1 Q0 b 2 1.00000000 x\n";
  EXPECT_EQ(read(run).retrieved[0].trec_rank, 1U);
  EXPECT_EQ(read(run).retrieved[0].judgement, JudgementIndex(0));
  EXPECT_EQ(read(run, {.score = ScorePrecision::kFloat}).retrieved[0].judgement,
            JudgementIndex(1));  // tied, and b is behind a
}

TEST_F(RunFactsTest, RepeatedDocumentHasItsBestRankUnderEachOrder) {
  const RunFacts facts = read("t1 Q0 a 1 1 x\nt1 Q0 c 2 3 x\nt1 Q0 a 3 2 x\nt1 Q0 c 4 0 x\n");
  EXPECT_EQ(facts.topics[0].duplicates, 2U);
  ASSERT_EQ(facts.retrieved.size(), 1U);
  EXPECT_EQ(facts.retrieved[0].trec_rank, 2U);  // with score 2
  EXPECT_EQ(facts.retrieved[0].file_rank, 1U);
  EXPECT_THAT(facts.repeats, ElementsAre(RunFacts::Repeat{TopicIndex(0), Docno("a"), 3}));
}

TEST_F(RunFactsTest, TopicsWithoutJudgementsAreCountedAndSomeNamed) {
  std::string run = "t2 Q0 a 1 1 x\n";
  for (const char* topic : {"z", "y", "x", "w", "v", "u"}) {
    run += std::string(topic) + " Q0 a 1 1 x\n";
  }
  const RunFacts facts = read(run + "z Q0 b 2 0 x\n");
  EXPECT_EQ(facts.unjudged_topics, 6U);
  EXPECT_THAT(facts.unjudged,
              ElementsAre(TopicId("u"), TopicId("v"), TopicId("w"), TopicId("x"), TopicId("y")));
}

TEST_F(RunFactsTest, GzipCrlfByteOrderMarkAndCommentsMakeNoDifference) {
  const std::string plain = "t1 Q0 a 1 2 x\nt1 Q0 b 2 1 x\nt2 Q0 a 1 1 x\n";
  const RunFacts expected = read(plain);
  std::string windows;
  for (const char c : plain) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string joined =  // of three files with marks; the second one has a comment only
      "t1 Q0 a 1 2 x\n\xEF\xBB\xBF# made by\n\xEF\xBB\xBFt1 Q0 b 2 1 x\nt2 Q0 a 1 1 x\n";
  const std::string variants[] = {windows, "\xEF\xBB\xBF" + plain,
                                  "# made by\n\n" + plain + "# end", joined,
                                  plain.substr(0, plain.size() - 1)};
  for (const std::string& variant : variants) {
    EXPECT_EQ(read(variant).retrieved, expected.retrieved) << variant;
    EXPECT_EQ(read(variant).tag, "x") << variant;
  }
  const auto gzip = folder_.write_gzip("run.gz", plain);
  EXPECT_EQ(read_run_facts(qrels_, gzip).retrieved, expected.retrieved);
}

TEST_F(RunFactsTest, AnyWhiteSpaceSeparatesColumns) {
  // Tabs and blanks in one line, as isspace of C has them, each more than once.
  for (const std::string line :
       {"t1 Q0\ta\t1 2.5 x", "t1\tQ0 a 1\t2.5\tx", " t1  Q0\t a\v1 2.5\fx ", "t1 Q0 a 1\r2.5 x\r",
        "\tt1\tQ0\ta\t1\t2.5\tx"}) {
    for (const std::string before : {"", "t1 Q0 c 1 3 x\n", "t1\tQ0\tc\t1\t3\tx\n"}) {
      const RunFacts facts = read(before + line + "\n");
      ASSERT_EQ(facts.retrieved.size(), 1U) << line;
      EXPECT_EQ(facts.retrieved[0].trec_rank, before.empty() ? 1U : 2U) << line;
      EXPECT_EQ(facts.tag, "x") << line;
    }
  }
}

TEST_F(RunFactsTest, BytesThatAreNotUtf8AreReadAsTheyAre) {
  const Qrels::Line lines[] = {{TopicId("t\xFF"), Docno("d\xE9"), 1}};
  const Qrels qrels = Qrels::from_lines(lines);
  const auto path = folder_.write(
      "run.txt", "# caf\xE9\nt\xFF \xE9 d\xE9 \xE9 2.5 tag\xE9\nt\xFF Q0 e 2 1 tag\xE9\n");
  const RunFacts facts = read_run_facts(qrels, path);
  ASSERT_EQ(facts.retrieved.size(), 1U);
  EXPECT_EQ(facts.retrieved[0].trec_rank, 1U);
  EXPECT_EQ(facts.tag, "tag\xE9");
}

TEST_F(RunFactsTest, ScoresAreReadAsStrtodReadsThem) {
  // Ascending; two in one group are equal.
  const std::vector<std::vector<std::string>> groups = {
      {"-inf", "-1e999", "-INFINITY"},
      {"-1e300"},
      {"-0x1p3", "-8"},
      {"-1e-999", "0", "+0", "1e-999", "0." + std::string(400, '0') + "1"},
      {"0x1A", "26.0", "+26"},
      {"1e300"},
      {"inf", "1e999", "0x1p9999", std::string(400, '9'), std::string(400, '9') + "e-9"}};
  std::string run;
  std::vector<Qrels::Line> judged;
  for (const auto& group : groups) {
    for (const std::string& score : group) {
      const std::string docno = "d" + std::to_string(judged.size());
      judged.push_back({TopicId("t1"), Docno(docno), 1});
      run += "t1 Q0 " + docno + " 1 " + score + " x\n";
    }
  }
  const RunFacts facts = read_run_facts(Qrels::from_lines(judged), folder_.write("run.txt", run));
  ASSERT_EQ(facts.retrieved.size(), judged.size());
  auto document = facts.retrieved.begin();
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const Rank first = document->trec_rank, last = first + static_cast<Rank>(group->size()) - 1;
    for (std::size_t i = 0; i < group->size(); ++i, ++document) {
      EXPECT_EQ(document->first_tied, first) << group->front();
      EXPECT_EQ(document->last_tied, last) << group->front();
    }
  }
}

TEST_F(RunFactsTest, ScoreThatBeginsLikeTheOneBeforeIsReadToItsEnd) {
  const RunFacts facts = read("t1 Q0 c 1 999 x\nt1 Q0 a 2 1000 x\nt1 Q0 b 3 100.5 x\n");
  ASSERT_EQ(facts.retrieved.size(), 2U);
  EXPECT_EQ(facts.retrieved[0].trec_rank, 1U);
  EXPECT_EQ(facts.retrieved[1].trec_rank, 3U);
}

TEST_F(RunFactsTest, ScoresBeyondFloatsTie) {
  const RunFacts facts = read("t1 Q0 a 1 -1e300 x\nt1 Q0 c 2 -4e38 x\nt1 Q0 b 3 -1e39 x\n",
                              {.score = ScorePrecision::kFloat});
  ASSERT_EQ(facts.retrieved.size(), 2U);  // c, b, a: docnos fall
  EXPECT_EQ(facts.retrieved[0].judgement, JudgementIndex(1));
  EXPECT_EQ(facts.retrieved[0].trec_rank, 2U);
  EXPECT_EQ(facts.retrieved[1].trec_rank, 3U);
  EXPECT_EQ(facts.retrieved[1].first_tied, 1U);
}

TEST_F(RunFactsTest, TheFirstFiveMalformedLinesAreListedAndTheRestCounted) {
  std::string run;
  for (int i = 0; i < 9; ++i) run += "t1 Q0 a 1 2 x\nt1 Q0 b 2 1\n";
  const std::string message = refusal(run);
  EXPECT_THAT(message,
              HasSubstr("run.txt:2: 5 columns; expected \"topic Q0 docno rank score tag\""));
  EXPECT_THAT(message, HasSubstr("run.txt:10: 5 columns"));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("run.txt:12:")));
  EXPECT_THAT(message, EndsWith("and 4 more malformed lines; nothing was evaluated"));
}

TEST_F(RunFactsTest, MalformedLineIsDescribed) {
  const struct {
    std::string line;
    const char* problem;
  } cases[] = {
      {"t1 0 a 1",
       "4 columns; expected \"topic Q0 docno rank score tag\"; `prescope convert --kind run` "
       "makes a run of a ranking without scores"},
      {R"({"topic": "t1", "docno": "a", "rank": 1, "score": 2.5})",
       "this looks like JSON, which `prescope convert --kind run` reads"},
      {R"({"topic":"t1","docno":"a"})",
       "this looks like JSON, which `prescope convert --kind run` reads"},
      {"t1\tQ0\tEP 12\t1\t2.5\tx", "docno 'EP 12' contains blanks, which separate columns"},
      {"t1 Q0 my doc 1 2.5 x", "docno 'my doc' contains blanks, which separate columns"},
      {"t1 Q0 a 1 2 x\rt1 Q0 b 2 1 x\r", "lines that end with carriage returns"},
      {"t1 Q0 a /article[1]/p[2] 1 2.5", "a passage run (topic Q0 docno path rank score)?"},
      {"t1 Q0 a 1 abc x", "score 'abc' is not a number"},
      {"t1 Q0 a 1 nan x", "score 'nan' is not a number"},
      {"t1 Q0 a 1 1.2.3 x", "score '1.2.3' is not a number"},
      {"t1 Q0 a 1 - x", "score '-' is not a number"},
      {"t1 Q0 a 1 2,5 x", "score '2,5' is not a number"},
      {std::string("t1 Q0 a\0 1 2 x", 14), "a NUL byte"},
      {"t1 Q0 a 1 " + std::string(1'000'000, '9') + "x y", "is not a number"},
      {std::string(1'000'000, 'x'), "1 column;"},
      {"t1 Q0 " + std::string(2'000'000, 'd') + " 1 2 x", "a docno of 2000000 bytes"},
  };
  for (const auto& each : cases) {
    // Behind a regular line, so that the fast path meets it.
    const std::string message = refusal("t1 Q0 c 1 3 x\n" + each.line + "\nt2 Q0 a 1 1 x\n");
    EXPECT_THAT(message, HasSubstr("run.txt:2: ")) << each.problem;
    EXPECT_THAT(message, HasSubstr(each.problem));
    EXPECT_LT(message.size(), 500U) << each.problem;
  }
}

TEST_F(RunFactsTest, WellFormedLineOfAMegabyteIsRead) {
  const RunFacts facts =
      read("t1 Q0 c 1 3 x\nt1 Q0 a 2 2 " + std::string(1'000'000, 't') + "\nt1 Q0 b 3 1 x\n");
  EXPECT_EQ(facts.lines, 3U);
  EXPECT_EQ(facts.retrieved.size(), 2U);
  EXPECT_EQ(facts.retrieved[0].trec_rank, 2U);
}

TEST_F(RunFactsTest, ScoresTooSmallForADoubleAreZero) {
  const RunFacts facts = read("t1 Q0 a 1 1e-999 x\nt1 Q0 b 2 0 x\n");
  EXPECT_EQ(facts.retrieved[0].last_tied, 2U);
}

TEST_F(RunFactsTest, EmptyFilesFoldersAndCutGzipAreRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("no rankings; expected"));
  EXPECT_THAT(refusal("# only a comment\n"), HasSubstr("no rankings; expected"));
  const auto refused = [&](const std::filesystem::path& path) {
    return refusal_of([&] { (void)read_run_facts(qrels_, path); });
  };
  EXPECT_THAT(refused(folder_.path()).message, HasSubstr("is a folder"));
  EXPECT_EQ(refused(folder_.path() / "no").code, ErrorCode::kIo);
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += "t1 Q0 d" + std::to_string(i * 7919) + " 1 2.5 x\n";
  const auto gzip = folder_.write_gzip("cut.gz", lines);
  std::filesystem::resize_file(gzip, std::filesystem::file_size(gzip) / 2);
  EXPECT_EQ(refused(gzip).code, ErrorCode::kIo);
  EXPECT_THAT(refused(gzip).message, HasSubstr("gzip data ends early"));
}

TEST_F(RunFactsTest, AFileThatChangesWhileItIsReadIsRefused) {
  const auto path = folder_.write("run.txt", "t1 Q0 a 1 2 x\n");
  ByteSource file(path), same_file(path);
  std::ofstream(path, std::ios::app) << "t1 Q0 b 2 1 x\n";
  const auto refused = refusal_of([&] { (void)read_run(qrels_, file); });
  EXPECT_EQ(refused.code, ErrorCode::kIo);
  EXPECT_THAT(refused.message, HasSubstr("changed while it was read (14 bytes, then 28)"));
  std::filesystem::resize_file(path, 4);
  const auto read_shorter = [&] { (void)read_run(qrels_, same_file); };
  EXPECT_THAT(refusal_of(read_shorter).message, HasSubstr("became shorter while it was read"));
}

TEST_F(RunFactsTest, ThreadsGiveTheSameAnswerAndTheSameLineNumbers) {
  std::string run, wrong;
  for (int topic = 0; topic < 50; ++topic) {
    for (int i = 0; i < 40; ++i) {
      const std::string line = "t" + std::to_string(topic) + " Q0 d" + std::to_string(i) + " 1 " +
                               std::to_string(100 - i) + " x\n";
      run += line;
      wrong += i == 20 && topic % 10 == 3 ? "t1 Q0 five 5 columns\n" : line;
    }
  }
  const auto read_with = [&](const std::string& text, unsigned threads, bool together) {
    ByteSource file(folder_.write("many.txt", text));
    return read_run(
        qrels_, file,
        {.threads = threads, .smallest_part = 100, .expects_topics_together = together});
  };
  const auto refusal_with = [&](unsigned threads, bool together) {
    return refusal_of([&] { (void)read_with(wrong, threads, together); }).message;
  };
  const RunFacts one = read_with(run, 1, true);
  const std::string refusal = refusal_with(1, true);
  EXPECT_THAT(refusal, HasSubstr("many.txt:141: 5 columns"));
  for (const bool together : {true, false}) {
    for (const unsigned threads : {1U, 2U, 3U, 8U, 50U}) {
      SCOPED_TRACE(threads);
      const RunFacts facts = read_with(run, threads, together);
      EXPECT_EQ(facts.topics, one.topics);
      EXPECT_EQ(facts.retrieved, one.retrieved);
      EXPECT_EQ(facts.tag, one.tag);
      EXPECT_EQ(facts.lines, one.lines);
      EXPECT_EQ(facts.unjudged_topics, one.unjudged_topics);
      EXPECT_EQ(facts.unjudged, one.unjudged);
      EXPECT_EQ(refusal_with(threads, together), refusal);
    }
  }
}

TEST_F(RunFactsTest, TopicsScatteredOverAFileAreTheSameForThreads) {
  // Longer than the part that is read again at once, with wanted lines close together and far
  // apart.
  std::string text;
  for (int i = 0; i < 60'000; ++i) {
    const bool judged = i % 30'000 == 17 || i == 44'444;
    const std::string docno = judged ? std::string(1, static_cast<char>('a' + i / 20'000)) : "";
    text += "t" + std::to_string(i % 3) + " Q0 " + (judged ? docno : "d" + std::to_string(i)) +
            " 1 " + std::to_string(i % 7 == 0 ? 5 : i * 7919 % 60'000) + " x\n";
  }
  const auto path = folder_.write("run.txt", text);
  const RunFacts one = read_run_facts(qrels_, path, {.threads = 1});
  EXPECT_FALSE(one.retrieved.empty());
  for (const unsigned threads : {2U, 3U, 5U}) {
    const RunFacts facts = read_run_facts(qrels_, path, {.threads = threads});
    EXPECT_EQ(facts.topics, one.topics) << threads;
    EXPECT_EQ(facts.retrieved, one.retrieved) << threads;
    EXPECT_EQ(facts.lines, one.lines) << threads;
    EXPECT_EQ(facts.tag, one.tag) << threads;
  }
}

TEST_F(RunFactsTest, AreTheSameForManyLinesOfOneTopic) {
  // More than the tables begin with, larger than a block of the file.
  std::string falling, rising;
  for (int i = 0; i < 30'000; ++i) {
    const std::string docno = i == 17'000 ? "a" : "d" + std::to_string(i);
    falling += "t1 Q0 " + docno + " 1 " + std::to_string(60'000 - i) + " x\n";
    rising += "t1 Q0 " + docno + " 1 " + std::to_string(i) + ".5 x\n";
  }
  EXPECT_EQ(read(falling).retrieved.at(0).trec_rank, 17'001U);
  EXPECT_EQ(read(rising).retrieved.at(0).trec_rank, 13'000U);
  EXPECT_EQ(read(rising).retrieved.at(0).file_rank, 17'001U);
  EXPECT_THAT(read(rising).repeats, IsEmpty());
}

TEST(KeptLines, AreThoseOfTheRunInTheirOrder) {
  KeptLines kept;
  EXPECT_EQ(kept.text(), "");
  kept.begin_topic("t1");
  kept.add("a");
  kept.add("Q0");
  kept.begin_topic("t2");
  kept.add("b");
  kept.begin_topic("t1");
  kept.add("c");
  EXPECT_EQ(kept.text(), "t1 Q0 a 0 0 x\nt1 Q0 Q0 0 0 x\nt2 Q0 b 0 0 x\nt1 Q0 c 0 0 x\n");
}

// In a process that has used and freed memory, what was in it once stood behind a short run, and
// its quotation marks counted as the run's.
TEST(ReadRuns, MemoryBehindAShortRunIsNotLookedAt) {
  const ScratchFolder folder;
  const auto path = folder.write("run", "t1 Q0 d1 1 1 x\n");
  const Qrels::Line line[] = {{TopicId("t1"), Docno("d1"), 1}};
  const Qrels qrels = Qrels::from_lines(line);
  for (std::size_t kilobytes = 64; kilobytes <= 1024; kilobytes += 64) {
    for (int again = 0; again < 3; ++again) {
      const std::vector<char> used(kilobytes * 1024 + 129, '"');
      EXPECT_EQ(used.back(), '"');
    }
    EXPECT_FALSE(read_run_facts(qrels, path).has_unusual_bytes) << kilobytes;
  }
}

}  // namespace
}  // namespace prescope
