// Decisions about arms reach every server of a fleet, each once and in one order.
#include "fleet/decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "fleet/audit.h"
#include "fleet/fleet_session.h"
#include "fleet/recorded.h"
#include "prescope/shipper.h"
#include "support/clickhouse_server.h"
#include "support/program.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using namespace std::chrono_literals;
using prescope::testing::Invocation;
using prescope::testing::run_program;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Sentences of a follower, which a test waits for.
class Sentences {
 public:
  void add(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    all_ += sentence + '\n';
    added_.notify_all();
  }
  /// Waits for a sentence with the text, and forgets it and those before it.
  void wait_for(const std::string& text) {
    std::unique_lock lock(mutex_);
    const auto is_there = [&] { return all_.find(text) != std::string::npos; };
    if (!added_.wait_for(lock, 60s, is_there)) {
      throw std::runtime_error(fmt::format("no '{}' in: {}", text, all_));
    }
    all_.erase(0, all_.find('\n', all_.find(text)) + 1);
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::string all_;
};

/// A server of the fleet that follows decisions.
struct Server {
  Server(std::string of, std::filesystem::path at, const std::string& fleet)
      : name(std::move(of)), store(std::move(at)), url(fleet) {}

  void start(std::vector<std::string> arms = {"bm25", "tf'idf"}) {
    ExperimentOptions options = fleet_options(store);
    options.arms = std::move(arms);
    options.services.push_back(
        follow_decisions(store, {.to = url,
                                 .server = name,
                                 .decision_interval = 50ms,
                                 .on_warning = [this](const auto& one) { said.add(one); }}));
    experiment.emplace(fleet_qrels(), std::move(options));
  }
  void ship() const { ship_all(store, {.to = url, .server = name}); }
  void serve(std::uint32_t visits) { RecordedVisits(*experiment, ++seed).serve(visits); }
  [[nodiscard]] std::vector<ArmStatus> arms() const {
    std::vector<ArmStatus> all;
    for (std::uint32_t a = 0; a < experiment->arms().size(); ++a) {
      all.push_back(experiment->status(ArmIndex(a)));
    }
    return all;
  }
  /// Returns a statement's text for the store, when all that was logged is in it.
  [[nodiscard]] std::int64_t stored(const std::string& sql) const {
    for (const auto& log : experiment->options().logs) log->flush();
    return Database(store, Database::Access::kRead).number(sql);
  }

  std::string name;
  std::filesystem::path store;
  std::string url;
  Sentences said;
  std::uint64_t seed = 0;
  std::optional<Experiment> experiment;
};

constexpr const char* kPresentEpoch =
    "SELECT epoch FROM (SELECT s.number, 0 AS c, s.epoch FROM sessions s UNION ALL"
    " SELECT session, number, epoch FROM session_changes) ORDER BY number DESC, c DESC LIMIT 1";

class Decisions : public ::testing::Test {
 protected:
  Decisions() { server_.make_tables(); }

  /// Starts both servers, and ships what they recorded, which makes their arms known.
  void start_both() {
    for (Server* server : {&one_, &two_}) {
      server->start();
      server->serve(20);
      server->experiment->flush();
      for (const auto& log : server->experiment->options().logs) log->flush();
      server->ship();
    }
  }
  Decision decide(const std::string& kind, const std::string& arm) {
    return prescope::decide(fleet_, "autumn", {.kind = kind, .arm = arm, .person = "anna"});
  }
  void wait_for_both(const std::string& text) {
    one_.said.wait_for(text);
    two_.said.wait_for(text);
  }
  std::vector<DecisionAudit> audit() { return audit_decisions(fleet_); }
  /// Waits until the fleet was told what these servers did with the last decision.
  DecisionAudit last_told(std::size_t servers) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    for (;; std::this_thread::sleep_for(10ms)) {
      DecisionAudit last = audit().back();
      if (last.applied.size() + last.refused.size() == servers) return last;
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("nothing was told");
    }
  }

  ClickHouseServer server_;
  ClickHouse fleet_{parse_fleet_url(server_.url())};
  ScratchFolder scratch_;
  Server one_{"search1", scratch_.path() / "one.db", server_.url()};
  Server two_{"search2", scratch_.path() / "two.db", server_.url()};
};

constexpr auto kActive = ArmStatus::kActive, kPaused = ArmStatus::kPaused;

