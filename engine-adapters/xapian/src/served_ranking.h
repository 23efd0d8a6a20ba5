#pragma once

#include <span>
#include <string>

#include "prescope/ranking.h"
#include "watched_database.h"

namespace prescope::xapian {

/// Observes the hits of a search on this database that has just answered. `facts` says all but how
/// to match. A failure is counted, and nothing is observed then. No allocation where the database
/// is in the state of its table.
void observe(WatchedDatabase& database, const Xapian::MSet& served, Ranking facts) noexcept;

/// The same for hits whose docnos the caller has read: matched with them where there is no table.
/// `docnos` in served order, as many as hits.
void observe(WatchedDatabase& database, const Xapian::MSet& served,
             std::span<const std::string> docnos, Ranking facts) noexcept;

/// In a handler: observes that a search of `arm` has ended with the exception being handled;
/// Xapian::NetworkTimeoutError as one that gave up.
void observe_failure(Experiment& experiment, ArmIndex arm) noexcept;

}  // namespace prescope::xapian
