// Observations reach a real ClickHouse, each exactly once, whatever is killed.
#include "prescope/shipper.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/threads.h"
#include "fleet/audit.h"
#include "fleet/outbox.h"
#include "fleet/recorded.h"
#include "store/nights/store.h"
#include "store/sessions/observation_reader.h"
#include "support/built_files.h"
#include "support/clickhouse_server.h"
#include "support/http_client.h"
#include "support/number_of_cases.h"
#include "support/one_document_source.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

ClickHouse make_tables(const ClickHouseServer& server) {
  server.make_tables();
  return ClickHouse(parse_fleet_url(server.url()));
}

/// The rows of a store as its own reader has them.
std::vector<std::string> stored_lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  ObservationReader reader(path);
  reader.read({.unjudged = ObservationFilter::Unjudged::kRead}, 0,
              [&](const StoredObservation& one) {
                const Observation& o = one.observation;
                std::vector<std::uint32_t> ranks, positions;
                std::vector<Grade> grades;
                for (const JudgedHit& hit : o.hits) {
                  ranks.push_back(hit.rank);
                  positions.push_back(hit.judgement.value());
                  grades.push_back(one.topic->judgements()[hit.judgement.value()].grade);
                }
                lines.push_back(fmt::format(
                    "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} [{}] [{}] [{}]", one.seq,
                    o.time.time_since_epoch().count(), one.arm,
                    one.topic != nullptr ? one.topic->id().text() : "", o.visit_key,
                    o.compared_arms, o.generation, o.first_rank, o.depth, o.num_ret, o.covered,
                    int{o.exhausted}, o.duplicates, static_cast<int>(o.flags), o.latency.count(),
                    o.total_hits, one.topic != nullptr ? one.topic->num_rel() : 0,
                    fmt::join(ranks, ","), fmt::join(grades, ","), fmt::join(positions, ",")));
              });
  return lines;
}

constexpr const char* kLines =
    "SELECT concat(toString(seq), ' ', toString(time_ms), ' ', arm, ' ', topic, ' ',"
    " toString(visit_key), ' ', toString(compared_arms), ' ', toString(generation), ' ',"
    " toString(first_rank), ' ', toString(depth), ' ', toString(num_ret), ' ', toString(covered),"
    " ' ', toString(exhausted), ' ', toString(duplicates), ' ', toString(flags), ' ',"
    " toString(latency_ns), ' ', toString(total_hits), ' ', toString(num_rel), ' ',"
    " toString(ranks), ' ', toString(grades), ' ', toString(positions))"
    " FROM prescope.observations FINAL ORDER BY seq FORMAT TabSeparatedRaw";

TEST(Ship, TheFleetHasWhatTheStoreHas) {
  const ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 150);
  const ShipOptions options{.to = server.url(), .server = "search1", .batch = 90};
  const std::vector<std::string> stored = stored_lines(store);
  EXPECT_EQ(ship_all(store, options).shipped, stored.size());
  EXPECT_EQ(server.ask(kLines), fmt::format("{}", fmt::join(stored, "\n")));

  // Only what is new is shipped.
  EXPECT_EQ(ship_all(store, options).shipped, 0);
  record_store(store, 20, 2);
  EXPECT_EQ(ship_all(store, options).shipped, stored_lines(store).size() - stored.size());
  const std::vector<SpoolAudit> audit = audit_fleet(fleet);
  ASSERT_EQ(audit.size(), 1);
  EXPECT_EQ(audit[0].acknowledged, stored_lines(store).size());
  EXPECT_EQ(audit[0].present, audit[0].acknowledged);
  EXPECT_TRUE(audit[0].is_closed);

  // What is not there is missed, and comes again if the store forgets that it was acknowledged.
  server.ask("CREATE TABLE prescope.part AS prescope.observations");
  server.ask("INSERT INTO prescope.part SELECT * FROM prescope.observations WHERE seq != 77");
  server.ask("DROP TABLE prescope.observations");
  server.ask("RENAME TABLE prescope.part TO prescope.observations");
  EXPECT_EQ(audit_fleet(fleet)[0].missing(), 1);
  Outbox::forget(store, parse_fleet_url(server.url()).text);
  ship_all(store, options);
  EXPECT_EQ(audit_fleet(fleet)[0].missing(), 0);
  EXPECT_EQ(server.ask(kLines), fmt::format("{}", fmt::join(stored_lines(store), "\n")));
}

