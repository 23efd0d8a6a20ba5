#include "fleet/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <tuple>

#include "fleet/row_binary.h"
#include "fleet/schema.h"

namespace prescope {

namespace {

using Key = std::pair<std::string, std::uint64_t>;  // server and spool

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

}  // namespace

std::string open_servers_sql(const std::string& database) {
  return fmt::format("SELECT server FROM {}.spools FINAL WHERE NOT closed", database);
}

std::string rights_sentence(ClickHouse& fleet) {
  const std::string& database = fleet.address().database;
  const auto unread = denied_tables([&](const FleetTable& table) {
    fleet.ask(fmt::format("SELECT * FROM {}.{} LIMIT 0", database, table.name));
  });
  std::string writing = "nobody can write now";
  try {
    writing = "may " + right_text("write", denied_tables([&](const FleetTable& table) {
                                    fleet.insert(insert_sql(database, table), "");
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

std::vector<std::string> differing_salts(ClickHouse& fleet) {
  const std::string answer = fleet.ask(fmt::format(
      "SELECT experiment, argMin(server, newest), min(newest), argMax(server, newest), max(newest) "
      "FROM (SELECT experiment, server, argMax(salt, began_ms) AS newest FROM {}.epochs "
      "WHERE mode = 'split' AND server GLOBAL IN ({}) GROUP BY experiment, server) "
      "GROUP BY experiment HAVING min(newest) != max(newest) FORMAT RowBinary",
      fleet.address().database, open_servers_sql(fleet.address().database)));
  std::vector<std::string> sentences;
  for (RowBinaryReader rows(answer); !rows.at_end();) {
    const std::string_view experiment = rows.text(), server = rows.text(), salt = rows.text(),
                           other = rows.text(), of_other = rows.text();
    sentences.push_back(fmt::format(
        "experiment {}: {} splits traffic with the salt '{}' and {} with '{}', so that they serve "
        "a topic by different arms; give all servers the same SplitOptions::salt",
        experiment, server, salt, other, of_other));
  }
  return sentences;
}

std::vector<SpoolAudit> audit_fleet(ClickHouse& fleet) {
  const std::string& database = fleet.address().database;
  std::map<Key, SpoolAudit> spools;
  const auto audit_of = [&](RowBinaryReader& rows) -> SpoolAudit& {
    const std::string server(rows.text());
    return spools[{server, rows.number<std::uint64_t>()}];
  };
  // Without ORDER BY, which ClickHouse 18.16 refuses with FINAL if the table is on shards.
  const std::string there =
      fleet.ask(fmt::format("SELECT server, spool, complete_ms, dropped, waiting, closed FROM "
                            "{}.spools FINAL FORMAT RowBinary",
                            database));
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
