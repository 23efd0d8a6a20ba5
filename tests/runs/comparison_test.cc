#include "runs/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "measures/scorer.h"
#include "runs/read_runs.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Judgements and runs of one test, scored.
class Compared {
 public:
  Compared(std::string_view qrels, const std::vector<std::string>& runs, std::string_view measures,
           CompareOptions options = {}, const QrelsOptions& judged = {}) {
    qrels_ = Qrels::load(folder_.write("qrels.txt", qrels), judged);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      facts_.push_back(read_run_facts(qrels_, folder_.write("run" + std::to_string(i), runs[i])));
    }
    const Scorer scorer(parse_measures(measures));
    for (const RunFacts& facts : facts_) {
      evaluations_.push_back(evaluate(qrels_, facts, scorer, options.evaluate));
    }
    std::vector<const Evaluation*> scored;
    for (const Evaluation& each : evaluations_) scored.push_back(&each);
    comparison_ = compare_runs(qrels_, scored, options);
  }

  [[nodiscard]] const Comparison& all() const { return comparison_; }
  [[nodiscard]] const RunComparison& b() const { return comparison_.runs.front(); }
  [[nodiscard]] const MeasureComparison& first() const { return b().measures.front(); }
  [[nodiscard]] JudgementIndex judgement(std::string_view topic, std::string_view docno) const {
    return qrels_.topic(*qrels_.find(topic)).find(docno).value();
  }

 private:
  ScratchFolder folder_;
  Qrels qrels_;
  std::vector<RunFacts> facts_;
  std::vector<Evaluation> evaluations_;
  Comparison comparison_;
};

/// Lines of one topic's ranking, best first.
std::string ranking(const std::string& topic, const std::vector<std::string>& docnos) {
  std::string lines;
  int score = 1000;
  for (const std::string& docno : docnos) {
    lines += fmt::format("{} Q0 {} 0 {} tag\n", topic, docno, --score);
  }
  return lines;
}

constexpr std::string_view kQrels =
    "T1 0 D1 1\n"
    "T1 0 D2 1\n"
    "T2 0 D3 1\n"
    "T3 0 D4 0\n";

// T1: D1 at 1, D2 at 3: (4 + 1 - 1) + (4 + 2 - 3) = 7 of 8. T2: D3 at 3: 4 + 1 - 3 = 2 of 4.
const std::string kRunA = ranking("T1", {"D1", "X1", "D2"}) + ranking("T2", {"X1", "X2", "D3"});
// T1: D2 at 1, D1 gone: 4 of 8. T2: D3 at 1: 4 of 4.
const std::string kRunB = ranking("T1", {"D2", "X1"}) + ranking("T2", {"D3"});

TEST(CompareRuns, ComparesTopicByTopic) {
  const Compared compared(kQrels, {kRunA, kRunB}, "PRES@4,R@4");
  const MeasureComparison& pres = compared.first();
  EXPECT_EQ(pres.mean_a, (7.0 / 8 + 2.0 / 4) / 2);
  EXPECT_EQ(pres.mean_b, (4.0 / 8 + 1.0) / 2);
  ASSERT_EQ(pres.topics.size(), 2U);  // T3 has no relevant document
  EXPECT_EQ(pres.topics[0].difference, -0.375);
  EXPECT_EQ(pres.topics[1].difference, 0.5);
  EXPECT_EQ(pres.counts, (DifferenceCounts{.wins = 1, .ties = 0, .losses = 1}));
  EXPECT_EQ(pres.t->mean, 0.0625);
  EXPECT_EQ(pres.sign_flip->p_value, 1.0);  // +-0.375 +-0.5: none is nearer to 0 than 0.125
  EXPECT_FALSE(pres.wilcoxon);
  EXPECT_EQ(compared.b().measures[1].counts, (DifferenceCounts{.wins = 0, .ties = 1, .losses = 1}));
}

