// live_ab serves for a moment in each mode, and its output adds up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "support/http_client.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;

using Words = std::vector<std::string>;

Invocation live_ab(const Workspace& workspace, const Words& options) {
  return {.arguments = options,
          .environment = {},
          .folder = workspace.folder(),
          .program = PRESCOPE_LIVE_AB};
}

/// Returns live_ab for a moment on a small index, with these extra options.
Invocation small_server(const Workspace& workspace, const Words& options) {
  Invocation server = live_ab(
      workspace, {"--documents", "3000", "--topics", "40", "--seed", "7", "--json", "last.json"});
  server.arguments.insert(server.arguments.end(), options.begin(), options.end());
  return server;
}

/// Returns the summary that a small server wrote when it ran with these extra options.
Json served(const Words& options) {
  const Workspace workspace;
  const Outcome ended = run_program(small_server(workspace, options));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("tfidf"), HasSubstr("bm25")));
  return workspace.read_json("last.json");
}

std::uint64_t count(const Json& json, const char* key) { return json.at(key).get<std::uint64_t>(); }

/// Checks that hold in every mode.
void expect_sound(const Json& json) {
  const Json& health = json.at("health");
  EXPECT_EQ(count(health, "pushed"), count(health, "recorded"));
  for (const char* fault :
       {"recorder_failures", "adapter_failures", "unmatched_rankings", "unknown_arm",
        "listener_failures", "queries_without_scope", "queries_without_ranking"}) {
    EXPECT_EQ(count(health, fault), 0U) << fault;
  }
  for (const Json& arm : json.at("arms")) {
    EXPECT_GT(count(arm, "judged_queries"), 0U) << arm.at("name");
    EXPECT_GT(count(arm, "topics_seen"), 0U) << arm.at("name");
  }
  const Json& own = json.at("live_ab");
  EXPECT_GT(count(own, "generations"), 2U);
  EXPECT_EQ(count(own.at("load"), "failed"), 0U);
  EXPECT_GT(count(own.at("check"), "rankings"), 10U);
  EXPECT_EQ(count(own.at("check"), "wrong"), 0U);
}

/// Rankings recorded or dropped, of both arms. Other observations are left out: if a later visit of
/// a topic is answered first, the visit that still waits is recorded as unseen for the moment.
std::uint64_t rankings(const Json& json) {
  std::uint64_t rankings = count(json.at("health"), "dropped_queue_full");
  for (const Json& arm : json.at("arms")) {
    rankings += count(arm, "judged_queries") + count(arm, "unjudged_queries");
  }
  return rankings;
}

std::uint64_t queries(const Json& json) { return count(json.at("live_ab").at("load"), "queries"); }

TEST(LiveAb, ObservesEachQueryOnceWhileTheIndexChanges) {
  const Json json = served({"--seconds", "2", "--check"});
  expect_sound(json);
  EXPECT_EQ(rankings(json), queries(json));
  EXPECT_EQ(count(json.at("health"), "recorded"), queries(json));
}

TEST(LiveAb, PairedModeSearchesJudgedQueriesUnderBothArms) {
  const Json json = served({"--seconds", "2", "--check", "--mode", "paired"});
  expect_sound(json);
  const Json& health = json.at("health");
  EXPECT_EQ(count(health, "shadow_failed"), 0U);
  EXPECT_GT(count(health, "shadow_run"), 0U);
  // Each query is served once; shadow queries run once under each arm.
  EXPECT_EQ(count(json.at("live_ab"), "searches"), queries(json) + 2 * count(health, "shadow_run"));
  EXPECT_EQ(rankings(json), queries(json) + 2 * count(health, "shadow_run"));
  const Json& challenger = json.at("arms").at(1);
  EXPECT_EQ(challenger.at("latency_ms").at("count"), 0);  // no user waited for it
  EXPECT_EQ(count(challenger, "judged_queries"), count(health, "shadow_run"));
}

TEST(LiveAb, SplitModeServesEachTopicByOneArm) {
  const Json json = served({"--seconds", "2", "--check", "--mode", "split"});
  expect_sound(json);
  EXPECT_EQ(rankings(json), queries(json));
  for (const Json& topic : json.at("per_topic")) {
    int arms = 0;
    for (const Json& arm : topic.at("arms")) arms += arm.at("seen").get<bool>() ? 1 : 0;
    EXPECT_EQ(arms, 1) << topic.at("topic");
  }
}

TEST(LiveAb, OpenLoopSendsQueriesOnTime) {
  const Json json = served({"--seconds", "2", "--check", "--rate", "100", "--threads", "3"});
  expect_sound(json);
  EXPECT_EQ(json.at("live_ab").at("load").at("loop"), "open");
  // The last ones that are due are waited for: one a thread.
  EXPECT_LE(queries(json), 100 * json.at("live_ab").at("load").at("seconds").get<double>() + 3);
}

