#include "store/nights/store.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "store/sqlite/schema.h"

namespace prescope {

Store Store::open(const std::filesystem::path& path, Access access) {
  return Store(open_store_file(path, access));
}

namespace {

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();
/// Rows of one transaction: what others who write have to wait for.
constexpr std::int64_t kRowsAtOnce = 20'000;

/// One kind of what may be removed.
struct Removable {
  std::string_view table, key;
  std::string_view may_go;   ///< which of its rows
  std::string_view time_ms;  ///< of a row
  std::string_view order;    ///< oldest first
};

constexpr std::string_view kInTheSums = "seq <= (SELECT rolled_up_to FROM log_state)";

constexpr Removable kCaptures{
    .table = "captures",
    .key = "seq",
    .may_go = kInTheSums,
    .time_ms = "ifnull((SELECT o.time_ms FROM observations o WHERE o.seq = captures.seq), 0)",
    .order = "seq"};
constexpr Removable kObservations{.table = "observations",
                                  .key = "seq",
                                  .may_go = kInTheSums,
                                  .time_ms = "time_ms",
                                  .order = "seq"};
constexpr Removable kEvaluations{.table = "evaluations",
                                 .key = "number",
                                 .may_go = "number NOT IN (SELECT evaluation FROM pins)",
                                 .time_ms = "time_ms",
                                 .order = "time_ms, number"};

/// Removes the oldest rows from before the time, so many at most; returns how many there were.
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

std::uint64_t remove_before(Database& database, const Removable& what,
                            std::optional<UtcTime> time) {
  if (!time) return 0;
  std::uint64_t removed = 0;
  while (const auto some = remove(database, what, time->time_since_epoch().count(), kRowsAtOnce)) {
    removed += static_cast<std::uint64_t>(some);
  }
  return removed;
}

std::uint64_t bytes_of_pages(const Database& database, std::int64_t pages) {
  return static_cast<std::uint64_t>(pages * database.number("PRAGMA page_size"));
}

std::uint64_t file_size(const Database& database) {
  return bytes_of_pages(database, database.number("PRAGMA page_count"));
}

std::uint64_t used_bytes(const Database& database) {
  return bytes_of_pages(
      database, database.number("PRAGMA page_count") - database.number("PRAGMA freelist_count"));
}

/// A sixteenth at a time: sizes are known of pages only.
std::uint64_t remove_oldest(Database& database, const Removable& what, std::uint64_t bytes) {
  std::uint64_t removed = 0;
  while (used_bytes(database) > bytes) {
    const std::int64_t there =
        database.number(fmt::format("SELECT count(*) FROM {} WHERE {}", what.table, what.may_go));
    const std::int64_t some =
        remove(database, what, kEndOfTime, std::min(1 + there / 16, kRowsAtOnce));
    if (some == 0) break;
    removed += static_cast<std::uint64_t>(some);
  }
  return removed;
}

}  // namespace

Pruned Store::prune(const Retention& retention) {
  Pruned pruned{.bytes_before = file_size(database_)};
  const std::optional<UtcTime> since = retention.observations_since;
  // What is captured of an observation goes first: it is found by the observation's time.
  pruned.captures = remove_before(database_, kCaptures, since);
  pruned.observations = remove_before(database_, kObservations, since);
  pruned.evaluations = remove_before(database_, kEvaluations, retention.evaluations_since);
  const std::uint64_t bytes = retention.bytes.value_or(std::numeric_limits<std::uint64_t>::max());
  pruned.captures += remove_oldest(database_, kCaptures, bytes);
  pruned.observations += remove_oldest(database_, kObservations, bytes);
  pruned.evaluations += remove_oldest(database_, kEvaluations, bytes);
  // Both give rows that nobody needs. The second waits for no reader.
  Statement(database_, "PRAGMA incremental_vacuum").run();
  Statement(database_, "PRAGMA wal_checkpoint(PASSIVE)").run();
  pruned.bytes_after = file_size(database_);
  return pruned;
}

}  // namespace prescope
