// All pairs of runs: as comparing them pair by pair says, and counted by hand.
#include "studies/agreement.h"

#include <gtest/gtest.h>

#include "runs/comparison.h"
#include "runs/read_runs.h"
#include "support/random_runs.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

/// Runs that were read and scored.
struct ScoredRandomRuns {
  explicit ScoredRandomRuns(const RandomRunsOptions& options,
                            const EvaluateOptions& evaluate_options = {}) {
    const RandomRuns files(options, folder.path());
    qrels = Qrels::load(files.qrels);
    const Scorer scorer(parse_measures("AP@20,R@20,PRES@20,nDCG@10"));
    for (const auto& run : files.runs) facts.push_back(read_run_facts(qrels, run));
    for (const RunFacts& run : facts) {
      evaluations.push_back(evaluate(qrels, run, scorer, evaluate_options));
    }
    for (const Evaluation& each : evaluations) runs.push_back(&each);
  }

  ScratchFolder folder;
  Qrels qrels;
  std::vector<RunFacts> facts;
  std::vector<Evaluation> evaluations;
  std::vector<const Evaluation*> runs;
};

/// The plain path: each pair compared as `prescope compare` does.
void expect_same_as_comparing(const ScoredRandomRuns& scored, const AgreementOptions& options) {
  const Agreement all = agreement(scored.runs, options);
  CompareOptions compare;
  compare.test = options.test;
  compare.correction = Correction::kNone;
  compare.power.alpha = options.alpha;
  std::size_t p = 0;
  for (std::size_t a = 0; a < scored.runs.size(); ++a) {
    for (std::size_t b = a + 1; b < scored.runs.size(); ++b, ++p) {
      ASSERT_EQ(all.pairs[p].a, a);
      ASSERT_EQ(all.pairs[p].b, b);
      const std::vector<const Evaluation*> pair = {scored.runs[a], scored.runs[b]};
      const Comparison expected = compare_runs(scored.qrels, pair, compare);
      for (std::size_t m = 0; m < all.measures.size(); ++m) {
        const MeasureComparison& plain = expected.runs.front().measures[m];
        EXPECT_EQ(all.at(p, m).verdict, plain.verdict);
        EXPECT_EQ(all.at(p, m).p_value, plain.p_value);
        EXPECT_EQ(all.at(p, m).decided_by, plain.decided_by);
        EXPECT_EQ(all.at(p, m).t->mean, plain.t->mean);
        EXPECT_EQ(all.verdict(a, b, m), plain.verdict);
      }
    }
  }
}

TEST(Agreement, EqualsComparingEachPair) {
  for (const PairedTest test : {PairedTest::kWilcoxon, PairedTest::kT, PairedTest::kSignFlip}) {
    expect_same_as_comparing(ScoredRandomRuns({.seed = 3}), {.test = test});
  }
}

TEST(Agreement, EqualsComparingForFewTopicsAndDifferentTopics) {
  expect_same_as_comparing(ScoredRandomRuns({.seed = 4, .topics = 12}), {.test = PairedTest::kT});
  expect_same_as_comparing(ScoredRandomRuns({.seed = 5}, {.topics = EvaluateOptions::Topics::kRun}),
                           {.test = PairedTest::kWilcoxon, .alpha = 0.2});
}

/// Three measures and pairs made by hand: an evaluation of `scores[topic][measure]`.
Evaluation evaluation_of(const std::vector<std::vector<double>>& scores) {
  Evaluation evaluation;
  evaluation.measures = parse_measures("AP@20,R@20,PRES@20");
  for (std::uint32_t t = 0; t < scores.size(); ++t) {
    evaluation.topics.push_back({.topic = TopicIndex(t), .family = FamilyIndex(t)});
    for (const double score : scores[t]) evaluation.scores.emplace_back(score);
  }
  return evaluation;
}

/// 40 topics; by each measure the second run is better, worse, or the same, topic by topic.
std::vector<std::vector<double>> all_topics(std::vector<double> scores) {
  return std::vector<std::vector<double>>(40, std::move(scores));
}

TEST(Agreement, CountsVerdictsOfTwoMeasures) {
  // Values of run 0, 1, 2 by AP: .1 .2 .1, by R: .1 .2 .2, by PRES: .3 .2 .1. Pairs: 0-1, 0-2, 1-2.
  // AP: better, same, worse. R: better, better, same. PRES: worse, worse, worse.
  const std::vector<Evaluation> evaluations = {evaluation_of(all_topics({.1, .1, .3})),
                                               evaluation_of(all_topics({.2, .2, .2})),
                                               evaluation_of(all_topics({.1, .2, .1}))};
  const std::vector<const Evaluation*> runs = {&evaluations[0], &evaluations[1], &evaluations[2]};
  const Agreement result = agreement(runs, {});
  const std::vector<MeasureAgreement> expected = {
      {.x = 0, .y = 1, .same_direction = 1, .only_x_different = 1, .only_y_different = 1},
      {.x = 0, .y = 2, .same_direction = 1, .only_y_different = 1, .opposite = 1},
      {.x = 1, .y = 2, .only_y_different = 1, .opposite = 2}};
  EXPECT_EQ(result.agreements, expected);
  EXPECT_EQ(result.verdicts[0], (MeasureVerdicts{.different = 2, .indistinguishable = 1}));
  EXPECT_EQ(result.verdict(1, 0, 0), Verdict::kWorse);
  EXPECT_EQ(result.verdict(0, 1, 0), Verdict::kBetter);
  EXPECT_EQ(result.verdict(2, 0, 0), Verdict::kIdentical);
  for (const MeasureAgreement& each : result.agreements) EXPECT_EQ(each.pairs(), 3U);
}

TEST(Agreement, LeavesOutPairsWithTooFewTopics) {
  const std::vector<Evaluation> evaluations = {evaluation_of({{.1, .1, .1}}),
                                               evaluation_of({{.2, .2, .2}})};
  const std::vector<const Evaluation*> runs = {&evaluations[0], &evaluations[1]};
  const Agreement result = agreement(runs, {});
  EXPECT_EQ(result.verdicts[2].without_verdict, 1U);
  EXPECT_EQ(result.agreements[0].without_verdict, 1U);
  EXPECT_EQ(result.agreements[0].pairs(), 0U);
}

TEST(Agreement, CorrectsEachMeasureOverItsPairs) {
  const ScoredRandomRuns scored({.seed = 6});
  for (const Correction correction : {Correction::kHolm, Correction::kBh}) {
    const Agreement result = agreement(scored.runs, {.correction = correction});
    for (std::size_t m = 0; m < result.measures.size(); ++m) {
      std::vector<double> p_values, corrected;
      for (std::size_t p = 0; p < result.pairs.size(); ++p) {
        p_values.push_back(result.at(p, m).p_value.value());
        corrected.push_back(result.at(p, m).corrected.value());
      }
      EXPECT_EQ(corrected, correct_p_values(p_values, correction));
    }
  }
}

TEST(Agreement, IsTheSameForAnyNumberOfThreads) {
  const ScoredRandomRuns scored({.seed = 7, .runs = 7});
  const Agreement one = agreement(scored.runs, {.threads = 1});
  const Agreement many = agreement(scored.runs, {.threads = 5});
  EXPECT_EQ(one.agreements, many.agreements);
  for (std::size_t i = 0; i < one.tested.size(); ++i) {
    EXPECT_EQ(one.tested[i].corrected, many.tested[i].corrected);
    EXPECT_EQ(one.tested[i].verdict, many.tested[i].verdict);
  }
}

}  // namespace
}  // namespace prescope
