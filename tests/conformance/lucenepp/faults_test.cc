// Failures during a search or a resolution: the search ends as it would without prescope, and each
// fault is counted under its own name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/lucenepp/faulty_reader.h"
#include "conformance/lucenepp/lucene_index.h"
#include "conformance/watched.h"
#include "prescope/lucenepp/observed_index.h"

#include <lucene++/Filter.h>

namespace prescope::conformance {
namespace {

using lucenepp::ObservedIndex;
using testing::ElementsAre;
using testing::IsEmpty;

/// T1 cites, of valves(5), EP4 at rank 2 and EP1 at rank 5.
Watched::Citations two_citations() { return {{"T1", "EP4"}, {"T1", "EP1"}}; }

/// valves(5) in two segments.
LuceneIndex two_segments() {
  const std::vector<Doc> docs = valves(5);
  LuceneIndex index({docs.begin(), docs.begin() + 3});
  index.add({docs.begin() + 3, docs.end()});
  return index;
}

/// The result of a search as the host sees it.
struct Outcome {
  std::vector<ScoredDocid> hits;
  std::wstring error;  // empty if there are hits
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(const Lucene::SearcherPtr& searcher, const Lucene::FilterPtr& filter = {}) {
  try {
    return {hits_of(*searcher->search(term_query(L"valve"), filter, 10)), L""};
  } catch (const Lucene::LuceneException& failure) {
    return {{}, failure.getError()};
  }
}

Outcome observed_outcome(Watched& watched, const Lucene::SearcherPtr& searcher,
                         const Lucene::FilterPtr& filter = {}) {
  const QueryScope scope(watched.experiment(), TopicId{"T1"});
  return outcome_of(searcher, filter);
}

/// A filter that gives up, as a host's own may at its deadline.
class LateFilter : public Lucene::Filter {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  LUCENE_CLASS(LateFilter)
  Lucene::DocIdSetPtr getDocIdSet(const Lucene::IndexReaderPtr&) override {
    boost::throw_exception(Lucene::TimeExceededException(L"the time is up"));
  }
};

TEST(LuceneFaults, TimeExceededSearchIsCountedAsTimedOut) {
  const LuceneIndex index = two_segments();
  Watched watched(two_citations());
  const ObservedIndex observed(index.open(), watched.experiment());
  const auto late = Lucene::newLucene<LateFilter>();
  const Outcome outcome = observed_outcome(watched, observed.searcher("b"), late);
  EXPECT_EQ(outcome.error, L"the time is up");
  EXPECT_EQ(outcome, outcome_of(Lucene::newLucene<Lucene::IndexSearcher>(index.open()), late));
  EXPECT_THAT(watched.seen(), IsEmpty());
  ASSERT_EQ(watched.failures().size(), 1U);
  EXPECT_EQ(watched.failures()[0].flags, RankingFlags::kTimedOut);
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[1].timed_out_queries, 1U);
  EXPECT_EQ(summary->arms[1].failed_queries, 0U);
}

TEST(LuceneFaults, TimeExceededSearchWithACollectorIsCountedAsTimedOut) {
  const LuceneIndex index = two_segments();
  Watched watched(two_citations());
  const ObservedIndex observed(index.open(), watched.experiment());
  const auto searcher = observed.searcher("b");
  const QueryScope scope(watched.experiment(), TopicId{"T1"});
  EXPECT_THROW(searcher->search(term_query(L"valve"), Lucene::newLucene<LateFilter>(),
                                Lucene::TopScoreDocCollector::create(10, true)),
               Lucene::TimeExceededException);
  EXPECT_THAT(watched.seen(), IsEmpty());
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[1].timed_out_queries, 1U);
  EXPECT_EQ(summary->health.unobserved_searches, 0U);
}

/// A reader that is closed when the second of its segments is about to be searched.
class ClosedMidQuery {
 public:
  explicit ClosedMidQuery(const LuceneIndex& index)
      : faults_(std::make_shared<Faults>()),
        inner_(index.open()),
        reader_(FaultyReader::wrap_segments(inner_, faults_)) {}

  [[nodiscard]] const Lucene::IndexReaderPtr& reader() const noexcept { return reader_; }
  void arm() {
    faults_->during_search = [this, searched = 0]() mutable {
      if (++searched == 2) inner_->close();
    };
  }
  ~ClosedMidQuery() { faults_->during_search = nullptr; }
  ClosedMidQuery(const ClosedMidQuery&) = delete;
  ClosedMidQuery& operator=(const ClosedMidQuery&) = delete;