TEST(Ship, ASessionThatFoundItsTopicsAsTheyCameIsLeftOutAndNamed) {
  const ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 30);
  const std::vector<std::string> shippable = stored_lines(store);
  {
    ExperimentOptions options = fleet_options(store);
    options.name = "found";
    options.slices = {};
    Experiment found(Qrels::from_source(std::make_shared<OneDocumentSource>("D1")), options);
    const std::vector<std::string_view> docnos{"D1", "D2"};
    found.observe(found.visit(TopicId("T")),
                  {.arm = ArmIndex(0), .kind = HitKind::kDocnos, .docnos = docnos});
  }
  record_store(store, 30);
  std::string warned;
  ShipOptions options{.to = server.url(), .server = "search1"};
  options.on_warning = [&](const std::string& warning) { warned += warning; };
  EXPECT_GE(ship_all(store, options).shipped, shippable.size());
  EXPECT_THAT(warned, HasSubstr("1 session of the store found its topics as they came"));
  EXPECT_EQ(server.ask("SELECT count() FROM prescope.observations WHERE experiment = 'found'"),
            "0");
  EXPECT_EQ(server.ask("SELECT uniqExact(session) FROM prescope.observations"), "2");
}

TEST(Ship, ABatchWhoseAnswerWasLostIsSentAgainWithTheSameBytes) {
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 100);
  Outbox first(store, "fleet", "search1");
  const auto sent = first.next(50);
  ASSERT_TRUE(sent);
  record_store(store, 10, 2);  // more comes meanwhile
  Outbox later(store, "fleet", "search1");
  const auto again = later.next(1000);
  EXPECT_EQ(again->up_to, 50);
  EXPECT_EQ(again->rows, sent->rows);
  later.acknowledge(*again);
  first.acknowledge(*sent);  // which counts nothing twice
  EXPECT_EQ(later.waiting() + 50, stored_lines(store).size());
  EXPECT_EQ(Database(store, Database::Access::kRead).number("SELECT sum(rows) FROM sink_epochs"),
            50);
}

TEST(Ship, EachEpochOfALargeBatchIsCounted) {
  const ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  {
    Experiment experiment(fleet_qrels(), fleet_options(store));
    RecordedVisits visits(experiment, 1);
    for (int epoch = 0; epoch < 30; ++epoch) {
      experiment.restart_arm(ArmIndex(1), {.config = std::to_string(epoch)});
      visits.serve(5);
    }
  }
  ship_all(store, {.to = server.url(), .server = "s1"});
  EXPECT_EQ(audit_fleet(fleet).at(0).acknowledged, stored_lines(store).size());
}

TEST(Ship, AStoreIsOpenWhileOneOfItsExperimentsRuns) {
  const ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  std::optional<Experiment> runs(std::in_place, fleet_qrels(), fleet_options(store));
  ExperimentOptions later = fleet_options(store);
  later.name = "winter";
  static_cast<void>(Experiment(fleet_qrels(), later));
  const auto is_closed = [&] {
    ship_all(store, {.to = server.url(), .server = "s1"});
    return audit_fleet(fleet).at(0).is_closed;
  };
  EXPECT_FALSE(is_closed());
  runs.reset();
  EXPECT_TRUE(is_closed());
}

TEST(Ship, AClockThatWasSetBackKeepsNothingFromTheFleet) {
  const ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 20);
  const ShipOptions options{.to = server.url(), .server = "s1"};
  ship_all(store, options);
  // As if an hour later, after which the clock was set back.
  Database(store, Database::Access::kUpdate).run("UPDATE sinks SET made_ms = made_ms + 3600000");
  server.ask(
      "INSERT INTO prescope.shipped SELECT experiment, epoch, server, spool, up_to, rows, counters,"
      " counts, made_ms + 3600000 FROM prescope.shipped FINAL");
  server.ask(
      "INSERT INTO prescope.spools SELECT server, spool, up_to, complete_ms, dropped, waiting,"
      " closed, writer, ahead_ms, ahead_rows, error, made_ms + 3600000 FROM prescope.spools FINAL");
  record_store(store, 20, 2);
  ship_all(store, options);
  const std::size_t rows = stored_lines(store).size();
  EXPECT_EQ(audit_fleet(fleet).at(0).acknowledged, rows);
  EXPECT_EQ(server.ask("SELECT up_to FROM prescope.spools FINAL"), std::to_string(rows));
}

