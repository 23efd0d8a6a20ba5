// The studies' numbers, each against a slower way to them or by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "measures/pres_curve.h"
#include "prescope/error.h"
#include "runs/evaluation.h"
#include "runs/read_runs.h"
#include "runs/run_oddities.h"
#include "studies/correlation_study.h"
#include "studies/cutoff_study.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A file that lives as long as the object.
class StudyFile {
 public:
  explicit StudyFile(std::string_view text) : path_(folder_.write("file", text)) {}
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  ScratchFolder folder_;
  std::filesystem::path path_;
};

/// Topics of 1 to 12 documents, some without a relevant one; runs of 0 to 40 lines a topic.
struct MadeUpRuns {
  Qrels qrels;
  std::vector<RunFacts> facts;
};

std::string made_up_qrels(std::mt19937_64& random) {
  std::string text;
  for (int topic = 0; topic < 25; ++topic) {
    for (int d = 0; d < 1 + static_cast<int>(random() % 12); ++d) {
      text += fmt::format("T{:02} 0 D{} {}\n", topic, d, topic % 9 == 0 ? 0 : random() % 3);
    }
  }
  return text;
}

std::string made_up_run(std::mt19937_64& random) {
  std::string text;
  for (int topic = 0; topic < 27; ++topic) {
    std::vector<int> documents(45);
    for (int d = 0; d < 45; ++d) documents[static_cast<std::size_t>(d)] = d;
    std::ranges::shuffle(documents, random);
    documents.resize(random() % 41);
    for (const int d : documents) {
      text += fmt::format("T{:02} Q0 D{} 0 {} tag\n", topic, d, random() % 50);
    }
  }
  return text;
}

MadeUpRuns made_up_runs(std::uint64_t seed, int runs) {
  std::mt19937_64 random(seed);
  const StudyFile qrels(made_up_qrels(random));
  MadeUpRuns result{.qrels = Qrels::load(qrels.path()), .facts = {}};
  for (int i = 0; i < runs; ++i) {
    const StudyFile run(made_up_run(random));
    result.facts.push_back(read_run_facts(result.qrels, run.path()));
  }
  return result;
}

RankedRuns ranked(const MadeUpRuns& runs, const EvaluateOptions& options = {}) {
  return ranked_runs(runs.qrels, runs.facts, options);
}

std::vector<Cutoff> cutoffs_of(std::initializer_list<std::uint32_t> values) {
  std::vector<Cutoff> cutoffs;
  for (const std::uint32_t value : values) cutoffs.emplace_back(value);
  return cutoffs;
}

TEST(CutoffStudy, EqualsEvaluatingAtEachCutoff) {
  const MadeUpRuns runs = made_up_runs(11, 4);
  const std::vector<Cutoff> cutoffs = cutoffs_of({1, 3, 10, 40, 500});
  for (const EvaluateOptions::Topics topics :
       {EvaluateOptions::Topics::kAll, EvaluateOptions::Topics::kRun}) {
    for (const RunOrder order : {RunOrder::kTrec, RunOrder::kFile}) {
      const EvaluateOptions options{.ranks = {.order = order, .depth = 30}, .topics = topics};
      const CutoffStudy study = study_cutoffs(ranked(runs, options), cutoffs, 2);
      for (std::size_t run = 0; run < runs.facts.size(); ++run) {
        for (std::size_t c = 0; c < cutoffs.size(); ++c) {
          const Scorer scorer(default_measures(std::span(cutoffs).subspan(c, 1)));  // PRES, R, AP
          const Evaluation evaluation = evaluate(runs.qrels, runs.facts[run], scorer, options);
          const SweepPoint& point = study.runs[run].points[c];
          EXPECT_EQ(point.pres.mean, evaluation.means[0]);
          EXPECT_EQ(point.recall.mean, evaluation.means[1]);
          EXPECT_EQ(point.average_precision.mean, evaluation.means[2]);
        }
      }
    }
  }
}

