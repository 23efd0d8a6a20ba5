#include "sqlite_table.h"

#include <cctype>
#include <set>
#include <stdexcept>

namespace databases {

namespace {

constexpr int kWaitMs = 5000;
const std::string kSelect =
    "SELECT docno, -bm25(patents) AS score FROM patents WHERE patents MATCH ? ORDER BY ";

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

SqliteTable::SqliteTable(const std::string& path)
    : database_(path, SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX, kWaitMs),
      by_score_(database_, kSelect + "score DESC, rowid LIMIT ? OFFSET ?"),
      by_docno_(database_, kSelect + "docno LIMIT ? OFFSET ?"),
      data_version_(database_, "PRAGMA data_version") {}

std::vector<Hit> SqliteTable::search(const Query& query) const {
  if (query.depth == 0 || query.first_rank == 0) {
    throw std::invalid_argument("depth and first rank begin with 1");
  }
  std::vector<Hit> hits;
  const std::string expression = any_word_of(query.text);
  if (expression.empty()) return hits;
  SQLite::Statement& rows = query.order == Query::Order::kScore ? by_score_ : by_docno_;
  rows.reset();
  rows.bind(1, expression);
  rows.bind(2, query.depth);
  rows.bind(3, query.first_rank - 1);
  while (rows.executeStep()) {
    hits.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getDouble()});
  }
  rows.reset();
  return hits;
}

std::int64_t SqliteTable::state() const {
  data_version_.reset();
  data_version_.executeStep();
  const std::int64_t version = data_version_.getColumn(0).getInt64();
  data_version_.reset();
  return version;
}

}  // namespace databases
