#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "base/text_file.h"
#include "prescope/run.h"
#include "support/evaluate_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace fs = std::filesystem;

std::string converted(const Workspace& workspace, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "convert");
  const Outcome outcome = workspace.run(std::move(arguments));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

constexpr std::string_view kRun =
    "T1 Q0 EP-1-A1 1 2.5 bm25\n"
    "T2 Q0 EP-2-A1 1 0.1 bm25\n"
    "T1 Q0 EP-3-A1 2 1e-07 bm25\n";

TEST(Convert, ADashIsStandardOutput) {
  const Workspace workspace;
  workspace.write("qrels", "T1 0 EP-1-A1 1\n");
  workspace.write("x.run", kRun);
  EXPECT_EQ(converted(workspace, {"x.run", "--output", "-"}), kRun);
  const Outcome table = workspace.run({"evaluate", "qrels", "x.run"});
  EXPECT_EQ(workspace.run({"evaluate", "qrels", "x.run", "--output", "-"}).out, table.out);
  EXPECT_FALSE(workspace.has("-"));
}

TEST(Convert, RunToJsonLinesAndBackIsTheSameFile) {
  const Workspace workspace;
  workspace.write("x.run", kRun);
  const std::string json = converted(workspace, {"x.run", "--to", "jsonl"});
  EXPECT_THAT(json, StartsWith(R"({"topic": "T1", "docno": "EP-1-A1", "rank": 1, "score": 2.5, )"
                               R"("tag": "bm25"})"
                               "\n"));
  workspace.write_gzip("x.jsonl.gz", json);
  EXPECT_EQ(converted(workspace, {"x.jsonl.gz"}), kRun);
}

