// Every way into a searcher: observed once with the right flags, or counted as unobserved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "conformance/lucenepp/lucene_index.h"
#include "conformance/watched.h"
#include "prescope/lucenepp/observed_index.h"
#include "prescope/lucenepp/observed_shards.h"

#include <lucene++/ConstantScoreQuery.h>
#include <lucene++/DisjunctionMaxQuery.h>
#include <lucene++/FilteredQuery.h>
#include <lucene++/HitQueueBase.h>
#include <lucene++/ParallelMultiSearcher.h>
#include <lucene++/PositiveScoresOnlyCollector.h>
#include <lucene++/SortField.h>
#include <lucene++/TopFieldCollector.h>
#include <lucene++/TopScoreDocCollector.h>

namespace prescope::conformance {
namespace {

using Lucene::newLucene;
using lucenepp::ObservedIndex;
using lucenepp::ObservedShards;
using lucenepp::ShardSearch;
using Occur = Lucene::BooleanClause::Occur;
using enum RankingFlags;

/// A host's class, which may leave out what it likes.
class EverySecondHit : public Lucene::TopScoreDocCollector {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  explicit EverySecondHit(int32_t hits) : Lucene::TopScoreDocCollector(hits) {}
  LUCENE_CLASS(EverySecondHit)

  void collect(int32_t doc) override {
    if (++seen_ % 2 == 0) return;
    ++totalHits;
    pqTop->doc = docBase + doc;
    pqTop->score = 1.0;
    pqTop = pq->updateTop();
  }
  bool acceptsDocsOutOfOrder() override { return true; }

