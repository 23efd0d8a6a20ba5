#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "known_tables.h"
#include "named_documents.h"
#include "prescope/experiment.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::xapian {

/// The state that all threads of one ObservedIndex share. Thread-safe.
struct Watching {
  Watching(Experiment& watched, ObservedIndex::Opener open, ObservedIndexOptions options);

  /// Tells the experiment which table `arm` searches with, unless it knows a newer one. Waits for
  /// the recorder if no thread has told of the table yet. A failure is counted.
  void tell(ArmIndex arm, const std::shared_ptr<const ResolvedQrels>& table) noexcept;
  /// Does the same for every arm told of so far.
  void tell_served(const std::shared_ptr<const ResolvedQrels>& table);

  Experiment& experiment;
  const ObservedIndex::Opener opener;
  const ObservedIndexOptions place;
  KnownTables known;

 private:
  /// The age of a table; by default there is none.
  struct Told {
    std::uint64_t generation = 0;
    std::uint32_t version = 0;  // of the judgements
    friend auto operator<=>(const Told&, const Told&) = default;
  };
  [[nodiscard]] bool is_newest(ArmIndex arm, const Told& told) {
    const std::lock_guard lock(mutex_);
    return told_[arm.value()] == told;
  }

  std::mutex telling_;      // held while the experiment is told; taken before `mutex_`
  std::mutex mutex_;        // guards `told_`, and is never held for long
  std::vector<Told> told_;  // by arm: the newest table that it is told of, or is about to be
};

/// One thread's handles on all shards, and the table of their present state. For one thread, shared
/// by the Enquires that search through it. Exceptions of Xapian pass through.
class WatchedDatabase {
 public:
  enum class Matching {
    kByDocid,  ///< with the table
    kByDocno,  ///< there is no table of this state yet
    kNot,      ///< resolving this state has failed
  };

  /// Opens the shards; matched by docno until it is resolved, unless another thread has the table.
  /// Throws Error(kEngine) if they are replaced faster than they can be opened.
  [[nodiscard]] static std::shared_ptr<WatchedDatabase> open(
      const std::shared_ptr<Watching>& watching);

  [[nodiscard]] const Xapian::Database& database() const noexcept { return combined_; }
  [[nodiscard]] const std::shared_ptr<Watching>& watching() const noexcept { return watching_; }
  [[nodiscard]] Experiment& experiment() const noexcept { return watching_->experiment; }

  enum class Reopened {
    kUnchanged,
    kChanged,
    /// A shard was replaced by another database. Xapian may now hold its numbers beside the tables
    /// of the old one, so none of our tables can be trusted: open the database again.
    kReplaced,
  };
  /// Reopens every shard in place. If that throws, the database is broken from then on.
  Reopened reopen();
  /// Reopens for a search that is to be repeated; false if it cannot be. Another database in the
  /// place of a shard breaks this one too.
  [[nodiscard]] bool reopen_for_retry() noexcept;
  /// Returns true if Xapian may have closed tables, or hold tables of two databases; a search would
  /// then silently return wrong hits or none.
  [[nodiscard]] bool is_broken() const noexcept { return broken_; }
  /// For databases without a revision, because a server may not report that its database was
  /// replaced: returns a newly opened database if it is in another state, else null.
  [[nodiscard]] std::shared_ptr<WatchedDatabase> opened_anew_if_it_differs() const;
  /// Makes the table of the state that the last `reopen` found and of the latest judgements, or
  /// takes a known one; returns false if a writer overtook the database meanwhile. Throws
  /// Error(kEngine) if there are no docnos.
  [[nodiscard]] bool resolve();
  /// Returns false if there is no table, or judgements have changed since it was made.
  [[nodiscard]] bool has_latest_table() const noexcept;
  /// Stops matching in this state.
  void give_up() noexcept;
  /// Calls `resolve`, reopening several times if needed; `database` may be replaced by a newly
  /// opened one. Returns the failure to resolve: null if there is none, an Error(kEngine) if
  /// writers keep overtaking it. Exceptions of the opener and of reopening pass through.
  [[nodiscard]] static std::exception_ptr settle(std::shared_ptr<WatchedDatabase>& database);
  /// Opens the database that has taken the place of this one. If that throws, this one is broken.
  [[nodiscard]] std::shared_ptr<WatchedDatabase> opened_anew();

  /// Reads the present state of the shards; to be called before a ranking is matched. A state that
  /// `reopen` has not found is matched by docno, which is right for any.
  void catch_up();
  [[nodiscard]] Matching matching() const noexcept { return matching_; }
  [[nodiscard]] const std::shared_ptr<const ResolvedQrels>& table() const noexcept {
    return table_;
  }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_->number(); }
  /// Catches up, and returns the documents that docnos name in that state; threads share them.
  /// Throws as the constructor of NamedDocuments.
  [[nodiscard]] std::shared_ptr<const NamedDocuments> names();

 private:
  WatchedDatabase(std::shared_ptr<Watching> watching, std::vector<Xapian::Database> shards);

  enum class Trust { kKnownTables, kNoTable };
  void enter(DatabaseState state, Trust trust);
  Reopened reopen_and_compare();
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> make_table() const;

  std::shared_ptr<Watching> watching_;
  std::vector<Xapian::Database> shards_;
  Xapian::Database combined_;
  DatabaseState state_;
  std::shared_ptr<Generation> generation_;
  std::shared_ptr<const ResolvedQrels> table_;
  Matching matching_ = Matching::kByDocno;
  bool in_doubt_ = false;
  bool broken_ = false;
};

}  // namespace prescope::xapian
