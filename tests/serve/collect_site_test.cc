// Rankings posted over HTTP: statuses, bodies in every form, and what a hostile client gets.
#include "serve/site/collect_site.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "serve/http/gzip.h"
#include "serve/http/http_server.h"
#include "support/http_client.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string posted_line(std::string_view id, int topic = 1) {
  return fmt::format(R"({{"id":"{}","topic":"EP{}","arm":"a","depth":2,"docnos":["US1","US2"]}})",
                     id, topic) +
         "\n";
}

/// A request as bytes: "POST PATH", the header lines, and the body with its length.
std::string post_request(std::string_view body, const std::vector<std::string>& lines = {},
                         std::string_view path = "/v1/rankings") {
  std::string text = fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n",
                                 path, body.size());
  for (const std::string& line : lines) text += line + "\r\n";
  return text.append("\r\n").append(body);
}

class CollectSiteTest : public ::testing::Test {
 protected:
  explicit CollectSiteTest(const std::string& token = "", const ServerLimits& limits = {}) {
    CollectorOptions options{.store = scratch_.path() / "x.store"};
    ReplayOptions& files = options.live.experiment;
    files.name = "x";
    files.measures = {Measure::parse("PRES@2")};
    files.qrels = scratch_.write("qrels.txt", "EP1 0 US1 1\nEP2 0 US9 1\n");
    for (const char* const arm : {"a", "b"}) {
      files.arms.push_back({.config = {.id = ArmId(arm), .settings = {}}});
    }
    options.on_warning = [](const std::string&) {};
    collector_.emplace(options);
    server_.emplace(collect_site(*collector_), DashboardOptions{.token = token}, limits);
  }

  HttpAnswer ask(const std::string& request) { return answer_to(server_->url(), request); }
  HttpAnswer post(std::string_view body, const std::vector<std::string>& lines = {}) {
    return ask(post_request(body, lines));
  }
  std::uint64_t recorded() { return collector_->experiment().summary()->health.recorded; }

  ScratchFolder scratch_;
  std::optional<Collector> collector_;
  std::optional<HttpServer> server_;
};

TEST_F(CollectSiteTest, AnswersEachLineByItself) {
  const HttpAnswer answer = post(posted_line("r1") + posted_line("r1") + "nonsense\n");
  EXPECT_EQ(answer.status, 200U);
  const json said = json::parse(answer.body);
  EXPECT_EQ(said["accepted"], 1);
  EXPECT_EQ(said["duplicates"], 1);
  ASSERT_THAT(said["refused"], SizeIs(1));
  EXPECT_EQ(said["refused"][0]["line"], 3);
  EXPECT_THAT(said["not_stored"], IsEmpty());
  EXPECT_EQ(recorded(), 1U);
}

TEST_F(CollectSiteTest, TakesOneObjectInSeveralLines) {
  EXPECT_EQ(post("{\n  \"id\": \"r1\",\n  \"topic\": \"EP1\",\n  \"arm\": \"a\",\n  \"docnos\": "
                 "[\n    \"US1\"\n  ]\n}\n")
                .status,
            200U);
  EXPECT_EQ(recorded(), 1U);
}

// One comma too many in the first line made one broken line of the whole body.
TEST_F(CollectSiteTest, ABrokenFirstLineLosesNoOther) {
  for (const char* const first : {"{\"id\":\"x\"},", "{\"id\":\"x\",\"topic\":\"EP1\""}) {
    const HttpAnswer answer =
        post(fmt::format("{}\n{}{}", first, posted_line("a"), posted_line("b")));
    EXPECT_EQ(answer.status, 200U);
    EXPECT_THAT(json::parse(answer.body)["refused"], SizeIs(1)) << first;
  }
  EXPECT_EQ(recorded(), 2U);
}

TEST_F(CollectSiteTest, DeepLogsAreRefused) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(ask(post_request(deep, {}, "/v1/logs")).status, 400U);
  const HttpAnswer answer =
      ask(post_request(R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":")" +
                           deep + R"("}}]}]}]})",
                       {}, "/v1/logs"));
  EXPECT_EQ(json::parse(answer.body)["partialSuccess"]["rejectedLogRecords"], 1);
  EXPECT_EQ(ask(post_request("x", {"Content-Type: application/x-protobuf"}, "/v1/logs")).status,
            415U);
}

