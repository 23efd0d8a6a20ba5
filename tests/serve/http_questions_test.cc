// Costly questions: they delay nobody, are answered one at a time, shared, and dropped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <list>
#include <map>

#include "support/http_client.h"
#include "support/scripted_handler.h"

namespace prescope::serve {
namespace {

using ::testing::ElementsAre;

/// A server whose costly answers wait until the test lets them go on.
struct BusyServer : ScriptedServer {
  explicit BusyServer(std::size_t waiting = 4)
      : ScriptedServer({}, {.waiting_questions = waiting}) {
    script.answer = [this](const Request& request) {
      if (request.path.starts_with("/costly")) {
        const std::lock_guard lock(mutex);
        asked.push_back(request.path);
      }
      if (request.path.starts_with("/costly")) goes_on.wait(false);
      return Script::said(request.path);
    };
  }
  ~BusyServer() { go_on(); }

  std::vector<std::string> asked_so_far() {
    const std::lock_guard lock(mutex);
    return asked;
  }
  void go_on() {
    goes_on = true;
    goes_on.notify_all();
  }
  /// Asks, and returns when the server has taken the question.
  std::unique_ptr<HttpClient> ask(const std::string& path) {
    auto client = std::make_unique<HttpClient>(url());
    client->send(get_request(path));
    // Its bytes were there before the bytes of this one.
    EXPECT_EQ(get(url(), "/quick").body, "/quick");
    return client;
  }

  std::mutex mutex;
  std::vector<std::string> asked;
  std::atomic<bool> goes_on{false};
};

TEST(HttpQuestions, CostlyOnesDelayNoOther) {
  BusyServer server;
  std::list<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 32; ++i) clients.push_back(server.ask("/costly"));
  for (int i = 0; i < 40; ++i) static_cast<void>(server.ask("/costly/" + std::to_string(i)));
  EXPECT_EQ(get(server.url(), "/quick").body, "/quick") << "while a costly one is being answered";
  server.go_on();
  for (const auto& client : clients) EXPECT_EQ(client->read_answer().body, "/costly");
}

TEST(HttpQuestions, ClientsWhoAskTheSameShareOneAnswer) {
  BusyServer server;
  std::list<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(server.ask("/costly"));
  server.go_on();
  for (const auto& client : clients) EXPECT_EQ(client->read_answer().body, "/costly");
  EXPECT_THAT(server.asked_so_far(), ElementsAre("/costly"));
}

TEST(HttpQuestions, FurtherOnesAreAnswered429) {
  BusyServer server(1);
  const auto first = server.ask("/costly/1"), second = server.ask("/costly/2");
  const HttpAnswer third = get(server.url(), "/costly/3");
  EXPECT_EQ(third.status, 429U);
  EXPECT_EQ(third.fields.at("retry-after"), "1");
  EXPECT_EQ(server.refused(Refusal::kQuestions), 1U);
  server.go_on();
  EXPECT_EQ(first->read_answer().body, "/costly/1");
  EXPECT_EQ(second->read_answer().body, "/costly/2");
  EXPECT_EQ(get(server.url(), "/costly/3").body, "/costly/3");
}

TEST(HttpQuestions, QuestionsOfClientsThatHaveLeftAreDropped) {
  BusyServer server(1);
  const auto first = server.ask("/costly/1");
  wait_until([&] { return server.asked_so_far().size() == 1; });
  server.ask("/costly/2").reset();
  wait_until([&] { return server.server->counters().connections == 1; });
  const auto third = server.ask("/costly/3");  // there is room again
  server.go_on();
  EXPECT_EQ(third->read_answer().body, "/costly/3");
  EXPECT_THAT(server.asked_so_far(), ElementsAre("/costly/1", "/costly/3"));
}

TEST(HttpQuestions, ClientMaySendItsNextRequestMeanwhile) {
  BusyServer server;
  HttpClient client(server.url());
  client.send(get_request("/costly") + get_request("/next"));
  wait_until([&] { return server.asked_so_far().size() == 1; });
  server.go_on();
  EXPECT_EQ(client.read_answer().body, "/costly");
  EXPECT_EQ(client.read_answer().body, "/next");
}

/// Niceness of the program's threads by their names.
std::map<std::string, int> niceness() {
  constexpr int kNiceness = 19;  // column of /proc/self/task/N/stat
  std::map<std::string, int> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream stat(task.path() / "stat");
    std::string line;
    std::getline(stat, line);
    const std::size_t begin = line.find('('), end = line.rfind(')');
    std::istringstream columns(line.substr(end + 1));
    std::string column;
    for (int i = 3; i <= kNiceness; ++i) columns >> column;
    found[line.substr(begin + 1, end - begin - 1)] = std::stoi(column);
  }
  return found;
}

TEST(HttpQuestions, ThreadsThatAnswerGiveWayToTheHost) {
  const BusyServer server;
  std::map<std::string, int> threads;
  wait_until([&] {  // each names itself, then gives way
    threads = niceness();
    return threads.count("prescope-http") == 1 &&
           threads["prescope-answer"] > threads["prescope-http"] &&
           threads["prescope-costly"] > threads["prescope-answer"];
  });
}

}  // namespace
}  // namespace prescope::serve
