// What happens to a fleet: clocks, replicas, proxies, lost, restored and copied data.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "fleet/audit.h"
#include "fleet/fleet_session.h"
#include "fleet/recorded.h"
#include "fleet/schema.h"
#include "prescope/shipper.h"
#include "support/clickhouse_server.h"
#include "support/fault_proxy.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class FleetFaults : public ::testing::Test {
 protected:
  FleetFaults() : fleet_(made(server_)) {}

  static ClickHouse made(const ClickHouseServer& server) {
    server.make_tables();
    return ClickHouse(parse_fleet_url(server.url()));
  }
  [[nodiscard]] std::filesystem::path store(const std::string& name) const {
    return scratch_.path() / (name + ".db");
  }
  static std::uint64_t rows_of(const std::filesystem::path& store) {
    return static_cast<std::uint64_t>(
        Database(store, Database::Access::kRead).number("SELECT count(*) FROM observations"));
  }
  static void change(const std::filesystem::path& store, const std::string& sql) {
    Database(store, Database::Access::kUpdate).run(sql);
  }
  ShipProgress ship(const std::filesystem::path& store, const std::string& name) {
    return ship_all(store, options(name));
  }
  [[nodiscard]] ShipOptions options(const std::string& name) {
    return {.to = server_.url(),
            .server = name,
            .interval = 100ms,
            .patience = 20s,
            .on_warning = [this](const std::string& sentence) {
              const std::lock_guard lock(access_);
              said_.push_back(sentence);
            }};
  }
  std::vector<std::string> said() {
    const std::lock_guard lock(access_);
    return said_;
  }
  /// Removes rows from a table; 18.16 cannot delete.
  void keep_only(const std::string& table, const std::string& which) const {
    server_.ask(fmt::format("CREATE TABLE prescope.part AS prescope.{}", table));
    server_.ask(
        fmt::format("INSERT INTO prescope.part SELECT * FROM prescope.{} WHERE {}", table, which));
    server_.ask(fmt::format("DROP TABLE prescope.{}", table));
    server_.ask(fmt::format("RENAME TABLE prescope.part TO prescope.{}", table));
  }
  void expect_all_present(std::uint64_t rows) {
    const std::vector<SpoolAudit> audit = audit_fleet(fleet_);
    ASSERT_THAT(audit, SizeIs(1));
    EXPECT_EQ(audit[0].acknowledged, rows);
    EXPECT_EQ(audit[0].present, rows);
    EXPECT_EQ(server_.ask("SELECT uniqExact(seq), max(seq) FROM prescope.observations"),
              fmt::format("{0}\t{0}", rows));
  }

  ClickHouseServer server_;
  ClickHouse fleet_;
  ScratchFolder scratch_;
  std::mutex access_;
  std::vector<std::string> said_;
};

TEST_F(FleetFaults, AClockThatRanAheadHidesNothing) {
  std::uint64_t rows = 0;
  const std::string now = std::to_string(utc_now_ms());
  for (const std::string name : {"right", "ahead"}) {
    record_store(store(name), 50);
    rows += rows_of(store(name));
    const std::string days = name == "ahead" ? "86400000 * 400" : "0";
    change(store(name), fmt::format("UPDATE observations SET time_ms = {} - 100000 + seq + {};"
                                    "UPDATE sessions SET ended_ms = NULL;"
                                    "UPDATE log_state SET spool = random()",
                                    now, days));
  }
  const auto ship_both = [&] {
    for (const std::string name : {"right", "ahead"}) ship(store(name), name);
  };
  ship_both();
  std::this_thread::sleep_for(4s);  // a row counts when all servers are complete up to its time
  ship_both();
  const FleetSession session(parse_fleet_url(server_.url()));
  EXPECT_EQ(session.observations(), rows);
  const std::string said = fmt::format("{} observations of server ahead had a time in the future",
                                       rows_of(store("ahead")));
  EXPECT_THAT(session.summary().missing, Contains(HasSubstr(said)));
  EXPECT_EQ(audit_fleet(fleet_).at(0).ahead_rows, rows_of(store("ahead")));
}