TEST_F(Decisions, ReachEveryServerAndAreLogged) {
  start_both();
  EXPECT_EQ(decide("pause", "tf'idf").number, 1);
  wait_for_both("decision 1 of anna, pause tf'idf: applied");
  for (const Server* server : {&one_, &two_}) {
    EXPECT_THAT(server->arms(), ElementsAre(kActive, kPaused));
    EXPECT_EQ(server->stored("SELECT count(*) FROM session_changes WHERE kind = 'arm paused'"), 1);
  }
  EXPECT_EQ(one_.stored(kPresentEpoch), two_.stored(kPresentEpoch));
  EXPECT_EQ(decide("resume", "tf'idf").number, 2);
  wait_for_both("decision 2 of anna, resume tf'idf: applied");
  EXPECT_THAT(one_.arms(), ElementsAre(kActive, kActive));
  EXPECT_THAT(last_told(2).applied, ElementsAre("search1", "search2"));
  EXPECT_THAT(audit().at(0).applied, ElementsAre("search1", "search2"));
  EXPECT_THAT(audit().at(0).waiting, IsEmpty());
  EXPECT_EQ(one_.stored("SELECT count(*) FROM decisions WHERE person = 'anna' AND applied_ms > 0"
                        " AND refusal = ''"),
            2);
}

TEST_F(Decisions, ARestartBeginsTheEvidenceAnewInTheWholeFleet) {
  start_both();
  const std::int64_t before = one_.stored(kPresentEpoch);
  decide("restart", "bm25");
  wait_for_both("decision 1 of anna, restart bm25: applied");
  // Followers look again and again: the second decision shows that the first is not repeated.
  decide("resume", "bm25");
  wait_for_both("decision 2");
  std::uint64_t later = 0;
  for (Server* server : {&one_, &two_}) {
    EXPECT_EQ(server->stored("SELECT count(*) FROM session_changes"), 1);
    server->serve(20);
    later += server->experiment->summary()->epoch.observations;  // the store may have fewer yet
    EXPECT_NE(server->stored(kPresentEpoch), before);
  }
  EXPECT_EQ(one_.stored(kPresentEpoch), two_.stored(kPresentEpoch));
  for (Server* server : {&one_, &two_}) {
    server->experiment.reset();
    server->ship();
  }
  EXPECT_EQ(FleetSession(parse_fleet_url(server_.url())).observations(), later);
}

TEST_F(Decisions, AreWrittenToAStoreThatIsMadeAnewToo) {
  start_both();
  decide("pause", "tf'idf");
  wait_for_both("decision 1");
  ASSERT_EQ(last_told(2).applied.size(), 2U);
  for (const char* part : {"", "-wal", "-shm"}) {
    std::filesystem::remove(one_.store.string() + part);
  }
  const auto kept = [&] {
    try {
      return one_.stored("SELECT count(*) FROM decisions");
    } catch (const Error&) {
      return std::int64_t{0};  // it is being made
    }
  };
  for (int i = 0; i < 200 && kept() == 0; ++i) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(kept(), 1);
}

TEST_F(Decisions, AServerThatWasDownOrFindsNoFleetHasTheLastState) {
  start_both();
  two_.experiment.reset();
  decide("pause", "tf'idf");
  decide("pause", "bm25");
  decide("restart", "bm25");
  decide("resume", "bm25");
  one_.said.wait_for("decision 4");
  EXPECT_THAT(last_told(1).waiting, ElementsAre("search2"));
  two_.ship();  // which says that its session has ended
  EXPECT_THAT(audit().at(3).waiting, IsEmpty());
  two_.start();
  two_.said.wait_for("decision 4");
  EXPECT_THAT(two_.arms(), ElementsAre(kActive, kPaused));
  EXPECT_EQ(one_.stored(kPresentEpoch), two_.stored(kPresentEpoch));
  last_told(2);
  // The fleet is away when the server starts, and then has another decision.
  const std::int64_t epoch = two_.stored(kPresentEpoch);
  two_.experiment.reset();
  server_.kill();
  two_.start();
  EXPECT_THAT(two_.arms(), ElementsAre(kActive, kPaused));
  EXPECT_EQ(two_.stored(kPresentEpoch), epoch);
  two_.said.wait_for("Couldn't connect to server");
  EXPECT_THAT(two_.arms(), ElementsAre(kActive, kPaused));
  server_.start();
  EXPECT_EQ(decide("resume", "tf'idf").number, 5);
  wait_for_both("decision 5 of anna, resume tf'idf: applied");
  EXPECT_THAT(two_.arms(), ElementsAre(kActive, kActive));
}

TEST_F(Decisions, OfPeopleWhoDecideAtOnceHaveOneOrder) {
  start_both();
  const auto insert = [&](const char* values) {
    server_.ask(fmt::format("INSERT INTO prescope.decisions VALUES {}", values));
  };
  // The later of two with the same number reaches one server first.
  insert(
      "('autumn', 1, 2000, 7, 'pause', 'bm25', 'ben'), ('autumn', 1, 900, 3, 'pause', 'x', 'y')");
  one_.said.wait_for("decision 1 of ben, pause bm25: applied");
  insert(
      "('autumn', 1, 1000, 8, 'resume', 'bm25', 'anna'),"
      "('autumn', 1, 3000, 1, 'pause', 'tf\\'idf', 'anna')");
  wait_for_both("decision 1 of anna, pause tf'idf: applied");
  two_.experiment.reset();
  std::filesystem::remove(two_.store);  // which begins with all four at once
  two_.start();
  two_.said.wait_for("decision 1 of anna, pause tf'idf: applied");
  for (const Server* server : {&one_, &two_}) {
    EXPECT_THAT(server->arms(), ElementsAre(kPaused, kPaused));
  }
  EXPECT_EQ(decide("resume", "bm25").number, 2);
}

