// Requests that a server refuses; it goes on serving afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "support/http_client.h"
#include "support/scripted_handler.h"

namespace prescope::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kGoodToken = "0123456789abcdef";

struct Hostile {
  const char* name;
  std::string bytes;
  unsigned status;
  Refusal why;
};

std::string with_host(const std::string& host) {
  return "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

std::string with_method(const std::string& method) {
  return method + " /api/summary HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

std::string request_of_length(std::size_t bytes) {
  return get_request("/" + std::string(bytes - 1, 'a'));
}

std::vector<Hostile> hostile_requests() {
  using std::string;
  return {
      {"Post", with_method("POST"), 405, Refusal::kMethod},
      {"PostWithBody", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nabcd", 405,
       Refusal::kMethod},
      {"Delete", with_method("DELETE"), 405, Refusal::kMethod},
      {"Options", with_method("OPTIONS"), 405, Refusal::kMethod},
      {"Trace", with_method("TRACE"), 405, Refusal::kMethod},
      {"MethodNobodyKnows", with_method("BREW"), 405, Refusal::kMethod},
      {"MethodInLowerCase", with_method("get"), 405, Refusal::kMethod},
      {"Body", get_request("/", {"Content-Length: 4"}) + "abcd", 413, Refusal::kBody},
      {"HugeBody", get_request("/", {"Content-Length: 99999999999"}), 413, Refusal::kBody},
      {"ChunkedBody", get_request("/", {"Transfer-Encoding: chunked"}) + "0\r\n\r\n", 413,
       Refusal::kBody},
      {"OtherCoding", get_request("/", {"Transfer-Encoding: gzip"}), 400, Refusal::kMalformed},
      {"SeveralCodings", get_request("/", {"Transfer-Encoding: gzip, chunked"}) + "0\r\n\r\n", 400,
       Refusal::kMalformed},
      {"ParameterTwice", get_request("/api/topics?page=1&a=2&page=3"), 400, Refusal::kMalformed},
      {"BothLengths", get_request("/", {"Content-Length: 4", "Transfer-Encoding: chunked"}), 400,
       Refusal::kMalformed},
      {"TwoLengths", get_request("/", {"Content-Length: 4", "Content-Length: 5"}), 400,
       Refusal::kMalformed},
      {"NegativeLength", get_request("/", {"Content-Length: -1"}), 400, Refusal::kMalformed},
      {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400, Refusal::kHost},
      {"TwoHosts", get_request("/", {"Host: localhost"}), 400, Refusal::kHost},
      {"HostOfAStranger", with_host("evil.example"), 421, Refusal::kHost},
      {"HostThatBeginsRight", with_host("localhost.evil.example"), 421, Refusal::kHost},
      {"HostThatEndsRight", with_host("evil.localhost"), 421, Refusal::kHost},
      {"HostWithUser", with_host("localhost@evil.example"), 421, Refusal::kHost},
      {"HostWithoutPortDigits", with_host("localhost:http"), 421, Refusal::kHost},
      {"HostOfAnotherAddress", with_host("192.0.2.1"), 421, Refusal::kHost},
      {"EmptyHost", with_host(""), 421, Refusal::kHost},
      {"OriginOfAStranger", get_request("/", {"Origin: http://evil.example"}), 403,
       Refusal::kOrigin},
      {"OriginOfAnotherPort", get_request("/", {"Origin: http://localhost:1"}), 403,
       Refusal::kOrigin},
      {"OriginNull", get_request("/", {"Origin: null"}), 403, Refusal::kOrigin},
      {"OriginOfAFile", get_request("/", {"Origin: file://"}), 403, Refusal::kOrigin},
      {"TwoOrigins", get_request("/", {"Origin: http://localhost", "Origin: http://localhost"}),
       403, Refusal::kOrigin},
      {"PictureOfAnotherSite",
       get_request("/api/history", {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}), 403,
       Refusal::kOrigin},
      {"LinkToADocumentThatCostsWork",
       get_request(
           "/api/sweep?count=200",
           {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}),
       403, Refusal::kOrigin},
      {"FrameOfAnotherSite",
       get_request("/", {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
                         "Sec-Fetch-Dest: iframe"}),
       403, Refusal::kOrigin},
      {"Header64Kilobytes", get_request("/", {"X: " + string(65536, 'x')}), 431, Refusal::kHeader},
      {"ThousandFields", get_request("/", std::vector<string>(1000, "Cookie: a=b")), 431,
       Refusal::kHeader},
      {"HeaderWithoutEnd", "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + string(20000, 'x'), 431,
       Refusal::kHeader},
      {"TargetOf2049Bytes", request_of_length(2049), 414, Refusal::kTarget},
      {"Traversal", get_request("/../../etc/passwd"), 400, Refusal::kMalformed},
      {"TraversalEscaped", get_request("/api/%2e%2E/secret"), 400, Refusal::kMalformed},
      {"TraversalAtTheEnd", get_request("/api/.."), 400, Refusal::kMalformed},
      {"EscapeWithoutDigits", get_request("/%zz"), 400, Refusal::kMalformed},
      {"EscapeCutOff", get_request("/x%4"), 400, Refusal::kMalformed},
      {"Zero", get_request("/x%00y"), 400, Refusal::kMalformed},
      {"LineFeedInTheQuery", get_request("/x?a=%0d%0aSet-Cookie:%20a"), 400, Refusal::kMalformed},
      {"NoUtf8", get_request("/x%ff"), 400, Refusal::kMalformed},
      {"OverlongUtf8", get_request("/%c0%af"), 400, Refusal::kMalformed},
      {"WholeUrl", get_request("http://localhost/"), 400, Refusal::kMalformed},
      {"Fragment", get_request("/x#y"), 400, Refusal::kMalformed},
      {"Garbage", "\x16\x03\x01\x02\x05garbage\r\n\r\n", 400, Refusal::kMalformed},
      {"NextVersion", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, Refusal::kMalformed},
      {"Version09", "GET /\r\n\r\n", 400, Refusal::kMalformed},
      {"ZeroInAField", get_request("/", {string("X: a\0b", 6)}), 400, Refusal::kMalformed},
      {"FieldWithoutColon", get_request("/", {"nonsense"}), 400, Refusal::kMalformed},
      {"BlankBeforeTheColon", get_request("/", {"Host : localhost"}), 400, Refusal::kMalformed},
  };
}

void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

class HostileRequest : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileRequest, IsRefusedCountedAndTheConnectionEnds) {
  ScriptedServer server;
  std::atomic<int> asked{0};
  server.script.answer = [&](const Request&) {
    ++asked;
    return Script::said("");
  };
  HttpClient client(server.url());
  client.send(GetParam().bytes);
  const HttpAnswer answer = client.read_answer();
  EXPECT_EQ(answer.status, GetParam().status);
  EXPECT_THAT(answer.body, StartsWith("{\"error\":\""));
  EXPECT_EQ(answer.fields.at("connection"), "close");
  EXPECT_EQ(answer.fields.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer.fields.contains("allow"), GetParam().status == 405);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(server.refused(GetParam().why), 1U);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(get(server.url(), "/").status, 200U) << "and it goes on";
}

INSTANTIATE_TEST_SUITE_P(HttpRefusals, HostileRequest, ::testing::ValuesIn(hostile_requests()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(HttpRefusals, RequestsAtTheLimitsAreAnswered) {
  ScriptedServer server({.hosts = {"Search.Example.org"}});
  std::string port = server.url().substr(server.url().rfind(':'));
  port.pop_back();  // the '/'

  EXPECT_EQ(answer_to(server.url(), request_of_length(2048)).status, 200U);
  EXPECT_EQ(get(server.url(), "/x", {"X: " + std::string(7000, 'x')}).status, 200U);
  for (const std::string& host :
       {"127.0.0.1" + port, std::string("[::1]"), std::string("LOCALHOST:1234"),
        std::string("search.example.org"), std::string("search.example.ORG:443")}) {
    EXPECT_EQ(answer_to(server.url(), with_host(host)).status, 200U) << host;
  }
  EXPECT_EQ(get(server.url(), "/x", {"Origin: http://localhost"}).status, 200U);
  EXPECT_EQ(get(server.url(), "/x", {"Origin: https://LOCALHOST"}).status, 200U);
  EXPECT_EQ(get(server.url(), "/x", {"Sec-Fetch-Site: same-origin"}).status, 200U);
  EXPECT_EQ(
      get(server.url(), "/?a=1",
          {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"})
          .status,
      200U)
      << "a link on another page";
  EXPECT_EQ(get(server.url(), "/api/topic/..%2Fx").body, "/api/topic/../x") << "a topic's name";
}

TEST(HttpRefusals, GarbageAfterARequestReturns400AndCloses) {
  ScriptedServer server;
  HttpClient client(server.url());
  client.send(get_request("/x") + "\x01\x02 garbage\r\n\r\n" + get_request("/y"));
  EXPECT_EQ(client.read_answer().body, "/x");
  EXPECT_EQ(client.read_answer().status, 400U);
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpRefusals, TruncatedRequestReturns400) {
  ScriptedServer server;
  HttpClient client(server.url());
  client.send("GET /x HTTP/1.1\r\nHost: local");
  client.end_sending();
  EXPECT_EQ(client.read_answer().status, 400U);
}

TEST(HttpRefusals, WithoutTheTokenOnlyThePageIsServed) {
  ScriptedServer server({.token = kGoodToken});
  EXPECT_EQ(get(server.url(), "/").status, 200U);
  EXPECT_EQ(get(server.url(), "/favicon.ico").status, 204U);
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"Authorization: Bearer"},
      {"Authorization: Bearer "},
      {"Authorization: Bearer 0123456789abcdeF"},
      {"Authorization: Bearer 0123456789abcde"},
      {"Authorization: Bearer 0123456789abcdef0"},
      {"Authorization: Bearer 0123456789abcdef 0"},
      {"Authorization: Basic 0123456789abcdef"},
      {"Authorization: 0123456789abcdef"},
      {"Cookie: token=0123456789abcdef"},
      {"Authorization: Bearer 0123456789abcdef", "Authorization: Bearer 0123456789abcdef"}};
  for (const auto& lines : wrong) {
    for (const char* target : {"/api/summary", "/api/events", "/metrics", "/healthz", "//", "/?",
                               "/favicon.ico/x", "/?token=0123456789abcdef"}) {
      const HttpAnswer answer = get(server.url(), target, lines);
      const bool is_page = std::string_view(target).starts_with("/?");
      EXPECT_EQ(answer.status, is_page ? 200U : 401U) << target;
      if (is_page) continue;
      EXPECT_EQ(answer.fields.at("www-authenticate"), "Bearer realm=\"prescope\"");
      EXPECT_EQ(answer.body.find(kGoodToken), std::string::npos);
    }
  }
  EXPECT_EQ(server.refused(Refusal::kToken), wrong.size() * 6);
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER "}) {
    const std::string line = "Authorization: " + std::string(scheme) + kGoodToken;
    EXPECT_EQ(get(server.url(), "/api/summary", {line}).body, "/api/summary");
  }
}

TEST(HttpRefusals, SlowRequestTimesOut) {
  ScriptedServer server({}, {.request_time = std::chrono::milliseconds(150)});
  HttpClient slow(server.url()), silent(server.url());
  const std::string request = get_request("/x");
  // Byte by byte: each is in time, all of them are not.
  std::size_t sent = 0;
  while (server.refused(Refusal::kSlowRequest) < 2 && sent < request.size() - 1) {
    slow.send(request.substr(sent++, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(slow.read_to_end(), "");
  EXPECT_EQ(silent.read_to_end(), "");
  wait_until([&] { return server.refused(Refusal::kSlowRequest) == 2; });
}

TEST(HttpRefusals, IdleConnectionIsClosed) {
  ScriptedServer server({}, {.idle_time = std::chrono::milliseconds(50)});
  HttpClient client(server.url());
  client.send(get_request("/x"));
  EXPECT_EQ(client.read_answer().body, "/x");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(server.refused(Refusal::kSlowRequest), 0U) << "no fault of anybody";
}

TEST(HttpRefusals, TooManyIdleConnectionsOfAnAddressEndTheOldest) {
  ScriptedServer server({}, {.idle_of_address = 3});
  std::list<HttpClient> idle;
  for (int i = 0; i < 4; ++i) {
    idle.emplace_back(server.url()).send(get_request("/x"));
    EXPECT_EQ(idle.back().read_answer().body, "/x");
  }
  EXPECT_EQ(idle.front().read_to_end(), "");
  idle.pop_front();
  EXPECT_EQ(server.refused(Refusal::kConnections), 1U);
  for (HttpClient& client : idle) {
    client.send(get_request("/y"));
    EXPECT_EQ(client.read_answer().body, "/y");
  }
}

TEST(HttpRefusals, UnreadAnswerIsAbandoned) {
  ScriptedServer server({}, {.answer_time = std::chrono::milliseconds(100)});
  constexpr std::size_t kLarge = std::size_t{1} << 26U;
  server.script.answer = [](const Request& request) {
    return Script::said(request.path == "/large" ? std::string(kLarge, 'x') : request.path);
  };
  HttpClient client(server.url(), 4096);
  client.send(get_request("/large"));
  wait_until([&] { return server.refused(Refusal::kSlowReader) == 1; });
  EXPECT_EQ(get(server.url(), "/x").body, "/x");
  EXPECT_LT(client.read_to_end().size(), kLarge);
}

TEST(HttpRefusals, ConnectionsOverTheLimitAreRefusedUntilOthersEnd) {
  constexpr std::size_t kMost = 8;
  ScriptedServer server({.connections = kMost, .event_streams = 1},
                        {.request_time = std::chrono::milliseconds(200)});
  std::list<HttpClient> held;
  for (std::size_t i = 0; i < kMost; ++i) {
    held.emplace_back(server.url()).send(get_request("/x"));
    EXPECT_EQ(held.back().read_answer().status, 200U);
  }
  const HttpAnswer refused = get(server.url(), "/x");
  EXPECT_EQ(refused.status, 503U);
  EXPECT_EQ(refused.fields.at("retry-after"), "5");
  {
    // A flood: none stays, none is waited for.
    std::list<HttpClient> flood;
    for (int i = 0; i < 300; ++i) flood.emplace_back(server.url());
    for (HttpClient& client : flood) client.read_to_end();
  }
  wait_until([&] {
    return server.refused(Refusal::kConnections) + server.refused(Refusal::kSlowRequest) == 301;
  });
  for (const char* path : {"/metrics", "/healthz"}) {
    EXPECT_EQ(get(server.url(), path).body, path) << "monitors have a reserve";
  }
  held.back().send(get_request("/y"));
  EXPECT_EQ(held.back().read_answer().body, "/y") << "those that were there are served on";
  held.clear();
  wait_until([&] { return get(server.url(), "/x", {"Connection: close"}).status == 200; });
}

}  // namespace
}  // namespace prescope::serve
