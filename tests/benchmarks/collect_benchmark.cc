// Rankings posted to a collector over HTTP, with the store's commits: in batches over few
// connections, and one by one over many. Prints rates; every line must be accepted.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <vector>

#include "serve/http/http_server.h"
#include "serve/site/collect_site.h"
#include "support/http_client.h"
#include "support/scratch_file.h"

namespace prescope::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTopics = 10'000, kDocnos = 100;

std::string qrels() {
  std::string text;
  for (int t = 0; t < kTopics; ++t) {
    for (int d = 0; d < 6; ++d) text += fmt::format("EP{} 0 US{} 1\n", t, t * 6 + d);
  }
  return text;
}

/// A line of 100 docnos, one of them relevant.
std::string line(int number, std::mt19937& random) {
  const int topic = static_cast<int>(random() % kTopics);
  std::string text = fmt::format(
      R"({{"id":"request-{}","topic":"EP{}","arm":"{}","latency_ms":12.5,"depth":100,"docnos":["US{}")",
      number, topic, number % 2 == 0 ? "bm25" : "tfidf", topic * 6);
  for (int d = 1; d < kDocnos; ++d) text += fmt::format(",\"CN{}A\"", random() % 100'000'000);
  return text + "]}\n";
}

std::string request(const std::string& body) {
  return fmt::format(
      "POST /v1/rankings HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}", body.size(),
      body);
}

class CollectorUnderLoad {
 public:
  CollectorUnderLoad() {
    CollectorOptions options{.store = scratch_.path() / "x.store"};
    ReplayOptions& files = options.live.experiment;
    files.name = "x";
    files.measures = {Measure::parse("PRES@100"), Measure::parse("R@100"),
                      Measure::parse("AP@100")};
    files.qrels = scratch_.write("qrels.txt", qrels());
    for (const char* const arm : {"bm25", "tfidf"}) {
      files.arms.push_back({.config = {.id = ArmId(arm), .settings = {}}});
    }
    collector_.emplace(options);
    server_.emplace(serve::collect_site(*collector_), DashboardOptions{});
  }

  /// Sends the requests over so many connections; returns lines a second.
  double lines_per_second(const std::vector<std::string>& requests, int connections,
                          int lines_of_each) {
    const std::uint64_t before = collector_->counts().accepted;
    std::atomic<std::size_t> next = 0;
    const Clock::time_point began = Clock::now();
    {
      std::vector<std::jthread> clients;
      for (int c = 0; c < connections; ++c) {
        clients.emplace_back([&] {
          HttpClient client(server_->url());
          for (std::size_t i = next++; i < requests.size(); i = next++) {
            client.send(requests[i]);
            if (client.read_answer("POST").status != 200) std::puts("a request was refused");
          }
        });
      }
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    const std::uint64_t lines = requests.size() * static_cast<std::uint64_t>(lines_of_each);
    if (collector_->counts().accepted - before != lines) std::puts("lines are missing");
    return static_cast<double>(lines) / seconds;
  }

 private:
  ScratchFolder scratch_;
  std::optional<Collector> collector_;
  std::optional<serve::HttpServer> server_;
};

void run() {
  CollectorUnderLoad load;
  std::mt19937 random(20261130);
  int number = 0;
  for (const int lines : {200, 1000}) {
    std::vector<std::string> requests;
    for (int i = 0; i < 40'000 / lines; ++i) {
      std::string body;
      for (int j = 0; j < lines; ++j) body += line(number++, random);
      requests.push_back(request(body));
    }
    std::printf("batches of %d over 2 connections: %.0f rankings a second\n", lines,
                load.lines_per_second(requests, 2, lines));
  }
  for (const int connections : {1, 64}) {
    std::vector<std::string> requests;
    for (int i = 0; i < (connections == 1 ? 500 : 15'000); ++i) {
      requests.push_back(request(line(number++, random)));
    }
    std::printf("one by one over %d connections: %.0f rankings a second\n", connections,
                load.lines_per_second(requests, connections, 1));
  }
}

}  // namespace
}  // namespace prescope::benchmarks

int main() { prescope::benchmarks::run(); }