 private:
  std::shared_ptr<Faults> faults_;
  Lucene::IndexReaderPtr inner_, reader_;
};

TEST(LuceneFaults, ClosedReaderFailsAsWithoutPrescope) {
  const LuceneIndex index = two_segments();
  Watched watched(two_citations());
  ClosedMidQuery closed(index), closed_too(index);
  const ObservedIndex observed(closed.reader(), watched.experiment());
  const auto searcher = observed.searcher("a");
  closed.arm();
  closed_too.arm();
  const Outcome outcome = observed_outcome(watched, searcher);
  EXPECT_NE(outcome.error, L"");
  EXPECT_EQ(outcome, outcome_of(Lucene::newLucene<Lucene::IndexSearcher>(closed_too.reader())));
  EXPECT_THAT(watched.seen(), IsEmpty());
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[0].failed_queries, 1U);
  EXPECT_EQ(summary->health.adapter_failures, 0U);
  EXPECT_EQ(summary->health.recorded, summary->health.pushed);
}

TEST(LuceneFaults, AnArmWhoseEngineThrowsLeavesTheOtherAlone) {
  const LuceneIndex index = two_segments();
  Watched watched(two_citations());
  const auto faults = std::make_shared<Faults>();
  const ObservedIndex faulty(FaultyReader::wrap_segments(index.open(), faults),
                             watched.experiment());
  const ObservedIndex sound(index.open(), watched.experiment());
  const auto failing = faulty.searcher("b");
  const auto serving = sound.searcher("a");
  faults->term_docs_throw = true;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(observed_outcome(watched, failing).error, L"the disk is gone");
    EXPECT_EQ(observed_outcome(watched, serving).hits.size(), 5U);
  }
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[1].failed_queries, 3U);
  EXPECT_EQ(summary->arms[0].failed_queries, 0U);
  EXPECT_EQ(summary->arms[0].judged_queries, 3U);
  EXPECT_EQ(watched.seen().size(), 3U);
}

TEST(LuceneFaults, ResolvingWithoutMemoryServesUnobservedAndIsCounted) {
  const LuceneIndex index = two_segments();
  Watched watched(two_citations());
  const auto faults = std::make_shared<Faults>();
  ObservedIndex observed(FaultyReader::wrap_segments(index.open(), faults), watched.experiment());
  faults->terms_need_memory = true;
  observed.reopen(FaultyReader::wrap_segments(index.open(), faults));
  EXPECT_EQ(observed.resolved(), nullptr);
  const Outcome outcome = observed_outcome(watched, observed.searcher("a"));
  EXPECT_EQ(outcome, outcome_of(Lucene::newLucene<Lucene::IndexSearcher>(index.open())));
  EXPECT_EQ(outcome.hits.size(), 5U);
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->health.adapter_failures, 1U);
  EXPECT_EQ(summary->health.unmatched_rankings, 1U);
  EXPECT_EQ(summary->arms[0].failed_queries, 0U);
}

TEST(LuceneFaults, UnresolvableJudgementsKeepTheOldTable) {
  const LuceneIndex index = two_segments();
  Watched watched(two_citations());
  const auto faults = std::make_shared<Faults>();
  ObservedIndex observed(FaultyReader::wrap_segments(index.open(), faults), watched.experiment());
  const auto before = observed.resolved();
  watched.experiment().rejudge({.judged = {{TopicId{"T1"}, Docno{"EP3"}, 1}}});
  faults->terms_need_memory = true;
  EXPECT_FALSE(observed.reopen());
  EXPECT_EQ(observed.resolved(), before);
  observed_outcome(watched, observed.searcher("a"));
  EXPECT_THAT(watched.only_ranks(), ElementsAre(2, 5));
  EXPECT_EQ(watched.experiment().summary()->health.adapter_failures, 1U);

  faults->terms_need_memory = false;
  EXPECT_TRUE(observed.reopen());
  EXPECT_EQ(observed.resolved()->generation(), before->generation());
  observed_outcome(watched, observed.searcher("a"));
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_THAT(seen.back().ranks(), ElementsAre(2, 3, 5));
}

}  // namespace
}  // namespace prescope::conformance