std::vector<std::string> ten_unjudged() {
  std::vector<std::string> docnos;
  for (int i = 0; i < 10; ++i) docnos.push_back(fmt::format("X{}", i));
  return docnos;
}

/// Topics T0 to T(n-1), each with two relevant documents at two ranks.
struct TwoRelevant {
  std::string qrels, a, b;

  void add(int topic, std::pair<int, int> in_a, std::pair<int, int> in_b) {
    const std::string id = "T" + std::to_string(topic);
    qrels += fmt::format("{0} 0 {0}x 1\n{0} 0 {0}y 1\n", id);
    a += run_of(id, in_a);
    b += run_of(id, in_b);
  }
  static std::string run_of(const std::string& id, std::pair<int, int> ranks) {
    std::vector<std::string> docnos;
    for (int rank = 1; rank <= 100; ++rank) {
      docnos.push_back(rank == ranks.first    ? id + "x"
                       : rank == ranks.second ? id + "y"
                                              : fmt::format("{}-{}", id, rank));
    }
    return ranking(id, docnos);
  }
};

TEST(CompareRuns, CountFamiliesOfTopicsOnceByTheMeanOfTheirTopics) {
  // R@10: T0, T1 and T2 are one family with differences 0.5, 1 and 0; T3 -0.5; T4 0.
  TwoRelevant all;
  all.add(0, {1, 50}, {1, 2});
  all.add(1, {50, 60}, {1, 2});
  all.add(2, {1, 2}, {2, 1});
  all.add(3, {1, 2}, {1, 50});
  all.add(4, {1, 50}, {50, 1});
  auto map = std::make_shared<FamilyMap>();
  for (const char* topic : {"T0", "T1", "T2"}) map->add(Docno(topic), "f");
  const Compared compared(all.qrels, {all.a, all.b}, "R@10", {}, {.families = map});
  const MeasureComparison& recall = compared.first();
  EXPECT_EQ(recall.topics.size(), 5U) << "topics are listed one by one";
  EXPECT_EQ(recall.counts.wins, 1U);
  EXPECT_EQ(recall.counts.ties, 1U);
  EXPECT_EQ(recall.counts.losses, 1U);
  // A: ((0.5 + 0 + 1) / 3 + 1 + 0.5) / 3; B: (1 + 0.5 + 0.5) / 3.
  EXPECT_NEAR(*recall.mean_a, 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(*recall.mean_b, 2.0 / 3.0, 1e-12);
  EXPECT_EQ(recall.t->n, 3U);
  EXPECT_NEAR(recall.t->mean, 0.0, 1e-12);  // (0.5 - 0.5 + 0) / 3
  EXPECT_NEAR(recall.t->sd, 0.5, 1e-12);
}

TEST(CompareRuns, NoticeTopicsWithTheRanksOfAnother) {
  TwoRelevant all;
  for (int t = 0; t < 40; ++t) {
    const int cluster = t / 2;
    all.add(t, {20 + cluster, 70 + cluster}, {30 + cluster, 65 + cluster});
  }
  const Compared clusters(all.qrels, {all.a, all.b}, "R@100");
  EXPECT_EQ(clusters.b().alike.topics(), 40U);
  EXPECT_EQ(clusters.b().alike.alike(), 40U);
  TwoRelevant different;
  for (int t = 0; t < 20; ++t) different.add(t, {20 + t, 70 + t}, {30 + t, 65 + t});
  // Near the top two topics have the same ranks by chance, and equal ranks are no difference.
  for (int t = 20; t < 40; ++t) different.add(t, {1, 3}, {1, 2});
  for (int t = 40; t < 60; ++t) different.add(t, {50, 60}, {50, 60});
  const Compared none(different.qrels, {different.a, different.b}, "R@100");
  EXPECT_EQ(none.b().alike.topics(), 20U);
  EXPECT_EQ(none.b().alike.alike(), 0U);
}

TEST(CompareRuns, GiveNoVerdictBehindTheEndOfARun) {
  // Both runs end at rank 10; B finds every citation, A none, so that R@10 differs clearly.
  std::string qrels, a, b, with_few_hits;
  for (int t = 0; t < 30; ++t) {
    const std::string topic = fmt::format("T{:02}", t);
    qrels += topic + " 0 D 1\n";
    std::vector<std::string> docnos = ten_unjudged();
    a += ranking(topic, docnos);
    with_few_hits += ranking(topic, t % 4 == 0 ? docnos : std::vector<std::string>{"X"});
    docnos.back() = t % 4 == 0 ? "Y" : "D";
    b += ranking(topic, docnos);
  }
  const Compared compared(qrels, {a, b}, "R@10,R@20,AP");
  const std::vector<MeasureComparison>& measures = compared.b().measures;
  EXPECT_EQ(measures[0].verdict, Verdict::kBetter);
  EXPECT_EQ(measures[1].ends_at, 10U);
  EXPECT_EQ(measures[1].verdict, Verdict::kTooFewTopics);
  EXPECT_FALSE(measures[1].corrected);
  EXPECT_FALSE(measures[0].ends_at);
  EXPECT_FALSE(measures[2].ends_at);
  EXPECT_EQ(compared.all().corrected_over, 2U);
  // Rankings that end as they like are not cut off.
  const Compared uneven(qrels, {a, b + ranking("T00", {"Z"})}, "R@20");
  EXPECT_EQ(uneven.first().ends_at, 10U);
  const Compared few(qrels, {with_few_hits, with_few_hits}, "R@20");
  EXPECT_EQ(few.first().ends_at, 10U);
  const Compared longer(qrels, {a + ranking("T00", {"Z"}), b + ranking("T00", {"Z"})}, "R@20");
  EXPECT_FALSE(longer.first().ends_at);
}

TEST(CompareRuns, GiveNoVerdictWithoutACutoffIfOneRunEndsEarlier) {
  // The first ten ranks are alike; B goes on and finds every citation at rank 11.
  std::string qrels, a, b;
  for (int t = 0; t < 30; ++t) {
    const std::string topic = fmt::format("T{:02}", t);
    qrels += topic + " 0 D 1\n";
    std::vector<std::string> docnos = ten_unjudged();
    a += ranking(topic, docnos);
    docnos.emplace_back("D");
    b += ranking(topic, docnos);
  }
  for (const auto& runs : {std::vector{a, b}, std::vector{b, a}}) {
    const Compared compared(qrels, runs, "R@10,R,AP");
    EXPECT_FALSE(compared.first().ends_at);
    for (const std::size_t without_cutoff : {1U, 2U}) {
      EXPECT_EQ(compared.b().measures[without_cutoff].ends_at, 10U);
      EXPECT_EQ(compared.b().measures[without_cutoff].verdict, Verdict::kTooFewTopics);
    }
  }
  CompareOptions ten_deep;
  ten_deep.evaluate.ranks.depth = 10;
  EXPECT_FALSE(Compared(qrels, {a, b}, "R", ten_deep).first().ends_at);
}

TEST(CompareRuns, ReportsTheChangeOfEachCitation) {
  const Compared compared(kQrels, {kRunA, kRunB}, "AP,PRES@4,R@4");
  EXPECT_EQ(compared.all().moving_measure, 1U);  // the first that is a sum over citations
  ASSERT_EQ(compared.b().moved.size(), 2U);
  const TopicChange& t2 = compared.b().moved[0];  // by 0.5
  EXPECT_EQ(t2.whole, 4U);
  EXPECT_THAT(t2.citations,
              ElementsAre(CitationChange{compared.judgement("T2", "D3"), 3, 1, 2, 0.5}));
  const TopicChange& t1 = compared.b().moved[1];  // by -0.375 = (-4 + 1) / 8
  EXPECT_EQ(t1.whole, 8U);
  EXPECT_THAT(t1.citations,
              ElementsAre(CitationChange{compared.judgement("T1", "D1"), 1, std::nullopt, -4, -0.5},
                          CitationChange{compared.judgement("T1", "D2"), 3, 1, 1, 0.125}));
}

TEST(CompareRuns, CountsACitationAtTheSameRankBelowANewOne) {
  // D2 stays at 3, but is now the second found: 4 + 2 - 3 instead of 4 + 1 - 3.
  const Compared compared("T1 0 D1 1\nT1 0 D2 1\n",
                          {ranking("T1", {"X1", "X2", "D2"}), ranking("T1", {"X1", "D1", "D2"})},
                          "PRES@4");
  ASSERT_EQ(compared.b().moved.size(), 1U);
  EXPECT_THAT(compared.b().moved[0].citations,
              ElementsAre(CitationChange{compared.judgement("T1", "D1"), std::nullopt, 2, 3, 0.375},
                          CitationChange{compared.judgement("T1", "D2"), 3, 3, 1, 0.125}));
  EXPECT_EQ(compared.b().citations->gained, 1U);
  EXPECT_EQ(compared.b().citations->same_rank, 1U);
}

TEST(CompareRuns, SharesOfRecallAreOneDocumentEach) {
  const Compared compared(kQrels, {kRunA, kRunB}, "R@2");
  ASSERT_EQ(compared.b().moved.size(), 1U);  // T2: D3 at 3, then at 1. T1 has one of two each time.
  EXPECT_EQ(compared.b().moved[0].whole, 1U);
  EXPECT_THAT(compared.b().moved[0].citations,
              ElementsAre(CitationChange{compared.judgement("T2", "D3"), std::nullopt, 1, 1, 1.0}));
}

TEST(CompareRuns, SumsChangesWithinTheCutoff) {
  const std::string qrels =
      "T1 0 D1 1\nT1 0 D2 1\nT1 0 D3 1\nT2 0 D4 1\nT3 0 D5 1\nT4 0 D6 1\nT4 0 D7 1\n";
  const std::string a = ranking("T1", {"D1", "X1", "D2", "X2", "D3"}) + ranking("T2", {"D4"}) +
                        ranking("T3", {"X1", "X2", "X3", "X4", "X5", "D5"}) +
                        ranking("T4", {"D6", "D7"});
  const std::string b = ranking("T1", {"D1", "D2"}) + ranking("T2", {"X1"}) +
                        ranking("T3", {"D5"}) + ranking("T4", {"X1", "D6", "D7"});
  const Compared compared(qrels, {a, b}, "PRES@5");
  const CitationTotals& totals = *compared.b().citations;
  EXPECT_EQ(totals.found_a, 6U);
  EXPECT_EQ(totals.found_b, 5U);
  EXPECT_EQ(totals.gained, 1U);                      // D5, from rank 6, behind the cutoff
  EXPECT_EQ(totals.lost, 2U);                        // D3, D4
  EXPECT_EQ(totals.lost_from_far, 1U);               // D4 from rank 1; D3 stood at 5 > 0.8 * 5
  EXPECT_EQ(totals.moved_up, 1U);                    // D2
  EXPECT_EQ(totals.moved_down, 2U);                  // D6, D7
  EXPECT_EQ(totals.same_rank, 1U);                   // D1
  EXPECT_EQ(totals.emptied, 1U);                     // T2
  EXPECT_EQ(totals.filled, 1U);                      // T3
  EXPECT_DOUBLE_EQ(totals.emptied_p.value(), 0.75);  // 1 or 2 heads of 2 coins
  EXPECT_EQ(totals.topics, 4U);
  EXPECT_EQ(totals.topics_changed, 4U);
  // T1: 12 of 15, then 10: -0.13. T2: -1. T3: +1. T4: 10 of 10, then 8: -0.2, which is far.
  EXPECT_EQ(totals.fell_far, 2U);
  EXPECT_EQ(totals.rose_far, 1U);
}

TEST(CompareRuns, RunComparedWithItselfHasNoDifference) {
  const Compared compared(kQrels, {kRunA, kRunA}, "PRES@4,AP");
  for (const MeasureComparison& measure : compared.b().measures) {
    EXPECT_EQ(measure.verdict, Verdict::kIdentical);
    EXPECT_EQ(measure.p_value, 1.0);
    EXPECT_EQ(measure.detectable, 0.0);
    EXPECT_FALSE(measure.topics_needed);
    EXPECT_FALSE(measure.effect->d_z);
    EXPECT_EQ(measure.effect->superiority, 0.5);
  }
  EXPECT_THAT(compared.b().moved, IsEmpty());
  EXPECT_EQ(compared.b().citations->same_rank, 3U);
  EXPECT_FALSE(compared.b().citations->emptied_p);
}

TEST(CompareRuns, FewerThanTwoTopicsHaveNoVerdict) {
  const Compared compared("T1 0 D1 1\n", {ranking("T1", {"D1"}), ranking("T1", {"X", "D1"})},
                          "PRES@4");
  EXPECT_EQ(compared.first().verdict, Verdict::kTooFewTopics);
  EXPECT_EQ(compared.first().mean_b, 0.75);
  EXPECT_FALSE(compared.first().t);
  EXPECT_FALSE(compared.first().corrected);
  EXPECT_EQ(compared.all().corrected_over, 0U);
  EXPECT_EQ(compared.b().moved.size(), 1U);  // the moved topics are known nevertheless
}

TEST(CompareRuns, CountsAMissingTopicAsNothingFoundOrLeavesItOut) {
  const std::string only_t1 = ranking("T1", {"D1", "D2"});
  const Compared all(kQrels, {kRunA, only_t1}, "PRES@4");
  EXPECT_EQ(all.first().topics.size(), 2U);
  EXPECT_EQ(all.first().topics[1].b, 0.0);
  EXPECT_EQ(all.b().citations->lost, 1U);
  CompareOptions options;
  options.evaluate.topics = EvaluateOptions::Topics::kRun;
  const Compared run(kQrels, {kRunA, only_t1}, "PRES@4", options);
  ASSERT_EQ(run.first().topics.size(), 1U);
  EXPECT_EQ(run.first().topics[0].b, 1.0);
  EXPECT_EQ(run.b().citations->lost, 0U);
}

/// Topics T1000, T1001, ...: B finds the one citation at rank 1 or 2 and A at rank 3, so that every
/// topic is better in B; `ties` further topics are the same.
struct ManyTopics {
  std::string qrels, a, b;

  ManyTopics(int better, int ties) {
    for (int i = 0; i < better + ties; ++i) {
      const std::string topic = "T" + std::to_string(1000 + i);
      qrels += topic + " 0 D 1\n";
      a += ranking(topic, {"X", "Y", "D"});
      b += i >= better  ? ranking(topic, {"X", "Y", "D"})
           : i % 2 == 0 ? ranking(topic, {"D"})
                        : ranking(topic, {"X", "D"});
    }
  }
};

TEST(CompareRuns, SignFlipDecidesForFewTopicsOrFewThatDiffer) {
  const struct {
    int better, ties;
    PairedTest decides;
  } cases[] = {{29, 0, PairedTest::kSignFlip},
               {30, 0, PairedTest::kT},
               {19, 81, PairedTest::kSignFlip},
               {20, 80, PairedTest::kT}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.better);
    const ManyTopics many(c.better, c.ties);
    const Compared compared(many.qrels, {many.a, many.b}, "PRES@4");
    EXPECT_EQ(compared.first().decided_by, c.decides);
    EXPECT_EQ(compared.first().p_value, c.decides == PairedTest::kT
                                            ? compared.first().t->p_value
                                            : compared.first().sign_flip->p_value);
    EXPECT_EQ(compared.first().verdict, Verdict::kBetter);
  }
}

