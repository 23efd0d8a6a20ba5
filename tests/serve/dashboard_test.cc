// A dashboard of an experiment: its options, its lifetime, and hostile names.
#include "prescope/dashboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "prescope/error.h"
#include "prescope/experiment.h"
#include "support/http_client.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kScript = "</script><script>alert(\"1\")</script>";

Qrels one_topic(const std::string& name = "t") {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId(name), Docno("d1"), 1}});
}

ExperimentOptions one_arm(std::vector<AttachService> services = {}) {
  return {.arms = {"a"}, .measures = {"R@10"}, .services = std::move(services)};
}

std::string refusal_of_dashboard(const DashboardOptions& options) {
  Experiment experiment(one_topic(), one_arm());
  try {
    const Dashboard refused(experiment, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "(not refused)";
}

TEST(DashboardOptionsCheck, NamesEveryBadOptionAtOnce) {
  EXPECT_THAT(
      refusal_of_dashboard({.address = "localhost",
                            .token = "short",
                            .hosts = {"http://a", ""},
                            .connections = 0,
                            .event_streams = 0,
                            .interval = std::chrono::milliseconds(249)}),
      AllOf(HasSubstr("address is 'localhost'; expected an IP address"),
            HasSubstr("the token has 5 characters; expected 16 to 4096"),
            HasSubstr("host 'http://a' is no name"), HasSubstr("host '' is no name"),
            HasSubstr("connections is 0; expected 1 to 65536"),
            HasSubstr("event_streams is 0; expected 1 to 1"),
            HasSubstr("interval is 249 ms; expected 250 to 60000 ms"), Not(HasSubstr("short"))));
}

TEST(DashboardOptionsCheck, EachBadOptionHasOneSentence) {
  const std::string token(16, 'x');
  const std::vector<std::pair<DashboardOptions, const char*>> refused = {
      {{.address = ""}, "address is ''"},
      {{.address = "127.1"}, "address is '127.1'"},
      {{.address = "127.0.0.1:80"}, "expected an IP address"},
      {{.address = "[::1]"}, "expected an IP address"},
      {{.address = "0.0.0.0"},
       "there is no token; give one (the program: --token-file), or listen"},
      {{.address = "::"}, "there is no token"},
      {{.address = "192.0.2.1"}, "there is no token"},
      {{.address = "::ffff:192.0.2.1"}, "there is no token"},
      {{.token = token.substr(1)}, "the token has 15 characters"},
      {{.token = std::string(4097, 'x')}, "the token has 4097 characters"},
      {{.token = token + " "}, "expected visible ASCII"},
      {{.token = token + "\n"}, "expected visible ASCII"},
      {{.token = token + "\xC3\xA4"}, "expected visible ASCII"},
      {{.hosts = {"example.org:80"}}, "host 'example.org:80' is no name"},
      {{.connections = 65537}, "connections is 65537"},
      {{.connections = 10, .event_streams = 11}, "event_streams is 11; expected 1 to 10"},
      {{.interval = std::chrono::milliseconds(60'001)}, "interval is 60001 ms"}};
  for (const auto& [options, sentence] : refused) {
    EXPECT_THAT(refusal_of_dashboard(options),
                AllOf(StartsWith("dashboard: "), HasSubstr(sentence)));
  }
}

TEST(DashboardListening, ReportsItsUrlAndWarnsIfItIsPublic) {
  std::vector<std::string> told;
  const auto options = [&](const char* address) {
    return DashboardOptions{
        .address = address,
        .token = "0123456789abcdef",
        .on_listening = [&](const std::string& url) { told.push_back("at " + url); },
        .on_warning = [&](std::string_view warning) { told.emplace_back(warning); }};
  };
  Experiment experiment(one_topic(), one_arm());
  const Dashboard loopback(experiment, options("127.0.0.2"));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0], "at " + loopback.url());
  EXPECT_THAT(loopback.url(), StartsWith("http://127.0.0.2:"));
  const Dashboard exposed(experiment, options("0.0.0.0"));
  ASSERT_EQ(told.size(), 3U);
  EXPECT_THAT(told[1], AllOf(HasSubstr(exposed.url() + " can be reached from other machines"),
                             Not(HasSubstr("0123456789abcdef"))));
  EXPECT_EQ(get(exposed.url(), "/healthz").status, 401U);
  EXPECT_EQ(get(exposed.url(), "/healthz", {"Authorization: Bearer 0123456789abcdef"}).status,
            200U);
}

TEST(DashboardListening, PortInUseIsRefused) {
  Experiment experiment(one_topic(), one_arm());
  const Dashboard first(experiment);
  const auto port =
      static_cast<std::uint16_t>(std::stoi(first.url().substr(first.url().rfind(':') + 1)));
  try {
    const Dashboard second(experiment, {.port = port});
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("cannot listen at 127.0.0.1:{}: Address "
                                                    "already in use; expected",
                                                    port)));
  }
  EXPECT_EQ(get(first.url(), "/healthz").status, 200U);
}

TEST(DashboardListening, AnAddressOfAnotherMachineIsRefused) {
  Experiment experiment(one_topic(), one_arm());
  EXPECT_THROW(Dashboard(experiment, {.address = "192.0.2.1", .token = std::string(16, 'x')}),
               Error);
}

TEST(DashboardListening, WorksOverIpV6) {
  Experiment experiment(one_topic(), one_arm());
  std::optional<Dashboard> dashboard;
  try {
    dashboard.emplace(experiment, DashboardOptions{.address = "::1"});
  } catch (const Error&) {
    GTEST_SKIP() << "no IPv6 here";
  }
  EXPECT_THAT(dashboard->url(), StartsWith("http://[::1]:"));
  EXPECT_EQ(get(dashboard->url(), "/healthz").status, 200U);
}

TEST(DashboardLife, CanBeStartedAgain) {
  Experiment experiment(one_topic(), one_arm());
  for (int i = 0; i < 3; ++i) {
    Dashboard dashboard(experiment);
    HttpClient stream(dashboard.url());
    stream.send(get_request("/api/events"));
    EXPECT_THAT(stream.read_to("\n\n"), HasSubstr("retry: 2000"));
  }
  EXPECT_EQ(experiment.summary()->arms.size(), 1U);
}

TEST(DashboardLife, ServiceEndsWithItsExperiment) {
  std::string url;
  std::optional<HttpClient> stream;
  {
    Experiment experiment(
        one_topic(),
        one_arm({dashboard({.on_listening = [&](const std::string& at) { url = at; }})}));
    const auto resolved = resolve(experiment);
    {
      const QueryScope scope(experiment, TopicId("t"));
      experiment.observe(served(ArmIndex(0), resolved, {DocId(1)}));
    }
    stream.emplace(url);
    stream->send(get_request("/api/events"));
    EXPECT_THAT(stream->read_to("event: summary"), HasSubstr("200 OK"));
  }
  stream->read_to_end();
  EXPECT_THROW(HttpClient{url}, std::system_error);
}

TEST(DashboardLife, BadOptionsFailTheExperiment) {
  EXPECT_THROW(Experiment(one_topic(), one_arm({dashboard({.address = "nowhere"})})), Error);
}

TEST(DashboardContent, ScriptNamesAreServedAsJsonOnly) {
  Experiment experiment(one_topic(kScript),
                        {.name = kScript, .arms = {kScript, "b\"\\\n\x01"}, .measures = {"R@10"}});
  const Dashboard dashboard(experiment);
  for (const char* target : {"/api/summary", "/api/topic/%3C%2Fscript%3E%3Cscript%3Ealert(1)",
                             "/%3Cimg%20src=x%20onerror=alert(1)%3E"}) {
    const HttpAnswer answer = get(dashboard.url(), target);
    EXPECT_THAT(answer.fields.at("content-type"), StartsWith("application/json")) << target;
    EXPECT_EQ(answer.fields.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(answer.fields.at("content-security-policy"),
              "default-src 'none'; frame-ancestors 'none'");
    EXPECT_TRUE(json::accept(answer.body)) << answer.body;
  }
  const json summary = json::parse(get(dashboard.url(), "/api/summary").body);
  EXPECT_EQ(summary["summary"]["arms"][0]["name"], kScript);
}

}  // namespace
}  // namespace prescope
