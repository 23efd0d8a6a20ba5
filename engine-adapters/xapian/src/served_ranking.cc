#include "served_ranking.h"

#include <array>
#include <cstddef>

#include "docno_place.h"
#include "prescope/query_scope.h"
#include "prescope/ranking_observer.h"

namespace prescope::xapian {
namespace {

Outcome observe_docids(WatchedDatabase& database, const Xapian::MSet& served, Ranking facts) {
  facts.resolved = database.table().get();
  RankingObserver observer(database.experiment(), facts);
  observer.add_each(served, [](Xapian::docid docid) { return DocId{docid}; });
  return observer.end();
}

void name_state(const WatchedDatabase& database, Ranking& facts) {
  facts.kind = HitKind::kDocnos;
  facts.generation = database.generation();
  facts.collection_size = database.database().get_doccount();
}

void add_docnos(RankingObserver& observer, std::span<const std::string> docnos) {
  observer.add_each(docnos, [](const std::string& docno) -> std::string_view { return docno; });
}

void read_docnos(const WatchedDatabase& database, const Xapian::MSet& served,
                 RankingObserver& observer) {
  const ObservedIndexOptions& place = database.watching()->place;
  const auto is_judged = judged_by_topic(database.experiment());
  std::array<std::string, 32> chunk;
  std::size_t filled = 0;
  const auto end = served.end();
  for (auto hit = served.begin(); hit != end; ++hit) {
    chunk[filled++] = docno_of(database.database(), *hit, place, is_judged);
    if (filled < chunk.size()) continue;
    add_docnos(observer, chunk);
    filled = 0;
  }
  add_docnos(observer, {chunk.data(), filled});
}

Outcome observe_by_reading(WatchedDatabase& database, const Xapian::MSet& served, Ranking facts) {
  name_state(database, facts);
  RankingObserver observer(database.experiment(), facts);
  if (!observer.wants_hits()) return observer.end();
  try {
    read_docnos(database, served, observer);
  } catch (...) {
    observer.abandon();
  }
  return observer.end();
}

/// Runs `work` when the database's state is known, with the search ending before.
template <class Work>
Outcome with_state(WatchedDatabase& database, Ranking facts, Work work) noexcept {
  try {
    if (!facts.search_ended) facts.search_ended = std::chrono::steady_clock::now();
    database.catch_up();
    return work(facts);
  } catch (...) {
    database.experiment().count_adapter_failure();
    return Outcome::kAbandoned;
  }
}

}  // namespace

Outcome observe(WatchedDatabase& database, const Xapian::MSet& served, Ranking facts) noexcept {
  return with_state(database, facts, [&](const Ranking& ended) {
    return database.matching() == WatchedDatabase::Matching::kByDocno
               ? observe_by_reading(database, served, ended)
               : observe_docids(database, served, ended);
  });
}

Outcome observe(WatchedDatabase& database, const Xapian::MSet& served,
                std::span<const std::string> docnos, Ranking facts) noexcept {
  return with_state(database, facts, [&](Ranking ended) {
    if (database.matching() != WatchedDatabase::Matching::kByDocno) {
      return observe_docids(database, served, ended);
    }
    name_state(database, ended);
    RankingObserver observer(database.experiment(), ended);
    add_docnos(observer, docnos);
    return observer.end();
  });
}

std::function<bool(std::string_view docno)> judged_by_topic(const Experiment& experiment) {
  const QueryScope* const scope = QueryScope::current();
  if (scope == nullptr || &scope->experiment() != &experiment ||
      scope->visit().topic == kUnjudgedTopic) {
    return [](std::string_view) { return false; };
  }
  const Qrels& qrels = experiment.qrels();
  return [&qrels, &topic = qrels.topic(scope->visit().topic)](std::string_view docno) {
    DocnoBuffer buffer;
    return topic.find(qrels.docnos().key(docno, buffer)).has_value();
  };
}

void observe_failure(Experiment& experiment, ArmIndex arm) noexcept {
  auto failure = Experiment::SearchFailure::kFailed;
  try {
    throw;
  } catch (const Xapian::NetworkTimeoutError&) {
    failure = Experiment::SearchFailure::kTimedOut;
  } catch (...) {
  }
  experiment.observe_failure(arm, failure);
}

}  // namespace prescope::xapian
