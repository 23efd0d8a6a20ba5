#include "prescope/lucenepp/observed_searcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <thread>

#include "conformance/faulty_reader.h"
#include "conformance/lucene_index.h"
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
class ObservedSearcherTest : public testing::Test {
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

TEST_F(ObservedSearcherTest, RecordsTheRanksOfJudgedDocuments) {
  {
    QueryScope scope(watched_.experiment(), kTopic);
    searcher_->search(valve_, 10);
  }
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(2, 5));
  const Observation facts = watched_.seen().front().facts;
  EXPECT_EQ(facts.arm, watched_.experiment().arm("a"));
  EXPECT_EQ(facts.num_ret, 5U);
  EXPECT_EQ(facts.total_hits, 5U);
  EXPECT_EQ(facts.requested_depth, 10U);
  EXPECT_EQ(facts.first_rank, 1U);
  EXPECT_EQ(facts.collection_size, 5U);
  EXPECT_EQ(facts.flags, RankingFlags::kNone);
  EXPECT_GT(facts.latency.count(), 0);
}

TEST_F(ObservedSearcherTest, EachArmHasItsOwnSearcher) {
  QueryScope scope(watched_.experiment(), kTopic);
  observed_->searcher("b")->search(valve_, 10);
  EXPECT_EQ(watched_.seen().front().facts.arm, watched_.experiment().arm("b"));
}

TEST_F(ObservedSearcherTest, EveryOverloadServesWhatAnIndexSearcherServesAndIsObservedOnce) {
  const Lucene::FilterPtr filter =
      Lucene::newLucene<Lucene::TermRangeFilter>(L"docno", L"EP2", L"EP4", true, true);
  const Lucene::SortPtr sort = Lucene::newLucene<Lucene::Sort>(
      Lucene::newLucene<Lucene::SortField>(L"docno", Lucene::SortField::STRING, true));
  const Lucene::FilterPtr none;
  using Search = std::function<Lucene::TopDocsPtr(const Lucene::IndexSearcherPtr&)>;
  const std::vector<std::pair<const char*, Search>> overloads = {
      {"query, n", [&](const auto& s) { return s->search(valve_, 4); }},
      {"query, filter, n", [&](const auto& s) { return s->search(valve_, filter, 4); }},
      {"query, filter, n, sort", [&](const auto& s) { return s->search(valve_, filter, 4, sort); }},
      {"weight, filter, n", [&](const auto& s) { return s->search(valve_->weight(s), none, 4); }},
      {"weight, filter, n, sort",
       [&](const auto& s) { return s->search(valve_->weight(s), none, 4, sort); }},
      {"weight, filter, n, sort, fields",
       [&](const auto& s) { return s->search(valve_->weight(s), none, 4, sort, false); }},
  };
  std::size_t queries = 0;
  for (const auto& [name, search] : overloads) {
    SCOPED_TRACE(name);
    QueryScope scope(watched_.experiment(), kTopic);
    const Lucene::TopDocsPtr served = search(searcher_);
    const Lucene::TopDocsPtr expected = search(plain_);
    ASSERT_EQ(served->scoreDocs.size(), expected->scoreDocs.size());
    for (int32_t i = 0; i < served->scoreDocs.size(); ++i) {
      EXPECT_EQ(served->scoreDocs[i]->doc, expected->scoreDocs[i]->doc);
      const double score = expected->scoreDocs[i]->score;  // NaN where sorted
      EXPECT_TRUE(served->scoreDocs[i]->score == score || std::isnan(score));
    }
    EXPECT_EQ(served->totalHits, expected->totalHits);
    EXPECT_EQ(watched_.seen().size(), ++queries);
  }
}