TEST(Ship, ServerAndShipperAreKilledAndNothingIsLostOrCountedTwice) {
  ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 600);
  const std::size_t rows = stored_lines(store).size();
  ChildProcess shipper;
  Dice dice(1);
  for (int kill = 0; kill < 8; ++kill) {
    shipper.start({testing::prescope_program(), "ship", store.string(), "--to", server.url(),
                   "--server", "s1", "--batch", "60", "--follow", "--interval", "1"});
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + dice.below(400)));
    if (kill % 2 == 0) {
      server.kill();
      std::this_thread::sleep_for(std::chrono::milliseconds(dice.below(300)));
      server.start();
    }
    shipper.kill();
  }
  ship_all(store, {.to = server.url(), .server = "s1"});
  const SpoolAudit audit = audit_fleet(fleet).at(0);
  EXPECT_EQ(audit.acknowledged, rows);
  EXPECT_EQ(audit.present, rows);
  EXPECT_EQ(server.ask("SELECT count() FROM prescope.observations FINAL"), std::to_string(rows));
}

TEST(Ship, AHostShipsWhileItRecords) {
  ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  std::mutex access;
  std::vector<std::string> warnings;
  Shipper shipper(store, {.to = server.url(),
                          .server = "s1",
                          .interval = 100ms,
                          .on_warning = [&](const std::string& warning) {
                            const std::lock_guard lock(access);
                            warnings.push_back(warning);
                          }});
  const auto is_warned = [&] {
    const std::lock_guard lock(access);
    return !warnings.empty();
  };
  for (int i = 0; i < 400 && !is_warned(); ++i) std::this_thread::sleep_for(50ms);
  {
    const std::lock_guard lock(access);
    EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr("there is no such file")));
  }
  {
    Experiment experiment(fleet_qrels(), fleet_options(store));
    RecordedVisits(experiment, 1).serve(100);
  }
  const auto wait_for = [&](std::size_t rows) {
    for (int i = 0; i < 400 && shipper.progress().shipped < rows; ++i) {
      std::this_thread::sleep_for(50ms);
    }
    EXPECT_EQ(shipper.progress().shipped, rows);
  };
  const std::size_t rows = stored_lines(store).size();
  wait_for(rows);
  EXPECT_EQ(shipper.progress().waiting, 0);
  EXPECT_TRUE(shipper.progress().is_connected);
  EXPECT_EQ(audit_fleet(fleet).at(0).present, rows);
  // A file that takes its place, while the shipper still has it open, is another spool.
  std::filesystem::rename(store, scratch.path() / "old.db");
  record_store(store, 30, 2);
  const std::size_t more = stored_lines(store).size();
  wait_for(rows + more);
  const std::vector<SpoolAudit> audit = audit_fleet(fleet);
  ASSERT_EQ(audit.size(), 2);
  EXPECT_EQ(audit[0].present + audit[1].present, rows + more);
  EXPECT_EQ(stored_lines(scratch.path() / "old.db").size(), rows) << "is complete alone";
  const std::lock_guard lock(access);
  EXPECT_THAT(warnings, ::testing::Contains(HasSubstr("the shipper has left it")));
}