TEST(Convert, ExamplesOfTheHelpRun) {
  const Workspace workspace;
  workspace.write("bm25.run", kRun);
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

TEST(Convert, ScoresKeepAllTheirDigits) {
  const Workspace workspace;
  workspace.write("x.run",
                  "T Q0 A 1 0.1000000000000000055511151231257827 t\n"
                  "T Q0 B 2 0.09999999999999999 t\nT Q0 C 3 -17 t\n");
  const std::string out = converted(workspace, {"x.run"});
  EXPECT_EQ(out, "T Q0 A 1 0.1 t\nT Q0 B 2 0.09999999999999999 t\nT Q0 C 3 -17 t\n");
}

TEST(Convert, ScoresAreReadAsEvaluateReadsThem) {
  const Workspace workspace;
  workspace.write("x.run",
                  "T Q0 A 1 0x1A t\nT Q0 B 2 +1.5 t\nT Q0 C 3 1e-400 t\nT Q0 D 4 -0x.8p1 t\n");
  EXPECT_EQ(converted(workspace, {"x.run"}),
            "T Q0 A 1 26 t\nT Q0 B 2 1.5 t\nT Q0 C 3 0 t\nT Q0 D 4 -1 t\n");
}

TEST(Convert, RankingWithoutScoresGetsScoresThatFall) {
  const Workspace workspace;
  workspace.write("ranking.txt", "T2 0 A 1\nT1 0 Z 1\nT2 0 C 1\nT2 0 B 1\n");
  const Outcome outcome = workspace.run({"convert", "ranking.txt", "--kind", "run"});
  EXPECT_EQ(outcome.out, "T2 Q0 A 1 3 run\nT2 Q0 C 2 2 run\nT2 Q0 B 3 1 run\nT1 Q0 Z 1 1 run\n");
  EXPECT_THAT(outcome.err, HasSubstr("got the scores n, n - 1, ..., 1"));
}

TEST(Convert, RankingWithTheDocnoInColumnTwoIsRefused) {
  const Workspace workspace;
  workspace.write("ranking.txt", "T1 EP-1-A1 x 2.5\n");
  const Outcome outcome = workspace.run({"convert", "ranking.txt", "--kind", "run"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "prescope: ranking.txt:1: 'EP-1-A1' in column 2; expected \"topic 0 docno 1\", best "
            "first\n");
}

TEST(Convert, RescoreMakesScoresFollowTheLines) {
  const Workspace workspace;
  workspace.write("tied.run", "T Q0 A 1 5 t\nT Q0 B 2 5 t\nT Q0 C 3 9 t\n");
  EXPECT_EQ(converted(workspace, {"tied.run", "--rescore", "--tag", "mine"}),
            "T Q0 A 1 3 mine\nT Q0 B 2 2 mine\nT Q0 C 3 1 mine\n");
}

TEST(Convert, ClefIpRunIsSortedByScoreAndDocno) {
  const Workspace workspace;
  workspace.write("x.run", "T1 Q0 A 1 1 t\nT2 Q0 X 1 1 t\nT1 Q0 B 2 1 t\nT1 Q0 C 3 9 t\n");
  const std::string ranking = converted(workspace, {"x.run", "--to", "clefip"});
  EXPECT_EQ(ranking, "T1 0 C 1\nT1 0 B 1\nT1 0 A 1\nT2 0 X 1\n");
}

TEST(Convert, QrelsBetweenAllFormats) {
  const Workspace workspace;
  const std::string trec = "T1 0 EP-1-A1 1\nT1 0 EP-2-A1 -1\n",
                    clefip = "T1 EP-1-A1 1\nT1 EP-2-A1 -1\n";
  workspace.write("clefip.txt", clefip);
  workspace.write("trec.txt", trec);
  EXPECT_EQ(converted(workspace, {"clefip.txt"}), trec);
  EXPECT_EQ(converted(workspace, {"trec.txt", "--from", "trec", "--to", "clefip"}), clefip);
  const std::string json = converted(workspace, {"clefip.txt", "--to", "jsonl"});
  EXPECT_EQ(json,
            "{\"topic\": \"T1\", \"docno\": \"EP-1-A1\", \"grade\": 1}\n"
            "{\"topic\": \"T1\", \"docno\": \"EP-2-A1\", \"grade\": -1}\n");
  workspace.write("json.txt", json);
  EXPECT_EQ(converted(workspace, {"json.txt"}), trec);
}

TEST(Convert, CitationCategoriesBecomeGradesAndLanguagesAreDropped) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 EP-1-A1 X EN\nT1 0 EP-2-A1 A DE\n");
  EXPECT_EQ(converted(workspace, {"qrels.txt", "--kind", "qrels"}),
            "T1 0 EP-1-A1 3\nT1 0 EP-2-A1 1\n");
}

TEST(Convert, AmbiguousKindIsRefused) {
  const Workspace workspace;
  workspace.write("either.txt", "T1 0 A 1\n");
  const Outcome outcome = workspace.run({"convert", "either.txt"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "prescope: either.txt:1: 4 columns can be judgements or a ranking without scores; say "
            "--kind qrels or --kind run\n");
}

TEST(Convert, MalformedLinesAreListedAndCounted) {
  const Workspace workspace;
  std::string run = "T1 Q0 A 1 2 x\n\n# a comment\n";
  for (int i = 0; i < 7; ++i) run += "T1 Q0 B 2 high x\n";
  workspace.write("bad.run", run);
  const Outcome outcome = workspace.run({"convert", "bad.run"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(
      outcome.err,
      AllOf(StartsWith("prescope: bad.run:4: score 'high' is not a finite number; expected"),
            HasSubstr("prescope: bad.run:8: "), HasSubstr("and 2 more malformed lines")));
}

struct BadLine {
  const char* content;
  const char* message;
};

TEST(Convert, DescribesAMalformedLine) {
  const Workspace workspace;
  for (const BadLine& bad :
       {BadLine{"{\"topic\": \"T\", \"score\": 1}", "x:1: no field 'docno'"},
        BadLine{"{\"topic\": \"T\", \"docno\": \"A B\", \"score\": 1}", "x:1: docno 'A B'"},
        BadLine{"{\"topic\": \"T\", \"docno\": \"A\", \"score\": \"1\"}",
                "field 'score' is not a number"},
        BadLine{"{\"topic\": ", "x:1: not JSON"},
        BadLine{"{\"topic\": \"T\", \"docno\": \"A\"}", "say --kind run or --kind qrels"},
        BadLine{"T 0 A 1 0.5", "5 columns can be judgements or a run that lacks one"},
        BadLine{"T", "x:1: 1 column; expected"}, BadLine{"", "x: empty"},
        BadLine{R"({"topic": "T", "docno": "A\u0000B", "score": 1})",
                "x:1: docno contains a NUL byte, which columns cannot carry; rename it"},
        BadLine{R"({"topic": "#1", "docno": "A", "score": 1})", "x:1: topic '#1' begins with"},
        BadLine{R"({"topic": "\ufeff1", "docno": "A", "grade": 1})", "x:1: topic '\ufeff1' begins"},
        BadLine{" #1 Q0 A 1 1 t", "x:1: topic '#1' begins with"},
        BadLine{"T Q0 my doc 1 2.5 t", "x:1: docno 'my doc' contains blanks"},
        BadLine{"T\tQ0\tmy doc\t1\t2.5\tt", "x:1: docno 'my doc' contains blanks"},
        BadLine{"T Q0 A 1 2 t\rT Q0 B 2 1 t\r", "x:1: lines that end with carriage returns"},
        BadLine{"T Q0 A /p[1] 1 2.5", "x:1: '/p[1]' in place of the rank"},
        BadLine{"T Q0 A 1 1e400 t", "score '1e400' is not a finite number"},
        BadLine{"T Q0 A 1 inf t", "score 'inf' is not a finite number"}}) {
    workspace.write("x", bad.content);
    const Outcome outcome = workspace.run({"convert", "x"});
    EXPECT_EQ(outcome.exit_code, 2) << bad.content;
    EXPECT_THAT(outcome.err, HasSubstr(bad.message));
  }
}

TEST(Convert, JsonCarriesTopicsThatColumnsCannot) {
  const Workspace workspace;
  const std::string line = R"({"topic": "#1", "docno": "A", "grade": 1})"
                           "\n";
  workspace.write("x", line);
  EXPECT_EQ(converted(workspace, {"x", "--to", "jsonl"}), line);
}

TEST(Convert, LineThatDiffersFromTheFirstLayoutIsRefused) {
  const Workspace workspace;
  workspace.write("x", "T Q0 A 1 1 t\nT 0 B 1\n");
  EXPECT_THAT(workspace.run({"convert", "x"}).err, HasSubstr("x:2: 4 columns; expected"));
  workspace.write("y",
                  "{\"topic\": \"T\", \"docno\": \"A\", \"score\": 1}\n"
                  "{\"topic\": \"T\", \"docno\": \"B\", \"rank\": 2}\n");
  EXPECT_THAT(workspace.run({"convert", "y"}).err, HasSubstr("y:2: no score, unlike"));
}

TEST(Convert, ReadsStandardInputAndWritesAFile) {
  const Workspace workspace;
  workspace.write("x.run", kRun);
  EXPECT_EQ(shell(workspace, "convert - --output out.run < x.run").exit_code, 0);
  EXPECT_EQ(workspace.read("out.run"), kRun);
}

/// CLEF-IP 2010: the ranking without scores, and the run made from it outside prescope.
TEST(Convert, RealRankingWithoutScoresBecomesTheKnownRun) {
  const fs::path folder = fs::path(PRESCOPE_TEST_DATA) / "clefip2010";
  if (!fs::exists(folder)) GTEST_SKIP() << "the collection is absent: " << folder.string();
  const Workspace workspace;
  const std::string out = converted(
      workspace, {folder / "run.HongguLin.result.txt.gz", "--kind", "run", "--tag", "HongguLin"});
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

// The same judgements and rankings, as BEIR, Quepid, LETOR, JSON and MS MARCO write them.
TEST(Convert, ReadsFormatsOfOtherPrograms) {
  const Workspace workspace;
  const std::string qrels = "1 0 EP1 1\n1 0 EP2 0\n2 0 EP3 2\n2 0 EP4 1\n";
  const std::pair<const char*, std::string> judgements[] = {
      {"beir.tsv", "query-id\tcorpus-id\tscore\n1\tEP1\t1\n1\tEP2\t0\n2\tEP3\t2\n2\tEP4\t1\n"},
      {"quepid.csv", "query,docid,rating\n1,EP1,1\n\"1\",\"EP2\",0\n2,EP3,2\n2,EP4,1\n"},
      {"excel.csv", "Relevance;Query ID;Doc ID\n1;1;EP1\n0;1;EP2\n2;2;EP3\n1;2;EP4\n"},
      {"letor.txt",
       "1 qid:1 1:3 2:4 # EP1\n0 qid:1 1:3 #docid = EP2 inc = 1\n2 qid:2 1:3 # EP3\n"
       "1 qid:2 1:3 # EP4\n"},
      {"qrels.json", R"({"1":{"EP1":1,"EP2":0},"2":{"EP3":2,"EP4":1}})"},
      {"pretty.json",
       "{\n \"1\": {\"EP1\": 1,\n \"EP2\": 0},\n \"2\": {\"EP3\": 2, \"EP4\": 1}\n}\n"},
      {"array.json",
       "[{\"qid\": 1, \"did\": \"EP1\", \"rel\": 1}, {\"qid\": 1, \"did\": \"EP2\", \"rel\": 0},\n"
       "{\"qid\": 2, \"did\": \"EP3\", \"rel\": 2}, {\"qid\": 2, \"did\": \"EP4\", \"rel\": 1}]"},
      {"q.jsonl",
       "{\"query_id\":\"1\",\"doc_id\":\"EP1\",\"relevance\":1}\n"
       "{\"query_id\":\"1\",\"doc_id\":\"EP2\",\"relevance\":0}\n"
       "{\"query_id\":\"2\",\"doc_id\":\"EP3\",\"relevance\":2}\n"
       "{\"query_id\":\"2\",\"doc_id\":\"EP4\",\"relevance\":1}\n"}};
  for (const auto& [name, content] : judgements) {
    SCOPED_TRACE(name);
    workspace.write(name, content);
    EXPECT_EQ(converted(workspace, {name, "--kind", "qrels"}), qrels);
  }
  const std::string ranking = "1 Q0 EP1 1 2 run\n1 Q0 EP2 2 1 run\n2 Q0 EP4 1 1 run\n";
  const std::pair<const char*, std::string> runs[] = {
      {"msmarco.run", "1\tEP2\t2\n1\tEP1\t1\n2\tEP4\t1\n"},
      {"scored.run", "1\tEP1\t1\t2.0\n1\tEP2\t2\t1.0\n2\tEP4\t1\t1\n"},
      {"table.csv", "qid,docno,rank\n1,EP2,2\n1,EP1,1\n2,EP4,1\n"},
      {"pyterrier.csv",
       ",query,qid,docid,docno,rank,score\n0,\"a, b\",1,12,EP1,1,2\n1,\"a, b\",1,7,EP2,2,1\n"
       "2,c,2,12,EP4,1,1\n"},
      {"run.json", R"({"1":{"EP1":2.0,"EP2":1.0},"2":{"EP4":1.0}})"}};
  for (const auto& [name, content] : runs) {
    SCOPED_TRACE(name);
    workspace.write(name, content);
    EXPECT_EQ(converted(workspace, {name, "--kind", "run"}), ranking);
  }
  workspace.write(
      "pv.tsv",
      "patent_id\tcitation_sequence\tcitation_patent_id\tcitation_date\tcitation_category\n"
      "10000000\t0\t5093563\t1992-03-01\tcited by examiner\n");
  EXPECT_EQ(converted(workspace, {"pv.tsv"}), "10000000 0 5093563 1\n");
}

TEST(Convert, WhatCanBeTwoThingsIsAsked) {
  const Workspace workspace;
  workspace.write("whole.json", R"({"1":{"EP1":1}})");
  workspace.write("score.csv", "qid,docno,score\n1,EP1,1\n");
  for (const char* name : {"whole.json", "score.csv"}) {
    const Outcome outcome = workspace.run({"convert", name});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--kind run or --kind qrels"));
  }
}

}  // namespace
}  // namespace prescope::testing