TEST_F(ObservedSearcherTest, ASortedSearchIsMatchedInItsOwnOrderAndMarked) {
  // By docno descending: EP5, EP4, EP3, EP2, EP1, as by score; ascending puts EP1 first, EP4
  // fourth.
  const auto sort = Lucene::newLucene<Lucene::Sort>(
      Lucene::newLucene<Lucene::SortField>(L"docno", Lucene::SortField::STRING));
  QueryScope scope(watched_.experiment(), kTopic);
  searcher_->search(valve_, Lucene::FilterPtr(), 10, sort);
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(1, 4));
  EXPECT_TRUE(has(watched_.seen().front().facts.flags, RankingFlags::kSorted));
}

TEST_F(ObservedSearcherTest, AnEmptyRankingIsARankingWithNothingFound) {
  QueryScope scope(watched_.experiment(), kTopic);
  const Lucene::TopDocsPtr served = searcher_->search(term_query(L"absent"), 10);
  EXPECT_EQ(served->totalHits, 0);
  // The object that Lucene++ shares among all empty answers.
  EXPECT_EQ(served, plain_->search(term_query(L"absent"), 10));
  EXPECT_THAT(watched_.only_ranks(), IsEmpty());
  const auto summary = watched_.experiment().summary();
  EXPECT_EQ(summary->arms[0].judged_queries, 1U);
  EXPECT_EQ(summary->arms[0].means[0].mean, 0.0);
  EXPECT_EQ(summary->health.unmatched_rankings, 0U);
}

TEST_F(ObservedSearcherTest, FewerHitsThanTheCutoffMeanThatTheRankingEnded) {
  QueryScope scope(watched_.experiment(), kTopic);
  searcher_->search(valve_, 10);
  // n = 3 relevant; EP4 and EP1 at ranks 2 and 5, N = 10:
  // PRES@10 = ((10 + 1 - 2) + (10 + 2 - 5)) / (3 * 10) = 16/30; R@10 = 2/3; AP@10 = (1/2 + 2/5)/3.
  const auto summary = watched_.experiment().summary();
  const auto mean = [&](std::string_view measure) {
    for (const MeasureMean& one : summary->arms[0].means) {
      if (one.measure.name() == measure) return one.mean.value_or(-1);
    }
    return -2.0;
  };
  EXPECT_DOUBLE_EQ(mean("PRES@10"), 16.0 / 30.0);
  EXPECT_DOUBLE_EQ(mean("R@10"), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(mean("AP@10"), 0.3);
  // Rank 2 of 2: PRES@2 = (2 + 1 - 2) / (3 * 2).
  EXPECT_DOUBLE_EQ(mean("PRES@2"), 1.0 / 6.0);
}

TEST_F(ObservedSearcherTest, ADocumentThatTheIndexLacksStaysJudgedAndIsReported) {
  QueryScope scope(watched_.experiment(), kTopic);
  searcher_->search(valve_, 10);
  const auto summary = watched_.experiment().summary();
  EXPECT_EQ(summary->arms[0].relevant_missing, 1U);
  EXPECT_EQ(summary->arms[1].relevant_missing, std::nullopt);  // never searched
  ASSERT_EQ(summary->rows.size(), 1U);
  EXPECT_EQ(summary->rows[0].num_rel, 3U);
  EXPECT_EQ(summary->rows[0].arms[0].missing, 1U);
}

TEST_F(ObservedSearcherTest, DeeperPagesOfOneQueryAreEachRecordedAtTheirDepth) {
  QueryScope scope(watched_.experiment(), kTopic);
  searcher_->search(valve_, 1);
  searcher_->search(valve_, 3);
  searcher_->search(valve_, 5);
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_THAT(seen[0].hits, IsEmpty());
  EXPECT_EQ(seen[0].facts.requested_depth, 1U);
  EXPECT_EQ(seen[1].hits.size(), 1U);
  EXPECT_EQ(seen[2].hits.size(), 2U);
}

TEST_F(ObservedSearcherTest, MoreHitsAskedForThanThereAreDocumentsKeepTheHostsDepth) {
  QueryScope scope(watched_.experiment(), kTopic);
  EXPECT_EQ(searcher_->search(valve_, 1'000'000)->scoreDocs.size(), 5);
  EXPECT_EQ(watched_.seen().front().facts.requested_depth, 1'000'000U);
}

TEST_F(ObservedSearcherTest, ExceptionsPassThroughUnchangedAndAreNoRanking) {
  {
    QueryScope scope(watched_.experiment(), kTopic);
    EXPECT_THROW(searcher_->search(valve_, 0), Lucene::IllegalArgumentException);
    EXPECT_THROW(searcher_->search(valve_, -1), Lucene::IllegalArgumentException);
  }
  reader_->close();
  {
    QueryScope scope(watched_.experiment(), kTopic);
    EXPECT_THROW(searcher_->search(valve_, 10), Lucene::AlreadyClosedException);
  }
  EXPECT_THAT(watched_.seen(), IsEmpty());
  const auto summary = watched_.experiment().summary();
  EXPECT_EQ(summary->health.queries_without_ranking, 2U);
  EXPECT_EQ(summary->health.adapter_failures, 0U);
}

TEST_F(ObservedSearcherTest, AnEngineThatFailsInTheMiddleFailsAsItWouldUnobserved) {
  const auto faults = std::make_shared<Faults>();
  ObservedIndex faulty(FaultyReader::wrap_segments(reader_, faults), watched_.experiment());
  const auto searcher = faulty.searcher("a");
  faults->term_docs_throw = true;
  QueryScope scope(watched_.experiment(), kTopic);
  try {
    searcher->search(valve_, 10);
    FAIL() << "expected an exception";
  } catch (const Lucene::IOException& failure) {
    EXPECT_EQ(failure.getError(), L"the disk is gone");
  }
  EXPECT_THAT(watched_.seen(), IsEmpty());
  faults->term_docs_throw = false;
  EXPECT_EQ(searcher->search(valve_, 10)->totalHits, 5);
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(2, 5));
}