TEST_F(FleetFaults, AServerWithoutTablesStopsNobody) {
  const ClickHouseServer empty;
  record_store(store("a"), 20);
  const std::string url = fmt::format("clickhouse://admin@127.0.0.1:{},127.0.0.1:{}/prescope",
                                      empty.port(), server_.port());
  EXPECT_EQ(ship_all(store("a"), {.to = url, .server = "a"}).shipped, rows_of(store("a")));
  EXPECT_EQ(FleetSession(parse_fleet_url(url)).observations(), rows_of(store("a")));
}

/// A proxy refuses large requests, or a link is too slow for them, and breaks.
TEST_F(FleetFaults, ABatchThatDoesNotPassIsSplit) {
  constexpr std::size_t kMostBytes = 6000;
  FaultProxy proxy(server_.port());
  for (const unsigned status : {413U, 0U}) {
    SCOPED_TRACE(status);
    const std::string name = fmt::format("s{}", status);
    record_store(store(name), 100);
    change(store(name), "UPDATE log_state SET spool = random()");
    proxy.set([&](std::string_view, std::string_view body) {
      const bool is_too_large = body.size() > kMostBytes;
      return is_too_large ? std::optional(FaultProxy::Answer{status, "<html>too large</html>"})
                          : std::nullopt;
    });
    ShipOptions given = options(name);
    given.to = fmt::format("clickhouse://admin@127.0.0.1:{}/prescope", proxy.port());
    given.patience = 60s;
    EXPECT_EQ(ship_all(store(name), given).shipped, rows_of(store(name)));
  }
  for (const SpoolAudit& audit : audit_fleet(fleet_)) EXPECT_EQ(audit.missing(), 0);
}

TEST_F(FleetFaults, LostJudgementsAreNoticedByReadersAndByTheCheck) {
  record_store(store("a"), 20);
  ship(store("a"), "a");
  EXPECT_THAT(broken_judgements(fleet_), SizeIs(0));
  keep_only("judgements", "topic NOT LIKE '%3%'");
  const auto refusal =
      refusal_of([&] { static_cast<void>(FleetSession(parse_fleet_url(server_.url()))); });
  EXPECT_EQ(refusal.code, ErrorCode::kBadInput);
  EXPECT_THAT(refusal.message, HasSubstr("judgements are lost or were changed (11 topics"));
  EXPECT_THAT(broken_judgements(fleet_), SizeIs(1));
}

TEST_F(FleetFaults, AFleetIsItsDatabaseNotItsUrl) {
  record_store(store("a"), 20);
  EXPECT_EQ(ship(store("a"), "a").shipped, rows_of(store("a")));
  ShipOptions renamed = options("a");
  renamed.to = fmt::format("clickhouse://admin@localhost:{}/prescope", server_.port());
  EXPECT_EQ(ship_all(store("a"), renamed).shipped, 0);
  EXPECT_EQ(Database(store("a"), Database::Access::kRead).number("SELECT count(*) FROM sinks"), 1);
}

