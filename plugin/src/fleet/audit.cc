#include "fleet/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <ranges>

#include "base/errors.h"
#include "fleet/row_binary.h"
#include "fleet/schema.h"

namespace prescope {

namespace {

/// Returns the names of the tables for which `use` is denied.
template <class Use>
std::vector<std::string_view> denied_tables(const Use& use) {
  std::vector<std::string_view> denied;
  for (const FleetTable& table : kFleetTables) {
    try {
      use(table);
    } catch (const FleetDenied&) {
      denied.push_back(table.name);
    }
  }
  return denied;
}

/// "read all tables", "read no table", "read all tables but a, b".
std::string right_text(std::string_view verb, const std::vector<std::string_view>& denied) {
  if (denied.size() == kFleetTables.size()) return fmt::format("{} no table", verb);
  if (denied.empty()) return fmt::format("{} all tables", verb);
  return fmt::format("{} all tables but {}", verb, fmt::join(denied, ", "));
}

/// Returns how many numbers of each store are there up to its end; later rows may arrive meanwhile.
/// Counts some numbers at a time, because ClickHouse needs memory for each number.
std::map<std::uint64_t, std::uint64_t> count_present(
    ClickHouse& fleet, const std::map<std::uint64_t, std::uint64_t>& ends) {
  constexpr std::uint64_t kAtOnce = 500'000;
  std::map<std::uint64_t, std::uint64_t> present;
  if (ends.empty()) return present;
  const std::uint64_t last = std::ranges::max(ends | std::views::values);
  const std::uint64_t step = kAtOnce / ends.size() + 1;
  for (std::uint64_t after = 0; after < last; after += step) {
    std::map<std::uint64_t, std::uint64_t> ends_of_step;
    for (const auto& [store, end] : ends) {
      if (end > after) ends_of_step[store] = std::min(end, after + step);
    }
    for (const auto& [store, rows] : count_numbers(fleet, "1", after, ends_of_step)) {
      present[store] += rows;
    }
  }
  return present;
}

}  // namespace

std::map<std::uint64_t, std::uint64_t> count_numbers(
    ClickHouse& fleet, std::string_view condition, std::uint64_t after,
    const std::map<std::uint64_t, std::uint64_t>& ends) {
  std::map<std::uint64_t, std::uint64_t> present;
  if (ends.empty()) return present;
  FleetRows row(fleet,
                "SELECT spool, toUInt64(uniqExact(seq)) FROM {}.observations WHERE {} AND seq > {}"
                " AND seq <= transform(spool, [{}], [{}], toUInt64(0)) GROUP BY spool",
                fleet.address().database, condition, after, fmt::join(ends | std::views::keys, ","),
                fmt::join(ends | std::views::values, ","));
  std::uint64_t store = 0, count = 0;
  while (row.next(store, count)) present[store] = count;
  return present;
}

std::string clock_sentence(std::string_view server, std::int64_t ahead_ms) {
  return fmt::format(
      "the clock of server {} is {} s {} ClickHouse's; its observations are ordered by "
      "ClickHouse's clock",
      server, std::abs(ahead_ms) / 1000, ahead_ms > 0 ? "ahead of" : "behind");
}

std::string future_sentence(std::string_view server, std::uint64_t rows) {
  return fmt::format(
      "{} observations of server {} had a time in the future; they are ordered by the time at "
      "which they were shipped",
      rows, server);
}

std::string open_servers_sql(const std::string& database) {
  return fmt::format(
      "SELECT argMax(server, made_ms) FROM {}.spools GROUP BY spool "
      "HAVING NOT argMax(closed, made_ms)",
      database);
}

std::string rights_sentence(ClickHouse& fleet) {
  const std::string& database = fleet.address().database;
  const auto unread = denied_tables([&](const FleetTable& table) {
    fleet.ask(fmt::format("SELECT * FROM {}.{} LIMIT 0", database, table.name));
  });
  std::string writing = "nobody can write now";
  try {
    writing = "may " + right_text("write", denied_tables([&](const FleetTable& table) {
                                    send_rows(fleet, table, "");
                                  }));
  } catch (const FleetUnavailable& error) {
    writing += fmt::format(" ({})", error.what());
  }
  const std::string sentence =
      fmt::format("{}: user '{}' may {} and {}", fleet.address().text, fleet.address().user,
                  right_text("read", unread), writing);
  if (unread.empty()) return sentence;
  throw FleetDenied(sentence + "; a check needs a user who may read all");
}

std::vector<std::string> differing_splits(ClickHouse& fleet) {
  const std::string& database = fleet.address().database;
  std::vector<std::string> sentences;
  for (const std::string_view option : {"salt", "shares"}) {
    FleetRows row(fleet,
                  "SELECT experiment, argMin(server, newest), min(newest), argMax(server, newest), "
                  "max(newest) FROM (SELECT experiment, server, argMax({}, began_ms) AS newest "
                  "FROM {}.epochs WHERE mode = 'split' AND server GLOBAL IN ({}) GROUP BY "
                  "experiment, server) GROUP BY experiment HAVING min(newest) != max(newest)",
                  option, database, open_servers_sql(database));
    std::string_view experiment, server, value, other, of_other;
    while (row.next(experiment, server, value, other, of_other)) {
      sentences.push_back(fmt::format(
          "experiment {}: {} splits traffic with the {} '{}' and {} with '{}', so that they serve "
          "a topic by different arms; give all servers the same {}",
          experiment, server, option, value, other, of_other, option));
    }
  }
  return sentences;
}

std::vector<SpoolAudit> audit_fleet(ClickHouse& fleet) {
  const std::string& database = fleet.address().database;
  std::map<std::uint64_t, SpoolAudit> spools;
  FleetRows there(
      fleet,
      "SELECT spool, server, complete_ms, dropped, waiting, closed, ahead_ms, ahead_rows, "
      "error FROM {}.spools "
      "ORDER BY made_ms DESC LIMIT 1 BY spool",
      database);
  std::uint64_t number = 0;
  while (there.next(number)) {
    SpoolAudit& spool = spools[number];
    there.read(spool.server, spool.complete_ms, spool.dropped, spool.waiting, spool.is_closed,
               spool.ahead_ms, spool.ahead_rows, spool.error);
  }
  FleetRows shipped(fleet,
                    "SELECT spool, any(shipped_as), toUInt64(sum(newest)), max(last) FROM (SELECT "
                    "spool, any(server) AS shipped_as, argMax(rows, made_ms) AS newest, "
                    "argMax(up_to, made_ms) AS last FROM {}.shipped "
                    "GROUP BY spool, experiment, epoch) GROUP BY spool",
                    database);
  std::map<std::uint64_t, std::uint64_t> ends;  // of the acknowledged numbers
  std::string server;
  while (shipped.next(number, server)) {
    SpoolAudit& spool = spools.try_emplace(number, SpoolAudit{.server = server}).first->second;
    shipped.read(spool.acknowledged, ends[number]);
  }
  for (const auto& [store, present] : count_present(fleet, ends)) spools[store].present = present;
  std::vector<SpoolAudit> all;
  for (auto& [of_store, spool] : spools) {
    spool.spool = of_store;
    all.push_back(std::move(spool));
  }
  std::ranges::stable_sort(all, {}, &SpoolAudit::server);
  return all;
}

std::size_t close_server(ClickHouse& fleet, std::string_view server) {
  const std::string spools = fmt::format("{}.spools", fleet.address().database);
  FleetRows there(fleet, "SELECT DISTINCT server FROM {} ORDER BY server", spools);
  std::vector<std::string_view> servers;
  for (std::string_view name; there.next(name);) servers.push_back(name);
  if (std::ranges::find(servers, server) == servers.end()) {
    throw usage_error("{}: {}", fleet.address().text,
                      unknown_name_message("server", server, servers));
  }
  const std::string is_open = fmt::format("server = {} AND NOT closed", sql_text(server));
  std::uint64_t count = 0;
  FleetRows(fleet, "SELECT toUInt64(count()) FROM {} FINAL WHERE {}", spools, is_open).read(count);
  fleet.ask(
      fmt::format("INSERT INTO {0} SELECT server, spool, up_to, complete_ms, dropped, waiting, 1, "
                  "writer, ahead_ms, ahead_rows, error, made_ms + 1 FROM {0} FINAL WHERE {1}",
                  spools, is_open));
  return count;
}

}  // namespace prescope