 private:
  int seen_ = 0;
};

/// The query "valve" on valves(5): EP5, EP4, EP3, EP2, EP1 by score. T1 cites EP4 and EP1.
const Lucene::QueryPtr& valve() {
  static const Lucene::QueryPtr query = term_query(L"valve");
  return query;
}
const Lucene::FilterPtr kNoFilter;

Lucene::FilterPtr docnos(const wchar_t* first, const wchar_t* last) {
  return newLucene<Lucene::TermRangeFilter>(L"docno", first, last, true, true);
}
Lucene::SortFieldPtr docno_order() {
  return newLucene<Lucene::SortField>(L"docno", Lucene::SortField::STRING);
}
Lucene::SortPtr by(const std::vector<Lucene::SortFieldPtr>& fields) {
  return newLucene<Lucene::Sort>(
      Lucene::Collection<Lucene::SortFieldPtr>::newInstance(fields.begin(), fields.end()));
}
Lucene::SortPtr worst_first() {
  return newLucene<Lucene::Sort>(newLucene<Lucene::SortField>(L"", Lucene::SortField::SCORE, true));
}
Lucene::QueryPtr valve_and(Occur occur, const Lucene::QueryPtr& other) {
  const auto query = newLucene<Lucene::BooleanQuery>();
  query->add(valve(), Lucene::BooleanClause::MUST);
  query->add(other, occur);
  return query;
}
Lucene::QueryPtr constant(const Lucene::FilterPtr& filter) {
  return newLucene<Lucene::ConstantScoreQuery>(filter);
}
Lucene::QueryPtr docno_prefix() {
  const auto prefix = newLucene<Lucene::PrefixQuery>(newLucene<Lucene::Term>(L"docno", L"EP"));
  prefix->setRewriteMethod(Lucene::MultiTermQuery::CONSTANT_SCORE_FILTER_REWRITE());
  return prefix;
}
Lucene::QueryPtr best_of(const Lucene::QueryPtr& query) {
  const auto best = newLucene<Lucene::DisjunctionMaxQuery>();
  best->add(query);
  return best;
}
Lucene::TopDocsCollectorPtr by_score(int32_t hits) {
  return Lucene::TopScoreDocCollector::create(hits, false);
}
Lucene::TopDocsCollectorPtr in_order_of(const Lucene::SortPtr& sort, int32_t hits) {
  return Lucene::TopFieldCollector::create(sort, hits, true, true, false, false);
}

using Search = std::function<Lucene::TopDocsPtr(const Lucene::SearcherPtr&)>;

/// One way to search, once.
struct Path {
  const char* name;
  Search search;
  /// The observed ranking; absent if the search is counted as unobserved.
  struct Ranking {
    std::vector<Rank> ranks;
    RankingFlags flags = kNone;
    std::uint32_t depth = 5;
  };
  std::optional<Ranking> observed;
};

std::vector<Path> query_paths() {
  const auto ep1_to_4 = docnos(L"EP1", L"EP4");
  const auto sorted = by({docno_order()});
  const auto filtered = kFiltered;
  const auto query = [](const Lucene::QueryPtr& q) -> Search {
    return [q](const auto& s) { return s->search(q, 5); };
  };
  const auto in_order = [](const Lucene::SortPtr& sort, const Lucene::FilterPtr& filter) -> Search {
    return [=](const auto& s) { return s->search(valve(), filter, 5, sort); };
  };
  return {
      {"query, n", query(valve()), {{{2, 5}}}},
      {"query, no filter, n", [](auto& s) { return s->search(valve(), kNoFilter, 5); }, {{{2, 5}}}},
      {"query, filter, n",
       [=](auto& s) { return s->search(valve(), ep1_to_4, 5); },
       {{{1, 4}, filtered}}},
      {"sort by docno", in_order(sorted, kNoFilter), {{{1, 4}, kSorted}}},
      {"sort by docno, filter", in_order(sorted, ep1_to_4), {{{1, 4}, kSorted | kFiltered}}},
      {"sort by docid", in_order(Lucene::Sort::INDEXORDER(), kNoFilter), {{{1, 4}, kSorted}}},
      {"sort by score", in_order(Lucene::Sort::RELEVANCE(), kNoFilter), {{{2, 5}}}},
      {"sort by score, then docno",
       in_order(by({Lucene::SortField::FIELD_SCORE(), docno_order()}), kNoFilter),
       {{{2, 5}}}},
      {"worst score first", in_order(worst_first(), kNoFilter), {{{1, 4}, kSorted}}},
      {"FilteredQuery",
       query(newLucene<Lucene::FilteredQuery>(valve(), ep1_to_4)),
       {{{1, 4}, filtered}}},
      {"FilteredQuery inside",
       query(best_of(valve_and(Lucene::BooleanClause::SHOULD,
                               newLucene<Lucene::FilteredQuery>(valve(), ep1_to_4)))),
       {{{1, 4}, filtered}}},
      {"a filter that must match",
       query(valve_and(Lucene::BooleanClause::MUST, constant(ep1_to_4))),
       {{{1, 4}, filtered}}},
      {"a filter that must not match",
       query(valve_and(Lucene::BooleanClause::MUST_NOT, constant(docnos(L"EP2", L"EP3")))),
       {{{2, 3}, filtered}}},
      {"a filter that may match",
       query(valve_and(Lucene::BooleanClause::SHOULD, constant(docnos(L"EP1", L"EP5")))),
       {{{2, 5}}}},
      {"a filter alone", query(constant(ep1_to_4)), {{{1, 4}, filtered}}},
      {"a prefix", query(valve_and(Lucene::BooleanClause::MUST, docno_prefix())), {{{2, 5}}}},
      {"a prefix, rewritten by the host",
       [](auto& s) {
         return s->search(s->rewrite(valve_and(Lucene::BooleanClause::MUST, docno_prefix())), 5);
       },
       {{{2, 5}}}},
  };
}

Search collected(std::function<Lucene::TopDocsCollectorPtr()> make,
                 const Lucene::FilterPtr& filter = {}) {
  return [=](const Lucene::SearcherPtr& searcher) {
    const Lucene::TopDocsCollectorPtr collector = make();
    if (filter) {
      searcher->search(valve(), filter, collector);
    } else {
      searcher->search(valve(), collector);
    }
    return collector->topDocs();
  };
}

std::vector<Path> collector_paths() {
  const auto sorted = by({docno_order()});
  const auto sorted_twice = by({docno_order(), Lucene::SortField::FIELD_DOC()});
  const auto by_score_of = [](int32_t hits) { return [=] { return by_score(hits); }; };
  return {
      {"TopScoreDocCollector", collected(by_score_of(5)), {{{2, 5}}}},
      {"TopScoreDocCollector, in order",
       collected([] { return Lucene::TopScoreDocCollector::create(5, true); }),
       {{{2, 5}}}},
      {"TopScoreDocCollector, fewer", collected(by_score_of(3)), {{{2}, kNone, 3}}},
      {"TopScoreDocCollector, not full", collected(by_score_of(9)), {{{2, 5}, kNone, 9}}},
      {"TopScoreDocCollector, a page",
       [](auto& s) {
         const auto collector = by_score(5);
         s->search(valve(), collector);
         return collector->topDocs(2, 2);
       },
       {{{2, 5}}}},
      {"query, filter, TopScoreDocCollector",
       collected(by_score_of(5), docnos(L"EP1", L"EP4")),
       {{{1, 4}, kFiltered}}},
      {"TopFieldCollector",
       collected([=] { return in_order_of(sorted, 4); }),
       {{{1, 4}, kSorted, 4}}},
      {"TopFieldCollector, two fields",
       collected([=] { return in_order_of(sorted_twice, 9); }),
       {{{1, 4}, kSorted, 9}}},
      {"TopFieldCollector, worst score first",
       collected([] { return in_order_of(worst_first(), 5); }),
       {{{1, 4}, kSorted}}},
      {"TopFieldCollector by score",
       collected([] { return in_order_of(Lucene::Sort::RELEVANCE(), 5); }),
       {{{2, 5}}}},
      {"a collector around another",
       [](auto& s) {
         const auto collector = by_score(5);
         s->search(valve(), newLucene<Lucene::PositiveScoresOnlyCollector>(collector));
         return collector->topDocs();
       },
       {}},
      {"a collector of a host", collected([] { return newLucene<EverySecondHit>(5); }), {}},
      {"query, filter, a collector of a host",
       collected([] { return newLucene<EverySecondHit>(5); }, docnos(L"EP1", L"EP4")),
       {}},
  };
}

std::vector<Path> weight_paths() {
  // Searcher::createWeight is protected, and a MultiSearcher's own weights know all parts.
  const auto weight = [](const Lucene::SearcherPtr& s) { return valve()->weight(s); };
  const auto sorted = by({docno_order()});
  return {
      {"weight, filter, n", [=](auto& s) { return s->search(weight(s), kNoFilter, 5); }, {}},
      {"weight, filter, n, sort",
       [=](auto& s) { return s->search(weight(s), kNoFilter, 5, sorted); },
       {}},
      {"weight, filter, n, sort, fillFields",
       [=](auto& s) -> Lucene::TopDocsPtr {
         const auto one = boost::dynamic_pointer_cast<Lucene::IndexSearcher>(s);
         if (!one) return s->search(weight(s), kNoFilter, 5, sorted);
         return one->search(weight(s), kNoFilter, 5, sorted, false);
       },
       {}},
      {"weight, filter, collector",
       [=](auto& s) {
         const auto collector = by_score(5);
         s->search(weight(s), kNoFilter, collector);
         return collector->topDocs();
       },
       {}},
  };
}

std::vector<Path> all_paths() {
  std::vector<Path> paths = query_paths();
  for (const Path& path : collector_paths()) paths.push_back(path);
  for (const Path& path : weight_paths()) paths.push_back(path);
  return paths;
}

enum class Kind { kIndex, kMulti, kParallel, kMultiOfObserved, kParallelOfObserved };

/// valves(5) in one index or in two, its searcher, and a searcher like it without prescope.
class SearchPathsTest : public ::testing::TestWithParam<Kind> {
 protected:
  SearchPathsTest() {
    const std::vector<Doc> docs = valves(5);
    whole_.add(docs);
    first_.add({docs.begin(), docs.begin() + 3});
    second_.add({docs.begin() + 3, docs.end()});
    readers_ = {first_.open(), second_.open()};
  }

