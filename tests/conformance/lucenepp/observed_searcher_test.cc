#include "prescope/lucenepp/observed_searcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "conformance/lucenepp/lucene_index.h"
#include "conformance/watched.h"
#include "prescope/lucenepp/observed_index.h"

#include <lucene++/SortField.h>

namespace prescope::conformance {
namespace {

using lucenepp::ObservedIndex;
using testing::ElementsAre;
using testing::IsEmpty;

const TopicId kTopic{"T1"};

/// valves(5) in two segments; T1 cites EP4 (rank 2), EP1 (rank 5) and EP99, which is not indexed.
class ObservedSearcherTest : public ::testing::Test {
 protected:
  ObservedSearcherTest() {
    const std::vector<Doc> docs = valves(5);
    index_.add({docs.begin(), docs.begin() + 3});
    index_.add({docs.begin() + 3, docs.end()});
    reader_ = index_.open();
    observed_ = std::make_unique<ObservedIndex>(reader_, watched_.experiment());
    searcher_ = observed_->searcher("a");
    plain_ = Lucene::newLucene<Lucene::IndexSearcher>(reader_);
  }

  LuceneIndex index_;
  Watched watched_{{{"T1", "EP4"}, {"T1", "EP1"}, {"T1", "EP99"}, {"T2", "EP5"}}};
  Lucene::IndexReaderPtr reader_;
  std::unique_ptr<ObservedIndex> observed_;
  lucenepp::ObservedSearcherPtr searcher_;
  Lucene::IndexSearcherPtr plain_;
  Lucene::QueryPtr valve_ = term_query(L"valve");
};

TEST_F(ObservedSearcherTest, SettingsReachTheSearchesAsInIndexSearcher) {
  const Lucene::SortPtr by_docno = Lucene::newLucene<Lucene::Sort>(
      Lucene::newLucene<Lucene::SortField>(L"docno", Lucene::SortField::STRING, true));
  const auto score = [&](const Lucene::SearcherPtr& searcher) {
    return searcher->search(valve_, Lucene::FilterPtr(), 1, by_docno)->scoreDocs[0]->score;
  };
  EXPECT_TRUE(std::isnan(score(searcher_)));
  for (const Lucene::IndexSearcherPtr& searcher : {Lucene::IndexSearcherPtr(searcher_), plain_}) {
    searcher->setDefaultFieldSortScoring(true, false);
  }
  const double before = score(searcher_);
  EXPECT_EQ(before, score(plain_));
  const auto similarity = Lucene::newLucene<WithoutFrequencies>();
  searcher_->setSimilarity(similarity);
  plain_->setSimilarity(similarity);
  EXPECT_EQ(score(searcher_), score(plain_));
  EXPECT_EQ(score(searcher_->inside()), score(plain_));
  EXPECT_NE(score(searcher_), before);
}

TEST_F(ObservedSearcherTest, EmptyAnswerIsLucenesSharedObject) {
  QueryScope scope(watched_.experiment(), kTopic);
  EXPECT_EQ(searcher_->search(term_query(L"absent"), 10),
            plain_->search(term_query(L"absent"), 10));
  EXPECT_THAT(watched_.only_ranks(), IsEmpty());
}

TEST_F(ObservedSearcherTest, RefusedHitCountIsNotObserved) {
  QueryScope scope(watched_.experiment(), kTopic);
  EXPECT_THROW(searcher_->search(valve_, 0), Lucene::IllegalArgumentException);
  EXPECT_THROW(searcher_->search(valve_, -1), Lucene::IllegalArgumentException);
  EXPECT_THAT(watched_.seen(), IsEmpty());
}

TEST_F(ObservedSearcherTest, TooManyClausesExceptionPassesThrough) {
  const auto query = Lucene::newLucene<Lucene::BooleanQuery>();
  const auto add_all = [&] {
    for (int32_t i = 0; i <= Lucene::BooleanQuery::getMaxClauseCount(); ++i) {
      query->add(term_query(L"w" + std::to_wstring(i)), Lucene::BooleanClause::SHOULD);
    }
  };
  EXPECT_EQ(Lucene::BooleanQuery::getMaxClauseCount(), 1024);  // the library leaves it alone
  EXPECT_THROW(add_all(), Lucene::TooManyClausesException);
}

TEST_F(ObservedSearcherTest, OneSearcherServesManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 50;
  const auto expected = hits_of(*plain_->search(valve_, 8));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        QueryScope scope(watched_.experiment(), kTopic);
        // The overload that observes, called by us and not by the library: so that sanitizers look.
        const auto served = searcher_->search(term_query(L"valve"), Lucene::FilterPtr(), 8);
        wrong += hits_of(*served) != expected ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), std::size_t{kThreads} * kRounds);
  for (const Seen& one : seen) EXPECT_THAT(one.ranks(), ElementsAre(2, 5));
}

}  // namespace
}  // namespace prescope::conformance
