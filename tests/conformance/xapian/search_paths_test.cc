// Every way to search with an Enquire, and what each setting does to the flags of the ranking:
// the table of docs/adapters.md, row by row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <type_traits>

#include "conformance/watched.h"
#include "conformance/xapian/database_folder.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::conformance {
namespace {

using xapian::ObservedDatabase;
using xapian::ObservedEnquire;
using xapian::ServedPage;

constexpr RankingFlags kNone = RankingFlags::kNone;
constexpr RankingFlags kSorted = RankingFlags::kSorted;
constexpr RankingFlags kFiltered = RankingFlags::kFiltered;
constexpr RankingFlags kCollapsed = RankingFlags::kCollapsed;

template <class Page>
concept MayOmitFlags = requires {
  Page{.requested_depth = 1};
};

static_assert(!std::is_convertible_v<ObservedEnquire&, Xapian::Enquire&>);
static_assert(!std::is_constructible_v<Xapian::Enquire, const ObservedEnquire&>);
static_assert(!MayOmitFlags<ServedPage>);

class NoKey : public Xapian::KeyMaker {
 public:
  std::string operator()(const Xapian::Document&) const override { return {}; }
};

class Everything : public Xapian::MatchDecider {
 public:
  bool operator()(const Xapian::Document&) const override { return true; }
};

/// One search, under a scope of its own, with an Enquire on which nothing has been set but its
/// query: "valve".
struct Search {
  const ObservedDatabase& database;
  ObservedEnquire enquire;

