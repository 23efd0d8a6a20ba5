#pragma once

#include <libpq-fe.h>

#include <memory>

#include "observed_table.h"

namespace databases {

/// A connection to a database with the table `patents (docno text, words tsvector)`. For one
/// thread.
class PostgresqlTable {
 public:
  /// `database` is a connection string of libpq. Throws std::runtime_error with PostgreSQL's
  /// message.
  explicit PostgresqlTable(const std::string& database);
  /// Equal scores are in the order of docnos, because PostgreSQL has no order of its own. Throws
  /// std::runtime_error, and std::invalid_argument for a depth or rank of 0.
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  /// Returns a hash of all rows.
  [[nodiscard]] std::string state() const;

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;
  [[nodiscard]] Result ask(const std::string& sql, const std::vector<std::string>& values) const;

  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace databases