TEST_F(Decisions, ManyAtOnceLeaveAllServersInTheSameState) {
  start_both();
  const auto decide_some = [&](const std::string& person, bool is_first) {
    ClickHouse fleet(parse_fleet_url(server_.url()));
    for (int i = 0; i < 8; ++i) {
      static_cast<void>(prescope::decide(fleet, "autumn",
                                         {.kind = (i % 2 == 0) == is_first ? "pause" : "resume",
                                          .arm = "tf'idf",
                                          .person = person}));
    }
  };
  std::thread other([&] { decide_some("ben", true); });
  decide_some("carl", false);
  other.join();
  const std::set<Decision> all = read_decisions(fleet_, "autumn");
  ASSERT_EQ(all.size(), 16);
  const Decision& last = *all.rbegin();
  wait_for_both(fmt::format("decision {} of {}", last.number, last.person));
  last_told(2);
  for (const Server* server : {&one_, &two_}) {
    EXPECT_EQ(server->arms().at(1), last.kind == "pause" ? kPaused : kActive);
  }
}

TEST_F(Decisions, AboutAnUnknownArmChangeNothingUntilItIsThere) {
  two_.start({"bm25", "tf'idf", "dense"});
  two_.serve(20);
  two_.experiment->flush();
  static_cast<void>(two_.stored("SELECT 1"));
  two_.ship();
  one_.start();
  decide("pause", "dense");
  two_.said.wait_for("decision 1 of anna, pause dense: applied");
  one_.said.wait_for("decision 1 of anna, pause dense: unknown arm 'dense'");
  EXPECT_THAT(one_.arms(), ElementsAre(kActive, kActive));
  EXPECT_EQ(one_.stored("SELECT count(*) FROM session_changes"), 0);
  const DecisionAudit told = last_told(2);
  EXPECT_THAT(told.applied, ElementsAre("search2"));
  EXPECT_THAT(told.refused, ElementsAre(Pair("search1", HasSubstr("unknown arm 'dense'"))));
  one_.experiment->add_arm("dense");
  one_.said.wait_for("decision 1 of anna, pause dense: applied");
  EXPECT_THAT(one_.arms(), ElementsAre(kActive, kActive, kPaused));
  const std::string of_nobody = refusal_of([&] { decide("pause", "dens"); }).message;
  EXPECT_THAT(of_nobody, HasSubstr("unknown arm 'dens'; did you mean 'dense'?"));
  EXPECT_THAT(
      refusal_of([&] {
        static_cast<void>(prescope::decide(fleet_, "autum", {.kind = "pause", .arm = "bm25"}));
      }).message,
      HasSubstr("did you mean 'autumn'?"));
}

TEST_F(Decisions, TheCommandsMakeThemAndTheCheckShowsThem) {
  start_both();
  const auto run = [&](const std::string& user, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "fleet");
    return run_program({.arguments = arguments,
                        .environment = {{"PRESCOPE_CLICKHOUSE_PASSWORD", user}, {"USER", "ben"}}});
  };
  std::string as_reader = server_.url();
  as_reader.replace(as_reader.find("admin"), 5, "reader");
  const auto paused = run("admin", {"pause", server_.url(), "autumn", "bm25", "--by", "anna"});
  EXPECT_EQ(paused.exit_code, 0) << paused.err;
  EXPECT_THAT(paused.out, HasSubstr("decision 1 of autumn: pause bm25;"));
  wait_for_both("decision 1 of anna");
  EXPECT_EQ(run("admin", {"arm", server_.url(), "autumn", "bm25"}).exit_code, 0);
  wait_for_both("decision 2 of ben, resume bm25: applied");
  EXPECT_EQ(run("admin", {"resume", server_.url(), "autumn", "bm25"}).exit_code, 0);
  EXPECT_EQ(run("admin", {"restart", server_.url(), "autumn", "bm25"}).exit_code, 0);
  wait_for_both("decision 4 of ben, restart bm25: applied");
  last_told(2);
  one_.experiment.reset();
  two_.experiment.reset();
  EXPECT_EQ(run("admin", {"pause", server_.url(), "autumn", "tf'idf"}).exit_code, 0);
  const auto check = run("reader", {"check", as_reader});
  EXPECT_EQ(check.exit_code, 0);
  const auto line_of = [&](const std::string& what) {
    const std::size_t at = check.out.find(what);
    return prescope::testing::unwrapped(
        at == std::string::npos ? check.out : check.out.substr(at, check.out.find('\n', at) - at));
  };
  EXPECT_THAT(line_of("pause bm25"), HasSubstr("anna"));
  EXPECT_THAT(line_of("pause bm25"), HasSubstr("search1, search2"));
  EXPECT_THAT(line_of("pause tf'idf"), ::testing::EndsWith("search1, search2"));
  EXPECT_THAT(line_of("pause tf'idf"), HasSubstr("ben"));
  EXPECT_THAT(check.err, HasSubstr("user 'reader' may read all tables and may write no table"));
  EXPECT_THAT(run("admin", {"check", server_.url()}).err,
              HasSubstr("user 'admin' may read all tables and may write all tables"));
  const auto denied = run("reader", {"pause", as_reader, "autumn", "bm25"});
  EXPECT_EQ(denied.exit_code, 2);
  EXPECT_THAT(denied.err, HasSubstr("readonly"));
}

