#include "patent_table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <stdexcept>

#include "prescope/ranking_observer.h"

namespace fts5 {

namespace {

/// Returns an expression of FTS5 for documents with any of the words: "valve" OR "pump".
std::string any_word_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + ' ') {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_part = byte >= 128 || std::isalnum(byte) != 0;
    if (is_part) word += c;
    if (!is_part && !word.empty()) words.insert(std::exchange(word, {}));
  }
  std::string expression;
  for (const std::string& one : words) {
    expression += (expression.empty() ? "\"" : " OR \"") + one + "\"";
  }
  return expression;
}

}  // namespace

PatentTable::PatentTable(const std::string& path, const Weights& weights) {
  sqlite3* opened = nullptr;
  const int failed =
      sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(opened);
  if (failed != SQLITE_OK) throw std::runtime_error(path + ": " + sqlite3_errstr(failed));
  constexpr int kWaitMs = 5000;
  sqlite3_busy_timeout(opened, kWaitMs);
  const std::string select = "SELECT docno, -bm25(patents, 0.0, " + std::to_string(weights.title) +
                             ", " + std::to_string(weights.abstract) +
                             ") AS score FROM patents WHERE patents MATCH ?1 ORDER BY ";
  by_score_ = prepare(select + "score DESC, rowid LIMIT ?2 OFFSET ?3");
  by_docno_ = prepare(select + "docno LIMIT ?2 OFFSET ?3");
}

std::vector<Hit> PatentTable::search(const Query& query) const {
  if (query.depth == 0 || query.first_rank == 0) {
    throw std::invalid_argument("depth and first rank begin with 1");
  }
  std::vector<Hit> hits;
  const std::string expression = any_word_of(query.text);
  if (expression.empty()) return hits;
  sqlite3_stmt& statement = query.order == Query::Order::kScore ? *by_score_ : *by_docno_;
  sqlite3_bind_text(&statement, 1, expression.data(), static_cast<int>(expression.size()),
                    SQLITE_STATIC);
  sqlite3_bind_int64(&statement, 2, query.depth);
  sqlite3_bind_int64(&statement, 3, std::int64_t{query.first_rank} - 1);
  try {
    while (step(statement)) {
      const auto* const docno = reinterpret_cast<const char*>(sqlite3_column_text(&statement, 0));
      hits.push_back({docno == nullptr ? "" : docno, sqlite3_column_double(&statement, 1)});
    }
  } catch (...) {
    sqlite3_reset(&statement);
    throw;
  }
  sqlite3_reset(&statement);
  return hits;
}

std::uint64_t PatentTable::size() const {
  return static_cast<std::uint64_t>(number("SELECT count(*) FROM patents"));
}

std::int64_t PatentTable::data_version() const { return number("PRAGMA data_version"); }

PatentTable::Statement PatentTable::prepare(const std::string& sql) const {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(connection_.get()));
  }
  return Statement(prepared);
}

bool PatentTable::step(sqlite3_stmt& statement) const {
  const int result = sqlite3_step(&statement);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  throw std::runtime_error(sqlite3_errmsg(connection_.get()));
}

std::int64_t PatentTable::number(const std::string& sql) const {
  const Statement statement = prepare(sql);
  return step(*statement) ? sqlite3_column_int64(statement.get(), 0) : 0;
}

std::vector<Hit> ObservedSearcher::answer(const Query& query) const {
  try {
    return table_.search(query);
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

ObservedTable::ObservedTable(std::string path, prescope::Experiment& experiment)
    : path_(std::move(path)),
      experiment_(experiment),
      watched_(path_, {}),
      data_version_(watched_.data_version()),
      generation_(experiment.next_generation()) {}

bool ObservedTable::reopen() {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = watched_.data_version();
  if (now == std::exchange(data_version_, now)) return false;
  generation_ = experiment_.next_generation(generation_);
  return true;
}

ObservedSearcher ObservedTable::searcher(std::string_view arm, const Weights& weights) const {
  const prescope::ArmIndex index = experiment_.arm(arm);
  const std::lock_guard lock(mutex_);
  return {PatentTable(path_, weights), experiment_, index, generation_};
}

}  // namespace fts5
