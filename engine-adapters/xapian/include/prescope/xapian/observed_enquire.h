#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "prescope/experiment.h"

// After ours, as all engines' headers.
#include <xapian.h>

namespace prescope::xapian {

class WatchedDatabase;

/// Flags that a host states itself. They have no default, so that none can be forgotten.
struct StatedFlags {
  constexpr StatedFlags(RankingFlags stated) noexcept
      : flags(stated) {}  // NOLINT: meant to convert
  RankingFlags flags;
};

/// Facts about a ranking from a host that calls Xapian itself.
struct ServedPage {
  /// Hits asked for (`maxitems`); fewer served hits mean that the ranking ended.
  std::uint32_t requested_depth = 0;
  /// When the search began; by default, now.
  std::chrono::steady_clock::time_point search_started = std::chrono::steady_clock::now();
  /// `kNone` for a ranking by score, of all documents that the query matches.
  StatedFlags flags;
};

/// An Enquire that shows each ranking it serves to an experiment, under the QueryScope of the
/// calling thread. Hits, scores and exceptions are those of Enquire, except for the one retry
/// below; a failure of the plugin never reaches the caller. A search that throws is observed as
/// failed, with NetworkTimeoutError as timed out. `ObservedDatabase::enquire` makes them.
///
/// It has all of Enquire's functions, but is no Enquire: those are not virtual, so that a search or
/// a setting through an `Enquire&` could not be noticed. As any object of Xapian, for one thread
/// only. Copies share their settings, as Xapian's do. docs/adapters.md lists which call sets which
/// flag of a ranking.
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
/// Matching: by docid, with the table of the database's present state, which each search checks in
/// about 12 ns a shard. If there is no table of it, because a retry or the host has reopened the
/// database, hits are matched by their docnos until `ObservedDatabase::reopen` makes one. The docno
/// is then read from each hit of a judged query (measured: 1.4 us a hit on a local database, 65 us
/// on a remote one). A table is never made during a search.
///
/// Databases without a revision (remote, several in one handle, in memory) are compared by document
/// count, last docid and total length. If the host makes a change that moves docids but alters none
/// of these, it is not noticed without `ObservedDatabase::reopen`.
class ObservedEnquire : private Xapian::Enquire {
 public:
  /// Searches as Enquire::get_mset does. A search for no hits (`maxitems` 0) is not observed.
  Xapian::MSet get_mset(Xapian::doccount first, Xapian::doccount maxitems,
                        Xapian::doccount checkatleast = 0, const Xapian::RSet* omrset = nullptr,
                        const Xapian::MatchDecider* mdecider = nullptr) const;
  Xapian::MSet get_mset(Xapian::doccount first, Xapian::doccount maxitems,
                        const Xapian::RSet* omrset,
                        const Xapian::MatchDecider* mdecider = nullptr) const;

  /// As Enquire's. The ranking carries `kFiltered` if the query has a clause that leaves documents
  /// out: OP_FILTER, OP_AND_NOT, a range of values, or one of weight 0. It carries `kSorted` if the
  /// query gives no document a score.
  void set_query(const Xapian::Query& query, Xapian::termcount qlen = 0);
  /// The host states the flags of the query itself: `kNone` if its filters are part of the task, as
  /// the exclusion of the topic's own document is; `kFiltered` if a PostingSource is a filter.
  void set_query(const Xapian::Query& query, Xapian::termcount qlen, RankingFlags flags);

  /// As Enquire's. A BoolWeight gives no scores: the ranking carries `kSorted`.
  void set_weighting_scheme(const Xapian::Weight& weight);
  /// As Enquire's. The ranking carries `kCollapsed`, unless `collapse_key` is BAD_VALUENO.
  void set_collapse_key(Xapian::valueno collapse_key, Xapian::doccount collapse_max = 1);
  /// As Enquire's. With either cutoff above 0 the ranking carries `kFiltered`.
  void set_cutoff(int percent_cutoff, double weight_cutoff = 0);

  // As Enquire's. If the ranking is not by score first, it carries RankingFlags::kSorted.
  void set_sort_by_relevance();
  void set_sort_by_value(Xapian::valueno sort_key, bool reverse);
  void set_sort_by_key(Xapian::KeyMaker* sorter, bool reverse);
  void set_sort_by_value_then_relevance(Xapian::valueno sort_key, bool reverse);
  void set_sort_by_key_then_relevance(Xapian::KeyMaker* sorter, bool reverse);
  void set_sort_by_relevance_then_value(Xapian::valueno sort_key, bool reverse);
  void set_sort_by_relevance_then_key(Xapian::KeyMaker* sorter, bool reverse);

  void add_matchspy(Xapian::MatchSpy* spy);
  void clear_matchspies();

  // These neither serve a ranking nor change which documents it has.
  using docid_order = Xapian::Enquire::docid_order;
  using Xapian::Enquire::ASCENDING;
  using Xapian::Enquire::DESCENDING;
  using Xapian::Enquire::DONT_CARE;
  using Xapian::Enquire::get_description;
  using Xapian::Enquire::get_eset;
  using Xapian::Enquire::get_matching_terms_begin;
  using Xapian::Enquire::get_matching_terms_end;
  using Xapian::Enquire::get_query;
  using Xapian::Enquire::INCLUDE_QUERY_TERMS;
  using Xapian::Enquire::set_docid_order;
  using Xapian::Enquire::set_expansion_scheme;
  using Xapian::Enquire::set_time_limit;
  using Xapian::Enquire::USE_EXACT_TERMFREQ;

  /// Observes hits of this object's database that the host obtained otherwise, through an Enquire
  /// of its own. Their first rank is the MSet's. Their flags are those that the host states and
  /// those that this object's settings have. Never throws, nor allocates while the database is in
  /// the state of its table.
  Outcome observe(const Xapian::MSet& served, const ServedPage& page) const noexcept;

 private:
  friend class ObservedDatabase;

  ObservedEnquire(std::shared_ptr<WatchedDatabase> database, ArmIndex arm);

  struct Settings;

  std::shared_ptr<WatchedDatabase> database_;
  std::shared_ptr<Settings> settings_;  // shared by copies, as Enquire's own are
  ArmIndex arm_;
};

}  // namespace prescope::xapian