TEST(Ship, AnHourOfTrafficWithoutAFleetIsCaughtUp) {
  constexpr std::uint64_t kVisitsASecond = 20, kSeconds = 3600;
  const auto visits = static_cast<std::uint32_t>(number_of_cases(kVisitsASecond * kSeconds));
  ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 10);
  const Shipper shipper(store, {.to = server.url(), .server = "s1", .interval = 100ms});
  const auto wait_for = [&](std::uint64_t rows) {
    for (int i = 0; i < 2400 && shipper.progress().shipped < rows; ++i) {
      std::this_thread::sleep_for(50ms);
    }
    EXPECT_EQ(shipper.progress().shipped, rows);
  };
  const auto count = [&] {
    return static_cast<std::uint64_t>(
        Database(store, Database::Access::kRead).number("SELECT count(*) FROM observations"));
  };
  wait_for(count());
  server.kill();
  {
    Experiment experiment(fleet_qrels(), fleet_options(store));
    RecordedVisits(experiment, 2).serve(visits);
  }
  const std::uint64_t rows = count();
  EXPECT_GT(rows, visits);
  server.start();
  wait_for(rows);
  const SpoolAudit audit = audit_fleet(fleet).at(0);
  EXPECT_EQ(audit.acknowledged, rows);
  EXPECT_EQ(audit.present, rows);
  EXPECT_EQ(server.ask("SELECT count(), min(seq), max(seq) FROM prescope.observations FINAL"),
            fmt::format("{0}\t1\t{0}", rows));
}

TEST(Ship, JudgementsComeWithTheNextEpochIfTheirFirstBatchWasGivenUp) {
  constexpr std::uint64_t kMostRows = 60;
  ClickHouseServer server;
  ClickHouse fleet = make_tables(server);
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 5);
  const Shipper shipper(store, {.to = server.url(),
                                .server = "s1",
                                .interval = 100ms,
                                .most_bytes = kMostRows * Outbox::kBytesOfRow});
  const auto wait_until = [](const auto& is_so) {
    for (int i = 0; i < 1200 && !is_so(); ++i) std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(is_so());
  };
  wait_until([&] { return shipper.progress().shipped > 0 && shipper.progress().waiting == 0; });
  server.kill();
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kFleetTopics; ++t) {
    lines.push_back({TopicId(fmt::format("EP'{}\\", t)), Docno(fmt::format("D{}", t)), 1});
  }
  const auto record = [&](const std::vector<std::string>& arms, std::uint32_t visits) {
    ExperimentOptions options = fleet_options(store);
    options.arms = arms;
    Experiment experiment(Qrels::from_lines(lines), options);
    RecordedVisits(experiment, 2).serve(visits);
  };
  // Other judgements: their rows cannot be sent, and are then given up for the rows of a new arm.
  record({"bm25", "tf'idf"}, 5);
  const std::uint64_t failures = shipper.progress().failures;
  wait_until([&] { return shipper.progress().failures > failures + 1; });
  record({"bm25", "new"}, 100);
  wait_until([&] { return shipper.progress().dropped > 0; });
  server.start();
  wait_until([&] { return shipper.progress().waiting == 0; });
  EXPECT_EQ(server.ask("SELECT uniqExact(topic) FROM prescope.judgements WHERE version IN"
                       " (SELECT judgements FROM prescope.epochs WHERE text LIKE '%new%')"),
            std::to_string(kFleetTopics));
}

TEST(Ship, AFleetThatIsDownOrRefusesLeavesTheStoreAsItWas) {
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 50);
  const std::uint64_t rows = stored_lines(store).size();
  ClickHouseServer server;
  EXPECT_THAT(refusal_of([&] { ship_all(store, {.to = server.url()}); }).message,
              HasSubstr("Database prescope doesn't exist"));
  server.make_tables();
  ::setenv("PRESCOPE_CLICKHOUSE_PASSWORD", "wrong", 1);
  EXPECT_THAT(refusal_of([&] { ship_all(store, {.to = server.url()}); }).message,
              HasSubstr("Wrong password for user admin"));
  ::setenv("PRESCOPE_CLICKHOUSE_PASSWORD", "reader", 1);
  std::string reader = server.url();
  reader.replace(reader.find("admin"), 5, "reader");
  EXPECT_THAT(refusal_of([&] { ship_all(store, {.to = reader}); }).message,
              HasSubstr("readonly mode"));
  ::setenv("PRESCOPE_CLICKHOUSE_PASSWORD", "admin", 1);
  server.kill();
  const auto down = refusal_of([&] { ship_all(store, {.to = server.url(), .patience = 200ms}); });
  EXPECT_EQ(down.code, ErrorCode::kIo);
  EXPECT_THAT(down.message, HasSubstr("Couldn't connect to server"));
  {
    const Shipper shipper(store, {.to = server.url()});
    while (shipper.progress().failures == 0) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(shipper.progress().waiting, rows);
  }
  server.start();
  EXPECT_EQ(ship_all(store, {.to = server.url()}).shipped, rows);
}

