// Full text search of SQLite (FTS5), and its adapter for prescope.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/experiment.h"

namespace fts5 {

// ---- The engine, which knows nothing of prescope.

struct Hit {
  std::string docno;
  double score;  ///< larger is better
};
struct Query {
  std::string text{};  ///< documents with any of its words
  std::uint32_t depth = 10, first_rank = 1;
  enum class Order { kScore, kDocno } order = Order::kScore;
};
/// Weights of the columns in BM25.
struct Weights {
  double title = 1.0, abstract = 1.0;
};

/// A connection to a file with the table
/// `CREATE VIRTUAL TABLE patents USING fts5(docno UNINDEXED, title, abstract)`. For one thread.
class PatentTable {
 public:
  /// Throws std::runtime_error if the file has no such table.
  PatentTable(const std::string& path, const Weights& weights);
  /// Returns hits in their order; equal scores are in the order of the rows. Throws
  /// std::runtime_error with SQLite's message, std::invalid_argument for a depth or rank of 0.
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  /// Returns the number of documents.
  [[nodiscard]] std::uint64_t size() const;
  /// Returns a number that differs after another connection has committed.
  [[nodiscard]] std::int64_t data_version() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept { sqlite3_close(connection); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  [[nodiscard]] Statement prepare(const std::string& sql) const;
  [[nodiscard]] bool step(sqlite3_stmt& statement) const;
  [[nodiscard]] std::int64_t number(const std::string& sql) const;

  std::unique_ptr<sqlite3, Close> connection_;
  Statement by_score_, by_docno_;
};

// ---- The adapter. The hits have their docnos, so that judgements need not be resolved.

/// Searches under one arm and shows each ranking to an experiment. For one thread.
class ObservedSearcher {
 public:
  ObservedSearcher(PatentTable table, prescope::Experiment& experiment, prescope::ArmIndex arm,
                   std::uint64_t generation)
      : table_(std::move(table)), experiment_(experiment), arm_(arm), generation_(generation) {}
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  [[nodiscard]] const PatentTable& table() const noexcept { return table_; }

 private:
  [[nodiscard]] std::vector<Hit> answer(const Query& query) const;

  PatentTable table_;
  prescope::Experiment& experiment_;
  prescope::ArmIndex arm_;
  std::uint64_t generation_;
};

/// The factory of observed searchers. Thread-safe; the experiment must outlive it and them.
class ObservedTable {
 public:
  /// Throws as PatentTable does.
  ObservedTable(std::string path, prescope::Experiment& experiment);
  /// Tells whether the table has changed since the last call. Searchers see each commit at once;
  /// those that are made from now on belong to the new state.
  bool reopen();
  /// Throws prescope::Error(kUsage) for an unknown arm.
  [[nodiscard]] ObservedSearcher searcher(std::string_view arm, const Weights& weights = {}) const;

 private:
  std::string path_;
  prescope::Experiment& experiment_;
  mutable std::mutex mutex_;  // over what follows
  PatentTable watched_;
  std::int64_t data_version_;
  std::uint64_t generation_;
};

}  // namespace fts5
