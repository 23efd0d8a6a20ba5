// Real runs: the effect of kind codes on the scores of CLEF-IP 2010, and the means of PRESeval, the
// script of the authors of PRES, for CLEF-IP 2011.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "base/text_file.h"
#include "runs/docno_hint.h"
#include "runs/evaluation.h"
#include "runs/read_runs.h"
#include "runs/run_oddities.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;

const fs::path kData = PRESCOPE_TEST_DATA;

class ClefIpEvaluation : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kData / "clefip2010")) GTEST_SKIP() << "the collections are absent: " << kData;
  }
  const fs::path run_ = kData / "clefip2010/run.HongguLin.trec.gz";

  [[nodiscard]] static Qrels load(DocnoPolicy policy) {
    return Qrels::load(kData / "clefip2010/qrels.pac.txt", {.docno = policy});
  }
  [[nodiscard]] std::vector<std::optional<double>> means(DocnoPolicy policy) const {
    const Qrels qrels = load(policy);
    const RunFacts facts = read_run_facts(qrels, run_);
    const Scorer scorer(parse_measures("PRES@100,R@100,AP@100"));
    return evaluate(qrels, facts, scorer, {.ranks = {.depth = 100}}).means;
  }
};

/// Four digits, as the values are known.
void expect_means(const std::vector<std::optional<double>>& means, double pres, double recall,
                  double map) {
  constexpr double kHalf = 0.00005;
  EXPECT_NEAR(means.at(0).value(), pres, kHalf);
  EXPECT_NEAR(means.at(1).value(), recall, kHalf);
  EXPECT_NEAR(means.at(2).value(), map, kHalf);
}

TEST_F(ClefIpEvaluation, MatchingKindCodesHalvesTheScores) {
  expect_means(means(DocnoPolicy::kPatent), .2887, .3742, .1199);
  expect_means(means(DocnoPolicy::kPublication), .1334, .1729, .0553);
  expect_means(means(DocnoPolicy::kRaw), .1334, .1729, .0553);
}

std::string without_kind(const std::string& docno) { return docno.substr(0, docno.rfind('-')); }

TEST_F(ClefIpEvaluation, HintCountsMatchesLostToKindCodes) {
  const Qrels qrels = load(DocnoPolicy::kRaw);
  const auto hint = find_docno_hint(qrels, read_run_facts(qrels, run_));
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->policy, DocnoPolicy::kPatent);
  EXPECT_EQ(hint->judged, 26'283U);  // SOURCE.txt: publications judged
  // Counted by hand: all docnos are spelled EP-0971326-B1.
  std::map<std::string, std::set<std::string>> retrieved, retrieved_patents;
  TextFile file(run_);
  for (std::string_view line; file.next(line);) {
    const Columns columns = split_at_blanks(line);
    const std::string topic(columns.text[0]), docno(columns.text[2]);
    retrieved[topic].insert(docno);
    retrieved_patents[topic].insert(without_kind(docno));
  }
  std::set<std::string> matched, would_match;
  for (const TopicQrels& topic : qrels.topics()) {
    const std::string& id = topic.id().text();
    for (const Judgement& judgement : topic.judgements()) {
      const std::string& docno = judgement.docno.text();
      if (retrieved[id].contains(docno)) matched.insert(docno);
      if (retrieved_patents[id].contains(without_kind(docno))) would_match.insert(docno);
    }
  }
  EXPECT_EQ(hint->matched, matched.size());
  EXPECT_EQ(hint->would_match, would_match.size());
  EXPECT_GT(would_match.size(), matched.size());
}

TEST_F(ClefIpEvaluation, NoHintIfThePolicyIsRight) {
  const Qrels qrels = load(DocnoPolicy::kPatent);
  EXPECT_FALSE(find_docno_hint(qrels, read_run_facts(qrels, run_)));
  const Qrels of_2011 = Qrels::load(kData / "clefip2011/qrels.reconstructed.txt");
  for (const auto& entry : fs::directory_iterator(kData / "clefip2011/runs")) {
    EXPECT_FALSE(find_docno_hint(of_2011, read_run_facts(of_2011, entry.path()))) << entry;
  }
}

struct Sums {
  double pres = 0.0, ap = 0.0, recall = 0.0;
  int topics = 0;
};

double number(std::string_view text) {
  double value = NAN;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Means of the values in preseval_expected.tsv; columns: system, topic, PRES, AP, recall.
std::map<std::string, Sums> preseval_sums() {
  std::map<std::string, Sums> sums;
  TextFile file(kData / "clefip2011/preseval_expected.tsv");
  std::string_view line;
  file.next(line);
  while (file.next(line)) {
    const Columns columns = split_at_blanks(line);
    Sums& sum = sums[std::string(columns.text[0])];
    sum = {sum.pres + number(columns.text[2]), sum.ap + number(columns.text[3]),
           sum.recall + number(columns.text[4]), sum.topics + 1};
  }
  return sums;
}

TEST_F(ClefIpEvaluation, MeansEqualThoseOfPreseval) {
  constexpr double kTolerance = 1e-12;
  const Qrels qrels = Qrels::load(kData / "clefip2011/qrels.reconstructed.txt");
  const Scorer scorer(parse_measures("PRES@1000,AP@1000,R@1000"));
  std::size_t compared = 0;
  for (const auto& [system, sums] : preseval_sums()) {
    SCOPED_TRACE(system);
    const RunFacts facts = read_run_facts(qrels, kData / "clefip2011/runs" / (system + ".res.gz"));
    const Evaluation ours = evaluate(qrels, facts, scorer, {.ranks = {.order = RunOrder::kFile}});
    const RunOddities found = run_oddities(qrels, {.order = RunOrder::kFile}, ours);
    if (found.duplicates > 0) {
      // PRESeval counts each line again: SOURCE.txt, .2673 against .2058.
      EXPECT_EQ(found.duplicates, 3254U);
      EXPECT_NEAR(ours.means.at(0).value(), .2058, 5e-5);
      EXPECT_NEAR(sums.pres / sums.topics, .2673, 5e-5);
      continue;
    }
    ++compared;
    EXPECT_NEAR(ours.means.at(0).value(), sums.pres / sums.topics, kTolerance);
    EXPECT_NEAR(ours.means.at(1).value(), sums.ap / sums.topics, kTolerance);
    EXPECT_NEAR(ours.means.at(2).value(), sums.recall / sums.topics, kTolerance);
  }
  EXPECT_EQ(compared, 3U);
}

}  // namespace
}  // namespace prescope