TEST_F(FleetFaults, ADatabaseThatIsLostUnderAShipperIsFilledAgain) {
  record_store(store("a"), 50);
  const std::uint64_t rows = rows_of(store("a"));
  const Shipper shipper(store("a"), options("a"));
  const auto wait_for = [&](std::uint64_t shipped) {
    for (int i = 0; i < 600 && shipper.progress().shipped < shipped; ++i) {
      std::this_thread::sleep_for(50ms);
    }
    EXPECT_EQ(shipper.progress().shipped, shipped);
  };
  wait_for(rows);
  server_.ask("DROP DATABASE prescope");
  for (int i = 0; i < 600 && shipper.progress().failures == 0; ++i) {
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_THAT(shipper.progress().last_error, HasSubstr("fleet init"));
  server_.make_tables();
  wait_for(2 * rows);
  expect_all_present(rows);
  EXPECT_THAT(broken_judgements(fleet_), SizeIs(0));
  EXPECT_THAT(said(), Contains(HasSubstr("is another one than before")));
}

TEST_F(FleetFaults, AFleetThatWasRestoredFromAnOlderStateIsFilledAgain) {
  record_store(store("a"), 100);
  const std::uint64_t rows = rows_of(store("a"));
  ship(store("a"), "a");
  for (const std::string table : {"observations", "shipped", "spools"}) keep_only(table, "0");
  ship(store("a"), "a");
  expect_all_present(rows);
  EXPECT_THAT(said(), Contains(HasSubstr(fmt::format("it knows 0; {} that the store", rows))));
}

TEST_F(FleetFaults, ACopyAndARestoredStoreAreRefused) {
  record_store(store("a"), 30);
  ship(store("a"), "a");
  Database(store("a"), Database::Access::kUpdate).run("PRAGMA wal_checkpoint(TRUNCATE)");
  std::filesystem::copy_file(store("a"), store("copy"));
  record_store(store("a"), 10, 2);
  record_store(store("copy"), 10, 3);
  ship(store("a"), "a");
  const auto refusal = refusal_of([&] { ship(store("copy"), "copy"); });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  EXPECT_THAT(refusal.message, HasSubstr("restored from an older state, or it is a copy"));
  expect_all_present(rows_of(store("a")));
}

/// Neither has told the fleet yet when the other looks.
TEST_F(FleetFaults, RowsOfACopyAreNotAcknowledged) {
  record_store(store("a"), 30);
  Database(store("a"), Database::Access::kUpdate).run("PRAGMA wal_checkpoint(TRUNCATE)");
  std::filesystem::copy_file(store("a"), store("copy"));
  change(store("copy"), "UPDATE observations SET latency_ns = latency_ns + 1");
  ship(store("a"), "a");
  keep_only("spools", "0");
  EXPECT_THAT(refusal_of([&] { ship(store("copy"), "a"); }).message, HasSubstr("has other rows"));
}

TEST_F(FleetFaults, ACheckNeedsNoMemoryForAllRows) {
  constexpr std::uint64_t kRows = 6'000'000;
  server_.ask(fmt::format(
      "INSERT INTO prescope.observations (experiment, epoch, server, spool, seq) SELECT "
      "'e', 1, 's', 7, number + 1 FROM system.numbers LIMIT {}",
      kRows));
  server_.ask(
      fmt::format("INSERT INTO prescope.shipped (experiment, epoch, server, spool, up_to, rows, "
                  "made_ms) VALUES "
                  "('e', 1, 's', 7, {0}, {0}, 1)",
                  kRows));
  // A set of 6 M numbers takes 8 M places of 8 bytes and, while it grows, half of them again.
  ClickHouse small(parse_fleet_url(server_.url() + "?max_memory_usage=90000000"));
  const SpoolAudit audit = audit_fleet(small).at(0);
  EXPECT_EQ(audit.present, kRows);
  EXPECT_EQ(audit.missing(), 0);
}

TEST_F(FleetFaults, RowsThatMakeNoSenseAreLeftOutAndNamed) {
  record_store(store("a"), 30);
  ship(store("a"), "a");
  const auto observations = FleetSession(parse_fleet_url(server_.url())).observations();
  // An epoch that began last, as nobody can read it, and an observation of an unknown arm.
  server_.ask(
      "INSERT INTO prescope.epochs (experiment, epoch, server, text, began_ms, made_ms) SELECT "
      "experiment, 77, server, '{', began_ms + 1, made_ms FROM prescope.epochs FINAL LIMIT 1");
  server_.ask(
      "INSERT INTO prescope.observations (experiment, epoch, server, spool, seq, order_ms, arm) "
      "SELECT experiment, epoch, server, spool, 2, 1, 'nobody' FROM prescope.shipped LIMIT 1");
  keep_only("observations", "seq != 2 OR arm = 'nobody'");
  const FleetSession session(parse_fleet_url(server_.url()));
  EXPECT_EQ(session.observations(), observations - 1);
  EXPECT_THAT(session.summary().missing,
              ::testing::AllOf(Contains(HasSubstr("epoch 77 of experiment 'autumn'")),
                               Contains(HasSubstr("1 observations of server a, store "))));
}

}  // namespace
}  // namespace prescope
