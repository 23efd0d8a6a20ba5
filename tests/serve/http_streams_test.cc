// Event streams: every client gets the newest event, and a slow one delays no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <list>

#include "support/http_client.h"
#include "support/scripted_handler.h"

namespace prescope::serve {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr const char* kEvents = "/api/events";
constexpr std::chrono::milliseconds kOften{20};

/// Up to the end of the data.
std::string next_event(HttpClient& client) { return client.read_to("\n\n"); }

/// Reads the answer's header and the retry interval.
void open_stream(HttpClient& client) {
  client.send(get_request(kEvents));
  EXPECT_THAT(
      client.read_to("\r\n\r\n"),
      AllOf(HasSubstr("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\nContent-Type: text/event-stream\r\n"),
            HasSubstr("\r\nCache-Control: no-store\r\n"),
            HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"),
            HasSubstr("\r\nConnection: close\r\n"), Not(HasSubstr("Content-Length"))));
  EXPECT_EQ(next_event(client), "retry: 2000\n\n");
}

TEST(HttpStreams, NewestEventIsSentAtOnceAndEachNewOneOnce) {
  ScriptedServer server;
  server.script.set_event("{\"n\":1}");
  wait_until([&] { return server.server->counters().events == 1; });
  HttpClient client(server.url());
  open_stream(client);
  EXPECT_EQ(next_event(client), "id: 1\nevent: summary\ndata: {\"n\":1}\n\n");
  server.script.set_event("{\"n\":2}");
  EXPECT_EQ(next_event(client), "id: 2\nevent: summary\ndata: {\"n\":2}\n\n");
  HttpClient later(server.url());
  open_stream(later);
  EXPECT_EQ(next_event(later), "id: 2\nevent: summary\ndata: {\"n\":2}\n\n");
  EXPECT_EQ(server.server->counters().event_streams, 2U);
}

TEST(HttpStreams, EventsArePolledWithoutListeners) {
  ScriptedServer server;
  server.script.set_event("a");
  wait_until([&] { return server.server->counters().events == 1; });
  server.script.set_event("b");
  wait_until([&] { return server.server->counters().events == 2; });
}

TEST(HttpStreams, IdleStreamHasAHeartbeat) {
  ScriptedServer server({}, {.heartbeat = kOften});
  HttpClient client(server.url());
  open_stream(client);
  EXPECT_EQ(next_event(client), ": still here\n\n");
  EXPECT_EQ(next_event(client), ": still here\n\n");
}

TEST(HttpStreams, HeadOfAStreamEnds) {
  ScriptedServer server;
  HttpClient client(server.url());
  client.send("HEAD /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_answer("HEAD").fields.at("content-type"), "text/event-stream");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpStreams, SlowAnswerDoesNotDelayStreams) {
  ScriptedServer server({}, {.heartbeat = kOften});
  std::promise<void> entered, go_on;
  server.script.answer = [&, waits = go_on.get_future().share()](const Request& request) {
    entered.set_value();
    waits.wait();
    return Script::said(request.path);
  };
  HttpClient stream(server.url()), asks(server.url());
  asks.send(get_request("/slow"));
  entered.get_future().wait();
  open_stream(stream);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(next_event(stream), ": still here\n\n");
  go_on.set_value();
  EXPECT_EQ(asks.read_answer().body, "/slow");
}

TEST(HttpStreams, StreamsOverTheLimitAreRefusedUntilOthersEnd) {
  ScriptedServer server({.event_streams = 2}, {.heartbeat = kOften});
  auto first = std::make_unique<HttpClient>(server.url());
  HttpClient second(server.url());
  open_stream(*first);
  open_stream(second);
  const HttpAnswer third = get(server.url(), kEvents);
  EXPECT_EQ(third.status, 503U);
  EXPECT_EQ(server.refused(Refusal::kStreams), 1U);
  EXPECT_EQ(get(server.url(), "/x").status, 200U);
  first.reset();
  wait_until([&] { return server.server->counters().event_streams == 1; });
  HttpClient fourth(server.url());
  open_stream(fourth);
}

TEST(HttpStreams, ClientThatDoesNotReadIsDropped) {
  ScriptedServer server({}, {.event_time = std::chrono::milliseconds(1500)});
  HttpClient reads(server.url()), does_not(server.url(), 4096);
  open_stream(reads);
  does_not.send(get_request(kEvents));
  int n = 0;
  while (server.refused(Refusal::kSlowReader) == 0) {
    // More than the kernel takes for one that does not read, and different each time.
    server.script.set_event(std::to_string(++n) + std::string(std::size_t{1} << 19U, 'x'));
    EXPECT_THAT(next_event(reads), HasSubstr("data: " + std::to_string(n) + "x"));
  }
  wait_until([&] { return server.server->counters().event_streams == 1; });
  server.script.set_event("last");
  EXPECT_THAT(next_event(reads), HasSubstr("data: last\n\n"));
  EXPECT_THAT(does_not.read_to_end(), Not(HasSubstr("last")));
}

TEST(HttpStreams, SlowClientGetsOnlyTheNewestEvents) {
  ScriptedServer server;
  HttpClient client(server.url(), 4096);
  open_stream(client);
  const std::string large(std::size_t{1} << 20U, 'x');
  for (int n = 1; n <= 4; ++n) {
    server.script.set_event(std::to_string(n) + large);
    wait_until([&] { return server.server->counters().events == static_cast<unsigned>(n); });
  }
  // The first was on its way; the others were never kept for it.
  EXPECT_THAT(next_event(client).substr(0, 40), HasSubstr("id: 1\n"));
  EXPECT_THAT(next_event(client).substr(0, 40), HasSubstr("id: 4\n"));
}

TEST(HttpStreams, TwoHundredClientsReceiveEvents) {
  ScriptedServer server;
  std::list<HttpClient> clients;
  for (int i = 0; i < 200; ++i) open_stream(clients.emplace_back(server.url()));
  EXPECT_EQ(server.server->counters().event_streams, 200U);
  for (int n = 1; n <= 3; ++n) {
    server.script.set_event(std::to_string(n) + std::string(20'000, 'x'));
    for (HttpClient& client : clients) {
      ASSERT_THAT(next_event(client).substr(0, 60),
                  HasSubstr("id: " + std::to_string(n) + "\nevent: summary\ndata: "));
    }
  }
  clients.clear();
  server.script.set_event("one more");
  wait_until([&] { return server.server->counters().events == 4; });
  EXPECT_EQ(server.refused(Refusal::kSlowReader), 0U);
}

}  // namespace
}  // namespace prescope::serve
