// Scores, orders and verdicts under sampled judgements: as if the judgements that a draw drops had
// been taken out of the qrels file and everything had been read again.
#include "studies/robustness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runs/comparison.h"
#include "runs/read_runs.h"
#include "support/random_runs.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

constexpr const char* kSampledMeasures = "AP@20,R@20,PRES@20,PRES@40,nDCG@10,bpref,P@5";

/// Runs in files, read under all judgements and, again and again, under fewer.
class SampledFiles {
 public:
  explicit SampledFiles(const RandomRunsOptions& options,
                        const EvaluateOptions& evaluate_options = {})
      : files_(options, folder_.path()), options_(evaluate_options) {
    qrels = Qrels::load(files_.qrels);
    facts = read(qrels);
    ranked = ranked_runs(qrels, facts, options_);
  }

  [[nodiscard]] std::vector<RunFacts> read(const Qrels& judged) const {
    std::vector<RunFacts> result;
    for (const auto& run : files_.runs) result.push_back(read_run_facts(judged, run));
    return result;
  }
  [[nodiscard]] Evaluation evaluated(const Qrels& judged, const RunFacts& run) const {
    return evaluate(judged, run, scorer, options_);
  }

  /// Returns the judgements without the relevant ones that the draw leaves out.
  [[nodiscard]] Qrels sampled(const SampleDraw& draw) const {
    std::vector<Qrels::Line> lines;
    for (const TopicQrels& topic : qrels.topics()) {
      const auto kept = sample_relevant(draw, topic.id().text(), topic.num_rel());
      std::uint32_t relevant = 0;
      for (const Judgement& judgement : topic.judgements()) {
        const bool drawn =
            judgement.grade < qrels.min_grade() || std::ranges::binary_search(kept, relevant++);
        if (drawn) lines.push_back({topic.id(), judgement.docno, judgement.grade});
      }
    }
    return Qrels::from_lines(lines);
  }

 private:
  ScratchFolder folder_;
  RandomRuns files_;
  EvaluateOptions options_;

 public:
  Qrels qrels;
  std::vector<RunFacts> facts;
  RankedRuns ranked;
  Scorer scorer{parse_measures(kSampledMeasures)};
};

/// C - D over the root of the pairs not tied in x times those not tied in y.
double plain_tau_b(const std::vector<double>& x, const std::vector<double>& y) {
  double difference = 0.0, untied_x = 0.0, untied_y = 0.0;
  const auto sign = [](double v) { return std::abs(v) < 1e-12 ? 0 : v > 0 ? 1 : -1; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int of_x = sign(x[i] - x[j]), of_y = sign(y[i] - y[j]);
      difference += of_x * of_y;
      untied_x += of_x != 0;
      untied_y += of_y != 0;
    }
  }
  return difference / std::sqrt(untied_x * untied_y);
}

void expect_same_as_reading_the_sample(const SampledFiles& files, const SampleDraw& draw) {
  const Qrels fewer = files.sampled(draw);
  const std::vector<RunFacts> again = files.read(fewer);
  const SampledJudgements judgements(files.ranked, draw);
  for (std::size_t r = 0; r < again.size(); ++r) {
    const Evaluation expected = files.evaluated(fewer, again[r]);
    const Evaluation sampled = judgements.evaluate(files.ranked.runs[r], files.scorer);
    for (std::size_t t = 0; t < expected.topics.size(); ++t) {
      const std::size_t topic = expected.topics[t].topic.value();
      for (std::size_t m = 0; m < expected.measures.size(); ++m) {
        ASSERT_EQ(sampled.score(topic, m), expected.score(t, m))
            << "run " << r << " topic " << topic << ' ' << expected.measures[m].name() << " f "
            << draw.fraction;
      }
    }
    ASSERT_EQ(sampled.means, expected.means);
  }
}

TEST(SampledJudgements, ScoreLikeAFileOfTheSampledJudgements) {
  const SampledFiles files({.seed = 11});
  for (const double fraction : {0.2, 0.5, 0.8, 1.0}) {
    for (const std::uint32_t sample : {1U, 2U}) {
      expect_same_as_reading_the_sample(files,
                                        {.seed = "x", .fraction = fraction, .sample = sample});
    }
  }
}

TEST(SampledJudgements, ScoreLikeAFileUnderEveryOption) {
  const SampleDraw draw{.seed = "y", .fraction = 0.6};
  EvaluateOptions options;
  options.ranks.order = RunOrder::kFile;
  expect_same_as_reading_the_sample(SampledFiles({.seed = 12}, options), draw);
  options.ranks.depth = 13;
  expect_same_as_reading_the_sample(SampledFiles({.seed = 13}, options), draw);
  options.ranks.judged_only = true;
  expect_same_as_reading_the_sample(SampledFiles({.seed = 14}, options), draw);
  options.topics = EvaluateOptions::Topics::kRun;
  expect_same_as_reading_the_sample(SampledFiles({.seed = 15}, options), draw);
}

