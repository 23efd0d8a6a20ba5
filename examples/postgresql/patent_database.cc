#include "patent_database.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "prescope/ranking_observer.h"

namespace postgresql {

namespace {

// plainto_tsquery asks for all words, and a patent's text has too many of them.
const std::string kSelect =
    "WITH asked AS (SELECT replace(plainto_tsquery('simple', $1)::text, '&', '|')::tsquery"
    " AS query) SELECT docno, ts_rank(words, query) AS score FROM patents, asked"
    " WHERE words @@ query ORDER BY ";
const std::string kByScore = kSelect + "score DESC, docno LIMIT $2 OFFSET $3";
const std::string kByDocno = kSelect + "docno LIMIT $2 OFFSET $3";

}  // namespace

PatentDatabase::PatentDatabase(const std::string& place) : connection_(PQconnectdb(place.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) {
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  }
}

PatentDatabase::Result PatentDatabase::ask(const char* sql,
                                           const std::vector<std::string>& values) const {
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  Result result(PQexecParams(connection_.get(), sql, static_cast<int>(texts.size()), nullptr,
                             texts.data(), nullptr, nullptr, 0));
  if (PQresultStatus(result.get()) == PGRES_TUPLES_OK) return result;
  throw std::runtime_error(PQerrorMessage(connection_.get()));
}

std::vector<Hit> PatentDatabase::search(const Query& query) const {
  if (query.depth == 0 || query.first_rank == 0) {
    throw std::invalid_argument("depth and first rank begin with 1");
  }
  const bool by_score = query.order == Query::Order::kScore;
  const Result rows =
      ask((by_score ? kByScore : kByDocno).c_str(),
          {query.text, std::to_string(query.depth), std::to_string(query.first_rank - 1)});
  std::vector<Hit> hits;
  for (int row = 0; row < PQntuples(rows.get()); ++row) {
    hits.push_back(
        {PQgetvalue(rows.get(), row, 0), std::strtod(PQgetvalue(rows.get(), row, 1), nullptr)});
  }
  return hits;
}

std::string PatentDatabase::state() const {
  const Result rows =
      ask("SELECT concat(count(*), ' ', sum(hashtext(docno || words::text))) FROM patents", {});
  return PQgetvalue(rows.get(), 0, 0);
}

std::vector<Hit> ObservedSearcher::answer(const Query& query) const {
  try {
    return database_.search(query);
  } catch (...) {
    experiment_.observe_failure(arm_, prescope::Experiment::SearchFailure::kFailed);
    throw;  // it is for the host
  }
}

std::vector<Hit> ObservedSearcher::search(const Query& query) const {
  using prescope::RankingFlags;
  const auto started = std::chrono::steady_clock::now();
  std::vector<Hit> hits = answer(query);

  const bool by_score = query.order == Query::Order::kScore;
  prescope::RankingObserver observer(
      experiment_, {.arm = arm_,
                    .kind = prescope::HitKind::kDocnos,
                    .generation = generation_,
                    .first_rank = query.first_rank,
                    .requested_depth = query.depth,
                    .search_started = started,
                    .flags = by_score ? RankingFlags::kNone : RankingFlags::kSorted});
  std::array<std::string_view, 128> chunk;  // so that no depth needs an allocation
  for (std::size_t begin = 0; observer.wants_hits() && begin < hits.size();) {
    const std::size_t count = std::min(hits.size() - begin, chunk.size());
    for (std::size_t i = 0; i < count; ++i) chunk[i] = hits[begin + i].docno;
    observer.add(std::span<const std::string_view>(chunk).first(count));
    begin += count;
  }
  return hits;
}

ObservedDatabase::ObservedDatabase(std::string place, prescope::Experiment& experiment)
    : place_(std::move(place)),
      experiment_(experiment),
      watched_(place_),
      state_(watched_.state()),
      generation_(experiment.next_generation()) {}

bool ObservedDatabase::reopen() {
  const std::lock_guard lock(mutex_);
  std::string now = watched_.state();
  if (now == std::exchange(state_, now)) return false;
  generation_ = experiment_.next_generation(generation_);
  return true;
}

ObservedSearcher ObservedDatabase::searcher(std::string_view arm) const {
  const prescope::ArmIndex index = experiment_.arm(arm);
  const std::lock_guard lock(mutex_);
  return {PatentDatabase(place_), experiment_, index, generation_};
}

}  // namespace postgresql
