#pragma once

#include <cstdint>
#include <memory>

#include "prescope/experiment.h"

// After ours, as all engines' headers.
#include <xapian.h>

namespace prescope::xapian {

class WatchedDatabase;

/// Facts about a ranking from a host that calls Xapian itself.
struct ServedPage {
  /// Hits asked for (`maxitems`); fewer served hits mean that the ranking ended.
  std::uint32_t requested_depth = 0;
  /// When the search began; by default, now.
  std::chrono::steady_clock::time_point search_started = std::chrono::steady_clock::now();
  RankingFlags flags = RankingFlags::kNone;
};

/// An Enquire that shows each ranking it serves to an experiment, under the QueryScope of the
/// calling thread. Hits, scores and exceptions are those of Enquire, except for the one retry
/// below; a failure of the plugin never reaches the caller. A search that throws is observed as
/// failed, with NetworkTimeoutError as timed out. `ObservedDatabase::enquire` makes them.
///
/// Enquire has no virtual functions: a call through an `Enquire&`, or on a copy that is an Enquire,
/// is not observed. As any object of Xapian, for one thread only, copies too.
///
/// Retry: if a search throws Xapian::DatabaseError, the database is reopened in place and asked
/// once more. It fell behind a writer: DatabaseModifiedError, or a plain error such as "EOF reading
/// block". The query is observed once, with RankingFlags::kRetried. If the retry fails too, the
/// caller gets the first exception. There is no retry with a MatchSpy, which would count the same
/// documents twice; a MatchDecider may be asked again. NetworkError passes at once.
///
/// Reopening can itself fail, or find another database in place of this one (after a compaction and
/// a rename). Xapian 1.4 may then go on with closed tables, or with those of two databases, and
/// serve wrong hits or none. So each later search throws DatabaseModifiedError until the host calls
/// `ObservedDatabase::reopen`, which opens the database again, and makes a new Enquire.
///
/// Matching: by docid, with the table of the database's present state. Each search checks that the
/// state is unchanged, in about 12 ns a shard. After a retry has reopened the database, the table
/// of another thread in the same state is taken, if there is one. If there is none, or if the host
/// has reopened the database itself, hits are matched by their docnos until
/// `ObservedDatabase::reopen` makes the table. The docno is read from each document of a judged
/// query (measured: 1.4 us a hit on a local database, 65 us on a remote one). A table is never made
/// during a search.
///
/// Databases without a revision (remote, several in one handle, in memory) are compared by document
/// count, last docid and total length. If the host makes a change that moves docids but alters none
/// of these, it is not noticed without `ObservedDatabase::reopen`.
class ObservedEnquire : public Xapian::Enquire {
 public:
  /// Searches as Enquire::get_mset does. A search for no hits (`maxitems` 0) is not observed.
  Xapian::MSet get_mset(Xapian::doccount first, Xapian::doccount maxitems,
                        Xapian::doccount checkatleast = 0, const Xapian::RSet* omrset = nullptr,
                        const Xapian::MatchDecider* mdecider = nullptr) const;
  Xapian::MSet get_mset(Xapian::doccount first, Xapian::doccount maxitems,
                        const Xapian::RSet* omrset,
                        const Xapian::MatchDecider* mdecider = nullptr) const;

  // Like Enquire's. If the ranking is not by score first, it carries RankingFlags::kSorted.
  void set_sort_by_relevance();
  void set_sort_by_value(Xapian::valueno sort_key, bool reverse);
  void set_sort_by_key(Xapian::KeyMaker* sorter, bool reverse);
  void set_sort_by_value_then_relevance(Xapian::valueno sort_key, bool reverse);
  void set_sort_by_key_then_relevance(Xapian::KeyMaker* sorter, bool reverse);
  void set_sort_by_relevance_then_value(Xapian::valueno sort_key, bool reverse);
  void set_sort_by_relevance_then_key(Xapian::KeyMaker* sorter, bool reverse);

  void add_matchspy(Xapian::MatchSpy* spy);
  void clear_matchspies();

  /// Observes hits of this object's database that the host obtained otherwise, through an Enquire
  /// of its own. Their first rank is the MSet's. Never throws, nor allocates while the database is
  /// in the state of its table.
  void observe(const Xapian::MSet& served, const ServedPage& page) const noexcept;

 private:
  friend class ObservedDatabase;

  ObservedEnquire(std::shared_ptr<WatchedDatabase> database, ArmIndex arm);

  std::shared_ptr<WatchedDatabase> database_;
  ArmIndex arm_;
  RankingFlags order_ = RankingFlags::kNone;
  bool has_spies_ = false;
};

}  // namespace prescope::xapian