// On SIGTERM, which service managers send, it lost its JSON and what the log had not written yet.
// The second query is due after twelve days.
TEST(LiveAb, EndsThoughTheNextQueryIsNotDueYet) {
  const Workspace workspace;
  const Invocation server = small_server(workspace, {"--seconds", "1", "--rate", "1e-6"});
  EXPECT_EQ(run_program(server).exit_code, 0);
}

TEST(LiveAb, ASignalEndsItWithTheLastSummaryAndEveryObservation) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Workspace workspace;
    RunningProgram server(small_server(workspace, {"--seconds", "600", "--log", "log.jsonl"}));
    EXPECT_THAT(server.wait_for_line("tfidf"), Not(IsEmpty())) << "its first table";
    const Outcome ended = server.end(signal);
    EXPECT_EQ(ended.exit_code, 0) << signal << ended.err;
    const Json json = workspace.read_json("last.json");
    EXPECT_GT(count(json.at("health"), "recorded"), 0U) << signal;
    EXPECT_LT(json.at("live_ab").at("load").at("seconds").get<double>(), 600.0) << signal;
    std::uint64_t judged = 0;
    for (const Json& arm : json.at("arms")) judged += count(arm, "judged_queries");
    const std::string lines = workspace.read("log.jsonl");
    EXPECT_EQ(std::ranges::count(lines, '\n'), static_cast<std::ptrdiff_t>(judged)) << signal;
  }
}

TEST(LiveAb, ABadArmIsPausedWithoutAPerson) {
  const Workspace workspace;
  RunningProgram server(live_ab(
      workspace,
      {"--documents", "3000", "--topics", "300", "--seed", "7", "--json", "last.json", "--seconds",
       "600", "--mode", "paired", "--rate", "60", "--bad-arm", "--pause-worse"}));
  EXPECT_THAT(server.wait_for_line_from("paused "),
              ::testing::StartsWith("paused bm25: tfidf is better than bm25 by "));
  const Outcome ended = server.end(SIGINT);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const Json json = workspace.read_json("last.json");
  EXPECT_EQ(json.at("arms").at(0).at("status"), "active");
  EXPECT_EQ(json.at("arms").at(1).at("status"), "paused");
}

TEST(LiveAb, ServesThePageUntilItEnds) {
  const Workspace workspace;
  RunningProgram server(small_server(workspace, {"--seconds", "600", "--serve"}));
  const std::string serving = server.wait_for_line_from("serving ");
  const std::string url = serving.substr(std::string("serving ").size());
  EXPECT_THAT(url, ::testing::MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/"));
  EXPECT_THAT(get(url, "/healthz").body, HasSubstr("\"status\": \"ok\""));
  EXPECT_EQ(server.end(SIGINT).exit_code, 0);
  EXPECT_THROW(HttpClient{url}, std::system_error);
}

TEST(LiveAb, TheOverheadHasIntervalsThatHoldTheirMeans) {
  const Json json = served({"--seconds", "1", "--overhead"});
  const Json& overhead = json.at("live_ab").at("overhead");
  EXPECT_GE(count(overhead, "block_pairs"), 5U);
  for (const char* key : {"throughput_ratio", "p99_ratio"}) {
    const Json& ratio = overhead.at(key);
    const auto mean = ratio.at("mean").get<double>();
    EXPECT_THAT(
        mean, AllOf(Gt(0.0), Ge(ratio.at("low").get<double>()), Le(ratio.at("high").get<double>())))
        << key;
  }
  EXPECT_GT(overhead.at("judged_us").get<double>(), 0.0);
  // Each query of a block with the plugin was observed, and none of a block without.
  EXPECT_EQ(rankings(json), count(overhead, "block_pairs") * count(overhead, "queries_per_block"));
}

TEST(LiveAb, UnknownOptionsAreRefusedWithTheNearestName) {
  const Workspace workspace;
  const auto run = [&](const Words& words) { return run_program(live_ab(workspace, words)); };
  const Outcome option = run({"--secnods", "3"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_THAT(option.err, HasSubstr("did you mean '--seconds'?"));
  const Outcome port = run({"--port", "8080"});
  EXPECT_EQ(port.exit_code, 2);
  EXPECT_THAT(port.err, HasSubstr("only with --serve"));
  const Outcome pause = run({"--pause-worse"});
  EXPECT_EQ(pause.exit_code, 2);
  EXPECT_THAT(pause.err, HasSubstr("add --mode paired"));
  const Outcome mode = run({"--mode", "pared"});
  EXPECT_EQ(mode.exit_code, 2);
  EXPECT_THAT(mode.err, HasSubstr("did you mean 'paired'?"));
  const Outcome help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("live_ab --seconds 30"));
}

}  // namespace
}  // namespace prescope::testing