TEST_F(Decisions, ACheckNamesAUserWhoMayNotRead) {
  FleetAddress address = parse_fleet_url(server_.url());
  address.user = address.password = "outsider";
  ClickHouse outsider(address);
  EXPECT_THAT(refusal_of([&] { static_cast<void>(rights_sentence(outsider)); }).message,
              HasSubstr("user 'outsider' may read no table and may write no table; a check needs"));
}

TEST_F(Decisions, ServersThatSplitByDifferentSaltsAreNamed) {
  const auto record = [&](const char* name, const char* salt, const ArmShares& shares = {}) {
    const auto store = scratch_.path() / fmt::format("{}.db", name);
    ExperimentOptions options = fleet_options(store);
    options.mode = Mode::kSplit;
    options.split.salt = salt;
    options.split.shares = shares;
    Experiment experiment(fleet_qrels(), std::move(options));
    RecordedVisits(experiment, 1).serve(5);
    experiment.flush();
    for (const auto& log : experiment.options().logs) log->flush();
    ship_all(store, {.to = server_.url(), .server = name});
  };
  const auto sentences = [&] { return differing_splits(fleet_); };
  record("search1", "autumn 2026");
  record("search2", "autumn 2026");
  EXPECT_THAT(sentences(), IsEmpty());
  record("search3", "autumn");
  EXPECT_THAT(sentences(), ElementsAre(HasSubstr("search3 splits traffic with the salt 'autumn'")));
  close_server(fleet_, "search3");
  EXPECT_THAT(sentences(), IsEmpty());
  record("search4", "autumn 2026", {{"bm25", 19.0}});
  EXPECT_THAT(sentences(), ElementsAre(HasSubstr("with the shares '[[\"bm25\",19]]'")));
}

/// Where each unit goes, as a server with these arms says, and again when one is paused.
std::string assignments(const std::vector<std::string>& arms) {
  Experiment experiment(
      fleet_qrels(),
      {.name = "autumn", .arms = arms, .mode = Mode::kSplit, .split = {.salt = "autumn 2026"}});
  std::string text;
  for (int round = 0; round < 2; ++round) {
    for (int unit = 0; unit < 500; ++unit) {
      const std::string name = fmt::format("EP{:07}A1", unit * 977);
      text += experiment.arms()[experiment.arm_for(name).value()].text() + ' ';
    }
    experiment.pause_arm(experiment.arm("dense"));
  }
  return text;
}

/// Runs in the processes of the next test.
TEST(Assignment, DISABLED_IsPrinted) {
  fmt::print("<{}>", assignments({"tf'idf", "dense", "bm25"}));
}

TEST(Assignment, OfAUnitIsTheSameInEveryProcessWhateverItsServerIsLike) {
  const std::string here = assignments({"bm25", "tf'idf", "dense"});
  for (const char* arm : {"bm25 ", "tf'idf ", "dense "}) EXPECT_THAT(here, HasSubstr(arm));
  const ScratchFolder folder;
  for (const auto& [locale, zone] :
       {std::pair("C", "UTC"), std::pair("tr_TR.UTF-8", "Asia/Tokyo")}) {
    const auto there = run_program(
        {.arguments = {"--gtest_also_run_disabled_tests", "--gtest_filter=Assignment.DISABLED_*"},
         .environment = {{"LC_ALL", locale}, {"TZ", zone}, {"HOSTNAME", zone}, {"USER", locale}},
         .folder = folder.path(),
         .program = prescope::testing::own_program()});
    EXPECT_THAT(there.out, HasSubstr('<' + here + '>')) << there.err;
  }
}

}  // namespace
}  // namespace prescope