/// A host that ends does not wait for a fleet that hangs.
TEST(Ship, ARequestEndsWithItsThread) {
  ClickHouseServer server;
  std::string reason;
  std::atomic<bool> has_begun{false};
  std::jthread thread = start_steps("asks", 0, [&] {
    ClickHouse fleet(parse_fleet_url(server.url() + "?database=default&max_block_size=1"));
    has_begun = true;
    const auto ask = [&] { fleet.ask("SELECT sleepEachRow(1) FROM system.numbers LIMIT 100"); };
    reason = refusal_of(ask).message;
    return 1h;
  });
  while (!has_begun) std::this_thread::sleep_for(1ms);
  thread.request_stop();
  thread.join();
  server.kill();  // it would wait for the statement
  EXPECT_THAT(reason, HasSubstr("no answer before the end"));
}

TEST(Ship, AnotherServerIsAskedIfOneIsDown) {
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 20);
  const ClickHouseServer server;
  server.make_tables();
  const std::string two = fmt::format("clickhouse://admin@127.0.0.1:{},127.0.0.1:{}/prescope",
                                      free_port(), server.port());
  EXPECT_EQ(ship_all(store, {.to = two}).shipped, stored_lines(store).size());
}

/// Returns the number of bytes that this process has read.
std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  io >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

TEST(Ship, HowManyRowsWaitIsToldWithoutReadingThem) {
  const ScratchFolder scratch;
  const auto store = scratch.path() / "live.db";
  record_store(store, 5000);
  const std::int64_t rows =
      Database(store, Database::Access::kRead).number("SELECT count(*) FROM observations");
  const Outbox outbox(store, "fleet", "search1");
  const std::uint64_t before = bytes_read();
  EXPECT_EQ(outbox.waiting(), rows);
  EXPECT_LT(bytes_read() - before, std::filesystem::file_size(store) / 10);
}

TEST(Ship, PruneKeepsWhatNoFleetHasAndLimitsGiveItUp) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "live.db";
  record_store(path, 100);
  const auto rows = static_cast<std::int64_t>(stored_lines(path).size());
  Outbox outbox(path, "fleet", "s1");
  outbox.acknowledge(outbox.next(30).value());
  const auto prune = [&] {
    return Store::open(path, Store::Access::kUpdate)
        .prune({.observations_since = utc_now() + std::chrono::days(1)})
        .observations;
  };
  EXPECT_EQ(prune(), 30);
  EXPECT_EQ(prune(), 0);
  EXPECT_EQ(outbox.waiting(), rows - 30);
  // 20 rows may wait; the rest is given up, a batch in flight too.
  ASSERT_TRUE(outbox.next(10));
  EXPECT_EQ(outbox.drop({.bytes = 20 * Outbox::kBytesOfRow}, utc_now()), rows - 50);
  EXPECT_EQ(outbox.dropped(), rows - 50);
  EXPECT_EQ(prune(), rows - 50);
  const UtcTime last = kRecordedFrom + rows * 20ms;
  EXPECT_EQ(outbox.drop({.age = 1h}, last), 0);
  EXPECT_EQ(outbox.drop({.age = 1h}, last + 1h + 1min), 20);
  EXPECT_FALSE(outbox.next(10));
}

TEST(Ship, ABatchIsReadWhileAHostWrites) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "live.db";
  {
    Experiment experiment(fleet_qrels(), fleet_options(path));
    RecordedVisits visits(experiment, 1);
    visits.serve(5000);
    experiment.restart_arm(ArmIndex(1), {.config = "another"});
    visits.serve(10);
  }
  Outbox outbox(path, "fleet", "s1");
  std::atomic<int> commits = 0;
  const std::jthread host([&](const std::stop_token& stop) {
    Database database(path, Database::Access::kUpdate, Database::Durability::kNormal);
    for (; !stop.stop_requested(); ++commits) {
      database.run("UPDATE log_state SET rolled_up_to = rolled_up_to + 1");
      std::this_thread::sleep_for(200us);
    }
  });
  while (commits == 0) std::this_thread::yield();
  const auto batch = outbox.next(100'000);
  EXPECT_EQ(batch->epochs.size(), 2);
}

