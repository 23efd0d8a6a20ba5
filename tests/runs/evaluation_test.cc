// Evaluations of runs, compared with counting by hand or by brute force.
#include "runs/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "runs/docno_hint.h"
#include "runs/read_runs.h"
#include "runs/run_oddities.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

constexpr int kTopics = 20, kDocnos = 30;

/// A run and judgements full of ties, duplicates and gaps, as text.
struct Random {
  std::string qrels, run;

  explicit Random(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    for (int t = 0; t < kTopics; ++t) {
      std::set<int> judged;
      for (int i = 0; i < 8; ++i) judged.insert(below(kDocnos));
      for (const int d : judged) qrels += fmt::format("T{} 0 D{} {}\n", t, d, below(4) - 1);
      if (t % 5 == 4) continue;  // missing from the run
      const int lines = 1 + below(25);
      for (int i = 0; i < lines; ++i) {
        run += fmt::format("T{} Q0 D{} {} {} x\n", t, below(kDocnos), i + 1, below(6));
      }
    }
  }
};

struct Loaded {
  explicit Loaded(unsigned seed) {
    const Random random(seed);
    qrels = Qrels::load(folder.write("qrels", random.qrels));
    facts = read_run_facts(qrels, folder.write("run", random.run));
  }
  ScratchFolder folder;
  Qrels qrels;
  RunFacts facts;
};

std::vector<Measure> measures() { return parse_measures("PRES@5,R@5,AP,P@10,RR"); }

/// A topic's lines in trec order, from the file's text.
struct Line {
  std::string docno;
  double score = 0;
};
std::vector<Line> lines_in_trec_order(const std::string& run, const std::string& topic) {
  std::istringstream in(run);
  std::vector<Line> lines;
  std::string id, q0, docno, rank, tag;
  for (double score = 0; in >> id >> q0 >> docno >> rank >> score >> tag;) {
    if (id == topic) lines.push_back({docno, score});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.score != b.score ? a.score > b.score : a.docno > b.docno;
  });
  return lines;
}

TEST(EvaluationOfARun, OrderEffectIsTheEvaluationUnderTheOtherOrder) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const Loaded loaded(seed);
    const Scorer scorer(measures());
    for (const RunOrder order : {RunOrder::kTrec, RunOrder::kFile}) {
      const EvaluateOptions options{.ranks = {.order = order, .judged_only = seed % 2 == 0}};
      const Evaluation here = evaluate(loaded.qrels, loaded.facts, scorer, options);
      const OrderEffect effect = order_effect(loaded.qrels, scorer, options.ranks, here);
      EvaluateOptions other = options;
      other.ranks.order = effect.other;
      EXPECT_NE(effect.other, order);
      EXPECT_EQ(effect.means, evaluate(loaded.qrels, loaded.facts, scorer, other).means);
    }
  }
}

/// The depth is a rank of the whole ranking, before documents without a judgement are removed.
TEST(EvaluationOfARun, OnlyJudgedDocumentsUpToTheDepthAreCounted) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const Loaded loaded(seed);
    const EvaluateOptions options{.ranks = {.depth = 7, .judged_only = true}};
    const Evaluation evaluation = evaluate(loaded.qrels, loaded.facts, Scorer(measures()), options);
    for (const RunOddities::AtCutoff& at :
         run_oddities(loaded.qrels, options.ranks, evaluation).at_cutoffs) {
      std::uint64_t num_ret = 0;
      for (const Evaluation::Topic& topic : evaluation.topics) {
        num_ret += std::min(topic.num_ret, at.cutoff);
      }
      EXPECT_EQ(at.num_ret, num_ret) << at.cutoff;
      EXPECT_EQ(at.unjudged, 0U) << at.cutoff;
    }
  }
}

