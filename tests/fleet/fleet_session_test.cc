// The facts of several servers give the summary of one server that saw all traffic.
#include "fleet/fleet_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fleet/audit.h"
#include "fleet/outbox.h"
#include "fleet/recorded.h"
#include "fleet/schema.h"
#include "prescope/report.h"
#include "prescope/shipper.h"
#include "report/live/live_report.h"
#include "serve/site/site.h"
#include "store/sessions/rebuilt_session.h"
#include "support/clickhouse_server.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FleetSessions : public ::testing::Test {
 protected:
  FleetSessions() : address_(parse_fleet_url(server_.url())) { server_.make_tables(); }

  /// Gives a server those visits of `all` whose numbers leave this rest.
  std::filesystem::path part_of(const std::filesystem::path& all, int servers, int rest) {
    const auto path = scratch_.path() / fmt::format("server{}.db", rest);
    std::filesystem::copy_file(all, path);
    Database part(path, Database::Access::kUpdate);
    part.run(
        fmt::format("DELETE FROM observations WHERE visit % {} != {};"
                    "UPDATE log_state SET spool = spool + {}",
                    servers, rest, 1000 * rest));
    // Visits are numbered in each store, and so are generations of the index.
    part.run(
        fmt::format("UPDATE observations SET visit = visit / {} + 1;"
                    "UPDATE observations SET generation = generation + {} WHERE generation <> 0",
                    servers, rest));
    if (rest != 0) part.run("DELETE FROM counters");
    return path;
  }
  void ship(const std::filesystem::path& store, const std::string& name, std::size_t batch = 1000) {
    ship_all(store, {.to = server_.url(), .server = name, .batch = batch});
  }

  /// Repeats the observations of a fleet's only store behind themselves, `copies` times in all,
  /// each `rows` numbers and milliseconds after the one before.
  void repeat(std::uint64_t copies, std::uint64_t rows) {
    std::string names, values;
    for (std::string_view rest = kObservationsTable.columns; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.find(", "), rest.size() - 2) + 2);
      const bool is_counted = name == "seq" || name == "order_ms" || name == "visit";
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
      values += fmt::format("{}{}{}", values.empty() ? "" : ", ", name,
                            is_counted ? fmt::format(" + copy * {}", rows) : "");
    }
    server_.ask(
        fmt::format("INSERT INTO prescope.observations ({}) SELECT {} FROM (SELECT *, "
                    "arrayJoin(range({})) + 1 AS copy FROM prescope.observations)",
                    names, values, copies - 1));
    server_.ask(fmt::format(
        "INSERT INTO prescope.shipped SELECT experiment, epoch, server, spool, up_to * {0}, "
        "rows * {0}, counters, counts, made_ms + 1 FROM prescope.shipped FINAL",
        copies));
  }
  /// Says that a fleet's only store was shipped up to a number.
  void say_shipped(std::uint64_t up_to) {
    server_.ask(
        fmt::format("INSERT INTO prescope.spools SELECT server, spool, {}, complete_ms, dropped, "
                    "waiting, closed, writer, ahead_ms, ahead_rows, error, made_ms + 1 FROM "
                    "prescope.spools FINAL",
                    up_to));
  }

  ClickHouseServer server_;
  FleetAddress address_;
  ScratchFolder scratch_;
};

/// Numbers may differ in their last digits: a mean is a sum of fractions divided.
void expect_same(const json& a, const json& b, const std::string& where = "") {
  if (a.is_number_float() || b.is_number_float()) {
    EXPECT_NEAR(a.get<double>(), b.get<double>(), 1e-12) << where;
  } else if (a.is_structured() && a.size() == b.size()) {
    for (const auto& [key, value] : a.items()) {
      const json& other = a.is_array() ? b.at(std::stoul(key)) : b.value(key, json());
      expect_same(value, other, where + '/' + key);
    }
  } else {
    EXPECT_EQ(a, b) << where;
  }
}

TEST_F(FleetSessions, EightServersGiveTheSummaryOfOne) {
  const auto all = scratch_.path() / "all.db";
  record_store(all, 400);
  for (int server = 0; server < 8; ++server) {
    ship(part_of(all, 8, server), fmt::format("server{}", server), 30 + 7 * server);
  }
  const RebuiltSession one(all, 1);
  // The reader has no right but to read.
  FleetAddress reads = address_;
  reads.user = reads.password = "reader";
  const FleetSession fleet(reads);
  const json of_one = json::parse(to_json(one.summary()));
  const json of_fleet = json::parse(to_json(fleet.summary()));
  ASSERT_GT(of_one.at("arms").at(0).at("judged_queries").get<int>(), 300) << of_one.dump(1);
  expect_same(of_fleet, of_one);
  for (const TopicRow& row : one.summary().rows) {
    EXPECT_EQ(fleet.topic(row.id).has_value(), true) << row.id.text();
  }
}

