#include "prescope/lucenepp/observed_shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>

#include "conformance/lucenepp/faulty_reader.h"
#include "conformance/lucenepp/lucene_index.h"
#include "conformance/suite.h"
#include "prescope/error.h"
#include "prescope/lucenepp/observed_index.h"

#include <lucene++/ParallelMultiSearcher.h>

namespace prescope::conformance {
namespace {

using lucenepp::ObservedShards;
using lucenepp::ShardSearch;
using testing::ElementsAre;
using testing::HasSubstr;

Lucene::Collection<Lucene::SearchablePtr> parts_of(const ObservedShards::Readers& readers) {
  auto parts = Lucene::Collection<Lucene::SearchablePtr>::newInstance();
  for (const Lucene::IndexReaderPtr& reader : readers) {
    parts.add(Lucene::newLucene<Lucene::IndexSearcher>(reader));
  }
  return parts;
}

/// Every live document of the readers, by its docid in a MultiSearcher, whose stored docno is
/// judged: the definition.
std::vector<Resolution> by_brute_force(const ObservedShards::Readers& readers,
                                       const JudgedDocnos& judged) {
  const auto searcher = Lucene::newLucene<Lucene::MultiSearcher>(parts_of(readers));
  std::vector<Resolution> found;
  for (int32_t docid = 0; docid < searcher->maxDoc(); ++docid) {
    const auto& reader = readers[static_cast<std::size_t>(searcher->subSearcher(docid))];
    if (reader->isDeleted(searcher->subDoc(docid))) continue;
    const auto docno = Lucene::StringUtils::toUTF8(searcher->doc(docid)->get(L"docno"));
    for (std::uint32_t i = 0; i < judged.num_keys(); ++i) {
      if (judged.key(i) == docno) found.push_back({i, DocId{static_cast<std::uint32_t>(docid)}});
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void expect_complete(const ObservedShards& observed, const Experiment& experiment) {
  const auto resolved = observed.resolved();
  ASSERT_NE(resolved, nullptr);
  std::vector<Resolution> found(resolved->resolutions().begin(), resolved->resolutions().end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, by_brute_force(observed.readers(), experiment.judged()));
  std::uint64_t documents = 0;
  for (const auto& reader : observed.readers()) {
    documents += static_cast<std::uint64_t>(reader->numDocs());
  }
  EXPECT_EQ(resolved->collection_size(), documents);
}

/// Three indexes of two segments each: EP0 to EP4 and EP5 to EP9, EP10 and so on.
class ObservedShardsTest : public ::testing::Test {
 protected:
  ObservedShardsTest() {
    for (LuceneIndex& index : indexes_) {
      index.add(next_five());
      index.add(next_five());
      readers_.push_back(index.open());
    }
    observed_ = std::make_unique<ObservedShards>(readers_, experiment_);
  }

  std::vector<Doc> next_five() {
    std::vector<Doc> docs;
    for (int i = 0; i < 5; ++i) docs.push_back({"EP" + std::to_string(next_++), "valve"});
    return docs;
  }
  static Watched::Citations citations() {
    Watched::Citations citations = {{"T1", "EP999"}};
    for (int i = 0; i < 45; i += 2) citations.emplace_back("T1", "EP" + std::to_string(i));
    for (int i = 0; i < 80; i += 3) citations.emplace_back("T2", "EP" + std::to_string(i));
    return citations;
  }

  int next_ = 0;
  std::array<LuceneIndex, 3> indexes_;
  ObservedShards::Readers readers_;
  Watched watched_{citations()};
  Experiment& experiment_ = watched_.experiment();
  std::unique_ptr<ObservedShards> observed_;
};

TEST_F(ObservedShardsTest, TheTableHasTheDocidsOfAMultiSearcherAfterEveryChange) {
  expect_complete(*observed_, experiment_);
  EXPECT_FALSE(observed_->reopen());
  // A removed document keeps its docid until its index is merged, so later docids do not move.
  for (const char* docno : {"EP0", "EP12", "EP28"}) {
    for (LuceneIndex& index : indexes_) index.remove(docno);
  }
  EXPECT_TRUE(observed_->reopen());
  expect_complete(*observed_, experiment_);
  indexes_[0].optimize();  // one document fewer in front of the other two
  EXPECT_TRUE(observed_->reopen());
  expect_complete(*observed_, experiment_);
  indexes_[1].add(next_five());
  EXPECT_TRUE(observed_->reopen());
  expect_complete(*observed_, experiment_);
}

TEST_F(ObservedShardsTest, ReopeningAShardMakesOneNewGeneration) {
  const auto before = observed_->resolved();
  indexes_[2].add(next_five());
  EXPECT_TRUE(observed_->reopen());
  EXPECT_EQ(observed_->readers()[0], readers_[0]);
  EXPECT_EQ(observed_->readers()[1], readers_[1]);
  EXPECT_NE(observed_->readers()[2], readers_[2]);
  EXPECT_EQ(observed_->resolved()->generation(), before->generation() + 1);
}

TEST_F(ObservedShardsTest, OnlyNewSegmentsAreScannedAfterAReopen) {
  const auto faults = std::make_shared<Faults>();
  const auto wrapped = [&](const ObservedShards::Readers& readers) {
    ObservedShards::Readers faulty;
    for (const auto& reader : readers) {
      faulty.push_back(FaultyReader::wrap_segments(reader, faults));
    }
    return faulty;
  };
  ObservedShards observed(wrapped(readers_), experiment_);
  EXPECT_EQ(faults->scans, 3 * 2);
  indexes_[0].remove("EP1");
  indexes_[1].add(next_five());
  for (auto& reader : readers_) reader = reader->reopen();
  observed.reopen(wrapped(readers_));
  EXPECT_EQ(faults->scans, 3 * 2 + 1);
  expect_complete(observed, experiment_);
}

TEST_F(ObservedShardsTest, FailedReopenOfAShardKeepsTheGeneration) {
  const auto before = observed_->resolved();
  indexes_[0].add(next_five());
  readers_[1]->close();
  EXPECT_THROW(observed_->reopen(), Lucene::AlreadyClosedException);
  EXPECT_EQ(observed_->resolved(), before);
  EXPECT_EQ(observed_->readers(), readers_);
  EXPECT_EQ(experiment_.summary()->health.adapter_failures, 0U);
}

TEST_F(ObservedShardsTest, ShardsAreRefusedOnlyIfNoneHasDocnos) {
  LuceneIndex without;
  without.rewrite_without_docno_terms(valves(2));
  EXPECT_THROW(ObservedShards({without.open()}, experiment_), Error);
  EXPECT_NO_THROW(ObservedShards({readers_[0], without.open()}, experiment_));
}

TEST_F(ObservedShardsTest, SetUpWithoutAReaderIsRefused) {
  EXPECT_THROW(ObservedShards({}, experiment_), Error);
  EXPECT_THROW(observed_->reopen(ObservedShards::Readers{}), Error);
  EXPECT_EQ(observed_->readers(), readers_);
}

TEST_F(ObservedShardsTest, HostsOwnSearcherOfTheReadersIsObserved) {
  const auto own = Lucene::newLucene<Lucene::ParallelMultiSearcher>(parts_of(readers_));
  const auto searcher = observed_->searcher("a", own);
  EXPECT_EQ(searcher->inside(), own);
  QueryScope scope(experiment_, TopicId{"T1"});
  searcher->search(term_query(L"valve"), 8);
  // All score alike: EP0 to EP7, of which every second is cited.
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(1, 3, 5, 7));
}

TEST_F(ObservedShardsTest, ASearcherOfOtherReadersIsRefused) {
  const auto expect_refused = [&](const ObservedShards::Readers& searched) {
    try {
      static_cast<void>(
          observed_->searcher("a", Lucene::newLucene<Lucene::MultiSearcher>(parts_of(searched))));
      ADD_FAILURE() << "expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("ObservedShards::readers()"));
    }
  };
  expect_refused({readers_[0], readers_[1]});
  expect_refused({readers_[1], readers_[0], readers_[2]});
  indexes_[2].remove("EP25");
  ASSERT_TRUE(observed_->reopen());
  expect_refused(readers_);  // of the generation before
  EXPECT_THROW(static_cast<void>(observed_->searcher("a", Lucene::MultiSearcherPtr())), Error);
  // A refused arm does not search here.
  EXPECT_EQ(experiment_.summary()->arms[0].relevant_missing, std::nullopt);
}

TEST_F(ObservedShardsTest, ASearcherOfObservedPartsIsRefused) {
  auto parts = Lucene::Collection<Lucene::SearchablePtr>::newInstance();
  for (const Lucene::IndexReaderPtr& reader : readers_) {
    parts.add(lucenepp::ObservedIndex(reader, experiment_).searcher("a"));
  }
  try {
    static_cast<void>(observed_->searcher("a", Lucene::newLucene<Lucene::MultiSearcher>(parts)));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("observed parts"));
  }
}

/// Searches with a new searcher each time until `done`; returns the expected record of each search.
std::vector<std::vector<JudgedHit>> search_until(const std::atomic<bool>& done,
                                                 const ObservedShards& shards,
                                                 Experiment& experiment, ShardSearch how) {
  const std::string topic = how == ShardSearch::kInTurn ? "T1" : "T2";
  std::vector<std::vector<JudgedHit>> expected;
  while (!done || expected.size() < 20) {
    const auto searcher = shards.searcher("a", how);
    Lucene::TopDocsPtr hits;
    {
      QueryScope scope(experiment, TopicId(topic));
      hits = searcher->search(term_query(L"valve"), 100);
    }
    std::vector<ServedHit> served;
    for (const Lucene::ScoreDocPtr& hit : hits->scoreDocs) {
      served.push_back({Lucene::StringUtils::toUTF8(searcher->doc(hit->doc)->get(L"docno"))});
    }
    expected.push_back(judged_among(experiment, topic, served));
  }
  return expected;
}

TEST_F(ObservedShardsTest, SearchersMadeDuringChangesAreMatchedCorrectly) {
  static_cast<void>(observed_->searcher("a", ShardSearch::kParallel));  // makes Lucene++'s statics
  std::atomic<bool> done{false};
  std::vector<std::future<std::vector<std::vector<JudgedHit>>>> searches;
  for (const auto how : {ShardSearch::kInTurn, ShardSearch::kParallel}) {
    searches.push_back(std::async(
        std::launch::async, [&, how] { return search_until(done, *observed_, experiment_, how); }));
  }
  for (int round = 0; round < 10; ++round) {
    indexes_[0].remove("EP" + std::to_string(round));
    if (round % 3 == 0) indexes_[0].optimize();
    indexes_[2].add(next_five());
    EXPECT_TRUE(observed_->reopen());
  }
  done = true;
  for (std::uint32_t topic = 0; topic < searches.size(); ++topic) {
    std::vector<std::vector<JudgedHit>> found;
    const auto expected = searches[topic].get();
    for (const Seen& one : watched_.seen()) {
      if (one.facts.topic == TopicIndex{topic}) found.push_back(one.hits);
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace prescope::conformance
