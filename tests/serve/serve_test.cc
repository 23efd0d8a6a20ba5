// `prescope serve` and `prescope replay --serve`, as processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "support/http_client.h"
#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kLongToken = "correct-horse-battery-staple";

class Serve : public ::testing::Test {
 protected:
  Serve() { pin_base(workspace_); }

  [[nodiscard]] Invocation serve(std::vector<std::string> more = {},
                                 std::map<std::string, std::string> environment = {}) const {
    more.insert(more.begin(), {"serve", "nights.db"});
    return {.arguments = std::move(more),
            .environment = std::move(environment),
            .folder = workspace_.folder()};
  }

  std::string refusal(std::vector<std::string> arguments,
                      std::map<std::string, std::string> environment = {}) const {
    const Outcome outcome = run_program(serve(std::move(arguments), std::move(environment)));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, StartsWith("prescope: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  }

  Workspace workspace_;
};

TEST_F(Serve, PrintsItsUrlAndServesUntilInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram program(serve());
    const std::string url = program.wait_for_line("http://");
    ASSERT_THAT(url, MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/"));
    EXPECT_EQ(get(url, "/").status, 200U);
    EXPECT_EQ(json::parse(get(url, "/healthz").body)["status"], "ok");
    HttpClient stream(url);
    stream.send(get_request("/api/events"));
    EXPECT_THAT(stream.read_to("retry"), HasSubstr("200 OK"));
    const Outcome outcome = program.end(signal);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, url + "\n");
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST_F(Serve, ListensAtTheGivenPortAndAcceptsTheGivenNames) {
  std::string port;
  {
    RunningProgram any(serve());
    port = any.wait_for_line("http://").substr(std::string("http://127.0.0.1:").size());
    port.pop_back();
    EXPECT_EQ(any.end(SIGINT).exit_code, 0);
  }
  RunningProgram program(serve({"--port", port, "--host", "a.example", "--host=b.example"}));
  const std::string url = program.wait_for_line("http://");
  EXPECT_THAT(url, EndsWith(":" + port + "/"));
  for (const char* name : {"a.example", "b.example:443"}) {
    EXPECT_EQ(answer_to(url, "GET / HTTP/1.1\r\nHost: " + std::string(name) + "\r\n\r\n").status,
              200U);
  }
  EXPECT_EQ(answer_to(url, "GET / HTTP/1.1\r\nHost: c.example\r\n\r\n").status, 421U);
  EXPECT_THAT(refusal({"--port", port}),
              HasSubstr("cannot listen at 127.0.0.1:" + port + ": Address already in use"));
}

TEST_F(Serve, TokenComesFromAFileOrFromTheEnvironment) {
  workspace_.write("token", std::string(kLongToken) + "\r\nnotes\n");
  const std::string line = "Authorization: Bearer " + std::string(kLongToken);
  for (const Invocation& how :
       {serve({"--token-file", "token"}, {{"PRESCOPE_TOKEN", "another-token-of-16"}}),
        serve({}, {{"PRESCOPE_TOKEN", kLongToken}})}) {
    RunningProgram program(how);
    const std::string url = program.wait_for_line("http://");
    EXPECT_EQ(get(url, "/api/summary").status, 401U);
    EXPECT_EQ(get(url, "/api/summary", {line}).status, 200U);
    const Outcome outcome = program.end(SIGTERM);
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr(kLongToken)));
  }
}

TEST_F(Serve, OtherMachinesNeedATokenAndAreWarnedOf) {
  EXPECT_THAT(refusal({"--address", "0.0.0.0"}), HasSubstr("there is no token"));
  RunningProgram program(serve({"--address", "0.0.0.0"}, {{"PRESCOPE_TOKEN", kLongToken}}));
  EXPECT_NE(program.wait_for_line_from("http://0.0.0.0:"), "");  // the warning names it, too
  EXPECT_THAT(program.end(SIGINT).err, HasSubstr("can be reached from other machines"));
}

TEST_F(Serve, RefusesInvalidOptions) {
  workspace_.write("short", "0123456789\n");
  workspace_.write("empty", "");
  workspace_.write("blank", "\n0123456789abcdef\n");
  EXPECT_THAT(refusal({"--port", "70000"}), HasSubstr("--port: '70000' is not a whole number from "
                                                      "0 to 65535"));
  EXPECT_THAT(refusal({"--port", "http"}), HasSubstr("--port: 'http'"));
  EXPECT_THAT(refusal({"--address", "localhost"}),
              HasSubstr("address is 'localhost'; expected an IP address"));
  EXPECT_THAT(refusal({"--address", "192.0.2.1"}, {{"PRESCOPE_TOKEN", kLongToken}}),
              HasSubstr("cannot listen at 192.0.2.1:"));
  EXPECT_THAT(refusal({"--host", "http://x"}), HasSubstr("host 'http://x' is no name"));
  EXPECT_THAT(refusal({"--token-file", "missing"}),
              AllOf(HasSubstr("missing: cannot be read"), HasSubstr("No such file")));
  EXPECT_THAT(refusal({"--token-file", "."}), HasSubstr(".: cannot be read"));
  EXPECT_THAT(refusal({"--token-file", "empty"}), HasSubstr("the first line is empty"));
  EXPECT_THAT(refusal({"--token-file", "blank"}), HasSubstr("the first line is empty"));
  EXPECT_THAT(refusal({"--token-file", "short"}),
              AllOf(HasSubstr("the token has 10 characters; expected 16 to 4096"),
                    Not(HasSubstr("0123456789"))));
  EXPECT_THAT(refusal({}, {{"PRESCOPE_TOKEN", "short"}}), HasSubstr("the token has 5 characters"));
  const Outcome missing = workspace_.run({"serve", "other.db"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("other.db: there is no such file"));
  EXPECT_FALSE(workspace_.has("other.db"));
}

TEST(ReplayServe, ShowsTheReplayUntilInterruptedAndPrintsTheSameTable) {
  const Workspace workspace(set_up_toy);
  RunningProgram program({.arguments = {"replay", "experiment.toml", "--serve", "--json", "a.json"},
                          .environment = {},
                          .folder = workspace.folder()});
  const std::string serving = program.wait_for_line("serving http://");
  const std::string url = serving.substr(serving.find("http://"));
  EXPECT_NE(program.wait_for_line("PRES@4"), "") << "the table, while it goes on";
  EXPECT_EQ(get(url, "/healthz").status, 200U);
  const Outcome outcome = program.end(SIGINT);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome without = workspace.run({"replay", "experiment.toml", "--json", "b.json"});
  json a = workspace.read_json("a.json"), b = workspace.read_json("b.json");
  remove_times(a);
  remove_times(b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(outcome.out.substr(0, 200), without.out.substr(0, 200));
  EXPECT_THAT(outcome.out, Not(HasSubstr("http://")));
}

TEST(ReplayServe, PortAloneIsRefused) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--port", "8080"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--port has a meaning only with --serve"));
}

}  // namespace
}  // namespace prescope::testing
