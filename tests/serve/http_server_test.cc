// A server's answers to well-formed requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <future>
#include <stdexcept>

#include "prescope/error.h"
#include "serve/site/page.h"
#include "support/http_client.h"
#include "support/scripted_handler.h"

namespace prescope::serve {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string field(const HttpAnswer& answer, const std::string& name) {
  const auto found = answer.fields.find(name);
  return found == answer.fields.end() ? "(none)" : found->second;
}

void expect_security_fields(const HttpAnswer& answer) {
  EXPECT_EQ(field(answer, "x-content-type-options"), "nosniff");
  EXPECT_EQ(field(answer, "referrer-policy"), "no-referrer");
  EXPECT_EQ(field(answer, "cache-control"), "no-store");
  EXPECT_EQ(field(answer, "cross-origin-resource-policy"), "same-origin");
  EXPECT_THAT(field(answer, "content-security-policy"),
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("frame-ancestors 'none'")));
}

TEST(HttpServer, HandlerReceivesDecodedPathAndQuery) {
  ScriptedServer server;
  server.script.answer = [](const Request& request) {
    return Script::said(request.path + "|" + request.query.at("a") + "|" + request.query.at("b"));
  };
  const HttpAnswer answer = get(server.url(), "/api/topic/EP%C3%A4%2F1?a=x%2By+z&b=2");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "/api/topic/EP\xC3\xA4/1|x+y z|2");
  EXPECT_EQ(field(answer, "content-type"), "application/json; charset=utf-8");
  expect_security_fields(answer);
  EXPECT_EQ(server.misused, 0);
}

