// The nights of a fleet are those of a local store, whichever machine wrote them.
#include "fleet/nights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <thread>

#include "report/nightly/history_report.h"
#include "serve/site/nights.h"
#include "support/clickhouse_server.h"
#include "support/evaluation_records.h"
#include "support/made_up_evaluations.h"
#include "support/nights_workspace.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

FleetNights nights_of(const ClickHouseServer& server, std::chrono::milliseconds patience = 5s) {
  return FleetNights(parse_fleet_url(server.url()), patience);
}

UtcTime at(int hours) { return UtcTime(std::chrono::milliseconds(1'780'000'000'000)) + 1h * hours; }

EvaluationRecord night(std::uint32_t seed) {
  return made_up({.seed = seed, .time = at(static_cast<int>(seed))});
}

/// Each kind of change, made by two machines in turn.
void make_changes(Store& one, Store& other) {
  const EvaluationRecord base = night(1);
  const auto found =
      std::ranges::find_if(base.topics, [](const auto& t) { return t.found.size(); });
  one.pin(base, {.name = "main",
                 .by = "ada",
                 .why = "first\nrelease",
                 .time = at(1),
                 .must_find = {{found->id, found->found[0].docno}}});
  for (std::uint32_t seed = 2; seed <= 4; ++seed) {
    Store& store = seed % 2 == 0 ? other : one;
    const auto attempt =
        store.begin({.time = at(20), .baseline = "main", .source = "run x", .reason = "killed"});
    EvaluationRecord tonight = base;
    tonight.time = at(static_cast<int>(seed));
    tonight.topics.back().found.clear();
    store.add(tonight, gate(store.baseline("main"), tonight, {}), attempt);
  }
  const auto refused =
      other.begin({.time = at(21), .baseline = "main", .source = "run y", .reason = "killed"});
  one.begin({.time = at(22), .baseline = "b", .source = "run z", .reason = "killed"});
  other.refuse(refused, "no such file");
  one.pin({.name = "main", .evaluation = 3, .by = "bob", .why = "accepted", .time = at(23)});
  const EvaluationRecord stored = other.evaluation(2);
  one.add(2, gate(one.baseline("main"), stored, {}));
  other.add(night(9));
}

std::string history_text(const Store& store) {
  const std::vector<Night> nights = store.nights();
  const HistoryReport report =
      serve::history_report(store, "nights", nights, measures_of(nights), {});
  return history_json(report) + document_as_text(history_document(report), {}) +
         history_csv(report);
}

TEST(FleetNights, AreThoseOfALocalStore) {
  ClickHouseServer server;
  server.make_tables();
  const ScratchFolder scratch;
  Store local = Store::open(scratch.path() / "nights.db", Store::Access::kWrite);
  make_changes(local, local);
  {
    FleetNights one = nights_of(server), other = nights_of(server);
    make_changes(one, other);
    EXPECT_EQ(one.add(night(10)), 6);  // the fifth is the other's
    EXPECT_EQ(local.add(night(10)), 6);
  }
  const FleetNights later = nights_of(server);
  EXPECT_EQ(history_text(later), history_text(local));
  for (std::int64_t number = 1; number <= 6; ++number) {
    expect_same(later.evaluation(number), local.evaluation(number));
  }
  EXPECT_EQ(later.baseline("main").must_find, local.baseline("main").must_find);
  EXPECT_EQ(later.pins().at(0).must_find, local.pins().at(0).must_find);
  EXPECT_EQ(later.attempts().at(0).reason, "no such file");
}