TEST_F(FleetSessions, ServersOnTwoShardsGiveTheSummaryOfOneNode) {
  const ClickHouseServer shards;
  shards.make_tables_on_shards();
  const std::string host = shards.url().substr(0, shards.url().rfind('/'));
  const auto all = scratch_.path() / "all.db";
  record_store(all, 100);
  for (int server = 0; server < 3; ++server) {
    const auto part = part_of(all, 3, server);
    const std::string name = fmt::format("server{}", server);
    ship(part, name);
    ship_all(part, {.to = host + "/far", .server = name});
  }
  EXPECT_NE(shards.ask("SELECT count() FROM shard1.observations_local"), "0");
  EXPECT_NE(shards.ask("SELECT count() FROM shard2.observations_local"), "0");
  const std::string of_one = to_json(FleetSession(address_).summary());
  for (const char* database : {"/far", "/near?database=shard1"}) {
    ClickHouse fleet(parse_fleet_url(host + database));
    EXPECT_EQ(to_json(FleetSession(fleet.address()).summary()), of_one);
    const std::vector<SpoolAudit> audits = audit_fleet(fleet);
    EXPECT_EQ(audits.size(), 3U);
    for (const SpoolAudit& audit : audits) EXPECT_EQ(audit.missing(), 0U) << audit.server;
  }
}

TEST_F(FleetSessions, ReadingBitByBitGivesTheStateOfReadingAtOnce) {
  const auto all = scratch_.path() / "all.db";
  record_store(all, 200);
  std::optional<FleetSession> reader;
  std::vector<std::filesystem::path> parts;
  for (int server = 0; server < 3; ++server) parts.push_back(part_of(all, 3, server));
  // A server ships all before the next one begins: facts come in any order of their times.
  for (int server = 0; server < 3; ++server) {
    ship(parts[static_cast<std::size_t>(server)], fmt::format("server{}", server), 90);
    if (!reader) reader.emplace(address_);
    EXPECT_EQ(reader->read(), server > 0);
  }
  EXPECT_EQ(to_json(reader->summary()), to_json(FleetSession(address_).summary()));
  EXPECT_FALSE(reader->read());
}

