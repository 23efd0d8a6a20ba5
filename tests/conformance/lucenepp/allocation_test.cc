// Counts every allocation of a thread while it runs the query path. A program of its own, because
// malloc is replaced in it.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "conformance/count_allocations.h"
#include "conformance/lucenepp/lucene_index.h"
#include "conformance/watched.h"
#include "prescope/lucenepp/observed_index.h"

namespace prescope::conformance {
namespace {

/// 6000 documents that all match "valve"; every tenth is cited by T1.
class AllocationTest : public ::testing::TestWithParam<int> {
 protected:
  AllocationTest() {
    if (!kAllocationsAreCounted) return;
    std::vector<Doc> docs;
    Watched::Citations citations;
    for (int i = 0; i < 6000; ++i) {
      docs.push_back({"D" + std::to_string(i), "valve"});
      if (i % 10 == 0) citations.emplace_back("T1", docs.back().docno);
    }
    watched_ = std::make_unique<Watched>(citations);
    index_ = std::make_unique<LuceneIndex>(docs);
    observed_ = std::make_unique<lucenepp::ObservedIndex>(index_->open(), experiment());
    searcher_ = observed_->searcher("a");
    served_ = Lucene::newLucene<Lucene::IndexSearcher>(observed_->reader())
                  ->search(term_query(L"valve"), GetParam());
    make_buffer_of_this_thread(experiment(), topic_);
  }

  void SetUp() override {
    if (!kAllocationsAreCounted) GTEST_SKIP() << "a sanitizer has replaced malloc already";
    std::unique_ptr<int> kept;  // kept, because a compiler may remove an unused allocation
    ASSERT_EQ(allocations_in([&] { kept = std::make_unique<int>(1); }), 1U);
  }
  void TearDown() override {
    if (!kAllocationsAreCounted) return;
    // It was the real thing: all judged documents were found.
    const std::vector<Seen> seen = watched_->seen();
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].facts.num_ret, static_cast<std::uint32_t>(GetParam()));
    EXPECT_EQ(seen[0].hits.size(), static_cast<std::size_t>(GetParam()) / 10);
  }

  Experiment& experiment() { return watched_->experiment(); }

  std::unique_ptr<Watched> watched_;
  std::unique_ptr<LuceneIndex> index_;
  std::unique_ptr<lucenepp::ObservedIndex> observed_;
  lucenepp::ObservedSearcherPtr searcher_;
  Lucene::TopDocsPtr served_;
  const TopicId topic_{"T1"};
};

TEST_P(AllocationTest, ObservingTopDocsDoesNotAllocate) {
  EXPECT_EQ(allocations_in([&] {
              QueryScope scope(experiment(), topic_);
              searcher_->observe(*served_,
                                 {.requested_depth = static_cast<std::uint32_t>(GetParam())});
            }),
            0U);
}

TEST_P(AllocationTest, ObservedCollectorSearchAllocatesAsMuchAsAPlainOne) {
  const auto plain = Lucene::newLucene<Lucene::IndexSearcher>(observed_->reader());
  const Lucene::QueryPtr query = term_query(L"valve");
  const auto search = [&](const Lucene::IndexSearcherPtr& with) {
    return allocations_in([&] {
      const auto collector = Lucene::TopScoreDocCollector::create(GetParam(), true);
      with->search(query, collector);
      collector->topDocs();
    });
  };
  search(plain);  // allocates what is made once
  const std::uint64_t expected = search(plain);
  {
    // Makes this thread's buffers; the fixture counts its own experiment's rankings.
    Watched other(Watched::Citations{{"T1", "D0"}});
    const lucenepp::ObservedIndex observed(observed_->reader(), other.experiment());
    const QueryScope scope(other.experiment(), topic_);
    search(observed.searcher("a"));
  }
  const QueryScope scope(experiment(), topic_);
  EXPECT_EQ(search(searcher_), expected);
}

INSTANTIATE_TEST_SUITE_P(Depths, AllocationTest, testing::Values(10, 1000, 5000));

}  // namespace
}  // namespace prescope::conformance