TEST(FleetNights, MachinesThatStoreAtTheSameTimeGetNumbersOfTheirOwn) {
  ClickHouseServer server;
  server.make_tables();
  constexpr std::uint32_t kMachines = 4, kNights = 5;
  std::vector<std::map<std::int64_t, std::string>> given(kMachines);
  std::vector<std::thread> machines;
  for (std::uint32_t machine = 0; machine < kMachines; ++machine) {
    machines.emplace_back([&, machine] {
      FleetNights nights = nights_of(server);
      for (std::uint32_t i = 0; i < kNights; ++i) {
        const std::string arm = fmt::format("arm {}", kNights * machine + i);
        given[machine][nights.add(made_up({.topics = 3, .arm = arm}))] = arm;
      }
    });
  }
  for (std::thread& machine : machines) machine.join();
  const FleetNights later = nights_of(server);
  EXPECT_EQ(later.nights().size(), kMachines * kNights);
  for (const auto& numbers : given) {
    for (const auto& [number, arm] : numbers) EXPECT_EQ(later.evaluation(number).arm, arm);
  }
}

TEST(FleetNights, ANumberWhoseRowCameLateIsNotTriedAgain) {
  ClickHouseServer server;
  server.make_tables();
  FleetNights nights = nights_of(server);
  EXPECT_EQ(nights.add(night(1)), 1);
  EXPECT_EQ(nights.add(night(2)), 2);  // the first change is read before
  server.ask("INSERT INTO prescope.nights (id, number, place, change) VALUES (7, 3, 0, '')");
  EXPECT_EQ(nights.add(night(3)), 4);
}

TEST(FleetNights, WhatIsRefusedOrCannotBeSentIsNotThere) {
  ClickHouseServer server;
  server.make_tables();
  FleetNights nights = nights_of(server, 300ms);
  EXPECT_EQ(refusal_of([&] { nights.pin({.name = "main", .evaluation = 7}); }).code,
            ErrorCode::kUsage);
  EvaluationRecord unreadable = evaluation_record(steady_topics(2));
  unreadable.topics[1].found = {{.docno = Docno("EP\xFF"), .rank = 1}};
  EXPECT_EQ(refusal_of([&] { nights.add(unreadable); }).code, ErrorCode::kUsage);
  EXPECT_EQ(server.ask("SELECT count() FROM prescope.nights"), "0");
  EXPECT_EQ(nights.add(night(1)), 1);
  server.kill();
  EXPECT_EQ(refusal_of([&] { nights.add(night(2)); }).code, ErrorCode::kIo);
  EXPECT_EQ(nights.nights().size(), 1);
  server.start();
  EXPECT_EQ(nights.add(night(3)), 2);
  EXPECT_EQ(nights_of(server).nights().size(), 2);

  // A row of another format is named, and so is one that ends too early.
  server.ask("INSERT INTO prescope.nights VALUES (77, 0, 99, '\\x09')");
  EXPECT_THAT(refusal_of([&] { nights_of(server); }).message, HasSubstr("another version"));
  server.ask("INSERT INTO prescope.nights VALUES (77, 0, 100, '\\x02\\x01')");
  EXPECT_EQ(refusal_of([&] { nights_of(server); }).code, ErrorCode::kIo);
}

/// The program's output for the same commands with a file and with a fleet, apart from the store's
/// name and the times.
class Commands {
 public:
  explicit Commands(std::string store) : store_(std::move(store)) {
    prescope::testing::write_night_qrels(workspace_, 40);
    using prescope::testing::NightRanks;
    prescope::testing::write_night_run(workspace_, "base.run", 40, [](int) {
      return NightRanks{1, 3};
    });
    prescope::testing::write_night_run(workspace_, "worse.run", 40, [](int t) {
      return NightRanks{1, t < 20 ? 0 : 3};
    });
  }

