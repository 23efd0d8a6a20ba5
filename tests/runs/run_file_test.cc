#include "runs/run_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <csignal>
#include <limits>
#include <locale>
#include <random>
#include <sstream>

#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;

using TrecRun = prescope::Run;  // ::testing::Test has a Run of its own
using Names = std::vector<std::string>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Names docnos_of(const Run::Topic& topic) {
  Names names;
  for (const Docno& docno : topic.docnos) names.push_back(docno.text());
  return names;
}

class RunFile : public ::testing::Test {
 protected:
  TrecRun load(std::string_view bytes, RunOrder order) const {
    return load_run(folder_.write("run.txt", bytes), order);
  }
  std::filesystem::path out() const { return folder_.path() / "out.txt"; }
  void write(const std::vector<Hit>& hits) const {
    RunWriter writer(out(), "bm25");
    writer.add(TopicId("t"), hits);
    writer.finish();
  }
  /// The score column of `out`, as a reader that goes through double takes it.
  std::vector<float> written_scores() const {
    std::istringstream lines(content_of(out()));
    std::vector<float> scores;
    for (std::string topic, q0, docno, rank, score, tag;
         lines >> topic >> q0 >> docno >> rank >> score >> tag;) {
      double value = 0.0;
      std::from_chars(score.data(), score.data() + score.size(), value);
      scores.push_back(static_cast<float>(value));
    }
    return scores;
  }

  ScratchFolder folder_;
};

TEST_F(RunFile, FileOrderIsTheOrderOfTheLines) {
  const TrecRun run = load(
      "t2 Q0 c 1 0.1 tag\nt1 Q0 a 9 1 tag\nt2 Q0 b 7 0.9 tag\nt1 Q0 b 1 2 tag\n", RunOrder::kFile);
  EXPECT_EQ(run.tag, "tag");
  ASSERT_EQ(run.topics.size(), 2U);  // interleaved topics are gathered, ascending by id
  EXPECT_EQ(run.topics[0].id, TopicId("t1"));
  EXPECT_THAT(docnos_of(run.topics[0]), ElementsAre("a", "b"));
  EXPECT_THAT(docnos_of(run.topics[1]), ElementsAre("c", "b"));
}

TEST_F(RunFile, TrecOrderIsScoreThenDocnoBothDescending) {
  const TrecRun run = load(
      "t Q0 a 1 2 x\nt Q0 c 2 2 x\nt Q0 b 3 2 x\nt Q0 z 4 -inf x\nt Q0 y 5 3e0 x\nt Q0 B 6 2 x\n",
      RunOrder::kTrec);
  EXPECT_THAT(docnos_of(run.topics[0]), ElementsAre("y", "c", "b", "a", "B", "z"));
}

TEST_F(RunFile, TrecOrderComparesScoresAsDoubles) {
  // 1 + 1e-9 is more than 1 as a double (spacing 2.2e-16), though not as a float (1.2e-7).
  // trec_eval 10 prints recip_rank 1.0000 if `a` alone is relevant.
  const TrecRun run = load("t Q0 a 1 1.000000001 x\nt Q0 b 2 1 x\n", RunOrder::kTrec);
  EXPECT_THAT(docnos_of(run.topics[0]), ElementsAre("a", "b"));
}

TEST_F(RunFile, TrecOrderComparesDocnosAsUnsignedBytes) {
  const TrecRun run = load("t Q0 a 1 1 x\nt Q0 \xC3\xA9 2 1 x\n", RunOrder::kTrec);
  EXPECT_THAT(docnos_of(run.topics[0]), ElementsAre("\xC3\xA9", "a"));
}

TEST_F(RunFile, ReadsTabsCrlfGzipCommentsAndFurtherColumns) {
  const std::string_view spellings[] = {
      "t Q0 EP1 1 0.5 x\nt Q0 EP2 2 0.4 x\n",
      "t\tQ0\tEP1\t1\t0.5\tx\r\nt\tQ0\tEP2\t2\t0.4\tx\r\n",
      "# run x\n\n t  Q0 EP1 1 0.5 x more columns\nt Q0 EP2 2 0.4 x other text behind them\n",
      "\xEF\xBB\xBFt Q0 EP1 1 0.5 x\nt Q0 EP2 - 4e-1 x",
  };
  for (const std::string_view bytes : spellings) {
    for (const auto& path : {folder_.write("run", bytes), folder_.write_gzip("run.gz", bytes)}) {
      const TrecRun run = load_run(path, RunOrder::kTrec);
      EXPECT_THAT(docnos_of(run.topics.at(0)), ElementsAre("EP1", "EP2"));
      EXPECT_EQ(run.tag, "x");
    }
  }
}

