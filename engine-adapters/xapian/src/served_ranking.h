#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "prescope/ranking.h"
#include "watched_database.h"

namespace prescope::xapian {

/// Observes the hits of a search on this database that has just answered. `facts` holds everything
/// except the hits. A failure is counted, and the ranking is not observed. No allocation if the
/// database is in the state of its table.
Outcome observe(WatchedDatabase& database, const Xapian::MSet& served, Ranking facts) noexcept;

/// As above, for hits whose docnos the caller has read. They are matched by docno if there is no
/// table. `docnos` are in served order, as many as hits.
Outcome observe(WatchedDatabase& database, const Xapian::MSet& served,
                std::span<const std::string> docnos, Ranking facts) noexcept;

/// Tells whether a docno is judged for the topic of the calling thread's QueryScope; false without
/// one. For the scope's lifetime.
[[nodiscard]] std::function<bool(std::string_view docno)> judged_by_topic(
    const Experiment& experiment);

/// Observes, in an exception handler, that a search of `arm` has ended with the current exception.
/// Xapian::NetworkTimeoutError means that it timed out.
void observe_failure(Experiment& experiment, ArmIndex arm) noexcept;

}  // namespace prescope::xapian