TEST(EvaluationOfARun, OdditiesAtACutoffEqualCountingLineByLine) {
  constexpr Rank kCutoff = 5;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const Loaded loaded(seed);
    const Random random(seed);
    const Scorer scorer(parse_measures("R@5"));
    const Evaluation evaluation = evaluate(loaded.qrels, loaded.facts, scorer);
    const RunOddities found = run_oddities(loaded.qrels, {}, evaluation);
    std::uint64_t num_ret = 0, unjudged = 0, tied = 0, duplicates = 0;
    for (const TopicQrels& topic : loaded.qrels.topics()) {
      const auto lines = lines_in_trec_order(random.run, topic.id().text());
      std::set<std::string> seen;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool is_new = seen.insert(lines[i].docno).second;
        duplicates += is_new ? 0 : 1;
        const auto judgement = topic.find(lines[i].docno);
        const bool judged = judgement && topic.judgements()[judgement->value()].grade >= 0;
        if (i < kCutoff) {
          ++num_ret;
          unjudged += judged && is_new ? 0 : 1;
        }
        const bool parted = lines.size() > kCutoff &&
                            lines[kCutoff - 1].score == lines[kCutoff].score &&
                            lines[i].score == lines[kCutoff].score;
        tied += parted && is_new && judgement && topic.is_relevant(*judgement) ? 1 : 0;
      }
    }
    ASSERT_EQ(found.at_cutoffs.size(), 1U);
    EXPECT_EQ(found.at_cutoffs[0].cutoff, kCutoff);
    EXPECT_EQ(found.at_cutoffs[0].num_ret, num_ret);
    EXPECT_EQ(found.at_cutoffs[0].unjudged, unjudged);
    EXPECT_EQ(found.at_cutoffs[0].tied, tied);
    EXPECT_EQ(found.duplicates, duplicates);
    EXPECT_EQ(found.missing.size(), std::size_t{kTopics / 5});
    EXPECT_EQ(found.topics, std::uint32_t{kTopics});
  }
}

TEST(EvaluationOfARun, JudgedOnlyEqualsTheRunWithoutUnjudgedLines) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const Loaded loaded(seed);
    const Random random(seed);
    std::istringstream in(random.run);
    std::string kept;
    std::set<std::string> seen;
    for (std::string line; std::getline(in, line);) {
      std::istringstream columns(line);
      std::string topic, q0, docno;
      columns >> topic >> q0 >> docno;
      const TopicQrels& qrels = loaded.qrels.topic(loaded.qrels.find(topic).value());
      const auto judgement = qrels.find(docno);
      if (!judgement || qrels.judgements()[judgement->value()].grade < 0) continue;
      if (seen.insert(topic + ' ' + docno).second) kept += line + '\n';
    }
    const RunFacts reduced = read_run_facts(loaded.qrels, loaded.folder.write("kept", kept));
    const Scorer scorer(measures());
    // By line, a repeated document stands at its first line in both.
    const EvaluateOptions by_file{.ranks = {.order = RunOrder::kFile}};
    EvaluateOptions judged_only = by_file;
    judged_only.ranks.judged_only = true;
    EXPECT_EQ(evaluate(loaded.qrels, loaded.facts, scorer, judged_only).means,
              evaluate(loaded.qrels, reduced, scorer, by_file).means);
  }
}

TEST(EvaluationOfARun, DepthEqualsTheMeasureAtThatCutoff) {
  const Loaded loaded(7);
  const Scorer all(parse_measures("R@5,AP@5")), deep(parse_measures("R@25,AP"));
  const EvaluateOptions cut{.ranks = {.depth = 5}};
  EXPECT_EQ(evaluate(loaded.qrels, loaded.facts, deep, cut).means,
            evaluate(loaded.qrels, loaded.facts, all).means);
}

TEST(DocnoHint, ChanceMatchesGiveNoHint) {
  const ScratchFolder folder;
  std::string qrels, run;
  for (int i = 0; i < 100; ++i) {
    qrels += fmt::format("T1 0 FT911-{} 1\n", i);
    run += fmt::format("T1 Q0 FT911-{} 1 {} x\n", i, 1000 - i);
  }
  qrels += "T1 0 FT9111-2 1\n";  // as a patent number the same as FT911-12
  const Qrels loaded = Qrels::load(folder.write("qrels", qrels));
  const RunFacts facts = read_run_facts(loaded, folder.write("run", run));
  EXPECT_FALSE(find_docno_hint(loaded, facts));
}

TEST(DocnoHint, StandardInputHasNoHint) {
  const Qrels qrels = Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("T"), Docno("EP1A1")}});
  RunFacts facts;
  facts.path = "-";
  EXPECT_FALSE(find_docno_hint(qrels, facts));
}