TEST(CutoffStudy, DoesNotDependOnThreads) {
  const MadeUpRuns runs = made_up_runs(12, 6);
  const std::vector<Cutoff> cutoffs = cutoffs_of({1, 2, 5, 10, 20, 50});
  const CutoffStudy one = study_cutoffs(ranked(runs), cutoffs, 1);
  const CutoffStudy eight = study_cutoffs(ranked(runs), cutoffs, 8);
  EXPECT_EQ(one.flips, eight.flips);
  for (std::size_t run = 0; run < 6; ++run) {
    for (std::size_t c = 0; c < cutoffs.size(); ++c) {
      EXPECT_EQ(one.runs[run].points[c].pres, eight.runs[run].points[c].pres);
    }
  }
}

// One topic, n = 2. A has its documents at 1 and 9, B at 4 and 5:
//   N     PRES A          PRES B              R A   R B
//   1     1/2             0                   1/2   0
//   5     5/10            (2 + 2)/10          1/2   1
//   10    (10 + 3)/20     (7 + 7)/20          1     1
MadeUpRuns two_runs() {
  const StudyFile qrels("T 0 X 1\nT 0 Y 1\n");
  MadeUpRuns runs{.qrels = Qrels::load(qrels.path()), .facts = {}};
  for (const auto& [x, y, last] : {std::tuple{1, 9, 12}, std::tuple{4, 5, 6}}) {
    std::string text;
    for (int rank = 1; rank <= last; ++rank) {
      const std::string docno = rank == x ? "X" : rank == y ? "Y" : fmt::format("D{}", rank);
      text += fmt::format("T Q0 {} {} {} tag\n", docno, rank, 100 - rank);
    }
    const StudyFile run(text);
    runs.facts.push_back(read_run_facts(runs.qrels, run.path()));
  }
  return runs;
}

TEST(CutoffStudy, FindsTheCutoffAtWhichTwoRunsReverse) {
  const MadeUpRuns runs = two_runs();
  const CutoffStudy study = study_cutoffs(ranked(runs), cutoffs_of({1, 5, 10}), 1);
  EXPECT_DOUBLE_EQ(study.runs[0].points[2].pres.mean.value(), 13.0 / 20.0);
  EXPECT_DOUBLE_EQ(study.runs[1].points[2].pres.mean.value(), 14.0 / 20.0);
  // Recall: A ahead at 1, B at 5, equal at 10. PRES: A at 1 and 5, B at 10. MAP: A throughout:
  // 1/2, 1/2, (1 + 2/9)/2 against 0, (1/4 + 2/5)/2.
  EXPECT_THAT(study.flips,
              ElementsAre(
                  CutoffStudy::Flip{
                      .measure = 1, .ahead_before = 0, .ahead_after = 1, .before = 0, .after = 1},
                  CutoffStudy::Flip{
                      .measure = 2, .ahead_before = 0, .ahead_after = 1, .before = 1, .after = 2}));
  EXPECT_EQ(study.orders[2].flipped, 1U);
  EXPECT_EQ(study.orders[2].pairs, 1U);
  EXPECT_EQ(study.orders[2].tau_b, -1.0);
  EXPECT_EQ(study.orders[0].tau_b, 1.0);
}

TEST(CutoffStudy, CountsTopicsBelowNAndRunsBelowNmax) {
  const MadeUpRuns runs = two_runs();
  const CutoffStudy study = study_cutoffs(ranked(runs), cutoffs_of({1, 5, 10}), 1);
  EXPECT_THAT(study.below_n, ElementsAre(1U, 0U, 0U));
  EXPECT_EQ(study.largest_n, 2U);
  EXPECT_EQ(study.runs[0].depth, 12U);
  EXPECT_EQ(study.runs[1].depth, 6U);
  EXPECT_THAT(study.runs[1].shorter, ElementsAre(0U, 0U, 1U));
}

