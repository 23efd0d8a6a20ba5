// The adapter of a database with full text search. A database answers with docnos, so that
// judgements need not be resolved. SqliteTable and PostgresqlTable are engines for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prescope/experiment.h"
#include "prescope/ranking_observer.h"

namespace databases {

struct Hit {
  std::string docno;
  double score;  ///< larger is better
};
struct Query {
  std::string text{};  ///< asks for documents with any of its words
  std::uint32_t depth = 10, first_rank = 1;
  enum class Order { kScore, kDocno } order = Order::kScore;
};

/// Searches under one arm and shows each ranking to an experiment. For one thread.
///
/// A Table is a connection for one thread. It is made of a `std::string` that names the database,
/// and has two functions: `std::vector<Hit> search(const Query&) const`, and `state() const`, which
/// returns a value that differs after documents have come or gone.
template <class Table>
class ObservedSearcher {
 public:
  ObservedSearcher(Table table, prescope::Experiment& experiment, prescope::ArmIndex arm,
                   std::uint64_t generation)
      : table_(std::move(table)), experiment_(experiment), arm_(arm), generation_(generation) {}

  [[nodiscard]] std::vector<Hit> search(const Query& query) const {
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
    observer.add_each(hits, [](const Hit& hit) -> std::string_view { return hit.docno; });
    return hits;
  }
  [[nodiscard]] const Table& table() const noexcept { return table_; }

 private:
  [[nodiscard]] std::vector<Hit> answer(const Query& query) const {
    try {
      return table_.search(query);
    } catch (...) {
      experiment_.observe_failure(arm_, prescope::Experiment::SearchFailure::kFailed);
      throw;  // it is for the host
    }
  }

  Table table_;
  prescope::Experiment& experiment_;
  prescope::ArmIndex arm_;
  std::uint64_t generation_;
};

/// The factory of observed searchers. Thread-safe; the experiment must outlive it and them.
template <class Table>
class ObservedTable {
 public:
  /// Throws as the constructor of Table does.
  ObservedTable(std::string database, prescope::Experiment& experiment)
      : database_(std::move(database)),
        experiment_(experiment),
        watched_(database_),
        state_(watched_.state()),
        generation_(experiment.next_generation()) {}

  /// Returns whether the table has changed since the last call. Searchers see each commit at once;
  /// those that are made from now on belong to the new state.
  bool reopen() {
    const std::lock_guard lock(mutex_);
    auto now = watched_.state();
    if (now == std::exchange(state_, now)) return false;
    generation_ = experiment_.next_generation(generation_);
    return true;
  }
  /// Throws prescope::Error(kUsage) for an unknown arm.
  [[nodiscard]] ObservedSearcher<Table> searcher(std::string_view arm) const {
    const prescope::ArmIndex index = experiment_.arm(arm);
    const std::lock_guard lock(mutex_);
    return {Table(database_), experiment_, index, generation_};
  }

 private:
  std::string database_;
  prescope::Experiment& experiment_;
  mutable std::mutex mutex_;  // over what follows
  Table watched_;
  decltype(watched_.state()) state_;
  std::uint64_t generation_;
};

}  // namespace databases
