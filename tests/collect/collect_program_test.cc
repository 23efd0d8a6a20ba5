// `prescope collect` as a process: killed while clients post and while it follows a log.
// PRESCOPE_TEST_KILLS=50 kills more often.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "store/sqlite/database.h"
#include "support/http_client.h"
#include "support/program.h"
#include "support/scratch_file.h"

namespace prescope::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int kills_asked_for(int usual) {
  const char* text = std::getenv("PRESCOPE_TEST_KILLS");
  return text == nullptr ? usual : std::atoi(text);
}

std::string ranking_line(int number) {
  return fmt::format(
             R"({{"id":"r{}","topic":"EP{}","arm":"{}","depth":2,"docnos":["US1","US{}"]}})",
             number, number % 40, number % 2 == 0 ? "a" : "b", number) +
         "\n";
}

class CollectProgram : public ::testing::Test {
 protected:
  CollectProgram() {
    std::string qrels;
    for (int t = 0; t < 30; ++t) qrels += fmt::format("EP{} 0 US1 1\n", t);
    scratch_.write("qrels.txt", qrels);
    scratch_.write("x.toml",
                   "measures = [\"PRES@2\"]\n[qrels]\npath = \"qrels.txt\"\n"
                   "[[arms]]\nname = \"a\"\n[[arms]]\nname = \"b\"\n");
  }

  [[nodiscard]] Invocation collect(std::vector<std::string> more) const {
    more.insert(more.begin(), {"collect", "x.toml"});
    return {.arguments = std::move(more), .environment = {}, .folder = scratch_.path()};
  }
  /// Each of the first `count` requests is in the store once.
  void expect_each_once(int count) const {
    const Database store = open_store_file(scratch_.path() / "x.store", Database::Access::kUpdate);
    EXPECT_EQ(texts_of(store, "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
    EXPECT_EQ(store.number("SELECT count(*) FROM requests"), count);
    // Ten of 40 topics are not judged: those have no row of their own, and are counted by hour.
    EXPECT_EQ(store.number("SELECT count(*) FROM observations WHERE request_id <> 0"),
              store.number("SELECT count(DISTINCT request_id) FROM observations"));
    EXPECT_EQ(store.number("SELECT sum(judged) + sum(unjudged) FROM hourly"), count);
  }

  ScratchFolder scratch_;
};

TEST_F(CollectProgram, KeepsWhatItAcknowledgedAndCountsNothingTwice) {
  const int kills = kills_asked_for(8);
  const std::uint16_t port = free_port();
  const std::string url = fmt::format("http://127.0.0.1:{}/", port);
  std::atomic<bool> ends = false;
  std::atomic<int> acknowledged = 0;  // ids from 0 to here

  // A client that sends five lines again and again until they are answered.
  std::jthread client([&] {
    while (!ends) {
      std::string body;
      for (int i = 0; i < 5; ++i) body += ranking_line(acknowledged + i);
      try {
        const HttpAnswer answer = answer_to(
            url, fmt::format("POST /v1/rankings HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                             "{}\r\n\r\n{}",
                             body.size(), body));
        if (answer.status == 200) acknowledged += 5;
      } catch (const std::system_error&) {  // nobody listens just now
        std::this_thread::sleep_for(milliseconds(5));
      }
    }
  });
  std::mt19937 random(20261130);
  for (int k = 0; k <= kills; ++k) {
    RunningProgram program(collect({"--port", std::to_string(port)}));
    ASSERT_THAT(program.wait_for_line("collecting at"), HasSubstr(url));
    const int before = acknowledged;
    std::this_thread::sleep_for(milliseconds(50 + random() % 300));
    while (acknowledged == before) std::this_thread::sleep_for(milliseconds(5));
    const bool is_last = k == kills;
    if (is_last) {
      ends = true;
      client.join();
    }
    const Outcome outcome = program.end(is_last ? SIGTERM : SIGKILL);
    EXPECT_TRUE(!is_last || outcome.exit_code == 0) << outcome.err;
  }
  expect_each_once(acknowledged);
}

TEST_F(CollectProgram, FollowsALogThroughRotationsAndKills) {
  const int kills = kills_asked_for(4), lines = 20'000;
  std::atomic<bool> is_known = false;
  std::jthread writer([&] {
    std::ofstream log(scratch_.path() / "served.jsonl", std::ios::app);
    int rotations = 0;
    for (int i = 0; i < lines; ++i) {
      log << ranking_line(i);
      if (i % 50 == 0) log.flush();
      // A file that is moved away before `collect` has read any line is not part of the log.
      if (i == 100) is_known.wait(false);
      if (i % 500 == 0) std::this_thread::sleep_for(milliseconds(20));
      if (i % 4000 == 3999) {
        log.close();
        std::filesystem::rename(scratch_.path() / "served.jsonl",
                                scratch_.path() / fmt::format("served.jsonl.{}", ++rotations));
        log.open(scratch_.path() / "served.jsonl", std::ios::app);
      }
    }
  });
  const auto stored = [&] {
    try {
      return open_store_file(scratch_.path() / "x.store", Database::Access::kRead)
          .number("SELECT count(*) FROM requests");
    } catch (const Error&) {  // the store is not made yet
      return std::int64_t{0};
    }
  };
  std::mt19937 random(20261130);
  for (int k = 0; k < kills; ++k) {
    RunningProgram program(collect({"--tail", "served.jsonl"}));
    for (int i = 0; i < 600 && stored() == 0; ++i) std::this_thread::sleep_for(milliseconds(50));
    is_known = true;
    is_known.notify_one();
    std::this_thread::sleep_for(milliseconds(200 + random() % 400));
    static_cast<void>(program.end(SIGKILL));
  }
  RunningProgram last(collect({"--tail", "served.jsonl"}));
  writer.join();
  for (int i = 0; i < 600 && stored() < lines; ++i) std::this_thread::sleep_for(milliseconds(50));
  const Outcome outcome = last.end(SIGINT);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  expect_each_once(lines);
}

}  // namespace
}  // namespace prescope::testing
