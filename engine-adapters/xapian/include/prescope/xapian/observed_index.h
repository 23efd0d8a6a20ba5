#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/xapian/observed_enquire.h"

namespace prescope::xapian {

/// The places in a database that may hold a document's docno.
struct ObservedIndexOptions {
  /// The prefix of the docno's term: "QEP1234567A1". With a prefix of several letters, Xapian's own
  /// tools put a colon before a capital; include it here: "XPN:". A document may have several such
  /// terms, and several documents the same.
  std::string docno_prefix = "Q";
  /// The value slot of the docno, if no term of the database has the prefix. Prefer terms for a
  /// remote database: a server that a writer has overtaken sometimes returns empty values without
  /// an error (Xapian 1.4.22).
  Xapian::valueno docno_slot = 0;
};

struct Watching;

/// One thread's own view of an index: its open database, and the table of judged documents for its
/// present state. For one thread only, with everything it returns; movable.
class ObservedDatabase {
 public:
  /// All shards in the order in which they were opened. If the host reopens it itself, rankings are
  /// matched by docno until `reopen()` of this object.
  [[nodiscard]] const Xapian::Database& database() const noexcept;
  /// Returns a new Enquire on `database()` for one arm. The first one of an arm in a new state
  /// tells the experiment, which waits for its recorder; no other one waits. Throws Error(kUsage)
  /// with the nearest arm; exceptions of Xapian pass through.
  [[nodiscard]] ObservedEnquire enquire(std::string_view arm) const;
  /// The table of the database's present state; null if there is none, because resolving failed, or
  /// a search found the database in another state.
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const noexcept;

  /// Reopens all shards in place and resolves the new state, so that Enquires made earlier serve it
  /// too; returns false if nothing has changed. Other judgements (`Experiment::rejudge`) of an
  /// unchanged state make a new table of the same generation, for Enquires made earlier too. If the
  /// database was replaced by another one (xapian-compact and a rename), the index's opener opens
  /// it again: `database()` is then another object, and Enquires made earlier keep the old one,
  /// matched by docno.
  ///
  /// Exceptions of the opener, and of Xapian while reopening, pass through. `database()` is then
  /// the same as before. If it was replaced or could not be reopened, each search through it throws
  /// DatabaseModifiedError until a later call succeeds. A failure to resolve does not pass through,
  /// and is counted (`Health::adapter_failures`): a new state then serves unobserved, an unchanged
  /// one keeps its table. Off the query path.
  bool reopen();

 private:
  friend class ObservedIndex;
  explicit ObservedDatabase(std::shared_ptr<WatchedDatabase> watched);

  std::shared_ptr<WatchedDatabase> watched_;
};

/// An index whose documents are matched with an experiment's judgements, and the factory of each
/// thread's own database. Thread-safe: it holds only the opener and the tables, which are plain
/// data, and no object of Xapian, whose reference counts are not atomic.
///
/// Threads whose databases are in the same state share one table, if the state has an exact name
/// (uuid and revision of each shard: Xapian's own formats on a local disk). The first thread to
/// open a state resolves it, others wait for it. Remote databases, handles that hold several, and
/// those in memory have no revision: each ObservedDatabase resolves its own.
///
/// Resolving is one look-up for each judged docno under DocnoPolicy::kRaw (measured 1.6 us, 59 us
/// on a remote database), and one scan of the docno terms, or of the value slot, otherwise. Docids
/// do not survive a renumbering compaction, so every state is resolved anew.
class ObservedIndex {
 public:
  /// Opens the index for the calling thread, one handle for each shard, so that each shard's
  /// revision can be read. Called from any thread that opens, possibly from several at once.
  using Opener = std::function<std::vector<Xapian::Database>()>;

  /// Opens nothing yet. The experiment must outlive this object and everything it opens.
  ObservedIndex(Opener opener, Experiment& experiment, ObservedIndexOptions options = {});
  ~ObservedIndex();
  ObservedIndex(const ObservedIndex&) = delete;
  ObservedIndex& operator=(const ObservedIndex&) = delete;

  /// Returns the calling thread's own database, resolved. It may outlive this object. Throws
  /// Error(kEngine) if there are documents but no docnos, if Xapian fails while resolving, and if
  /// writers keep overtaking it; Error(kUsage) if the opener returns no database. Exceptions of the
  /// opener, and of Xapian while reopening, pass through.
  [[nodiscard]] ObservedDatabase open() const;

 private:
  std::shared_ptr<Watching> watching_;
};

}  // namespace prescope::xapian