TEST(CompareRuns, ChosenTestDecides) {
  const ManyTopics many(8, 2);
  CompareOptions options;
  options.test = PairedTest::kWilcoxon;
  const Compared compared(many.qrels, {many.b, many.a}, "PRES@4", options);
  EXPECT_EQ(compared.first().decided_by, PairedTest::kWilcoxon);
  EXPECT_EQ(compared.first().p_value, compared.first().wilcoxon->p_value);
  EXPECT_EQ(compared.first().wilcoxon->ranked, 8U);
  EXPECT_EQ(compared.first().wilcoxon_pratt->ranked, 10U);
  EXPECT_EQ(compared.first().verdict, Verdict::kWorse);
  options.test = PairedTest::kSignFlip;
  const Compared by_flips(many.qrels, {many.b, many.a}, "PRES@4", options);
  EXPECT_EQ(by_flips.first().p_value, 2.0 / (1 << 8));  // only all signs alike are as far
}

TEST(CompareRuns, CorrectsOverAllMeasuresAndRuns) {
  const ManyTopics many(6, 4);
  const std::vector<std::string> runs = {many.a, many.b, many.a};
  const Compared compared(many.qrels, runs, "PRES@4,R@4,AP");
  EXPECT_EQ(compared.all().corrected_over, 6U);
  // PRES and AP of the second run: 2 / 2^6, times 6 and 5; the others are identical, p = 1.
  const double p = 2.0 / (1 << 6);
  EXPECT_EQ(compared.first().p_value, p);
  EXPECT_DOUBLE_EQ(compared.first().corrected.value(), 6 * p);
  EXPECT_DOUBLE_EQ(compared.b().measures[2].corrected.value(), 6 * p);
  EXPECT_EQ(compared.first().verdict, Verdict::kNoDifference);  // 0.1875
  CompareOptions options;
  options.correction = Correction::kNone;
  const Compared uncorrected(many.qrels, runs, "PRES@4,R@4,AP", options);
  EXPECT_EQ(uncorrected.first().corrected, p);
  EXPECT_EQ(uncorrected.first().verdict, Verdict::kBetter);
}