  prescope::testing::Outcome run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin() + (arguments[0] == "fleet" ? 2 : 1), store_);
    return workspace_.run(arguments,
                          {{"USER", "ada"}, {"PRESCOPE_CLICKHOUSE_PASSWORD", password_}});
  }
  void set_user(const std::string& name) {
    store_.replace(store_.find("//") + 2, store_.find('@') - store_.find("//") - 2, name);
    password_ = name;
  }

  [[nodiscard]] std::string printed() const {
    std::string all;
    const std::vector<std::string> qrels{"--qrels", "qrels.txt", "-m", "PRES@10,R@10"};
    const auto add = [&](std::vector<std::string> arguments, bool reads_run = false) {
      if (reads_run) arguments.insert(arguments.end(), qrels.begin(), qrels.end());
      const auto outcome = run(arguments);
      all += fmt::format("{}\n{}\n{}\n", outcome.exit_code, outcome.out, outcome.err);
    };
    add({"pin", "--from", "base.run", "--why", "first"}, true);
    add({"gate", "--from", "base.run", "--json", "-"}, true);
    add({"gate", "--from", "worse.run", "--junit", "-"}, true);
    add({"gate", "--from", "worse.run", "--baseline", "none"}, true);
    add({"gate", "--from", "2"});
    add({"pin", "--from", "2", "--why", "second"});
    add({"pin", "--list"});
    add({"pin", "--from", "9", "--why", "none"});
    for (const char* format : {"table", "json", "csv"}) add({"history", "--format", format});
    add({"history", "--format", "csv", "--per-topic"});
    const std::string name = store_.find('@') == std::string::npos
                                 ? store_
                                 : "clickhouse://" + store_.substr(store_.find('@') + 1);
    for (std::size_t i; (i = all.find(name)) != std::string::npos;)
      all.replace(i, name.size(), "S");
    static const std::regex kTime(R"(20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)");
    return std::regex_replace(all, kTime, "TIME");
  }

 private:
  prescope::testing::Workspace workspace_;
  std::string store_, password_ = "admin";
};

TEST(FleetNights, ThePrintedReportsAreThoseOfALocalStore) {
  ClickHouseServer server;
  server.make_tables();
  // A name of the same length, so that lines are wrapped alike.
  const std::string file(server.url().size() - std::string("admin@").size(), 'n');
  const std::string local = Commands(file).printed();
  EXPECT_EQ(Commands(server.url()).printed(), local);
  EXPECT_THAT(local, HasSubstr("main: night 1 pinned by ada"));
  EXPECT_THAT(local, HasSubstr("REGRESSION"));
  EXPECT_THAT(local, HasSubstr("NOT JUDGED"));
}

TEST(FleetNights, WithoutTablesEachCommandSaysHowToMakeThem) {
  const ClickHouseServer server;
  const Commands commands(server.url());
  const std::vector<std::vector<std::string>> all{
      {"pin", "--list"},
      {"gate", "--from", "base.run", "--qrels", "qrels.txt"},
      {"history"},
      {"log", "--summary"},
      {"serve"},
      {"fleet", "check"},
      {"fleet", "close", "server1"},
      {"fleet", "pause", "autumn", "bm25"}};
  for (const auto& command : all) {
    const auto outcome = commands.run(command);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("'prescope fleet init clickhouse://127.0.0.1:"));
  }
}

TEST(FleetNights, ANightThatCannotBeStoredIsPrinted) {
  ClickHouseServer server;
  server.make_tables();
  Commands commands(server.url());
  const std::vector<std::string> pin{"pin",       "--from", "base.run", "--qrels",
                                     "qrels.txt", "--why",  "x"};
  ASSERT_EQ(commands.run(pin).exit_code, 0);
  commands.set_user("reader");
  const auto passed = commands.run({"gate", "--from", "base.run", "--qrels", "qrels.txt"});
  EXPECT_EQ(passed.exit_code, 2);
  EXPECT_THAT(passed.out, HasSubstr("PASS"));
  EXPECT_THAT(passed.err, HasSubstr("the verdict was not stored"));
  const auto worse = commands.run({"gate", "--from", "worse.run", "--qrels", "qrels.txt"});
  EXPECT_EQ(worse.exit_code, 1);
  EXPECT_THAT(worse.out, HasSubstr("REGRESSION"));
  EXPECT_EQ(nights_of(server).nights().size(), 1);
  // Without the baseline there is no verdict.
  server.kill();
  EXPECT_EQ(
      commands.run({"gate", "--dry-run", "--from", "base.run", "--qrels", "qrels.txt"}).exit_code,
      2);
}

}  // namespace
}  // namespace prescope