TEST(JudgementSampling, KeepsSomeOfEveryTopicAndNoMoreThanThereAre) {
  for (std::uint32_t n = 0; n < 60; ++n) {
    for (const double fraction : {0.001, 0.29, 0.5, 0.999, 1.0}) {
      const auto kept = sample_relevant({.seed = "1", .fraction = fraction}, "T", n);
      ASSERT_EQ(kept.size(), sample_size(n, fraction, SampleRounding::kNearest));
      ASSERT_TRUE(n == 0 ? kept.empty() : !kept.empty());
      ASSERT_TRUE(std::ranges::is_sorted(kept));
      ASSERT_EQ(std::ranges::adjacent_find(kept), kept.end());
      ASSERT_TRUE(kept.empty() || kept.back() < n);
    }
  }
  // .29 * 50 = 14.5, which binary numbers make 14.4999...
  EXPECT_EQ(sample_size(50, 0.29, SampleRounding::kNearest), 15U);
}

TEST(JudgementSampling, TakesEachDocumentAboutAsOften) {
  std::vector<int> taken(10);
  constexpr int kDraws = 4000;
  for (int s = 1; s <= kDraws; ++s) {
    const SampleDraw draw{.seed = "1", .fraction = 0.3, .sample = static_cast<std::uint32_t>(s)};
    for (const std::uint32_t i : sample_relevant(draw, "T", 10)) ++taken[i];
  }
  // Each is in 3 of 10 draws; the standard deviation of the count is sqrt(4000 * .3 * .7) = 29.
  for (const int count : taken) EXPECT_NEAR(count, 1200, 5 * 29);
}

TEST(Robustness, IsTheTauBetweenMeansOfTheSampledFiles) {
  const SampledFiles files({.seed = 16, .runs = 7});
  const RobustnessOptions options{.fractions = {0.3, 0.7}, .samples = 2, .seed = "abc"};
  const Robustness result = robustness(files.ranked, files.scorer, options);
  for (std::size_t f = 0; f < options.fractions.size(); ++f) {
    for (std::uint32_t s = 1; s <= options.samples; ++s) {
      const Qrels fewer =
          files.sampled({.seed = "abc", .fraction = options.fractions[f], .sample = s});
      const std::vector<RunFacts> again = files.read(fewer);
      for (std::size_t m = 0; m < result.measures.size(); ++m) {
        std::vector<double> full, sampled;
        for (std::size_t r = 0; r < again.size(); ++r) {
          full.push_back(files.evaluated(files.qrels, files.facts[r]).means[m].value());
          sampled.push_back(files.evaluated(fewer, again[r]).means[m].value());
        }
        EXPECT_NEAR(result.at(f, m).taus[s - 1].value(), plain_tau_b(full, sampled), 1e-12);
      }
    }
    for (std::size_t m = 0; m < result.measures.size(); ++m) {
      const RobustnessCell& cell = result.at(f, m);
      EXPECT_DOUBLE_EQ(cell.average.value(), (*cell.taus[0] + *cell.taus[1]) / 2.0);
      EXPECT_EQ(cell.minimum, std::min(cell.taus[0], cell.taus[1]));
    }
  }
}

TEST(Robustness, OfAllJudgementsIsOne) {
  for (const unsigned seed : {21U, 22U, 23U}) {
    const SampledFiles files({.seed = seed, .runs = 6});
    const Robustness result =
        robustness(files.ranked, files.scorer, {.fractions = {1.0}, .samples = 2});
    for (const RobustnessCell& cell : result.cells) EXPECT_EQ(cell.minimum, 1.0);
  }
}

TEST(Robustness, HasNoValueIfAllRunsTie) {
  SampledFiles files({.seed = 24, .runs = 1});
  files.ranked.runs.push_back(files.ranked.runs.front());
  const Robustness result = robustness(files.ranked, files.scorer, {.fractions = {0.5}});
  for (const RobustnessCell& cell : result.cells) {
    EXPECT_EQ(cell.minimum, std::nullopt);
    EXPECT_EQ(cell.average, std::nullopt);
  }
}

TEST(Robustness, DependsOnTheSeedAndNotOnThreads) {
  const SampledFiles files({.seed = 25, .runs = 8});
  const auto with = [&](const char* seed, unsigned threads) {
    std::vector<std::optional<double>> taus;
    const RobustnessOptions options{
        .fractions = {0.2}, .samples = 4, .seed = seed, .threads = threads};
    for (const RobustnessCell& cell : robustness(files.ranked, files.scorer, options).cells) {
      taus.insert(taus.end(), cell.taus.begin(), cell.taus.end());
    }
    return taus;
  };
  EXPECT_EQ(with("1", 1), with("1", 7));
  EXPECT_NE(with("1", 1), with("2", 1));
}

/// compare_runs of the first run with all others, by run and measure.
std::vector<Verdict> compared(const SampledFiles& files, const Qrels& judged,
                              const std::vector<RunFacts>& facts, PairedTest test) {
  std::vector<Evaluation> evaluations;
  for (const RunFacts& run : facts) evaluations.push_back(files.evaluated(judged, run));
  std::vector<const Evaluation*> scored;
  for (const Evaluation& each : evaluations) scored.push_back(&each);
  CompareOptions options;
  options.test = test;
  options.power.alpha = 0.1;
  std::vector<Verdict> verdicts;
  for (const RunComparison& run : compare_runs(judged, scored, options).runs) {
    for (const MeasureComparison& measure : run.measures) verdicts.push_back(measure.verdict);
  }
  return verdicts;
}

