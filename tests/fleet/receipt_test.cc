// What ClickHouse has acknowledged is proved to be there before anything counts as shipped.
#include "fleet/receipt.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/sip_hash.h"
#include "fleet/audit.h"
#include "fleet/outbox.h"
#include "fleet/recorded.h"
#include "fleet/row_binary.h"
#include "prescope/shipper.h"
#include "store/nights/store.h"
#include "support/built_files.h"
#include "support/clickhouse_server.h"
#include "support/fault_proxy.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

TEST(SipHash, IsThatOfItsAuthors) {
  // Values for a key of zeros: printed by ClickHouse 18.16, SELECT sipHash64('...').
  EXPECT_EQ(SipHash::of(""), 2202906307356721367U);
  EXPECT_EQ(SipHash::of("abc"), 4596069200710135518U);
}

/// Returns `count` rows with a value for every column of a table, made from `seed`.
std::string made_up_rows(const FleetTable& table, int count, int seed) {
  std::string rows;
  for (int i = 0; i < count; ++i) {
    std::istringstream columns{std::string(table.columns)};
    int value = seed * 7919 + i;
    for (std::string name, type; columns >> name >> type; ++value) {
      if (type.ends_with(',')) type.pop_back();
      const std::string text = fmt::format("{}\t'\\\n\xE4\xFF,", value);
      const std::array<int, 3> numbers{-value, 0, value};
      if (type == "String") append_value(rows, text);
      if (type == "UInt8") append_value(rows, static_cast<std::uint8_t>(value));
      if (type == "UInt16" || type == "Date") append_value(rows, static_cast<std::uint16_t>(value));
      if (type == "UInt32" || type == "Int32") append_value(rows, value * 65'537);
      if (type == "UInt64" || type == "Int64") append_value(rows, value * -4'294'967'311);
      if (type == "Float64") append_value(rows, value / 7.0);
      if (type == "Array(UInt8)")
        append_array(rows, numbers, [](int n) { return std::uint8_t(n); });
      if (type == "Array(UInt32)" || type == "Array(Int32)") {
        append_array(rows, numbers, std::identity());
      }
      if (type == "Array(UInt64)") {
        append_array(rows, numbers, [](int n) { return std::int64_t{n}; });
      }
      if (type == "Array(String)")
        append_array(rows, numbers, [](int n) { return std::to_string(n); });
    }
  }
  return rows;
}

TEST(Receipt, OfEveryTableIsTheFleetsOwn) {
  const ClickHouseServer server;
  for (const std::string& statement : fleet_schema("prescope", {})) server.ask(statement);
  ClickHouse fleet(parse_fleet_url(server.url()));
  for (const FleetTable& table : kFleetTables) {
    SCOPED_TRACE(table.name);
    const std::string rows = made_up_rows(table, 40, 1), more = made_up_rows(table, 1, 2);
    insert_rows(fleet, table, rows, "1");
    insert_rows(fleet, table, rows, "1");  // which changes nothing
    send_rows(fleet, table, more);
    EXPECT_THROW(insert_rows(fleet, table, rows, "1"), FleetConflict);
    insert_rows(fleet, table, more + rows, "1");
  }
  const Receipt expected{.rows = 42};
  EXPECT_THROW(verify_rows(fleet, kNightsTable, expected, "1"), FleetUnavailable);
}

/// Something acknowledges inserts and stores nothing: a login page, a cache, a proxy that is wrong.
TEST(Receipt, NothingIsAcknowledgedThatIsNotThere) {
  const ClickHouseServer server;
  server.make_tables();
  ClickHouse fleet(parse_fleet_url(server.url()));
  FaultProxy proxy(server.port());
  const std::string to = fmt::format("clickhouse://admin@127.0.0.1:{}/prescope", proxy.port());
  const ScratchFolder scratch;
  for (const FleetTable& table :
       {kJudgementsTable, kObservationsTable, kEpochsTable, kShippedTable, kSpoolsTable}) {
    SCOPED_TRACE(table.name);
    const auto store = scratch.path() / fmt::format("{}.db", table.name);
    record_store(store, 20);
    const auto acknowledged = [&] {
      return Database(store, Database::Access::kRead).number("SELECT max(acknowledged) FROM sinks");
    };
    proxy.set([&](std::string_view, std::string_view body) {
      const bool is_lost = body.starts_with(fmt::format("INSERT INTO prescope.{} ", table.name));
      return is_lost ? std::optional(FaultProxy::Answer{200}) : std::nullopt;
    });
    const ShipOptions options{
        .to = to, .server = std::string(table.name), .patience = std::chrono::milliseconds(100)};
    const auto refusal = refusal_of([&] { ship_all(store, options); });
    EXPECT_THAT(refusal.message, HasSubstr(fmt::format("0 of ")));
    EXPECT_THAT(refusal.message, HasSubstr(std::string(table.name)));
    const bool is_told_later = table.name == "shipped" || table.name == "spools";
    if (!is_told_later) {
      EXPECT_EQ(acknowledged(), 0);
    }
    proxy.set({});
    ship_all(store, options);
    EXPECT_GT(acknowledged(), 0);
  }
  for (const SpoolAudit& audit : audit_fleet(fleet)) {
    EXPECT_GT(audit.acknowledged, 0);
    EXPECT_EQ(audit.present, audit.acknowledged);
  }
  EXPECT_EQ(audit_fleet(fleet).size(), 5);
}

/// A night whose row is not there is not stored either.
TEST(Receipt, ANightIsNotStoredIfItsRowIsNotThere) {
  const ClickHouseServer server;
  server.make_tables();
  FaultProxy proxy(server.port());
  const std::string url = fmt::format("clickhouse://admin@127.0.0.1:{}/prescope", proxy.port());
  ClickHouse fleet(parse_fleet_url(url));
  proxy.set([](std::string_view, std::string_view body) {
    const bool inserts = body.starts_with("INSERT");
    return inserts ? std::optional(FaultProxy::Answer{200}) : std::nullopt;
  });
  const std::string row = made_up_rows(kNightsTable, 1, 1);
  EXPECT_THROW(insert_rows(fleet, kNightsTable, row, "1"), FleetUnavailable);
}

TEST(Receipt, InsertsNameWhatReleasesDoDifferently) {
  const ClickHouseServer server;
  server.make_tables();
  FaultProxy proxy(server.port());
  std::string known = "insert_deduplicate\nasync_insert\ninsert_quorum_parallel\n", sent;
  proxy.set(
      [&](std::string_view target, std::string_view body) -> std::optional<FaultProxy::Answer> {
        if (body.find("system.settings") != std::string_view::npos) return {{200, known}};
        if (body.starts_with("INSERT")) sent = target;
        return {{200, ""}};
      });
  const std::string url = fmt::format("clickhouse://127.0.0.1:{}/prescope", proxy.port());
  const auto settings_of = [&](const std::string& given) {
    ClickHouse fleet(parse_fleet_url(url + given));
    send_rows(fleet, kNightsTable, made_up_rows(kNightsTable, 1, 1));
    return sent;
  };
  EXPECT_EQ(settings_of(""),
            "/?wait_end_of_query=1&insert_deduplicate=0&async_insert=0&insert_quorum_parallel=0");
  EXPECT_EQ(settings_of("?insert_quorum_parallel=1"),
            "/?wait_end_of_query=1&insert_quorum_parallel=1&insert_deduplicate=0&async_insert=0");
  known = "insert_deduplicate\n";  // 18.16 refuses settings that it does not know
  EXPECT_EQ(settings_of(""), "/?wait_end_of_query=1&insert_deduplicate=0");
}

}  // namespace
}  // namespace prescope
