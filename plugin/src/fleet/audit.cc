#include "fleet/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <tuple>

#include "fleet/row_binary.h"

namespace prescope {

namespace {

using Key = std::pair<std::string, std::uint64_t>;  // server and spool

std::string spools_sql(const std::string& database) {
  return fmt::format(
      "SELECT server, spool, complete_ms, dropped, waiting, closed FROM {}.spools "
      "FINAL ORDER BY server, spool FORMAT RowBinary",
      database);
}

/// Counts rows up to the number that was acknowledged, because more may arrive meanwhile.
std::string present_sql(const std::string& database, const std::map<Key, std::uint64_t>& up_to) {
  std::vector<std::uint64_t> spools, ends;
  for (const auto& [key, end] : up_to) {
    spools.push_back(key.second);
    ends.push_back(end);
  }
  return fmt::format(
      "SELECT server, spool, toUInt64(uniqExact(seq)), toUInt64(count()) "
      "FROM {}.observations WHERE seq <= transform(spool, [{}], [{}], toUInt64(0)) "
      "GROUP BY server, spool FORMAT RowBinary",
      database, fmt::join(spools, ","), fmt::join(ends, ","));
}

}  // namespace

std::vector<SpoolAudit> audit_fleet(ClickHouse& fleet) {
  const std::string& database = fleet.address().database;
  std::map<Key, SpoolAudit> spools;
  const auto audit_of = [&](RowBinaryReader& rows) -> SpoolAudit& {
    const std::string server(rows.text());
    return spools[{server, rows.number<std::uint64_t>()}];
  };
  const std::string there = fleet.ask(spools_sql(database));
  for (RowBinaryReader rows(there); !rows.at_end();) {
    SpoolAudit& spool = audit_of(rows);
    spool.complete_ms = rows.number<std::int64_t>();
    spool.dropped = rows.number<std::uint64_t>();
    spool.waiting = rows.number<std::uint64_t>();
    spool.is_closed = rows.number<std::uint8_t>() != 0;
  }
  const std::string shipped = fleet.ask(
      fmt::format("SELECT server, spool, toUInt64(sum(rows)), max(up_to) FROM {}.shipped FINAL "
                  "GROUP BY server, spool FORMAT RowBinary",
                  database));
  std::map<Key, std::uint64_t> up_to;
  for (RowBinaryReader rows(shipped); !rows.at_end();) {
    const std::string server(rows.text());
    const Key key(server, rows.number<std::uint64_t>());
    spools[key].acknowledged = rows.number<std::uint64_t>();
    up_to[key] = rows.number<std::uint64_t>();
  }
  if (!up_to.empty()) {
    const std::string present = fleet.ask(present_sql(database, up_to));
    for (RowBinaryReader rows(present); !rows.at_end();) {
      SpoolAudit& spool = audit_of(rows);
      spool.present = rows.number<std::uint64_t>();
      spool.repeated = rows.number<std::uint64_t>() - spool.present;
    }
  }
  std::vector<SpoolAudit> all;
  for (auto& [key, spool] : spools) {
    std::tie(spool.server, spool.spool) = key;
    all.push_back(std::move(spool));
  }
  return all;
}

std::size_t close_server(ClickHouse& fleet, std::string_view server) {
  const std::string spools = fmt::format("{}.spools", fleet.address().database);
  const std::string there = fleet.ask(
      fmt::format("SELECT DISTINCT server FROM {} ORDER BY server FORMAT RowBinary", spools));
  std::vector<std::string_view> servers;
  for (RowBinaryReader rows(there); !rows.at_end();) servers.push_back(rows.text());
  if (std::ranges::find(servers, server) == servers.end()) {
    throw Error(ErrorCode::kUsage, fmt::format("{}: {}", fleet.address().text,
                                               unknown_name_message("server", server, servers)));
  }
  const std::string is_open = fmt::format("server = {} AND NOT closed", sql_text(server));
  const std::string count = fleet.ask(fmt::format(
      "SELECT toUInt64(count()) FROM {} FINAL WHERE {} FORMAT RowBinary", spools, is_open));
  fleet.ask(
      fmt::format("INSERT INTO {0} SELECT server, spool, up_to, complete_ms, dropped, "
                  "waiting, 1, made_ms + 1 FROM {0} FINAL WHERE {1}",
                  spools, is_open));
  return RowBinaryReader(count).number<std::uint64_t>();
}

}  // namespace prescope