  /// The searcher that a host has; `experiment` null: without prescope.
  Lucene::SearcherPtr searcher(Experiment* experiment) {
    const bool parallel = GetParam() == Kind::kParallel || GetParam() == Kind::kParallelOfObserved;
    switch (GetParam()) {
      case Kind::kIndex: {
        const auto reader = whole_.open();
        if (experiment == nullptr) return newLucene<Lucene::IndexSearcher>(reader);
        return ObservedIndex(reader, *experiment).searcher("a");
      }
      case Kind::kMulti:
      case Kind::kParallel:
        if (experiment != nullptr) {
          return ObservedShards(readers_, *experiment)
              .searcher("a", parallel ? ShardSearch::kParallel : ShardSearch::kInTurn);
        }
        [[fallthrough]];
      default:
        break;
    }
    auto parts = Lucene::Collection<Lucene::SearchablePtr>::newInstance();
    for (const Lucene::IndexReaderPtr& reader : readers_) {
      if (experiment != nullptr) {
        parts.add(ObservedIndex(reader, *experiment).searcher("a"));
      } else {
        parts.add(newLucene<Lucene::IndexSearcher>(reader));
      }
    }
    if (parallel) return newLucene<Lucene::ParallelMultiSearcher>(parts);
    return newLucene<Lucene::MultiSearcher>(parts);
  }
  [[nodiscard]] static bool parts_are_observed() {
    return GetParam() == Kind::kMultiOfObserved || GetParam() == Kind::kParallelOfObserved;
  }

