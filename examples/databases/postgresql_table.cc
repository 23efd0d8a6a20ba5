#include "postgresql_table.h"

#include <cstdlib>
#include <stdexcept>

namespace databases {

namespace {

// plainto_tsquery asks for all words, which no document has if a patent's text is the query.
const std::string kSelect =
    "WITH asked AS (SELECT replace(plainto_tsquery('simple', $1)::text, '&', '|')::tsquery"
    " AS query) SELECT docno, ts_rank(words, query) AS score FROM patents, asked"
    " WHERE words @@ query ORDER BY ";
const std::string kByScore = kSelect + "score DESC, docno LIMIT $2 OFFSET $3";
const std::string kByDocno = kSelect + "docno LIMIT $2 OFFSET $3";

}  // namespace

PostgresqlTable::PostgresqlTable(const std::string& database)
    : connection_(PQconnectdb(database.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) {
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  }
}

PostgresqlTable::Result PostgresqlTable::ask(const std::string& sql,
                                             const std::vector<std::string>& values) const {
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  Result result(PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(texts.size()),
                             nullptr, texts.data(), nullptr, nullptr, 0));
  if (PQresultStatus(result.get()) == PGRES_TUPLES_OK) return result;
  throw std::runtime_error(PQerrorMessage(connection_.get()));
}

std::vector<Hit> PostgresqlTable::search(const Query& query) const {
  if (query.depth == 0 || query.first_rank == 0) {
    throw std::invalid_argument("depth and first rank begin with 1");
  }
  const bool by_score = query.order == Query::Order::kScore;
  const Result rows = ask(by_score ? kByScore : kByDocno, {query.text, std::to_string(query.depth),
                                                           std::to_string(query.first_rank - 1)});
  std::vector<Hit> hits;
  for (int row = 0; row < PQntuples(rows.get()); ++row) {
    hits.push_back(
        {PQgetvalue(rows.get(), row, 0), std::strtod(PQgetvalue(rows.get(), row, 1), nullptr)});
  }
  return hits;
}

std::string PostgresqlTable::state() const {
  const Result rows =
      ask("SELECT concat(count(*), ' ', sum(hashtext(docno || words::text))) FROM patents", {});
  return PQgetvalue(rows.get(), 0, 0);
}

}  // namespace databases
