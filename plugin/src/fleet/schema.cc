#include "fleet/schema.h"

#include "base/errors.h"
#include "base/hash.h"
#include "base/random_bits.h"
#include "base/text_file.h"
#include "base/utc_time.h"
#include "facts/observation_fields.h"
#include "fleet/row_binary.h"

namespace prescope {

namespace {

template <class Value>
constexpr std::string_view clickhouse_type() {
  if constexpr (std::is_enum_v<Value>) {
    return clickhouse_type<std::underlying_type_t<Value>>();
  } else if constexpr (std::is_same_v<Value, std::chrono::nanoseconds>) {
    return "Int64";
  } else if constexpr (sizeof(Value) == 1) {
    return "UInt8";
  } else {
    return sizeof(Value) == 4 ? "UInt32" : "UInt64";
  }
}

std::string create_table(const std::string& database, const std::string& name,
                         const FleetTable& table, const FleetLayout& layout) {
  const bool is_single = layout.kind == FleetLayout::Kind::kSingle;
  const std::string place =
      is_single
          ? ""
          : fmt::format("'/clickhouse/tables/{{shard}}/{}/{}', '{{replica}}'", database, name);
  return fmt::format(
      "CREATE TABLE IF NOT EXISTS {}.{}{} ({}) ENGINE = {}ReplacingMergeTree({}{}{})"
      "{}{} ORDER BY ({})",
      database, name, is_single ? "" : " ON CLUSTER " + layout.cluster, table.columns,
      is_single ? "" : "Replicated", place, is_single || table.version.empty() ? "" : ", ",
      table.version, table.partition.empty() ? "" : " PARTITION BY ", table.partition, table.key);
}

void check_version(ClickHouse& fleet) {
  const std::string answer = fleet.ask("SELECT version()");
  const std::string_view version = trimmed(answer);
  const std::vector<std::string> parts = split(version, '.');
  const auto year = whole_number<int>(parts.front());
  const auto month = whole_number<int>(parts.size() > 1 ? parts[1] : "");
  if (year && month && (*year > 18 || (*year == 18 && *month >= 16))) return;
  throw usage_error(
      "{}: ClickHouse {} is not one that prescope knows; it needs 18.16 or a later release",
      fleet.address().text, version);
}

/// Returns FleetTable::columns of a table that is described line by line.
std::string columns_of(std::string_view description) {
  std::vector<std::string> columns;
  for (const std::string& line : split(description, '\n')) {
    const std::vector<std::string> parts = split(line, '\t');
    if (parts.size() > 1) columns.push_back(fmt::format("{} {}", parts[0], parts[1]));
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

}  // namespace

std::string clickhouse_fields() {
  std::string columns;
  for_each_field([&]<class Value>(const ObservationField<Value>& field) {
    columns +=
        fmt::format("{}{} {}", columns.empty() ? "" : ", ", field.name, clickhouse_type<Value>());
  });
  return columns;
}

std::uint64_t judgements_version(std::string_view hash, std::string_view docno,
                                 std::int32_t min_grade) {
  return fnv_1a(fmt::format("{} {} {}", hash, docno, min_grade));
}

std::vector<std::string> fleet_schema(const std::string& database, const FleetLayout& layout) {
  const std::string on =
      layout.kind == FleetLayout::Kind::kSingle ? "" : " ON CLUSTER " + layout.cluster;
  std::vector<std::string> statements{
      fmt::format("CREATE DATABASE IF NOT EXISTS {}{}", database, on)};
  for (const FleetTable& table : kFleetTables) {
    const bool is_sharded = layout.kind == FleetLayout::Kind::kSharded;
    const std::string name = fmt::format("{}{}", table.name, is_sharded ? "_local" : "");
    statements.push_back(create_table(database, name, table, layout));
    if (!is_sharded) continue;
    statements.push_back(fmt::format(
        "CREATE TABLE IF NOT EXISTS {0}.{1}{2} AS {0}.{3} ENGINE = Distributed({4}, {0}, {3}, {5})",
        database, table.name, on, name, layout.cluster, table.shard));
  }
  return statements;
}

void give_identity(ClickHouse& fleet) {
  std::uint64_t count = 0;
  FleetRows(fleet, "SELECT toUInt64(count()) FROM {}.{}", fleet.address().database,
            kFleetTable.name)
      .read(count);
  if (count > 0) return;
  std::string row;
  append_row(row, random_bits(), utc_now_ms());
  send_rows(fleet, kFleetTable, row);
}

void send_rows(ClickHouse& fleet, const FleetTable& table, std::string_view rows) {
  std::vector<std::string> names;
  for (const std::string& column : split(table.columns, ',')) {
    names.push_back(split(trimmed(column), ' ').front());
  }
  fleet.insert(fmt::format("INSERT INTO {}.{} ({}) FORMAT RowBinary", fleet.address().database,
                           table.name, fmt::join(names, ", ")),
               rows);
}

void check_fleet(ClickHouse& fleet) {
  check_version(fleet);
  for (const FleetTable& table : kFleetTables) {
    const std::string name = fmt::format("{}.{}", fleet.address().database, table.name);
    const std::string there =
        fleet.ask(fmt::format("DESCRIBE TABLE {} FORMAT TabSeparatedRaw", name));
    if (columns_of(there) == table.columns) continue;
    throw usage_error(
        "{}: the columns of table {} are not those of this prescope; another release made it: "
        "name another database, or use that release",
        fleet.address().text, name);
  }
}

}  // namespace prescope