TEST(CutoffStudy, CoversTopicsWithRelevantDocuments) {
  const StudyFile qrels("A 0 X 1\nA 0 Y 0\nB 0 Z 0\nC 0 X 1\n"),
      run("A Q0 Y 1 9 t\nA Q0 X 2 8 t\nB Q0 Z 1 9 t\n");
  MadeUpRuns runs{.qrels = Qrels::load(qrels.path()), .facts = {}};
  runs.facts.push_back(read_run_facts(runs.qrels, run.path()));
  // B has no relevant document. A has its only one at rank 2; the run does not have C.
  const CutoffStudy all = study_cutoffs(ranked(runs), cutoffs_of({1, 2}), 1);
  EXPECT_EQ(all.runs[0].topics(), 2U);
  EXPECT_EQ(all.value(1, 0, 0), 0.0);
  EXPECT_EQ(all.value(1, 0, 1), 0.5);
  EXPECT_THAT(all.runs[0].shorter, ElementsAre(1U, 1U));
  const CutoffStudy own = study_cutoffs(
      ranked(runs, {.ranks = {}, .topics = EvaluateOptions::Topics::kRun}), cutoffs_of({1, 2}), 1);
  EXPECT_EQ(own.runs[0].topics(), 1U);
  EXPECT_EQ(own.value(1, 0, 1), 1.0);
}

ScoreTable small_table() {
  return {.systems = {"c", "a", "b"},
          .measures = {"X", "Y"},
          .scores = {{0.1, 0.3, 0.3}, {0.2, 0.1, 0.3}}};
}

TEST(CorrelationStudy, DoesNotDependOnTheOrderOfTheSystems) {
  ScoreTable other = small_table();
  std::ranges::reverse(other.systems);
  for (auto& scores : other.scores) std::ranges::reverse(scores);
  const MeasureCorrelation here = study_correlation(small_table(), 0.9).correlations.front();
  const MeasureCorrelation there = study_correlation(other, 0.9).correlations.front();
  EXPECT_EQ(here.tau_ap_of_x, there.tau_ap_of_x);
  EXPECT_EQ(here.tau_ap_of_y, there.tau_ap_of_y);
  EXPECT_EQ(here.overlap->extrapolated, there.overlap->extrapolated);
  // X has a and b before c, a first by name; Y has b, c, a.
  // tau_AP of X by Y: b second, Y has b above a: 0 of 1; c third, Y has b above, a not: 1 of 2.
  EXPECT_DOUBLE_EQ(here.tau_ap_of_x.value(), 2.0 / 2.0 * (0.0 + 0.5) - 1.0);
}

TEST(CorrelationStudy, RanksEachSystemWithTies) {
  EXPECT_THAT(study_correlation(small_table(), 0.9).places.front(), ElementsAre(3.0, 1.5, 1.5));
}

void expect_bad_table(std::string_view text, std::string_view found) {
  const StudyFile file(text);
  try {
    (void)load_score_table(file.path());
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr(file.path().string()), HasSubstr(found)));
  }
}

TEST(ScoreTable, ErrorNamesThePlace) {
  expect_bad_table("", "is empty");
  expect_bad_table("run\n", ":1: found 1 column, expected a header");
  expect_bad_table("R1\t.5\t.4\nR2\t.1\t.2\n", ":1: found numbers, expected a header");
  expect_bad_table("run\tMAP\tPRES\nR1\t.5\n", ":2: found 2 columns, expected 3");
  expect_bad_table("run\tMAP\nR1\t.5\t.4\n", ":2: found 3 columns, expected 2");
  expect_bad_table("run\tMAP\nR1\t.5\nR2\thigh\n", ":3: MAP 'high' of system 'R2' is not a number");
  expect_bad_table("run\tMAP\nR1\tnan\nR2\t1\n", "is not a number");
  expect_bad_table("run\tMAP\nR1\t\nR2\t1\n", "is not a number");
  expect_bad_table("run\tMAP\nR1\t.5\nR1\t.6\n", ":3: system 'R1' is there twice");
  expect_bad_table("run\tMAP\tMAP\n", ":1: measure 'MAP' is there twice");
  expect_bad_table("run\tMAP\n\t.5\n", ":2: a system without a name");
  expect_bad_table("run\tMAP\nR1\t.5\n", "found 1 systems, expected at least two");
  expect_bad_table("run,MAP\nR1,.5\nR2,.4\n", "parted by tabs");
}

