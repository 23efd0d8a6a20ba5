#include "prescope/lucenepp/observed_multi_searcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "conformance/lucenepp/lucene_index.h"
#include "conformance/watched.h"
#include "prescope/lucenepp/observed_shards.h"
#include "prescope/lucenepp/ranker.h"

#include <lucene++/MapFieldSelector.h>
#include <lucene++/ParallelMultiSearcher.h>

namespace prescope::conformance {
namespace {

using lucenepp::ObservedShards;
using lucenepp::ShardSearch;
using testing::IsEmpty;

/// 300 documents of words w0, w1, ..., the rarer the higher the number, in three indexes of unequal
/// size. A word is rarer in the first, so that ranking by each index's own frequencies is wrong.
class ObservedMultiSearcherTest : public ::testing::TestWithParam<ShardSearch> {
 protected:
  ObservedMultiSearcherTest() {
    const std::array<int, 3> sizes = {30, 200, 70};
    for (std::size_t shard = 0; shard < sizes.size(); ++shard) {
      const std::vector<Doc> docs = some_docs(sizes[shard], shard == 0 ? 0.5 : 0.1);
      indexes_[shard].add(docs);
      as_one_.add(docs);
      readers_.push_back(indexes_[shard].open());
    }
    observed_ = std::make_unique<ObservedShards>(readers_, watched_.experiment());
    searcher_ = observed_->searcher("a", GetParam());
    plain_ = plain();
  }

  std::vector<Doc> some_docs(int count, double falling) {
    std::geometric_distribution<int> word(falling);
    std::vector<Doc> docs;
    for (; count > 0; --count) {
      Doc doc{"D" + std::to_string(next_++), ""};
      for (auto left = 2 + random_() % 40; left > 0; --left) {
        doc.text += "w" + std::to_string(word(random_)) + " ";
      }
      docs.push_back(std::move(doc));
    }
    return docs;
  }
  [[nodiscard]] Lucene::SearcherPtr plain() const {
    auto parts = Lucene::Collection<Lucene::SearchablePtr>::newInstance();
    for (const auto& reader : readers_) {
      parts.add(Lucene::newLucene<Lucene::IndexSearcher>(reader));
    }
    if (GetParam() == ShardSearch::kInTurn) {
      return Lucene::newLucene<Lucene::MultiSearcher>(parts);
    }
    return Lucene::newLucene<Lucene::ParallelMultiSearcher>(parts);
  }

