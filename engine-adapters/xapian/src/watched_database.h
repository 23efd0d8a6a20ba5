#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "database_state.h"
#include "known_tables.h"
#include "prescope/experiment.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::xapian {

/// The state that all threads of one ObservedIndex share. Thread-safe.
struct Watching {
  Watching(Experiment& watched, ObservedIndex::Opener open, ObservedIndexOptions options);

  /// Says to the experiment what `arm` searches, unless that is older than what it knows.
  void tell(ArmIndex arm, const std::shared_ptr<const ResolvedQrels>& table);
  /// The same for every arm told of so far.
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
  std::mutex mutex_;
  std::vector<Told> told_;  // by arm, as far as there are
};

/// One thread's handles on all shards, and what the state that they are in is matched with. For one
/// thread, shared by the Enquires that search through it. What Xapian throws passes through.
class WatchedDatabase {
 public:
  enum class Matching {
    kByDocid,  ///< with the table
    kByDocno,  ///< there is no table of this state yet
    kNot,      ///< resolving this state has failed
  };

  /// Opens the shards; matched by docno until it is resolved, unless another thread has the table.
  /// Throws Error(kEngine) if they are replaced faster than they can be opened.
  [[nodiscard]] static std::shared_ptr<WatchedDatabase> open(std::shared_ptr<Watching> watching);

  [[nodiscard]] const Xapian::Database& database() const noexcept { return combined_; }
  [[nodiscard]] const std::shared_ptr<Watching>& watching() const noexcept { return watching_; }
  [[nodiscard]] Experiment& experiment() const noexcept { return watching_->experiment; }

  enum class Reopened {
    kUnchanged,
    kChanged,
    /// Another database has taken the place of a shard. Xapian may now hold its numbers beside the
    /// tables of the old one, so that no table of ours is to be trusted: open anew.
    kReplaced,
  };
  /// Reopens every shard in place. If that throws, the database is broken from then on.
  Reopened reopen();
  /// Reopens for a search that is to be repeated; false if it cannot be. Another database in the
  /// place of a shard breaks this one too.
  [[nodiscard]] bool reopen_for_retry() noexcept;
  /// Xapian may have closed tables, or hold tables of two databases, and a search would find
  /// nothing, or anything, without saying so.
  [[nodiscard]] bool is_broken() const noexcept { return broken_; }
  /// A server whose database was replaced may not tell, so for databases without a revision: what
  /// opening gives now, if that is in another state; or null.
  [[nodiscard]] std::shared_ptr<WatchedDatabase> opened_anew_if_it_differs() const;
  /// Makes the table of the state that the last `reopen` found and of the latest judgements, or
  /// takes a known one; false if a writer overtook the database meanwhile. Throws Error(kEngine) if
  /// there are no docnos.
  [[nodiscard]] bool resolve();
  /// Returns false if there is no table, or judgements have changed since it was made.
  [[nodiscard]] bool has_latest_table() const noexcept;
  /// Matches nothing in this state any more.
  void give_up() noexcept;
  /// `resolve`, reopening as often as need be, within reason; `database` may be opened anew. Throws
  /// Error(kEngine) if writers keep overtaking it.
  static void settle(std::shared_ptr<WatchedDatabase>& database);

  /// Takes note of the state that the shards are in now: to be called before a ranking is matched.
  /// A state that `reopen` has not found is matched by docno, which is right for any.
  void catch_up();
  [[nodiscard]] Matching matching() const noexcept { return matching_; }
  [[nodiscard]] const std::shared_ptr<const ResolvedQrels>& table() const noexcept {
    return table_;
  }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_->number(); }

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