TEST(ScoreTable, KeepsOrderAndSkipsBlankLines) {
  const StudyFile file("run\tMAP\t R \r\n\r\nR2\t1e-1\t-1\r\nR1\t0.5\t2\r\n");
  const ScoreTable table = load_score_table(file.path());
  EXPECT_THAT(table.systems, ElementsAre("R2", "R1"));
  EXPECT_THAT(table.measures, ElementsAre("MAP", "R"));
  EXPECT_THAT(table.scores[1], ElementsAre(-1.0, 2.0));
  EXPECT_THAT(with_measures(table, {"R"}).scores, ElementsAre(ElementsAre(-1.0, 2.0)));
  EXPECT_THROW((void)with_measures(table, {"PRES"}), Error);
}

// X is found at lines 1 and 3 of 4, n = 2, N = 4: R = 2/2, PRES = (4 + (4 + 2 - 3)) / 8, AP =
// (1/1 + 2/3) / 2; once: R = 1/2, PRES = 4/8, AP = 1/2.
TEST(RepeatedLines, CountEveryLineLikePreseval) {
  const StudyFile qrels("T 0 X 1\nT 0 Y 1\nU 0 Z 1\n"),
      run("T Q0 X 1 9 t\nT Q0 A 2 8 t\nT Q0 X 3 7 t\nT Q0 B 4 6 t\n");
  const Qrels judged = Qrels::load(qrels.path());
  const auto means = [&](EvaluateOptions options) {
    return means_of_every_line(judged, run.path(), parse_measures("R@4,PRES@4,AP@4,nDCG@4"),
                               options, ScorePrecision::kDouble);
  };
  const auto own = means({.ranks = {}, .topics = EvaluateOptions::Topics::kRun});
  EXPECT_DOUBLE_EQ(own[0].value(), 1.0);
  EXPECT_DOUBLE_EQ(own[1].value(), 7.0 / 8.0);
  EXPECT_DOUBLE_EQ(own[2].value(), (1.0 + 2.0 / 3.0) / 2.0);
  EXPECT_FALSE(own[3]);
  EXPECT_DOUBLE_EQ(means({})[0].value(), 0.5);  // U counts 0
  EXPECT_DOUBLE_EQ(means({.ranks = {.depth = 2}})[0].value(), 0.25);
}

TEST(RepeatedLines, EqualEvaluatingIfNothingIsRepeated) {
  std::mt19937_64 random(5);
  const StudyFile qrels(made_up_qrels(random)), run(made_up_run(random));
  const Qrels judged = Qrels::load(qrels.path());
  const RunFacts facts = read_run_facts(judged, run.path());
  const std::vector<Measure> measures = parse_measures("R@20,PRES@20,AP@20");
  for (const RunOrder order : {RunOrder::kTrec, RunOrder::kFile}) {
    const EvaluateOptions options{.ranks = {.order = order}};
    const auto lines =
        means_of_every_line(judged, run.path(), measures, options, ScorePrecision::kDouble);
    const Evaluation once = evaluate(judged, facts, Scorer(measures), options);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      EXPECT_NEAR(lines[m].value(), once.means[m].value(), 1e-12) << measures[m].name();
    }
  }
}

TEST(PresCurve, SumsToTheMeasure) {
  const PresCurve curve = pres_curve(4, 100, {1, 98, 99, 100});
  EXPECT_EQ(curve.hits[1].credit, 4U);  // 100 + 2 - 98
  EXPECT_DOUBLE_EQ(curve.pres, 0.28);
  EXPECT_DOUBLE_EQ(curve.hits[0].pres, 0.25);
  EXPECT_DOUBLE_EQ(curve.pres_est, 0.28);
}

}  // namespace
}  // namespace prescope