  std::mt19937 random_{11};
  int next_ = 0;
  std::array<LuceneIndex, 3> indexes_;
  LuceneIndex as_one_;
  ObservedShards::Readers readers_;
  Watched watched_{{{"T1", "D0"}, {"T1", "D100"}, {"T1", "D299"}}};
  std::unique_ptr<ObservedShards> observed_;
  lucenepp::ObservedMultiSearcherPtr searcher_;
  Lucene::SearcherPtr plain_;
};

Lucene::QueryPtr any_of(const std::vector<std::wstring>& words) {
  const auto query = Lucene::newLucene<Lucene::BooleanQuery>();
  for (const auto& word : words) query->add(term_query(word), Lucene::BooleanClause::SHOULD);
  return query;
}

std::vector<Lucene::QueryPtr> queries() {
  return {term_query(L"w1"), any_of({L"w0", L"w3", L"w7", L"w12"}),
          Lucene::newLucene<Lucene::PrefixQuery>(Lucene::newLucene<Lucene::Term>(L"text", L"w1")),
          term_query(L"absent")};
}

TEST_P(ObservedMultiSearcherTest, ScoresEqualThoseOfOneMergedIndex) {
  const auto one = Lucene::newLucene<Lucene::IndexSearcher>(as_one_.open());
  for (const Lucene::QueryPtr& query : queries()) {
    const auto expected = hits_of(*one->search(query, 300));
    EXPECT_EQ(hits_of(*searcher_->search(query, 300)), expected);
  }
  EXPECT_GT(one->search(queries()[1], 300)->totalHits, 100);
}

TEST_P(ObservedMultiSearcherTest, Bm25EqualsThatOfOneMergedIndex) {
  lucenepp::RankerOptions options;
  options.fields = {{L"text", 1.0}};
  options.analyzer = Lucene::newLucene<Lucene::WhitespaceAnalyzer>();
  auto all = Lucene::Collection<Lucene::IndexReaderPtr>::newInstance();
  for (const auto& reader : readers_) all.add(reader);
  const lucenepp::Ranker of_shards(Lucene::newLucene<Lucene::MultiReader>(all, false), options);
  const auto one_reader = as_one_.open();
  const lucenepp::Ranker of_one(one_reader, options);
  const auto one = Lucene::newLucene<Lucene::IndexSearcher>(one_reader);
  const char* const text = "w0 w3 w7 w12 w12";
  const auto expected = hits_of(*one->search(of_one.query(text), 300));
  const auto served = hits_of(*searcher_->search(of_shards.query(text), 300));
  ASSERT_EQ(served.size(), expected.size());
  std::map<int32_t, double> score_of;
  for (const ScoredDocid& hit : expected) score_of[hit.docid] = hit.score;
  for (std::size_t i = 0; i < served.size(); ++i) {
    // MultiSearcher puts the clauses in another order, so that sums may differ in their last bits,
    // and with them the order of equal scores.
    EXPECT_NEAR(served[i].score, expected[i].score, 1e-12);
    EXPECT_NEAR(served[i].score, score_of.at(served[i].docid), 1e-12);
  }
}

TEST_P(ObservedMultiSearcherTest, OtherCallsAreForwarded) {
  const Lucene::QueryPtr query = any_of({L"w0", L"w7"});
  const auto term = Lucene::newLucene<Lucene::Term>(L"text", L"w7");
  auto terms = Lucene::Collection<Lucene::TermPtr>::newInstance();
  terms.add(term);
  EXPECT_GT(searcher_->docFreq(term), 0);
  EXPECT_EQ(searcher_->docFreq(term), plain_->docFreq(term));
  EXPECT_TRUE(searcher_->docFreqs(terms).equals(plain_->docFreqs(terms)));
  EXPECT_EQ(searcher_->maxDoc(), 300);
  EXPECT_EQ(searcher_->doc(299)->get(L"docno"), L"D299");
  auto no_fields = Lucene::Collection<std::wstring>::newInstance();
  EXPECT_EQ(
      searcher_->doc(299, Lucene::newLucene<Lucene::MapFieldSelector>(no_fields))->get(L"docno"),
      L"");
  const int32_t best = plain_->search(query, 1)->scoreDocs[0]->doc;
  const double score = plain_->search(query, 1)->scoreDocs[0]->score;
  EXPECT_DOUBLE_EQ(searcher_->explain(query, best)->getValue(), score);
  EXPECT_DOUBLE_EQ(searcher_->explain(query->weight(searcher_), best)->getValue(), score);
  const auto prefix =
      Lucene::newLucene<Lucene::PrefixQuery>(Lucene::newLucene<Lucene::Term>(L"text", L"w1"));
  EXPECT_TRUE(searcher_->rewrite(prefix)->equals(plain_->rewrite(prefix)));
  EXPECT_THAT(watched_.seen(), IsEmpty());
}

TEST_P(ObservedMultiSearcherTest, SimilarityIsForwarded) {
  EXPECT_EQ(searcher_->getSimilarity(), searcher_->inside()->getSimilarity());
  const auto similarity = Lucene::newLucene<WithoutFrequencies>();
  const Lucene::QueryPtr query = any_of({L"w0", L"w3"});
  const auto before = hits_of(*searcher_->search(query, 10));
  searcher_->setSimilarity(similarity);
  plain_->setSimilarity(similarity);
  EXPECT_EQ(searcher_->getSimilarity(), similarity);
  const auto after = hits_of(*searcher_->search(query, 10));
  EXPECT_NE(after, before);
  EXPECT_EQ(after, hits_of(*plain_->search(query, 10)));
  EXPECT_EQ(hits_of(*searcher_->search(query->weight(searcher_), Lucene::FilterPtr(), 10)), after);
}

TEST_P(ObservedMultiSearcherTest, CollectedRankingIsThatOfTheQuery) {
  for (const Lucene::QueryPtr& query : queries()) {
    const QueryScope scope(watched_.experiment(), TopicId{"T1"});
    searcher_->search(query, 300);
    const auto collector = Lucene::TopScoreDocCollector::create(300, false);
    searcher_->search(query, collector);
    EXPECT_EQ(hits_of(*collector->topDocs()), hits_of(*plain_->search(query, 300)));
    const std::vector<Seen> seen = watched_.seen();
    ASSERT_GE(seen.size(), 2U);
    EXPECT_EQ(seen.back().hits, seen[seen.size() - 2].hits);
    EXPECT_EQ(seen.back().facts.num_ret, seen[seen.size() - 2].facts.num_ret);
  }
}

TEST_P(ObservedMultiSearcherTest, CloseIsForwarded) {
  auto parts = Lucene::Collection<Lucene::SearchablePtr>::newInstance();
  for (const LuceneIndex& index : indexes_) {
    parts.add(Lucene::newLucene<Lucene::IndexSearcher>(index.directory(), true));
  }
  const auto searcher = Lucene::newLucene<lucenepp::ObservedMultiSearcher>(
      Lucene::newLucene<Lucene::MultiSearcher>(parts),
      lucenepp::RankingTarget{&watched_.experiment(), ArmIndex{0}, observed_->resolved()});
  EXPECT_GT(searcher->search(term_query(L"w0"), 10)->totalHits, 0);
  searcher->close();
  EXPECT_THROW(searcher->search(term_query(L"w0"), 10), Lucene::AlreadyClosedException);
}

TEST_P(ObservedMultiSearcherTest, OneSearcherServesManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  const auto expected = hits_of(*plain_->search(any_of({L"w0", L"w3"}), 100));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        QueryScope scope(watched_.experiment(), TopicId{"T1"});
        wrong += hits_of(*searcher_->search(any_of({L"w0", L"w3"}), 100)) != expected ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), std::size_t{kThreads} * kRounds);
  for (const Seen& one : seen) EXPECT_EQ(one.hits, seen.front().hits);
}

INSTANTIATE_TEST_SUITE_P(Searchers, ObservedMultiSearcherTest,
                         testing::Values(ShardSearch::kInTurn, ShardSearch::kParallel),
                         [](const auto& how) {
                           return how.param == ShardSearch::kInTurn ? "Multi" : "Parallel";
                         });

}  // namespace
}  // namespace prescope::conformance
