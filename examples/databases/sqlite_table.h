#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include "observed_table.h"

namespace databases {

/// A connection to a file with the table
/// `CREATE VIRTUAL TABLE patents USING fts5(docno UNINDEXED, title, abstract)`. For one thread.
class SqliteTable {
 public:
  /// Throws SQLite::Exception if the file has no such table.
  explicit SqliteTable(const std::string& path);
  /// Equal scores are in the order of the rows. Throws SQLite::Exception, and
  /// std::invalid_argument for a depth or rank of 0.
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  /// Returns a number that differs after another connection has committed.
  [[nodiscard]] std::int64_t state() const;

 private:
  SQLite::Database database_;
  mutable SQLite::Statement by_score_, by_docno_, data_version_;
};

}  // namespace databases