TEST_F(ObservedSearcherTest, TooManyClausesAreTheHostsToSee) {
  const auto query = Lucene::newLucene<Lucene::BooleanQuery>();
  const auto add_all = [&] {
    for (int32_t i = 0; i <= Lucene::BooleanQuery::getMaxClauseCount(); ++i) {
      query->add(term_query(L"w" + std::to_wstring(i)), Lucene::BooleanClause::SHOULD);
    }
  };
  EXPECT_EQ(Lucene::BooleanQuery::getMaxClauseCount(), 1024);  // the library leaves it alone
  EXPECT_THROW(add_all(), Lucene::TooManyClausesException);
}

TEST_F(ObservedSearcherTest, WithoutAScopeASearchIsCountedAndNothingElse) {
  EXPECT_EQ(searcher_->search(valve_, 10)->totalHits, 5);
  EXPECT_THAT(watched_.seen(), IsEmpty());
  EXPECT_EQ(watched_.experiment().summary()->health.queries_without_scope, 1U);
}

TEST_F(ObservedSearcherTest, ATopicWithoutJudgementsKeepsItsLatencyOnly) {
  {
    QueryScope scope(watched_.experiment(), TopicId{"unheard of"});
    searcher_->search(valve_, 10);
  }
  const auto summary = watched_.experiment().summary();
  EXPECT_EQ(summary->arms[0].unjudged_queries, 1U);
  EXPECT_EQ(summary->arms[0].judged_queries, 0U);
  EXPECT_EQ(summary->arms[0].latency.count, 1U);
}

TEST_F(ObservedSearcherTest, AHostsOwnCollectorIsObservedExplicitly) {
  QueryScope scope(watched_.experiment(), kTopic);
  const auto collector = Lucene::TopScoreDocCollector::create(10, true);
  searcher_->search(valve_, collector);
  EXPECT_THAT(watched_.seen(), IsEmpty());  // a collector hides its ranking
  // The second page of two, ranks 3 and 4 of EP5, EP4, EP3, EP2, EP1: nothing that T1 cites.
  searcher_->observe(*collector->topDocs(2, 2), {.requested_depth = 2, .first_rank = 3});
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].facts.first_rank, 3U);
  EXPECT_EQ(seen[0].facts.num_ret, 2U);
  EXPECT_THAT(seen[0].hits, IsEmpty());
}