TEST_F(CollectSiteTest, TakesGzipAndChunks) {
  EXPECT_EQ(post(gzipped(posted_line("r1")), {"Content-Encoding: gzip"}).status, 200U);
  const std::string half = posted_line("r2").substr(0, 20), rest = posted_line("r2").substr(20);
  EXPECT_EQ(
      ask(fmt::format("POST /v1/rankings HTTP/1.1\r\nHost: localhost\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                      half.size(), half, rest.size(), rest))
          .status,
      200U);
  EXPECT_EQ(recorded(), 2U);
}

TEST_F(CollectSiteTest, AsksForABodyThatAClientHoldsBack) {
  HttpClient client(server_->url());
  const std::string request = post_request(posted_line("r1"), {"Expect: 100-continue"});
  const std::size_t header = request.find("\r\n\r\n") + 4;
  client.send(request.substr(0, header));
  EXPECT_THAT(client.read_to("\r\n\r\n"), HasSubstr("100 Continue"));
  client.send(request.substr(header));
  EXPECT_EQ(client.read_answer("POST").status, 200U);
}

TEST_F(CollectSiteTest, KeepsAConnectionForSeveralBodies) {
  HttpClient client(server_->url());
  for (int i = 0; i < 20; ++i) {
    client.send(post_request(posted_line(fmt::format("r{}", i))));
    EXPECT_EQ(client.read_answer("POST").status, 200U) << i;
  }
  client.send(get_request("/v1/counts"));
  EXPECT_EQ(json::parse(client.read_answer().body)["accepted"], 20);
}

TEST_F(CollectSiteTest, RefusesWhatItCannotTake) {
  const auto status = [&](const std::string& request) { return ask(request).status; };
  EXPECT_EQ(post("").status, 400U);
  EXPECT_EQ(post("\n \n").status, 400U);
  EXPECT_EQ(post("nonsense").status, 400U);
  EXPECT_EQ(post(std::string(kMostLines + 1, '\n') + "x").status, 413U);
  EXPECT_EQ(post("x", {"Content-Encoding: br"}).status, 415U);
  EXPECT_EQ(post("not gzip", {"Content-Encoding: gzip"}).status, 400U);
  EXPECT_EQ(post(gzipped(posted_line("r1")).substr(0, 30), {"Content-Encoding: gzip"}).status,
            400U);
  EXPECT_EQ(post(gzipped(std::string(9 * kLongestBody, '\n')), {"Content-Encoding: gzip"}).status,
            413U)
      << "a small body that becomes a large one";
  EXPECT_EQ(post("x", {"Origin: http://evil.example"}).status, 403U);
  EXPECT_EQ(status(post_request("x", {}, "/")), 405U);
  EXPECT_EQ(status(post_request("x", {}, "/api/summary")), 405U);
  EXPECT_EQ(status("PUT /v1/rankings HTTP/1.1\r\nHost: localhost\r\n\r\n"), 405U);
  EXPECT_EQ(status(get_request("/v1/rankings")), 405U);
  EXPECT_EQ(status("POST /v1/rankings HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                   "99999999999\r\n\r\n"),
            413U);
  EXPECT_EQ(status("POST /v1/rankings HTTP/1.1\r\nHost: localhost\r\n"
                   "Transfer-Encoding: chunked\r\n\r\nnonsense\r\n"),
            400U);
  EXPECT_EQ(recorded(), 0U);
  EXPECT_EQ(post(posted_line("r1")).status, 200U) << "none of them stops the others";
}

TEST_F(CollectSiteTest, ChunksThatNeverEndAreRefused) {
  HttpClient client(server_->url());
  client.send(
      "POST /v1/rankings HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "100000\r\n" + std::string(0x100000, '\n') + "\r\n";
  for (int i = 0; i < 20 && client.send(chunk); ++i) continue;
  EXPECT_EQ(client.read_answer("POST").status, 413U);
}

TEST_F(CollectSiteTest, TakesAnEnginesAnswerWithItsNamesAsParameters) {
  const std::string answer =
      "{\n \"took\": 5, \"timed_out\": false,\n \"hits\": {\"total\": {\"value\": 2, \"relation\": "
      "\"eq\"}, \"hits\": [{\"_id\": \"US1\"}, {\"_id\": \"US2\"}]}\n}\n";
  const auto post_to = [&](const std::string& query, std::string_view body) {
    return ask(post_request(body, {}, "/v1/rankings" + query));
  };
  EXPECT_EQ(post_to("?id=r1&topic=EP1&arm=a&depth=2&time=2026-11-28T15:00:00Z", answer).status,
            200U);
  EXPECT_EQ(recorded(), 1U);
  EXPECT_THAT(post_to("?id=r2&topic=EP1&arm=a&dept=2", answer).body, HasSubstr("'depth'"));
  EXPECT_THAT(post_to("?id=r2&topic=EP1&arm=a&flags=partial,odd", answer).body,
              HasSubstr("unknown flag 'odd'"));
  EXPECT_THAT(post_to("?id=r3&topic=EP1&arm=a&depth=two", answer).body,
              HasSubstr("depth is a string"));
  EXPECT_THAT(post_to("?id=r4&topic=EP1&arm=a", "<html>busy</html>").body, HasSubstr("not JSON"));
}

TEST_F(CollectSiteTest, TakesOtlpLogs) {
  const HttpAnswer answer = ask(post_request(
      R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[)"
      R"({"body":{"stringValue":"{\"id\":\"r1\",\"topic\":\"EP1\",\"arm\":\"a\",\"docnos\":[]}"}},)"
      R"({"body":{"stringValue":"GET /search"}}]}]}]})",
      {"Content-Type: application/json"}, "/v1/logs"));
  EXPECT_EQ(answer.status, 200U);
  const json said = json::parse(answer.body);
  EXPECT_EQ(said["partialSuccess"]["rejectedLogRecords"], 1);
  EXPECT_THAT(said["partialSuccess"]["errorMessage"], HasSubstr("record 2"));
  EXPECT_EQ(recorded(), 1U);
  EXPECT_EQ(ask(post_request("nonsense", {}, "/v1/logs")).status, 400U);
}

TEST_F(CollectSiteTest, AssignsUnits) {
  const HttpAnswer answer = get(server_->url(), "/v1/assign?unit=EP1");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(json::parse(answer.body), json({{"arm", "a"}})) << "the first arm in mode observe";
  EXPECT_EQ(get(server_->url(), "/v1/assign").status, 400U);
  EXPECT_EQ(get(server_->url(), "/v1/assign?unit=").status, 400U);
  EXPECT_THAT(get(server_->url(), "/v1/assign?units=EP1").body, HasSubstr("'unit'"));
}

TEST_F(CollectSiteTest, IsTheSiteOfItsExperimentToo) {
  post(posted_line("r1") + "nonsense");
  EXPECT_EQ(get(server_->url(), "/").status, 200U);
  EXPECT_EQ(get(server_->url(), "/healthz").status, 200U);
  const json summary = json::parse(get(server_->url(), "/api/summary").body);
  EXPECT_EQ(summary["summary"]["experiment"], "x");
  const std::string metrics = get(server_->url(), "/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("prescope_collect_lines_total{result=\"accepted\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("prescope_collect_lines_total{result=\"refused\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("prescope_collect_unknown_total{fact=\"latency\"} 1"));
}

// Many clients that send one line at a time share the store's commits.
TEST_F(CollectSiteTest, ManyClientsAreAnswered) {
  constexpr int kClients = 16, kLines = 40;
  std::atomic<int> accepted = 0;
  {
    std::vector<std::jthread> clients;
    for (int c = 0; c < kClients; ++c) {
      clients.emplace_back([&, c] {
        HttpClient client(server_->url());
        for (int i = 0; i < kLines; ++i) {
          client.send(post_request(posted_line(fmt::format("{}-{}", c, i), 1 + i % 3)));
          accepted += client.read_answer("POST").status == 200 ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(accepted, kClients * kLines);
  EXPECT_EQ(recorded(), std::uint64_t(kClients * kLines));
}

/// Changes some bytes of a good request, or cuts it.
std::string damaged(const std::string& request, std::mt19937& random) {
  std::string bytes = request;
  const auto below = [&](std::size_t end) { return random() % end; };
  for (std::size_t i = 1 + below(6); i > 0; --i) {
    const std::size_t at = below(bytes.size());
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, 1 + below(8));
        break;
      case 2:
        bytes.insert(at, 1 + below(3), static_cast<char>(random()));
        break;
      default:
        bytes.resize(1 + at);
    }
    if (bytes.empty()) bytes = "x";
  }
  return bytes;
}

TEST_F(CollectSiteTest, DamagedRequestsGetAStatusAndStopNobody) {
  const auto requests = static_cast<int>(number_of_cases(200));
  std::mt19937 random(20261130);
  const std::string good =
      post_request(posted_line("d1") + posted_line("d2"), {"Content-Type: application/x-ndjson"});
  int without_answer = 0;
  for (int i = 0; i < requests; ++i) {
    HttpClient client(server_->url());
    client.send(damaged(good, random));
    client.end_sending();
    const unsigned status = client.read_answer("POST").status;
    without_answer += status == 0 ? 1 : 0;
    EXPECT_THAT(status, ::testing::AnyOf(0U, 200U, 400U, 403U, 404U, 405U, 408U, 413U, 415U, 421U,
                                         431U, 503U));
    if (i % 20 == 0) {
      EXPECT_EQ(post(posted_line(fmt::format("good {}", i))).status, 200U);
    }
  }
  EXPECT_LT(without_answer, requests / 4) << "of headers that were cut";
  EXPECT_EQ(server_->counters().failed, 0U);
}

class ImpatientCollectSite : public CollectSiteTest {
 protected:
  ImpatientCollectSite() : CollectSiteTest("", {.body_time = std::chrono::milliseconds(100)}) {}
};

TEST_F(ImpatientCollectSite, ClosesAConnectionWhoseBodyDoesNotCome) {
  const std::string request =
      "POST /v1/rankings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc";
  EXPECT_EQ(ask(request).status, 0U);
  // The server counts it a moment after the client has seen the end.
  const auto& refused =
      server_->counters().refused[static_cast<std::size_t>(Refusal::kSlowRequest)];
  for (int i = 0; i < 1000 && refused == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(refused, 1U);
}

class CollectSiteWithToken : public CollectSiteTest {
 protected:
  CollectSiteWithToken() : CollectSiteTest("0123456789abcdef") {}
};

TEST_F(CollectSiteWithToken, TakesNothingWithoutTheToken) {
  EXPECT_EQ(post(posted_line("r1")).status, 401U);
  EXPECT_EQ(get(server_->url(), "/v1/assign?unit=EP1").status, 401U);
  EXPECT_EQ(recorded(), 0U);
  EXPECT_EQ(post(posted_line("r1"), {"Authorization: Bearer 0123456789abcdef"}).status, 200U);
}

}  // namespace
}  // namespace prescope::serve