  void operator()() { static_cast<void>(enquire.get_mset(0, 10)); }
  void operator()(const Xapian::Query& query) {
    enquire.set_query(query);
    (*this)();
  }
};

struct Path {
  std::string row;  ///< the beginning of a row of docs/adapters.md
  std::function<void(Search&)> search;
  std::optional<RankingFlags> flags;  ///< of the ranking; none: it is not observed
};

const Xapian::Query kValve("valve");
const Xapian::Query kPump("pump");
const Xapian::Query kRange(Xapian::Query::OP_VALUE_GE, 0, "EP2");
const Xapian::Query kUnscored(0.0, kPump);

Xapian::Query both(Xapian::Query::op how, const Xapian::Query& one, const Xapian::Query& other) {
  return {how, one, other};
}

NoKey no_key;
Everything everything;
const Xapian::RSet no_documents;

std::vector<Path> calls() {
  const std::string plain = "`get_mset`, also with `checkatleast` or an RSet";
  return {
      {plain, [](Search& s) { s(); }, kNone},
      {plain, [](Search& s) { s.enquire.get_mset(0, 10, 20); }, kNone},
      {plain, [](Search& s) { s.enquire.get_mset(0, 10, 20, &no_documents); }, kNone},
      {plain, [](Search& s) { s.enquire.get_mset(0, 10, &no_documents); }, kNone},
      {"`get_mset` with a MatchDecider",
       [](Search& s) { s.enquire.get_mset(0, 10, 20, nullptr, &everything); }, kFiltered},
      {"`get_mset` with a MatchDecider",
       [](Search& s) { s.enquire.get_mset(0, 10, nullptr, &everything); }, kFiltered},
      {"`get_mset` for no hits", [](Search& s) { s.enquire.get_mset(0, 0); }, std::nullopt},
      {"`get_eset`", [](Search& s) { s.enquire.get_eset(10, no_documents); }, std::nullopt},
      {"an Enquire of the host",
       [](Search& s) {
         Xapian::Enquire own(s.database.database());
         own.set_query(kValve);
         static_cast<void>(own.get_mset(0, 10));
       },
       std::nullopt},
      {"the same, shown by `observe`",
       [](Search& s) {
         Xapian::Enquire own(s.database.database());
         own.set_query(kValve);
         own.set_sort_by_value(0, false);
         s.enquire.observe(own.get_mset(0, 10), {.requested_depth = 10, .flags = kSorted});
       },
       kSorted},
  };
}

std::vector<Path> orders() {
  const std::string scores = "`set_sort_by_relevance`", others = "`set_sort_by_value`";
  const auto by = [](auto set) {
    return [set](Search& s) {
      set(s.enquire);
      s();
    };
  };
  return {
      {scores, by([](auto& e) { e.set_sort_by_relevance(); }), kNone},
      {scores, by([](auto& e) { e.set_sort_by_relevance_then_value(0, false); }), kNone},
      {scores, by([](auto& e) { e.set_sort_by_relevance_then_key(&no_key, false); }), kNone},
      {others, by([](auto& e) { e.set_sort_by_value(0, false); }), kSorted},
      {others, by([](auto& e) { e.set_sort_by_key(&no_key, false); }), kSorted},
      {others, by([](auto& e) { e.set_sort_by_value_then_relevance(0, false); }), kSorted},
      {others, by([](auto& e) { e.set_sort_by_key_then_relevance(&no_key, false); }), kSorted},
      {others, by([](auto& e) {
         e.set_sort_by_value(0, false);
         e.set_sort_by_relevance();
       }),
       kNone},
      {"`set_weighting_scheme`", by([](auto& e) { e.set_weighting_scheme(Xapian::BM25Weight()); }),
       kNone},
      {"`set_weighting_scheme` with a BoolWeight",
       by([](auto& e) { e.set_weighting_scheme(Xapian::BoolWeight()); }), kSorted},
      {"`set_weighting_scheme` with a BoolWeight", by([](auto& e) {
         e.set_weighting_scheme(Xapian::BoolWeight());
         e.set_docid_order(ObservedEnquire::DESCENDING);
       }),
       kSorted},
      {"`set_docid_order`", by([](auto& e) { e.set_docid_order(ObservedEnquire::DESCENDING); }),
       kNone},
  };
}

std::vector<Path> settings() {
  const std::string cutoff = "`set_cutoff`", collapse = "`set_collapse_key`";
  return {
      {cutoff, [](Search& s) { s.enquire.set_cutoff(50), s(); }, kFiltered},
      {cutoff, [](Search& s) { s.enquire.set_cutoff(0, 0.1), s(); }, kFiltered},
      {cutoff, [](Search& s) { s.enquire.set_cutoff(0), s(); }, kNone},
      {collapse, [](Search& s) { s.enquire.set_collapse_key(0), s(); }, kCollapsed},
      {collapse, [](Search& s) { s.enquire.set_collapse_key(Xapian::BAD_VALUENO), s(); }, kNone},
      {"`add_matchspy`",
       [](Search& s) {
         Xapian::ValueCountMatchSpy spy(0);
         s.enquire.add_matchspy(&spy);
         s();
         s.enquire.clear_matchspies();
       },
       kNone},
      {"`set_time_limit`", [](Search& s) { s.enquire.set_time_limit(60), s(); }, kNone},
      {"any of these on a copy",
       [](Search& s) {
         ObservedEnquire copy = s.enquire;
         copy.set_sort_by_value(0, false);
         copy.set_collapse_key(0);
         s();
       },
       kSorted | kCollapsed},
  };
}

std::vector<Path> queries() {
  using Xapian::Query;
  const std::string filter = "a query with OP_FILTER", unscored = "a query without scores";
  const Query filtered = both(Query::OP_FILTER, kValve, kPump);
  return {
      {filter, [=](Search& s) { s(filtered); }, kFiltered},
      {filter, [=](Search& s) { s(both(Query::OP_OR, kPump, filtered)); }, kFiltered},
      {filter, [](Search& s) { s(both(Query::OP_AND_NOT, kValve, kPump)); }, kFiltered},
      {filter, [](Search& s) { s(both(Query::OP_AND, kValve, kRange)); }, kFiltered},
      {filter, [](Search& s) { s(both(Query::OP_AND, kValve, kUnscored)); }, kFiltered},
      {filter, [](Search& s) { s(Query(0.5, kValve)); }, kNone},
      {filter, [](Search& s) { s(both(Query::OP_AND_MAYBE, kValve, kPump)); }, kNone},
      {unscored, [](Search& s) { s(kUnscored); }, kFiltered | kSorted},
      {unscored, [](Search& s) { s(kRange); }, kFiltered | kSorted},
      {unscored, [](Search& s) { s(Query::MatchAll); }, kSorted},
      {unscored, [](Search& s) { s(both(Query::OP_FILTER, Query::MatchAll, kPump)); },
       kFiltered | kSorted},
      {unscored, [](Search& s) { s(Query("absent")); }, kNone},
      {"`set_query` with flags",
       [=](Search& s) {
         s.enquire.set_query(filtered, 0, kNone);
         s();
       },
       kNone},
      {"`set_query` with flags",
       [](Search& s) {
         s.enquire.set_query(kValve, 0, kFiltered);
         s();
       },
       kFiltered},
  };
}

std::vector<Path> all_paths() {
  std::vector<Path> all;
  for (const auto& some : {calls(), orders(), settings(), queries()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST(XapianSearchPaths, EachIsFlaggedAsItsRowSays) {
  DatabaseFolder folder;
  folder.add(valves(5));
  Watched watched(Watched::Citations{{"T1", "EP3"}});
  const ObservedDatabase database = index_of(folder, watched.experiment()).open();
  std::uint64_t unobserved = 0;
  for (const Path& path : all_paths()) {
    SCOPED_TRACE(path.row);
    const std::size_t before = watched.seen().size();
    {
      const QueryScope scope(watched.experiment(), TopicId{"T1"});
      Search search{database, database.enquire("a")};
      search.enquire.set_query(kValve);
      path.search(search);
    }
    const std::vector<Seen> seen = watched.seen();
    ASSERT_EQ(seen.size(), before + (path.flags ? 1 : 0));
    if (path.flags) {
      EXPECT_EQ(seen.back().facts.flags, *path.flags);
    }
    unobserved += path.flags ? 0 : 1;
  }
  EXPECT_EQ(watched.experiment().summary()->health.queries_without_ranking, unobserved);
}

/// The first cells of the table in docs/adapters.md that begins with "| search path".
std::vector<std::string> documented_paths() {
  std::ifstream page(PRESCOPE_SOURCE_DIR "/docs/adapters.md");
  std::vector<std::string> rows;
  bool is_in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| search path")) is_in_table = true;
    if (!line.starts_with("|")) is_in_table = false;
    if (is_in_table) rows.push_back(line.substr(2, line.find(" |") - 2));
  }
  if (rows.size() > 2) rows.erase(rows.begin(), rows.begin() + 2);  // the heading
  return rows;
}

TEST(XapianSearchPaths, EachRowOfTheTableIsTested) {
  // This one does not compile: see the assertions above.
  std::vector<std::string> tested = {"a conversion to `Xapian::Enquire`"};
  for (const Path& path : all_paths()) tested.push_back(path.row);
  const std::vector<std::string> documented = documented_paths();
  EXPECT_THAT(documented, testing::Not(testing::IsEmpty()));
  for (const std::string& row : documented) {
    EXPECT_THAT(tested, testing::Contains(testing::ResultOf(
                            [&](const std::string& one) { return row.starts_with(one); },
                            testing::IsTrue())))
        << row;
  }
  for (const std::string& row : tested) {
    EXPECT_THAT(documented, testing::Contains(testing::StartsWith(row)));
  }
}

}  // namespace
}  // namespace prescope::conformance
