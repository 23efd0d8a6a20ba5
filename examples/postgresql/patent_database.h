// Full text search of PostgreSQL through libpq, and its adapter for prescope.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/experiment.h"

namespace postgresql {

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

/// A connection to a database with the table `patents (docno text, words tsvector)`. For one
/// thread.
class PatentDatabase {
 public:
  /// `place` is a connection string of libpq. Throws std::runtime_error with PostgreSQL's message.
  explicit PatentDatabase(const std::string& place);
  /// Returns hits in their order; equal scores are in the order of docnos, because PostgreSQL has
  /// none of its own. Throws std::runtime_error, and std::invalid_argument for a depth or rank of
  /// 0.
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  /// Returns a text that differs after rows have come or gone.
  [[nodiscard]] std::string state() const;

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;
  [[nodiscard]] Result ask(const char* sql, const std::vector<std::string>& values) const;

  std::unique_ptr<PGconn, Finish> connection_;
};

// ---- The adapter. The hits have their docnos, so that judgements need not be resolved.

/// Searches under one arm and shows each ranking to an experiment. For one thread.
class ObservedSearcher {
 public:
  ObservedSearcher(PatentDatabase database, prescope::Experiment& experiment,
                   prescope::ArmIndex arm, std::uint64_t generation)
      : database_(std::move(database)),
        experiment_(experiment),
        arm_(arm),
        generation_(generation) {}
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  [[nodiscard]] const PatentDatabase& database() const noexcept { return database_; }

 private:
  [[nodiscard]] std::vector<Hit> answer(const Query& query) const;

  PatentDatabase database_;
  prescope::Experiment& experiment_;
  prescope::ArmIndex arm_;
  std::uint64_t generation_;
};

/// The factory of observed searchers. Thread-safe; the experiment must outlive it and them.
class ObservedDatabase {
 public:
  /// Throws as PatentDatabase does.
  ObservedDatabase(std::string place, prescope::Experiment& experiment);
  /// Tells whether the table has changed since the last call. Searchers see each commit at once;
  /// those that are made from now on belong to the new state.
  bool reopen();
  /// Throws prescope::Error(kUsage) for an unknown arm.
  [[nodiscard]] ObservedSearcher searcher(std::string_view arm) const;

 private:
  std::string place_;
  prescope::Experiment& experiment_;
  mutable std::mutex mutex_;  // over what follows
  PatentDatabase watched_;
  std::string state_;
  std::uint64_t generation_;
};

}  // namespace postgresql