TEST_F(RunFile, RefusesMalformedLines) {
  const std::string expected = "; expected \"topic Q0 docno rank score tag\"";
  const struct {
    std::string line, message;
  } cases[] = {
      {"t", "1 column" + expected},
      {"t Q0 EP1 1 0.5", "5 columns" + expected},
      {"t Q0 EP1 1 abc x", "score 'abc' is not a number" + expected},
      {"t Q0 EP1 1 1.0.0 x", "score '1.0.0' is not a number" + expected},
      {"t Q0 EP1 1 1,5 x", "score '1,5' is not a number" + expected},
      {"t Q0 EP1 1 nan x", "score 'nan' is not a number" + expected},
      {"t Q0 EP1 1 2 3 x y", "8 columns, unlike the 6 of the first line" + expected +
                                 ", and a blank in a name makes two columns of it"},
      // The rank would be taken for the score.
      {"t Q0 US 6123456 3 0.42",
       "docno 'US 6123456' contains blanks, which separate columns; rename it"},
      {"t Q0 US 6123456 3 0.42 x",
       "docno 'US 6123456' contains blanks, which separate columns; rename it"},
      {"t Q0 US 6 123 456 3 0.42 x",
       "docno 'US 6 123 456' contains blanks, which separate columns; rename it"},
      {"t\tQ0\tEP 0 971 326 B1\t1\t1\tx",
       "docno 'EP 0 971 326 B1' contains blanks, which separate columns; rename it"},
  };
  for (const auto& [line, message] : cases) {
    const auto refused =
        refusal_of([&] { (void)load("t Q0 EP1 1 2 x\n" + line + "\n", RunOrder::kTrec); });
    EXPECT_EQ(refused.code, ErrorCode::kBadInput);
    EXPECT_EQ(refused.message, (folder_.path() / "run.txt").string() + ":2: " + message);
  }
}

TEST_F(RunFile, RefusesAFileWithoutRankings) {
  const auto refused = refusal_of([&] { (void)load("\n", RunOrder::kFile); });
  EXPECT_EQ(refused.code, ErrorCode::kBadInput);
  EXPECT_EQ(refused.message, (folder_.path() / "run.txt").string() +
                                 ": no rankings; expected \"topic Q0 docno rank score tag\" lines");
  EXPECT_EQ(refusal_of([&] { (void)load_run(folder_.path() / "no", RunOrder::kFile); }).code,
            ErrorCode::kIo);
}

TEST_F(RunFile, WritesRanksFromOneAndScoresExactly) {
  write({{Docno("EP1"), 2.5F}, {Docno("EP2"), 0.1F}, {Docno("EP3"), -3e-20F}});
  // 0.1 and -3e-20 as floats are 0.100000001 and -2.9999999e-20 to nine digits.
  EXPECT_EQ(content_of(out()),
            "t Q0 EP1 1 2.5 bm25\nt Q0 EP2 2 0.100000001 bm25\n"
            "t Q0 EP3 3 -2.9999999e-20 bm25\n");
  EXPECT_THAT(written_scores(), ElementsAre(2.5F, 0.1F, -3e-20F));
}

TEST_F(RunFile, LowersTiesToTheNextSmallerFloat) {
  write({{Docno("a"), 1.0F}, {Docno("b"), 1.0F}, {Docno("c"), 1.0F}, {Docno("d"), 0.5F}});
  const float below = std::nextafterf(1.0F, 0.0F);
  EXPECT_THAT(written_scores(), ElementsAre(1.0F, below, std::nextafterf(below, 0.0F), 0.5F));
}

TEST_F(RunFile, WritesFiniteFallingScoresForAnyEngineScores) {
  const float step = kLargest - std::nextafterf(kLargest, 0.0F);
  const std::vector<std::pair<std::vector<float>, std::vector<float>>> cases = {
      {{0.0F, -0.0F}, {0.0F, -std::numeric_limits<float>::denorm_min()}},
      {{1.0F, 7.0F}, {1.0F, std::nextafterf(1.0F, 0.0F)}},  // sorted by something else
      {{kInfinity, kInfinity}, {kLargest, kLargest - step}},
      {{1.0F, -kInfinity, -kInfinity}, {1.0F, -(kLargest - step), -kLargest}},
      {{kNan, kNan, 0.5F}, {kLargest, kLargest - step, 0.5F}},
      {{2.0F, kNan, 1.0F}, {2.0F, std::nextafterf(2.0F, 0.0F), 1.0F}},
  };
  for (const auto& [given, expected] : cases) {
    std::vector<Hit> hits;
    for (const float score : given) hits.push_back({Docno("d"), score});
    write(hits);
    EXPECT_EQ(written_scores(), expected);
  }
}