TEST(HttpServer, HeadIsAnsweredAsGetWithoutTheBody) {
  ScriptedServer server;
  HttpClient client(server.url());
  client.send("HEAD /api/summary HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  const HttpAnswer answer = client.read_answer("HEAD");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(field(answer, "content-length"), "12");  // "/api/summary"
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpServer, AConnectionServesManyRequestsInTheirOrder) {
  ScriptedServer server;
  HttpClient client(server.url());
  std::string pipelined;
  for (int i = 0; i < 30; ++i) pipelined += get_request("/" + std::to_string(i) + "x");
  client.send(pipelined);
  for (int i = 0; i < 30; ++i) {
    const HttpAnswer answer = client.read_answer();
    EXPECT_EQ(answer.body, "/" + std::to_string(i) + "x");
    EXPECT_EQ(field(answer, "connection"), "keep-alive");
  }
  EXPECT_EQ(server.server->counters().answered, 30U);
}

TEST(HttpServer, ConnectionIsClosedIfTheClientAsks) {
  ScriptedServer server;
  for (const char* request : {"GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                              "GET /x HTTP/1.0\r\nHost: localhost\r\n\r\n"}) {
    HttpClient client(server.url());
    client.send(request);
    const HttpAnswer answer = client.read_answer();
    EXPECT_EQ(answer.body, "/x");
    EXPECT_EQ(field(answer, "connection"), "close");
    EXPECT_EQ(client.read_to_end(), "");
  }
}

TEST(HttpServer, PageHasItsPolicyAndIconReturns204) {
  ScriptedServer server;
  const HttpAnswer page = get(server.url(), "/");
  EXPECT_EQ(page.status, 200U);
  EXPECT_EQ(page.body, live_page());
  EXPECT_EQ(field(page, "content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(field(page, "content-security-policy"), kEmbeddedPolicy);
  expect_security_fields(page);
  EXPECT_EQ(get(server.url(), "/favicon.ico").status, 204U);
}

std::string unzipped(const std::string& bytes) {
  std::string text(std::size_t{1} << 21U, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  constexpr int kGzip = 31;
  EXPECT_EQ(inflateInit2(&stream, kGzip), Z_OK);
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(HttpServer, AnswersAreCompressedForClientsThatTakeIt) {
  ScriptedServer server;
  const std::string document(50'000, 'x');
  server.script.answer = [&](const Request& request) {
    return Script::said(request.path == "/small" ? "small" : document);
  };
  for (const char* takes : {"gzip", "br;q=1.0, GZIP;q=0.5", "deflate, gzip, br"}) {
    const HttpAnswer answer = get(server.url(), "/x", {std::string("Accept-Encoding: ") + takes});
    EXPECT_EQ(field(answer, "content-encoding"), "gzip") << takes;
    EXPECT_LT(answer.body.size(), 1000U);
    EXPECT_EQ(unzipped(answer.body), document);
  }
  for (const char* takes : {"br", "gzip;q=0", "gzip; q=0.0, br", "identity", ""}) {
    const HttpAnswer answer = get(server.url(), "/x", {std::string("Accept-Encoding: ") + takes});
    EXPECT_EQ(field(answer, "content-encoding"), "(none)") << takes;
    EXPECT_EQ(answer.body, document);
  }
  EXPECT_EQ(get(server.url(), "/small", {"Accept-Encoding: gzip"}).body, "small");
  const HttpAnswer page = get(server.url(), "/", {"Accept-Encoding: gzip"});
  EXPECT_EQ(unzipped(page.body), live_page());
  EXPECT_EQ(field(page, "content-security-policy"), kEmbeddedPolicy);
}

TEST(HttpServer, HalfClosedClientIsAnswered) {
  ScriptedServer server;
  HttpClient client(server.url());
  client.send(get_request("/x"));
  client.end_sending();
  EXPECT_EQ(client.read_answer().body, "/x");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpServer, ExceptionsOfTheHandlerAreAnsweredAndCounted) {
  ScriptedServer server;
  server.script.answer = [](const Request& request) -> Response {
    if (request.path == "/error") throw Error(ErrorCode::kIo, "the \"store\" <b>is gone");
    if (request.path == "/null") return {.body = nullptr};
    throw std::runtime_error("secret");
  };
  const HttpAnswer error = get(server.url(), "/error");
  EXPECT_EQ(error.status, 500U);
  EXPECT_EQ(error.body, "{\"error\":\"the \\\"store\\\" <b>is gone\"}\n");
  EXPECT_EQ(field(error, "content-type"), "application/json; charset=utf-8");
  const HttpAnswer other = get(server.url(), "/other");
  EXPECT_EQ(other.status, 500U);
  EXPECT_THAT(other.body, Not(HasSubstr("secret")));
  EXPECT_EQ(get(server.url(), "/null").status, 500U);
  EXPECT_EQ(server.server->counters().failed, 3U);
}

TEST(HttpServer, HandlerIsCalledByOneThreadAtATime) {
  ScriptedServer server;
  std::vector<std::future<std::string>> bodies;
  for (int i = 0; i < 40; ++i) {
    bodies.push_back(std::async(std::launch::async, [&, i] {
      return get(server.url(), "/" + std::to_string(i), {"Connection: close"}).body;
    }));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    EXPECT_EQ(bodies[i].get(), "/" + std::to_string(i));
  }
  EXPECT_EQ(server.misused, 0);
}

TEST(HttpServer, SlowHandlerReturns503) {
  std::promise<void> go_on;
  ScriptedServer server({}, {.handler_time = std::chrono::milliseconds(100)});
  server.script.answer = [&, waits = go_on.get_future().share()](const Request& request) {
    if (request.path == "/slow") waits.wait();
    return Script::said(request.path);
  };
  const HttpAnswer slow = get(server.url(), "/slow");
  EXPECT_EQ(slow.status, 503U);
  EXPECT_EQ(field(slow, "retry-after"), "5");
  // Asked for behind it, and given up too.
  EXPECT_EQ(get(server.url(), "/behind").status, 503U);
  EXPECT_EQ(server.refused(Refusal::kBusy), 2U);
  EXPECT_EQ(get(server.url(), "/").status, 200U) << "the page needs no handler";
  go_on.set_value();
  wait_until([&] { return get(server.url(), "/x").status == 200; });
}

TEST(HttpServer, StopsWithClientsInAnyState) {
  auto server = std::make_unique<ScriptedServer>();
  std::promise<void> entered;
  std::atomic<bool> goes_on{false};
  server->script.set_event("{}");
  server->script.answer = [&](const Request& request) {
    if (request.path == "/slow") {
      entered.set_value();
      wait_until([&] { return goes_on.load(); });
    }
    return Script::said(std::string(1U << 24U, 'x'));
  };
  HttpClient silent(server->url()), halfway(server->url()), idle(server->url());
  HttpClient stream(server->url()), not_reading(server->url(), 4096), asks(server->url());
  HttpClient behind(server->url());
  halfway.send("GET / HTTP/1.1\r\nHo");
  idle.send(get_request("/"));
  EXPECT_EQ(idle.read_answer().status, 200U);
  stream.send(get_request("/api/events"));
  EXPECT_THAT(stream.read_to("data: {}\n\n"), HasSubstr("200 OK"));
  not_reading.send(get_request("/large"));
  asks.send(get_request("/slow"));
  entered.get_future().wait();
  behind.send(get_request("/behind"));
  std::thread ends([&] { server->server.reset(); });
  // Clients are told at once, also while the handler is busy.
  for (HttpClient* client : {&silent, &halfway, &idle, &stream, &asks, &behind}) {
    EXPECT_EQ(client->read_to_end(), "");
  }
  goes_on = true;
  ends.join();
  EXPECT_LT(not_reading.read_to_end().size(), 1U << 24U);
}

TEST(HttpServer, PortCanBeReusedAtOnce) {
  std::uint16_t port = 0;
  {
    ScriptedServer server;
    HttpClient client(server.url());
    client.send(get_request("/"));
    client.read_answer();
    port = static_cast<std::uint16_t>(std::stoi(server.url().substr(server.url().rfind(':') + 1)));
  }
  EXPECT_NO_THROW(ScriptedServer({.port = port}));
}

}  // namespace
}  // namespace prescope::serve