void expect_same_as_comparing_samples(const SampledFiles& files, PairedTest test) {
  const VerdictRobustnessOptions options{
      .draws = {.fractions = {0.4, 0.8}, .samples = 5, .seed = "s"}, .test = test, .alpha = 0.1};
  const VerdictRobustness result = verdict_robustness(files.ranked, files.scorer, options);
  const std::vector<Verdict> full = compared(files, files.qrels, files.facts, test);
  const std::size_t measures = files.scorer.measures().size();
  std::vector<VerdictChanges> expected(full.size() * 2);
  const auto direction = [](Verdict v) {
    return v == Verdict::kBetter ? 1 : v == Verdict::kWorse ? -1 : 0;
  };
  for (std::size_t f = 0; f < 2; ++f) {
    for (std::uint32_t s = 1; s <= options.draws.samples; ++s) {
      const Qrels fewer =
          files.sampled({.seed = "s", .fraction = options.draws.fractions[f], .sample = s});
      const std::vector<Verdict> sampled = compared(files, fewer, files.read(fewer), test);
      for (std::size_t i = 0; i < full.size(); ++i) {
        VerdictChanges& changes = expected[i * 2 + f];
        const int before = direction(full[i]), after = direction(sampled[i]);
        if (before == after)
          ++changes.same;
        else if (after == 0)
          ++changes.lost;
        else if (before == 0)
          ++changes.appeared;
        else
          ++changes.reversed;
      }
    }
  }
  for (std::size_t i = 0; i < full.size(); ++i) {
    const MeasureRobustness& measure = result.runs[i / measures][i % measures];
    EXPECT_EQ(measure.verdict, full[i]);
    for (std::size_t f = 0; f < 2; ++f) {
      const VerdictChanges &said = measure.changes[f], &plain = expected[i * 2 + f];
      EXPECT_EQ(said.same, plain.same);
      EXPECT_EQ(said.lost, plain.lost);
      EXPECT_EQ(said.appeared, plain.appeared);
      EXPECT_EQ(said.reversed, plain.reversed);
      EXPECT_EQ(said.samples(), options.draws.samples);
      EXPECT_LE(said.lowest_difference, said.highest_difference);
    }
  }
}

TEST(VerdictRobustness, EqualsComparingTheRunsAgain) {
  for (const PairedTest test : {PairedTest::kT, PairedTest::kWilcoxon}) {
    expect_same_as_comparing_samples(SampledFiles({.seed = 31, .runs = 4}), test);
  }
  expect_same_as_comparing_samples(SampledFiles({.seed = 32, .topics = 15, .runs = 2}),
                                   PairedTest::kT);
}

TEST(VerdictRobustness, OfAllJudgementsNeverChanges) {
  const SampledFiles files({.seed = 33, .runs = 4});
  const VerdictRobustness result =
      verdict_robustness(files.ranked, files.scorer, {.draws = {.fractions = {1.0}, .samples = 3}});
  for (const auto& run : result.runs) {
    for (const MeasureRobustness& measure : run) {
      ASSERT_EQ(measure.changes.size(), 1U);
      EXPECT_EQ(measure.changes.front().same, 3U);
    }
  }
}

TEST(VerdictRobustness, MeasureWithoutVerdictIsNotCorrectedFor) {
  const SampledFiles files({.seed = 35, .runs = 2});
  const auto measures = files.scorer.measures();
  const Scorer others(std::vector<Measure>(measures.begin() + 1, measures.end()));
  VerdictRobustnessOptions options{.draws = {.fractions = {0.5}, .samples = 20}};
  const auto expected = verdict_robustness(files.ranked, others, options).runs.front();
  options.without_verdict = {true};
  const auto found = verdict_robustness(files.ranked, files.scorer, options).runs.front();
  EXPECT_EQ(found.front().verdict, Verdict::kTooFewTopics);
  EXPECT_TRUE(found.front().changes.empty());
  ASSERT_EQ(found.size(), expected.size() + 1);
  for (std::size_t m = 0; m < expected.size(); ++m) {
    EXPECT_EQ(found[m + 1].verdict, expected[m].verdict);
    EXPECT_EQ(found[m + 1].changes, expected[m].changes);
  }
}

TEST(VerdictRobustness, SingleTopicHasNoChanges) {
  const SampledFiles files({.seed = 34, .topics = 1, .runs = 2});
  const VerdictRobustness result = verdict_robustness(files.ranked, files.scorer);
  for (const MeasureRobustness& measure : result.runs.front()) {
    EXPECT_EQ(measure.verdict, Verdict::kTooFewTopics);
    EXPECT_TRUE(measure.changes.empty());
  }
}

}  // namespace
}  // namespace prescope