  LuceneIndex whole_, first_, second_;
  ObservedShards::Readers readers_;
};

TEST_P(SearchPathsTest, EachIsObservedOnceOrCounted) {
  const Lucene::SearcherPtr plain = searcher(nullptr);
  for (const Path& path : all_paths()) {
    SCOPED_TRACE(path.name);
    Watched watched(Watched::Citations{{"T1", "EP4"}, {"T1", "EP1"}});
    const Lucene::SearcherPtr observed = searcher(&watched.experiment());
    Lucene::TopDocsPtr served;
    {
      const QueryScope scope(watched.experiment(), TopicId{"T1"});
      served = path.search(observed);
    }
    const Lucene::TopDocsPtr expected = path.search(plain);
    EXPECT_EQ(hits_of(*served), hits_of(*expected));
    EXPECT_EQ(served->totalHits, expected->totalHits);
    EXPECT_TRUE(served->maxScore == expected->maxScore || std::isnan(expected->maxScore));

    const bool is_observed = path.observed && !parts_are_observed();
    const std::vector<Seen> seen = watched.seen();
    const Health health = watched.experiment().summary()->health;
    EXPECT_EQ(health.unobserved_searches, is_observed ? 0U : parts_are_observed() ? 2U : 1U);
    EXPECT_EQ(health.queries_without_ranking, is_observed ? 0U : 1U);
    EXPECT_EQ(health.queries_without_scope, 0U);
    ASSERT_EQ(seen.size(), is_observed ? 1U : 0U);
    if (!is_observed) continue;
    EXPECT_EQ(seen[0].ranks(), path.observed->ranks);
    EXPECT_EQ(seen[0].facts.flags, path.observed->flags);
    EXPECT_EQ(seen[0].facts.depth, path.observed->depth);
    EXPECT_EQ(seen[0].facts.total_hits, std::uint64_t(expected->totalHits));
  }
}

TEST_P(SearchPathsTest, EachIsCountedWithoutAScope) {
  for (const Path& path : all_paths()) {
    SCOPED_TRACE(path.name);
    Watched watched(Watched::Citations{{"T1", "EP4"}, {"T1", "EP1"}});
    path.search(searcher(&watched.experiment()));
    const bool is_observed = path.observed && !parts_are_observed();
    const Health health = watched.experiment().summary()->health;
    EXPECT_EQ(health.queries_without_scope, is_observed ? 1U : 0U);
    EXPECT_EQ(health.unobserved_searches, is_observed ? 0U : parts_are_observed() ? 2U : 1U);
    EXPECT_EQ(health.pushed, 0U);
  }
}

TEST_P(SearchPathsTest, ACollectorWithHitsOfAnotherSearchIsCounted) {
  Watched watched(Watched::Citations{{"T1", "EP4"}});
  const Lucene::SearcherPtr observed = searcher(&watched.experiment());
  const auto collector = by_score(5);
  const QueryScope scope(watched.experiment(), TopicId{"T1"});
  observed->search(valve(), collector);
  observed->search(term_query(L"pump"), collector);
  // Of the words of valves(5), "valve" is in 5 documents and "pump" in 5.
  EXPECT_EQ(collector->getTotalHits(), 10);
  EXPECT_EQ(watched.seen().size(), parts_are_observed() ? 0U : 1U);
  EXPECT_EQ(watched.experiment().summary()->health.unobserved_searches,
            parts_are_observed() ? 4U : 1U);
}

std::string name_of_kind(const testing::TestParamInfo<Kind>& kind) {
  constexpr const char* kNames[] = {"Index", "Multi", "Parallel", "MultiOfObserved",
                                    "ParallelOfObserved"};
  return kNames[static_cast<int>(kind.param)];
}

INSTANTIATE_TEST_SUITE_P(Searchers, SearchPathsTest,
                         testing::Values(Kind::kIndex, Kind::kMulti, Kind::kParallel,
                                         Kind::kMultiOfObserved, Kind::kParallelOfObserved),
                         name_of_kind);

}  // namespace
}  // namespace prescope::conformance