TEST(TopicRanks, DepthCutsBeforeUnjudgedDocumentsAreRemoved) {
  // As trec_eval -M 3 -J does: u (unjudged) and a remain of u a v b; a moves up.
  const Qrels::Line lines[] = {{TopicId("t"), Docno("a"), 1}, {TopicId("t"), Docno("b"), 1}};
  const Qrels qrels = Qrels::from_lines(lines);
  const ScratchFolder folder;
  const RunFacts facts = read_run_facts(
      qrels, folder.write("run", "t Q0 u 1 4 x\nt Q0 a 2 3 x\nt Q0 v 3 2 x\nt Q0 b 4 1 x\n"));
  TopicRanks ranks(qrels, {.depth = 3, .judged_only = true});
  const JudgedRanks judged = ranks.of(facts, facts.topics.front().topic);
  EXPECT_THAT(judged.relevant, ::testing::ElementsAre(1U));
  EXPECT_EQ(judged.num_ret, 1U);
}

/// One topic of a few lines, in the order of their scores.
struct TiedTopic {
  std::string qrels;
  std::vector<Line> lines;

  explicit TiedTopic(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    const int size = 2 + below(5);
    for (int d = 0; d < size; ++d) {
      lines.push_back({fmt::format("D{}", d), static_cast<double>(below(3))});
      if (below(3) > 0) qrels += fmt::format("T 0 D{} {}\n", d, below(4));
    }
    qrels += "T 0 D8 2\nT 0 D9 1\n";  // never found
    std::ranges::stable_sort(lines, std::greater{}, &Line::score);
  }
};

/// Scores of the lines in this order, without ties.
std::vector<std::optional<double>> scores_in_order(const ScratchFolder& folder, const Qrels& qrels,
                                                   const Scorer& scorer,
                                                   const std::vector<Line>& lines,
                                                   const EvaluateOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("T Q0 {} {} {} x\n", lines[i].docno, i + 1, lines.size() - i);
  }
  const RunFacts facts = read_run_facts(qrels, folder.write("order", text));
  return evaluate(qrels, facts, scorer, options).means;
}

/// Tries all orders of the lines that tie.
TEST(EvaluationOfARun, TheRangeOfTiesIsThatOfAllTheirOrders) {
  const Scorer scorer(parse_measures(
      "PRES@3,PRES@10,R@2,AP,AP@3,P@3,RR,nDCG@4,nDCG,ERR@5,bpref,infAP,Rprec,RBP0.8,Success@2,"
      "Judged@3,AP(rel=2)"));
  const ScratchFolder folder;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const TiedTopic topic(seed);
    const Qrels qrels = Qrels::load(folder.write("qrels", topic.qrels));
    EvaluateOptions options;
    if (seed % 3 == 0) options.ranks.depth = 3;
    if (seed % 5 == 0) options.ranks.judged_only = true;
    std::string text;
    for (const Line& line : topic.lines) {
      text += fmt::format("T Q0 {} 1 {} x\n", line.docno, line.score);
    }
    const RunFacts facts = read_run_facts(qrels, folder.write("run", text));
    const TieRange range = tie_range(qrels, facts, scorer, options);
    std::vector<std::optional<double>> lowest, highest;
    std::vector<Line> lines = topic.lines;
    const auto before = [](const Line& a, const Line& b) { return a.docno < b.docno; };
    std::ranges::sort(lines, before);
    do {
      if (!std::ranges::is_sorted(lines, std::greater{}, &Line::score)) continue;
      const auto scores = scores_in_order(folder, qrels, scorer, lines, options);
      if (lowest.empty()) lowest = highest = scores;
      for (std::size_t m = 0; m < scores.size(); ++m) {
        lowest[m] = std::min(lowest[m], scores[m]);
        highest[m] = std::max(highest[m], scores[m]);
      }
    } while (std::next_permutation(lines.begin(), lines.end(), before));
    for (std::size_t m = 0; m < lowest.size(); ++m) {
      SCOPED_TRACE(scorer.measures()[m].name());
      ASSERT_EQ(range.lowest.means[m].has_value(), lowest[m].has_value());
      if (!lowest[m]) continue;
      EXPECT_NEAR(*range.lowest.means[m], *lowest[m], 1e-12);
      EXPECT_NEAR(*range.highest.means[m], *highest[m], 1e-12);
    }
  }
}

}  // namespace
}  // namespace prescope
