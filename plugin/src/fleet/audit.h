#pragma once

#include <map>

#include "fleet/clickhouse.h"

namespace prescope {

/// One store: the observations that the fleet has, and those that the store says it has.
struct SpoolAudit {
  std::string server{};  ///< the name that it was last shipped under
  std::uint64_t spool = 0;
  std::int64_t complete_ms = 0;    ///< all observations before this time were shipped
  std::uint64_t acknowledged = 0;  ///< observations, as the store counts them
  std::uint64_t present = 0;       ///< acknowledged ones that the fleet has
  std::uint64_t waiting = 0, dropped = 0;
  bool is_closed = false;
  std::int64_t ahead_ms = 0;     ///< the machine's clock, of ClickHouse's
  std::uint64_t ahead_rows = 0;  ///< with a time in the future
  std::string error{};           ///< the last failure of shipping, and its time

  [[nodiscard]] std::uint64_t missing() const noexcept {
    return acknowledged > present ? acknowledged - present : 0;
  }
};

/// Clocks that differ by more are said to differ.
inline constexpr std::int64_t kClocksDifferMs = 60'000;
/// "the clock of server a is 3600 s ahead of ClickHouse's; ..."
[[nodiscard]] std::string clock_sentence(std::string_view server, std::int64_t ahead_ms);
/// "120 observations of server a had a time in the future; ..."
[[nodiscard]] std::string future_sentence(std::string_view server, std::uint64_t rows);

/// Returns for each store how many observations fulfil the SQL condition and have a number above
/// `after` and up to the store's end in `ends`. An observation that was sent twice counts once, and
/// ClickHouse needs memory for each number: ask for a few 100,000 at once. Throws like
/// ClickHouse::ask.
[[nodiscard]] std::map<std::uint64_t, std::uint64_t> count_numbers(
    ClickHouse& fleet, std::string_view condition, std::uint64_t after,
    const std::map<std::uint64_t, std::uint64_t>& ends);

/// Returns all stores that were ever shipped, by server. Reads every row's number, some at a time,
/// so that neither side needs memory for all. Throws as ClickHouse::ask.
[[nodiscard]] std::vector<SpoolAudit> audit_fleet(ClickHouse& fleet);

/// Returns a sentence about the tables that the user of the connection may read and write, without
/// changing them. Throws FleetDenied with it for one who may not read all that an audit needs, and
/// as ClickHouse::ask.
[[nodiscard]] std::string rights_sentence(ClickHouse& fleet);

/// Returns a sentence for each split experiment whose open servers have different salts or
/// shares, and so serve a topic by different arms. Throws as ClickHouse::ask.
[[nodiscard]] std::vector<std::string> differing_splits(ClickHouse& fleet);

/// Returns a query for the servers with a store that is not closed; `server GLOBAL IN (...)`.
[[nodiscard]] std::string open_servers_sql(const std::string& database);

/// Says that a server's stores will not be shipped any more. Returns their number. A server that
/// ships again is open again. Throws as ClickHouse::ask, and Error(kUsage), with the others, for an
/// unknown server.
std::size_t close_server(ClickHouse& fleet, std::string_view server);

}  // namespace prescope
