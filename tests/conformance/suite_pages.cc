// A ranking that is served in several parts.
#include <gmock/gmock.h>

#include "conformance/suite.h"

namespace prescope::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PagesOf {
 public:
  PagesOf(Watched& watched, Subject& subject)
      : watched_(watched), searcher_(subject.searcher("a")) {}

  std::vector<ServedHit> page(Rank first_rank, std::uint32_t depth) {
    return search_for(watched_.experiment(), "T1", *searcher_,
                      {.word = "valve", .depth = depth, .first_rank = first_rank}, "a user");
  }
  [[nodiscard]] std::optional<double> pres_at_10() {
    return mean_of(*watched_.experiment().summary(), "a", "PRES@10");
  }
  [[nodiscard]] std::vector<ServedHit> whole() {
    return searcher_->search_unobserved({.word = "valve"});
  }

 private:
  Watched& watched_;
  std::unique_ptr<SubjectSearcher> searcher_;
};

TEST_P(Conformance, PagesOfOneQueryAreScoredAsTheWholeRanking) {
  if (!traits().pages) GTEST_SKIP() << "the engine serves whole rankings only";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  PagesOf pages(watched, *subject);
  std::vector<ServedHit> joined;
  for (const auto& [first_rank, depth] : {std::pair{1U, 2U}, {3U, 2U}, {5U, 10U}}) {
    EXPECT_EQ(pages.pres_at_10(), std::nullopt) << "before the page from " << first_rank;
    for (ServedHit& hit : pages.page(first_rank, depth)) joined.push_back(std::move(hit));
  }
  EXPECT_EQ(joined, pages.whole());
  // For the whole ranking: ((10 + 1 - 2) + (10 + 2 - 5)) / (3 * 10).
  EXPECT_DOUBLE_EQ(pages.pres_at_10().value(), 16.0 / 30.0);
  EXPECT_EQ(watched.experiment().summary()->health.page_gaps, 0U);
}

TEST_P(Conformance, PageRanksBeginAtItsFirstRank) {
  if (!traits().pages) GTEST_SKIP() << "the engine serves whole rankings only";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  PagesOf(watched, *subject).page(4, 2);  // EP2, EP1
  EXPECT_THAT(watched.only_ranks(), ElementsAre(5));
  const Observation facts = watched.seen().front().facts;
  EXPECT_EQ(facts.first_rank, 4U);
  EXPECT_EQ(facts.num_ret, 2U);
  EXPECT_EQ(facts.depth, 2U);
}

TEST_P(Conformance, PageBehindTheLastHitEndsTheRanking) {
  if (!traits().pages) GTEST_SKIP() << "the engine serves whole rankings only";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  PagesOf pages(watched, *subject);
  pages.page(1, 5);
  EXPECT_EQ(pages.pres_at_10(), std::nullopt);
  EXPECT_THAT(pages.page(6, 5), IsEmpty());
  EXPECT_DOUBLE_EQ(pages.pres_at_10().value(), 16.0 / 30.0);
}

TEST_P(Conformance, PageWithoutEarlierPagesIsAGap) {
  if (!traits().pages) GTEST_SKIP() << "the engine serves whole rankings only";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  PagesOf pages(watched, *subject);
  pages.page(3, 2);
  EXPECT_EQ(pages.pres_at_10(), std::nullopt);
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->health.page_gaps, 1U);
  EXPECT_EQ(summary->arms[0].judged_queries, 1U);
  EXPECT_EQ(summary->arms[0].topics_seen, 0U);
}

TEST_P(Conformance, PageOfAnUnknownVisitIsCountedAndNotScored) {
  if (!traits().pages) GTEST_SKIP() << "the engine serves whole rankings only";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  search_for(watched.experiment(), "T1", *searcher, {.word = "valve", .depth = 2});
  search_for(watched.experiment(), "T1", *searcher,
             {.word = "valve", .depth = 10, .first_rank = 3});
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->health.pages_without_key, 1U);
  EXPECT_EQ(mean_of(*summary, "a", "PRES@10"), std::nullopt);
}

}  // namespace
}  // namespace prescope::conformance