TEST(CompareRuns, ComputesTheTopicsThatATargetNeeds) {
  CompareOptions options;
  options.target_difference = 0.01;
  const Compared compared(kQrels, {kRunA, kRunB}, "PRES@4", options);
  const double sd = compared.first().t->sd;
  EXPECT_EQ(compared.first().topics_needed, topics_needed(sd, 0.01));
  EXPECT_GT(compared.first().topics_needed,
            Compared(kQrels, {kRunA, kRunB}, "PRES@4").first().topics_needed);
}

TEST(CompareRuns, ListsNoMoreTopicsThanTheLimit) {
  CompareOptions options;
  options.top = 1;
  const Compared compared(kQrels, {kRunA, kRunB}, "PRES@4", options);
  ASSERT_EQ(compared.b().moved.size(), 1U);
  EXPECT_EQ(compared.b().moved[0].scores.difference, 0.5);
  EXPECT_EQ(compared.b().citations->topics_changed, 2U);
}

TEST(CompareRuns, CitationChangesNeedAMeasureThatSumsOverThem) {
  const Compared compared(kQrels, {kRunA, kRunB}, "AP,P@4");
  EXPECT_FALSE(compared.all().moving_measure);
  EXPECT_FALSE(compared.b().citations);
  EXPECT_THAT(compared.b().moved, IsEmpty());
}

TEST(ComparableMeasures, AreEachOnceAndHaveArithmeticMeans) {
  EXPECT_EQ(comparable_measures(parse_measures("AP,R@5,AP")), parse_measures("AP,R@5"));
  for (const MeasureDefinition* definition : measure_table()) {
    if (definition->mean != MeasureDefinition::Mean::kGeometric) continue;
    const auto refusal = refusal_of(
        [&] { static_cast<void>(comparable_measures(parse_measures(definition->name))); });
    EXPECT_THAT(refusal.message, HasSubstr("its mean is geometric"));
  }
}

}  // namespace
}  // namespace prescope