TEST_F(FleetSessions, BordersOfPagesDoNotMatter) {
  const auto store = scratch_.path() / "live.db";
  record_store(store, 200);
  ship(store, "search1");
  const auto rows = static_cast<std::uint64_t>(
      Database(store, Database::Access::kRead).number("SELECT max(seq) FROM observations"));
  // A page of a single store has 50,000.
  const std::uint64_t copies = 130'000 / rows, all = copies * rows;
  repeat(copies, rows);
  say_shipped(60'001);
  FleetSession reader(address_);
  EXPECT_EQ(reader.observations(), 60'001);
  say_shipped(all);
  EXPECT_TRUE(reader.read());
  EXPECT_EQ(reader.observations(), all);
  EXPECT_THAT(reader.summary().missing, IsEmpty());
  const std::string at_once = to_json(FleetSession(address_).summary());
  EXPECT_EQ(to_json(reader.summary()), at_once);
  // Reading in parts gives the same.
  FleetSession in_parts(address_, std::nullopt, all / 4 + 1);
  EXPECT_EQ(in_parts.observations(), all / 4 + 1);
  EXPECT_THAT(in_parts.summary().missing,
              ::testing::ElementsAre(HasSubstr("75 % of the observations, which are being read")));
  while (in_parts.is_behind()) EXPECT_TRUE(in_parts.read(29'997));
  EXPECT_EQ(to_json(in_parts.summary()), at_once);
  EXPECT_FALSE(in_parts.read());
}

TEST_F(FleetSessions, OnlyWhatEveryOpenServerIsCompleteUpToIsCounted) {
  const auto all = scratch_.path() / "all.db";
  record_store(all, 200);
  const auto slow = part_of(all, 2, 0), quick = part_of(all, 2, 1);
  Database(slow, Database::Access::kUpdate).run("UPDATE sessions SET ended_ms = NULL");
  // The slow server has shipped a part only.
  const auto part = scratch_.path() / "part.db";
  std::filesystem::copy_file(slow, part);
  Database(part, Database::Access::kUpdate).run("DELETE FROM observations WHERE seq > 80");
  ship(part, "slow");
  ship(quick, "quick");
  const auto complete = kRecordedFrom + 81 * 20ms;
  server_.ask(
      fmt::format("INSERT INTO prescope.spools SELECT server, spool, up_to, {}, dropped, "
                  "waiting, closed, writer, ahead_ms, ahead_rows, error, made_ms + 1 FROM "
                  "prescope.spools FINAL WHERE server = "
                  "'slow'",
                  complete.time_since_epoch().count()));
  FleetSession reader(address_);
  const std::uint64_t before = reader.observations();
  EXPECT_EQ(before, Database(all, Database::Access::kRead)
                        .number("SELECT count(*) FROM observations WHERE seq <= 80"));
  EXPECT_THAT(reader.summary().missing,
              ::testing::ElementsAre(HasSubstr(
                  "complete up to 2026-05-28T20:26:41.620Z, by which server slow has shipped")));
  // The rest comes from the whole store, which has the same spool.
  ship(slow, "slow");
  EXPECT_TRUE(reader.read());
  EXPECT_EQ(to_json(reader.summary()), to_json(FleetSession(address_).summary()));
  EXPECT_GT(reader.observations(), before);
}

TEST_F(FleetSessions, MissingAndRepeatedRowsAreNoticed) {
  const auto all = scratch_.path() / "all.db";
  record_store(all, 100);
  ship(all, "search1");
  FleetSession open(address_);
  const std::string as_it_is = to_json(open.summary());
  server_.ask("INSERT INTO prescope.observations SELECT * FROM prescope.observations");
  EXPECT_EQ(to_json(FleetSession(address_).summary()), as_it_is);
  server_.ask("CREATE TABLE prescope.part AS prescope.observations");
  server_.ask("INSERT INTO prescope.part SELECT * FROM prescope.observations WHERE seq % 10 != 0");
  server_.ask("DROP TABLE prescope.observations");
  server_.ask("RENAME TABLE prescope.part TO prescope.observations");
  const auto lost = Database(all, Database::Access::kRead)
                        .number("SELECT count(*) FROM observations WHERE seq % 10 = 0");
  EXPECT_THAT(FleetSession(address_).summary().missing,
              ::testing::ElementsAre(
                  HasSubstr(fmt::format("{} observations of server search1 are missing", lost))));
  // A reader that has read the rows before they were lost counts them again.
  EXPECT_EQ(to_json(open.summary()), as_it_is);
  constexpr std::uint64_t kAtOnce = 30;
  int steps = 1;
  while (!open.recount(kAtOnce)) ASSERT_LT(++steps, 100);
  EXPECT_GE(steps, 2) << "it is counted in steps";
  EXPECT_THAT(open.summary().missing, ::testing::ElementsAre(HasSubstr(fmt::format(
                                          "{} observations of server search1 are missing", lost))));
  EXPECT_EQ(open.servers().at(0).missing, lost);
  EXPECT_FALSE(open.recount());
  // Rows in their place that make no sense: ranks that do not ascend, a document that is not
  // judged.
  const std::uint64_t recorded = FleetSession(address_).summary().health.recorded;
  server_.ask(
      "INSERT INTO prescope.observations (experiment, epoch, server, spool, seq, day, arm, topic, "
      "visit, first_rank, depth, num_ret, ranks, positions) SELECT experiment, epoch, server, "
      "spool, seq + 1, day, arm, topic, visit, 1, 20, 20, "
      "multiIf(seq % 3 = 0, [2, 1], seq % 3 = 1, [0], [1]), "
      "multiIf(seq % 3 = 0, [0, 1], seq % 3 = 1, [0], [99]) FROM prescope.observations "
      "WHERE seq % 10 = 9 AND topic != ''");
  EXPECT_EQ(FleetSession(address_).summary().health.recorded, recorded);
}

TEST_F(FleetSessions, AStoreThatIsRepairedUnderAnotherNameCountsOnce) {
  const auto store = scratch_.path() / "live.db";
  record_store(store, 100);
  Database(store, Database::Access::kUpdate).run("UPDATE sessions SET ended_ms = NULL");
  ship(store, "search1");
  FleetSession reader(address_);
  const std::uint64_t rows = reader.observations();
  const auto values = [](const FleetSession& of) {
    json document = json::parse(to_json(of.summary()));
    document.erase("words");  // they include the time of shipping
    return document;
  };
  const json before = values(reader);
  // As docs/fleet-production.md advises; without --server the machine has a name of its own.
  Outbox::forget(store, address_.text);
  ship(store, "machine");
  EXPECT_TRUE(reader.read());
  EXPECT_EQ(values(reader), before);
  EXPECT_EQ(values(FleetSession(address_)), before);
  EXPECT_THAT(reader.summary().missing,
              ::testing::ElementsAre(HasSubstr("by which server machine has shipped")));
  ClickHouse fleet(address_);
  const std::vector<SpoolAudit> audit = audit_fleet(fleet);
  ASSERT_EQ(audit.size(), 1);
  EXPECT_EQ(audit[0].server, "machine");
  EXPECT_EQ(audit[0].acknowledged, rows);
  EXPECT_EQ(audit[0].present, rows);
}

TEST_F(FleetSessions, AStoreGoesOnUnderAnotherName) {
  const auto store = scratch_.path() / "live.db";
  record_store(store, 50);
  ship(store, "search1");
  record_store(store, 50, 2);
  ship(store, "search2");
  const auto rows =
      Database(store, Database::Access::kRead).number("SELECT count(*) FROM observations");
  const FleetSession reader(address_);
  EXPECT_EQ(reader.observations(), rows);
  EXPECT_THAT(reader.summary().missing, IsEmpty());
  ClickHouse fleet(address_);
  const std::vector<SpoolAudit> audit = audit_fleet(fleet);
  ASSERT_EQ(audit.size(), 1);
  EXPECT_EQ(audit[0].server, "search2");
  EXPECT_EQ(audit[0].acknowledged, rows);
  EXPECT_EQ(audit[0].missing(), 0);
}

TEST_F(FleetSessions, UnjudgedQueriesThatWereOnlyCountedAreNamed) {
  const auto store = scratch_.path() / "live.db";
  {
    ExperimentOptions options = fleet_options(store);
    options.logs = {log_to_store(store, {.unjudged = StoreLogOptions::Unjudged::kCounted})};
    Experiment experiment(fleet_qrels(), options);
    RecordedVisits(experiment, 1).serve(60);
  }
  ship(store, "search1");
  const std::vector<std::string> of_one = RebuiltSession(store, 1).summary().missing;
  EXPECT_THAT(of_one, ::testing::ElementsAre(HasSubstr("unjudged queries were only counted")));
  EXPECT_EQ(FleetSession(address_).summary().missing, of_one);
}

TEST_F(FleetSessions, ArmsMayHaveNamesThatAreNotUtf8) {
  const auto store = scratch_.path() / "live.db";
  ExperimentOptions options = fleet_options(store);
  options.arms = {"mod\xE8le", "mod\xE9le"};
  {
    Experiment experiment(fleet_qrels(), options);
    RecordedVisits(experiment, 1).serve(60);
  }
  ship(store, "search1");
  const Summary of_one = RebuiltSession(store, 1).summary();
  const Summary of_fleet = FleetSession(address_).summary();
  ASSERT_EQ(of_fleet.arms.size(), 2U);
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(of_fleet.arms[a].id.text(), options.arms[a]);
    EXPECT_GT(of_fleet.arms[a].judged_queries, 0U);
    EXPECT_EQ(of_fleet.arms[a].judged_queries, of_one.arms[a].judged_queries);
  }
}

TEST_F(FleetSessions, APageFollowsTheFleet) {
  const auto store = scratch_.path() / "live.db";
  record_store(store, 60);
  ship(store, "search1");
  std::vector<std::string> warnings;
  {
    const auto site = serve::fleet_site(
        address_, [&](const std::string& warning) { warnings.push_back(warning); }, 50ms);
    const auto get = [&](const std::string& path) {
      return site->get({.path = path, .query = {}});
    };
    const auto recorded = [&](const char* path) {
      const json document = json::parse(*get(path).body);
      return document.at("summary").at("health").at("recorded").get<std::int64_t>();
    };
    const auto rows = [&] {
      return Database(store, Database::Access::kRead).number("SELECT count(*) FROM observations");
    };
    const auto wait_for_all = [&] {
      for (int i = 0; i < 200 && recorded("/api/summary") != rows(); ++i) {
        std::this_thread::sleep_for(50ms);
      }
      EXPECT_EQ(recorded("/api/summary"), rows());
    };
    wait_for_all();
    EXPECT_EQ(get("/api/topics").status, 200);
    EXPECT_EQ(get("/api/topic/EP'3\\").status, 200);
    EXPECT_THAT(*get("/metrics").body, HasSubstr("prescope_"));
    record_store(store, 40, 2);
    ship(store, "search1");
    wait_for_all();
    // It goes on with what it has while the fleet is away, and says so once.
    server_.kill();
    std::this_thread::sleep_for(300ms);
    EXPECT_EQ(recorded("/api/summary"), rows());
    server_.start();
    std::this_thread::sleep_for(300ms);
  }
  EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr("127.0.0.1"), "the fleet is read again"));
}

TEST_F(FleetSessions, ExperimentsOfAStoreShareItsJudgements) {
  const auto store = scratch_.path() / "live.db";
  record_store(store, 60);
  {
    ExperimentOptions options = fleet_options(store);
    options.name = "winter";
    Experiment experiment(fleet_qrels(), options);
    RecordedVisits(experiment, 2).serve(60);
  }
  ship(store, "search1");
  for (const auto& [experiment, session] : {std::pair("autumn", 1), std::pair("winter", 2)}) {
    expect_same(json::parse(to_json(FleetSession(address_, experiment).summary())),
                json::parse(to_json(RebuiltSession(store, session).summary())), experiment);
  }
}

TEST_F(FleetSessions, AnArmThatIsResumedGoesOnWithItsEpoch) {
  const auto store = scratch_.path() / "live.db";
  Experiment experiment(fleet_qrels(), fleet_options(store));
  RecordedVisits visits(experiment, 1);
  const Shipper shipper(store, {.to = server_.url(), .server = "search1", .interval = 100ms});
  ClickHouse fleet(address_);
  const auto next_epoch = [&](std::uint64_t before) {
    visits.serve(20);
    const auto newest = [&] {
      return shipper.progress().shipped == 0 ? std::uint64_t{0}
                                             : newest_epoch(fleet, std::nullopt).key;
    };
    for (int i = 0; i < 200 && newest() == before; ++i) std::this_thread::sleep_for(50ms);
    return newest();
  };
  const std::uint64_t first = next_epoch(0);
  experiment.pause_arm(ArmIndex(1));
  const std::uint64_t paused = next_epoch(first);
  EXPECT_NE(paused, first);
  experiment.resume_arm(ArmIndex(1));
  EXPECT_EQ(next_epoch(paused), first);
}

TEST_F(FleetSessions, TheNewestEpochIsShown) {
  const auto store = scratch_.path() / "live.db";
  {
    Experiment experiment(fleet_qrels(), fleet_options(store));
    RecordedVisits visits(experiment, 1);
    visits.serve(50);
    experiment.restart_arm(ArmIndex(1), {.config = "another"});
    visits.serve(30);
  }
  ship(store, "search1");
  const RebuiltSession one(store, 1);
  const FleetSession fleet(address_);
  const Summary of_one = one.summary(), of_fleet = fleet.summary();
  ASSERT_EQ(of_fleet.arms.size(), 2);
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(of_fleet.arms[a].topics_seen, of_one.arms[a].topics_seen);
  }
  EXPECT_EQ(of_fleet.epoch.observations, of_one.epoch.observations);
}

TEST_F(FleetSessions, OpenServersInAnotherEpochAreNamed) {
  const auto store = scratch_.path() / "live.db", other = scratch_.path() / "other.db";
  record_store(store, 50);
  Database(store, Database::Access::kUpdate).run("UPDATE sessions SET ended_ms = NULL");
  {
    ExperimentOptions options = fleet_options(other);
    options.descriptions["bm25"] = {.config = "another"};
    Experiment experiment(fleet_qrels(), options);
    RecordedVisits(experiment, 2).serve(20);
  }
  ship(store, "search1");
  ship(other, "search2");
  const auto rows =
      Database(store, Database::Access::kRead).number("SELECT count(*) FROM observations");
  FleetSession reader(address_);
  EXPECT_THAT(reader.summary().missing,
              ::testing::ElementsAre(HasSubstr(
                  fmt::format("{} observations of server search1, which are in other", rows))));
  ClickHouse fleet(address_);
  close_server(fleet, "search1");
  EXPECT_TRUE(reader.read());
  EXPECT_THAT(reader.summary().missing, IsEmpty());
}

}  // namespace
}  // namespace prescope
