// Collapsed rankings: of a family only the best ranked member keeps its rank.
#include <gmock/gmock.h>

#include <random>

#include "prescope/error.h"
#include "runs/evaluation.h"
#include "runs/read_runs.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

struct HitOfRun {
  std::string docno;
  int score = 0;
};

/// A ranking of documents of a few families, with tied scores.
struct RandomFamilies {
  std::vector<HitOfRun> hits;
  std::shared_ptr<FamilyMap> families = std::make_shared<FamilyMap>();
  std::map<std::string, std::string> family_of;
  std::vector<Qrels::Line> judged;

  explicit RandomFamilies(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    std::vector<int> numbers(30);
    std::iota(numbers.begin(), numbers.end(), 1);
    std::ranges::shuffle(numbers, random);
    const int lines = 1 + below(25);
    for (int i = 0; i < lines; ++i) {
      const std::string docno = fmt::format("EP{}A1", numbers[static_cast<std::size_t>(i)]);
      hits.push_back({docno, below(6)});
      family_of[docno] = fmt::format("{}", 1 + below(12));
      families->add(Docno(docno), family_of[docno]);
    }
    families->add(Docno("EP99"), "99");
    judged.push_back({TopicId("T"), Docno("EP99A1"), 1});
    for (const HitOfRun& hit : hits) {
      if (below(3) == 0) judged.push_back({TopicId("T"), Docno(hit.docno), 1});
    }
  }

  [[nodiscard]] Qrels qrels(bool collapses) const {
    return Qrels::from_lines(
        judged, {.docno = DocnoPolicy::kFamily, .families = families, .collapses = collapses});
  }

  /// The hits without those whose family has a member before them, in this order.
  [[nodiscard]] std::vector<HitOfRun> collapsed(std::vector<HitOfRun> order) const {
    std::set<std::string> seen;
    std::erase_if(
        order, [&](const HitOfRun& hit) { return !seen.insert(family_of.at(hit.docno)).second; });
    return order;
  }
  [[nodiscard]] std::vector<HitOfRun> by_score() const {
    std::vector<HitOfRun> sorted = hits;
    std::ranges::sort(sorted, [](const HitOfRun& a, const HitOfRun& b) {
      return a.score != b.score ? a.score > b.score : a.docno > b.docno;
    });
    return sorted;
  }
};

RunFacts facts_of(const Qrels& qrels, const std::vector<HitOfRun>& hits) {
  const ScratchFolder folder;
  std::string text;
  for (const HitOfRun& hit : hits) text += fmt::format("T Q0 {} 1 {} x\n", hit.docno, hit.score);
  return read_run_facts(qrels, folder.write("a.run", text));
}

/// Ranks of judgements under one order.
std::map<std::uint32_t, Rank> ranks_of(const RunFacts& facts, Rank Retrieved::*rank) {
  std::map<std::uint32_t, Rank> ranks;
  for (const Retrieved& one : facts.retrieved) ranks[one.judgement.value()] = one.*rank;
  return ranks;
}

TEST(CollapsedRuns, AreRunsWithoutLaterMembers) {
  for (unsigned seed = 0; seed < number_of_cases(500); ++seed) {
    const RandomFamilies random(seed);
    const RunFacts collapsed = facts_of(random.qrels(true), random.hits);
    const Qrels qrels = random.qrels(false);
    const RunFacts by_score = facts_of(qrels, random.collapsed(random.by_score()));
    const RunFacts by_line = facts_of(qrels, random.collapsed(random.hits));
    EXPECT_EQ(ranks_of(collapsed, &Retrieved::trec_rank), ranks_of(by_score, &Retrieved::trec_rank))
        << seed;
    EXPECT_EQ(ranks_of(collapsed, &Retrieved::file_rank), ranks_of(by_line, &Retrieved::file_rank))
        << seed;
    EXPECT_EQ(collapsed.topics[0].num_ret, by_score.topics[0].num_ret) << seed;
  }
}

TEST(CollapsedRuns, LaterMembersKeepTheirRanksOtherwise) {
  const RandomFamilies random(3);
  const RunFacts facts = facts_of(random.qrels(false), random.hits);
  EXPECT_EQ(facts.topics[0].num_ret, random.hits.size());
}

TEST(CollapsedRuns, RaiseRecallAtACutoff) {
  const auto families = std::make_shared<FamilyMap>();
  for (const char* docno : {"EP1A1", "US1A1", "JP1A1"}) families->add(Docno(docno), "1");
  const std::vector<Qrels::Line> judged{{TopicId("T"), Docno("EP2A1"), 1}};
  const std::vector<HitOfRun> hits{{"EP1A1", 4}, {"US1A1", 3}, {"JP1A1", 2}, {"EP2A1", 1}};
  for (const bool collapses : {false, true}) {
    const Qrels qrels = Qrels::from_lines(
        judged, {.docno = DocnoPolicy::kFamily, .families = families, .collapses = collapses});
    EXPECT_EQ(facts_of(qrels, hits).retrieved.at(0).trec_rank, collapses ? 2U : 4U);
  }
}

TEST(CollapsedRuns, NeedAPolicyThatJoinsDocnos) {
  const std::vector<Qrels::Line> judged{{TopicId("T"), Docno("EP2A1"), 1}};
  EXPECT_THROW((void)Qrels::from_lines(judged, {.collapses = true}), Error);
}

}  // namespace
}  // namespace prescope