TEST(Ship, AnArmThatIsResumedWithinABatchGoesOnWithItsEpoch) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "live.db";
  {
    Experiment experiment(fleet_qrels(), fleet_options(path));
    RecordedVisits visits(experiment, 1);
    visits.serve(20);
    experiment.pause_arm(ArmIndex(1));
    visits.serve(20);
    experiment.resume_arm(ArmIndex(1));
    visits.serve(20);
  }
  Outbox outbox(path, "fleet", "s1");
  EXPECT_EQ(outbox.next(1000)->epochs.size(), 2);
  const Database store(path, Database::Access::kRead);
  EXPECT_EQ(store.number("SELECT epoch FROM sink_epochs ORDER BY began_ms DESC LIMIT 1"),
            store.number("SELECT epoch FROM sessions"));
}

TEST(Ship, LaterRowsStandBehindWhatWasPromised) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "live.db";
  record_store(path, 20);
  Outbox outbox(path, "fleet", "s1");
  const UtcTime late = utc_now() + 1h;
  outbox.promise(late);  // rows wait, so that nothing is promised
  const auto first = outbox.next(1000).value();
  EXPECT_LT(first.order_ms, late.time_since_epoch().count());
  outbox.acknowledge(first);
  outbox.promise(late);
  record_store(path, 1, 2);
  EXPECT_EQ(outbox.next(1000)->order_ms, late.time_since_epoch().count());
}

TEST(FleetUrl, NamesServersDatabaseAndUser) {
  ::unsetenv("PRESCOPE_CLICKHOUSE_PASSWORD");
  const FleetAddress one = parse_fleet_url("clickhouse+https://ships@ch1,ch2:444/p_1?a_b=2&c=d");
  EXPECT_THAT(one.servers, ::testing::ElementsAre("https://ch1:8443", "https://ch2:444"));
  EXPECT_EQ(one.database, "p_1");
  EXPECT_EQ(one.user, "ships");
  EXPECT_EQ(one.settings, "&a_b=2&c=d");
  EXPECT_EQ(one.text, "clickhouse+https://ch1,ch2:444/p_1");
  EXPECT_EQ(parse_fleet_url("clickhouse://ch1/p").servers[0], "http://ch1:8123");
  for (const char* wrong :
       {"http://ch1/p", "clickhouse://", "clickhouse://ch1", "clickhouse://ch1/", "clickhouse:///p",
        "clickhouse://ch1/p;x", "clickhouse://ch 1/p", "clickhouse://ch1/p?a",
        "clickhouse://ch1/p?a=b c"}) {
    EXPECT_EQ(refusal_of([&] { static_cast<void>(parse_fleet_url(wrong)); }).code,
              ErrorCode::kUsage)
        << wrong;
  }
  const auto secret =
      refusal_of([] { static_cast<void>(parse_fleet_url("clickhouse://u:secret@ch/p")); });
  EXPECT_THAT(secret.message, ::testing::Not(HasSubstr("secret")));
}

TEST(FleetUrl, ThePasswordComesFromAFile) {
  const ScratchFolder scratch;
  ::setenv("PRESCOPE_CLICKHOUSE_PASSWORD_FILE", scratch.write("p", "hidden\r\nmore").c_str(), 1);
  EXPECT_EQ(parse_fleet_url("clickhouse://ch1/p").password, "hidden");
  ::setenv("PRESCOPE_CLICKHOUSE_PASSWORD_FILE", (scratch.path() / "none").c_str(), 1);
  EXPECT_EQ(refusal_of([] { static_cast<void>(parse_fleet_url("clickhouse://ch1/p")); }).code,
            ErrorCode::kIo);
  ::unsetenv("PRESCOPE_CLICKHOUSE_PASSWORD_FILE");
}

}  // namespace
}  // namespace prescope