TEST_F(ObservedSearcherTest, AnExplicitPageIsRankedFromItsFirstRank) {
  QueryScope scope(watched_.experiment(), kTopic);
  const auto collector = Lucene::TopScoreDocCollector::create(10, true);
  plain_->search(valve_, collector);
  searcher_->observe(*collector->topDocs(3, 2), {.requested_depth = 2, .first_rank = 4});
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(5));  // EP2, EP1
}

TEST(ObservedSearcher, APatentInSeveralDocumentsCountsAtItsFirstRank) {
  // Served EP5B1, EP4, EP5A1, ...: under the patent policy EP5 stands at ranks 1 and 3.
  LuceneIndex index({{"EP-5-B1", "valve valve valve valve pump"},
                     {"EP4A1", "valve valve valve pump pump"},
                     {"EP 5 A1", "valve valve pump pump pump"},
                     {"EP6A1", "valve pump pump pump pump"}});
  Watched watched(Watched::Citations{{"T1", "EP5B1"}, {"T1", "EP6"}},
                  {.docno = DocnoPolicy::kPatent});
  const ObservedIndex observed(index.open(), watched.experiment());
  QueryScope scope(watched.experiment(), kTopic);
  observed.searcher("a")->search(term_query(L"valve"), 10);
  EXPECT_THAT(watched.only_ranks(), ElementsAre(1, 4));
  EXPECT_EQ(watched.seen().front().facts.duplicates, 1U);
  EXPECT_EQ(watched.experiment().summary()->arms[0].duplicate_hits, 1U);
}

TEST(ObservedSearcher, DepthsBeyondTheCopyBufferKeepTheirRanks) {
  // 3000 documents in the order of their docids, since all score alike; every 7th is judged.
  std::vector<Doc> docs;
  Watched::Citations citations;
  std::vector<Rank> expected;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    docs.push_back({"D" + std::to_string(i), "valve"});
    if (i % 7 != 0) continue;
    citations.emplace_back("T1", docs.back().docno);
    expected.push_back(i + 1);
  }
  Watched watched(citations);
  const ObservedIndex observed(LuceneIndex(docs).open(), watched.experiment());
  QueryScope scope(watched.experiment(), kTopic);
  observed.searcher("a")->search(term_query(L"valve"), 3000);
  EXPECT_EQ(watched.only_ranks(), expected);
}

TEST(ObservedSearcher, EightThreadsAreServedAndRecordedAsOne) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 50;
  const LuceneIndex index(valves(8));
  Watched::Citations citations;
  for (int t = 1; t <= kThreads; ++t) {
    citations.emplace_back("T" + std::to_string(t), "EP" + std::to_string(t));
  }
  Watched watched(citations);
  const ObservedIndex observed(index.open(), watched.experiment());
  const auto searcher = observed.searcher("a");
  const auto expected = hits_of(*Lucene::newLucene<Lucene::IndexSearcher>(observed.reader())
                                     ->search(term_query(L"valve"), 8));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&, topic = TopicId{"T" + std::to_string(t)}] {
      for (int round = 0; round < kRounds; ++round) {
        QueryScope scope(watched.experiment(), topic);
        wrong += hits_of(*searcher->search(term_query(L"valve"), 8)) != expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), std::size_t{kThreads} * kRounds);
  for (const Seen& one : seen) {
    // Topic Ti cites EPi alone, served at rank 9 - i; topics T1 to T8 are in this order.
    const Rank rank = 8 - one.facts.topic.value();
    EXPECT_EQ(one.hits, (std::vector<JudgedHit>{{rank, JudgementIndex{0}}}));
  }
}

}  // namespace
}  // namespace prescope::conformance
