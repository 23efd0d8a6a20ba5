#include "store/nights/store.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "store/sqlite/database.h"

namespace prescope {

Store Store::open(const std::filesystem::path& path, Access access) {
  return Store(open_store_file(path, access));
}

namespace {

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();
/// Rows of one transaction, which other writers have to wait for.
constexpr std::int64_t kRowsAtOnce = 20'000;

/// One kind of rows that may be removed.
struct Removable {
  std::uint64_t Pruned::*count;
  std::optional<UtcTime> Retention::*since;
  std::string_view table, key;
  std::string_view may_go;   ///< SQL condition of the rows that may be removed
  std::string_view time_ms;  ///< of a row
  std::string_view order;    ///< oldest first
};

/// Rows that are in the sums, and that every fleet has acknowledged that the store is shipped to.
constexpr std::string_view kIsKeptElsewhere =
    "seq <= (SELECT min(rolled_up_to, ifnull((SELECT min(acknowledged) FROM sinks), rolled_up_to))"
    " FROM log_state)";

// Captures are removed before their observations, whose time they have.
constexpr Removable kRemovable[] = {
    {.count = &Pruned::captures,
     .since = &Retention::observations_since,
     .table = "captures",
     .key = "seq",
     .may_go = kIsKeptElsewhere,
     .time_ms = "ifnull((SELECT o.time_ms FROM observations o WHERE o.seq = captures.seq), 0)",
     .order = "seq"},
    {.count = &Pruned::observations,
     .since = &Retention::observations_since,
     .table = "observations",
     .key = "seq",
     .may_go = kIsKeptElsewhere,
     .time_ms = "time_ms",
     .order = "seq"},
    {.count = &Pruned::evaluations,
     .since = &Retention::evaluations_since,
     .table = "evaluations",
     .key = "number",
     .may_go = "number NOT IN (SELECT evaluation FROM pins)",
     .time_ms = "time_ms",
     .order = "time_ms, number"}};

/// Removes the oldest rows from before the time, at most so many; returns their number.
std::int64_t remove(Database& database, const Removable& what, std::int64_t before_ms,
                    std::int64_t most) {
  Transaction transaction(database);
  Statement(database,
            fmt::format("DELETE FROM {0} WHERE {1} IN (SELECT {1} FROM {0} WHERE {2} AND {3} < ? "
                        "ORDER BY {4} LIMIT ?)",
                        what.table, what.key, what.may_go, what.time_ms, what.order))
      .bind(before_ms, most)
      .run();
  const std::int64_t removed = database.getChanges();
  transaction.commit();
  return removed;
}

std::uint64_t bytes_of(const Database& database, std::int64_t pages) {
  return static_cast<std::uint64_t>(pages * database.number("PRAGMA page_size"));
}

}  // namespace

Pruned Store::prune(const Retention& retention) {
  const auto pages = [&] { return database_.number("PRAGMA page_count"); };
  const auto used = [&] { return pages() - database_.number("PRAGMA freelist_count"); };
  Pruned pruned{.bytes_before = bytes_of(database_, pages())};
  const auto remove_some = [&](const Removable& what, std::int64_t before_ms, std::int64_t most) {
    const std::int64_t removed = remove(database_, what, before_ms, most);
    pruned.*what.count += static_cast<std::uint64_t>(removed);
    return removed > 0;
  };
  for (const Removable& what : kRemovable) {
    const std::optional<UtcTime> since = retention.*what.since;
    while (since && remove_some(what, since->time_since_epoch().count(), kRowsAtOnce)) {
    }
  }
  if (retention.evaluations_since) {
    Statement(database_, "DELETE FROM attempts WHERE time_ms < ?")
        .bind(*retention.evaluations_since)
        .run();
  }
  for (const Removable& what : kRemovable) {
    bool goes_on = retention.bytes.has_value();
    while (goes_on && bytes_of(database_, used()) > *retention.bytes) {
      // Removes a sixteenth at a time, because sizes are only known for pages.
      const std::int64_t there = database_.number(
          fmt::format("SELECT count(*) FROM {} WHERE {}", what.table, what.may_go));
      goes_on = remove_some(what, kEndOfTime, std::min(1 + there / 16, kRowsAtOnce));
    }
  }
  Statement(database_, "PRAGMA incremental_vacuum").run();  // returns rows, which say nothing
  database_.checkpoint();
  pruned.bytes_after = bytes_of(database_, pages());
  return pruned;
}

}  // namespace prescope