TEST_F(RunFile, OrderSurvivesEveryReader) {
  constexpr unsigned kSeed = 2010;
  std::mt19937 random(kSeed);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
    std::vector<Hit> hits;
    Names served;
    for (auto size = 1 + random() % 50; size > 0; --size) {
      // Any float at all, or one of few, so that there are ties.
      const float score = random() % 2 == 0 ? std::bit_cast<float>(std::uint32_t(random()))
                                            : static_cast<float>(random() % 3);
      served.push_back("D" + std::to_string(random() % 1000) + "-" + std::to_string(size));
      hits.push_back({Docno(served.back()), score});
    }
    write(hits);
    ASSERT_EQ(docnos_of(load_run(out(), RunOrder::kTrec).topics.at(0)), served);
    ASSERT_EQ(docnos_of(load_run(out(), RunOrder::kFile).topics.at(0)), served);
    const std::vector<float> scores = written_scores();
    ASSERT_TRUE(std::ranges::is_sorted(scores, std::greater_equal<>()));  // strictly
  }
}

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(RunFile, DoesNotDependOnTheLocale) {
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // if it is installed; the C++ locale is always there
  const std::locale before = std::locale::global({std::locale::classic(), new DecimalComma});
  write({{Docno("EP1"), 1234567.5F}, {Docno("EP2"), 0.5F}});
  const TrecRun run = load_run(out(), RunOrder::kTrec);
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(content_of(out()), "t Q0 EP1 1 1234567.5 bm25\nt Q0 EP2 2 0.5 bm25\n");
  EXPECT_THAT(docnos_of(run.topics.at(0)), ElementsAre("EP1", "EP2"));
}

TEST_F(RunFile, UnfinishedRunIsInvisible) {
  {
    RunWriter writer(out(), "bm25");
    writer.add(TopicId("t"), std::vector<Hit>{{Docno("EP1"), 1.0F}});
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));  // neither the run nor a partial one
  write({{Docno("EP1"), 1.0F}});
  EXPECT_TRUE(std::filesystem::exists(out()));
}

TEST_F(RunFile, WritersOfTheSameRunDoNotMeet) {
  (void)folder_.write("out.txt.partial", "a file of the user");
  RunWriter first(out(), "first"), second(out(), "second");
  first.add(TopicId("t"), std::vector<Hit>{{Docno("EP1"), 1.0F}});
  second.add(TopicId("t"), std::vector<Hit>{{Docno("EP2"), 1.0F}});
  first.finish();
  EXPECT_EQ(content_of(out()), "t Q0 EP1 1 1 first\n");
  second.finish();
  EXPECT_EQ(content_of(out()), "t Q0 EP2 1 1 second\n");  // the last one to finish replaces it
  EXPECT_EQ(content_of(folder_.path() / "out.txt.partial"), "a file of the user");
}

TEST_F(RunFile, UnfinishedRunKeepsTheOldOne) {
  write({{Docno("EP1"), 1.0F}});
  const std::string former = content_of(out());
  {
    RunWriter writer(out(), "other");
    writer.add(TopicId("t"), std::vector<Hit>{{Docno("EP2"), 1.0F}});
  }
  EXPECT_EQ(content_of(out()), former);
}

TEST_F(RunFile, UnwritableFolderIsAnIoError) {
  const auto missing =
      refusal_of([&] { RunWriter writer(folder_.path() / "no" / "run.txt", "bm25"); });
  EXPECT_EQ(missing.code, ErrorCode::kIo);
  std::filesystem::create_directory(out());
  (void)folder_.write("out.txt/occupied", "");
  const auto occupied = refusal_of([&] { write({{Docno("EP1"), 1.0F}}); });
  EXPECT_EQ(occupied.code, ErrorCode::kIo);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(RunFile, FullDiskIsAnIoErrorAndLeavesNoFile) {
  // A limit of no bytes refuses what a full disk does.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const auto refused = refusal_of([&] { write({{Docno("EP1"), 1.0F}}); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(refused.code, ErrorCode::kIo);
  EXPECT_EQ(refused.message, out().string() + ": cannot be written; is the disk full?");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(RunFile, RefusesNamesWithBlanks) {
  const std::string remedy =
      " is empty or contains white space, which a TREC run file cannot carry; rename it";
  RunWriter writer(out(), "bm25");
  const std::vector<Hit> good{{Docno("EP1"), 1.0F}};
  const std::vector<Hit> bad{{Docno("EP1"), 1.0F}, {Docno("EP 2"), 0.5F}};
  EXPECT_EQ(refusal_of([&] { writer.add(TopicId("t 1"), good); }).message, "topic 't 1'" + remedy);
  EXPECT_EQ(refusal_of([&] { writer.add(TopicId("t2"), bad); }).message, "docno 'EP 2'" + remedy);
  EXPECT_EQ(refusal_of([&] { RunWriter other(out(), "two words"); }).message,
            "run tag 'two words'" + remedy);
  writer.add(TopicId("t3"), good);
  writer.finish();
  EXPECT_EQ(content_of(out()), "t3 Q0 EP1 1 1 bm25\n");  // without the refused lines
}

}  // namespace
}  // namespace prescope
