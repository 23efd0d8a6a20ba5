// Cost of a dashboard: the time of /api/summary, and the effect of 200 listeners on the query path.
// 10,000 topics, four arms, PRES, R and AP at 100 and 1000.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/bars.h"
#include "benchmarks/event_listeners.h"
#include "prescope/dashboard.h"
#include "prescope/experiment.h"
#include "support/http_client.h"

namespace prescope::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kTopics = 10'000, kArms = 4, kJudged = 6;
constexpr std::uint32_t kCutoff = 100, kDepth = 1000;
constexpr int kListeners = 200;

TopicId topic(std::uint32_t t) { return TopicId(fmt::format("T{:05}", t)); }

Qrels qrels() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    for (std::uint32_t j = 0; j < kJudged; ++j) {
      lines.push_back({topic(t), Docno(fmt::format("{}", t * kJudged + j)), 1});
    }
  }
  return Qrels::from_lines(lines);
}

/// A search server's rankings without the searching: every topic served by every arm.
class Served {
 public:
  static Served& instance() {
    static Served served;
    return served;
  }

  Experiment& experiment() { return *experiment_; }
  const Dashboard& dashboard() { return *dashboard_; }
  /// R@100, by its definition.
  [[nodiscard]] double mean_recall(std::uint32_t arm) const {
    return static_cast<double>(found_[arm]) / (kJudged * kTopics);
  }

  /// One query, as hosts ask it. `hits` is a ranking of kDepth.
  void serve(std::uint32_t arm, std::uint32_t t, const std::vector<DocId>& hits) {
    const QueryScope scope(*experiment_, topic_ids_[t]);
    experiment_->observe({.arm = ArmIndex(arm),
                          .resolved = resolved_.get(),
                          .docids = hits,
                          .requested_depth = kDepth,
                          .total_hits = hits.size(),
                          .search_started = std::chrono::steady_clock::now()});
  }
  /// A fixed ranking of a topic's own for each arm.
  [[nodiscard]] std::vector<DocId> ranking(std::uint32_t arm, std::uint32_t t) const {
    std::mt19937_64 random(arm * kTopics + t);
    std::vector<DocId> hits;
    for (std::uint32_t i = 0; i < kDepth; ++i) hits.emplace_back(kTopics * kJudged + i);
    for (std::uint32_t j = 0; j < kJudged; ++j) {
      // Each in a part of the ranking of its own, or in none.
      const auto rank0 = j * 200 + random() % 250;
      if (rank0 < std::min(kDepth, (j + 1) * 200)) hits[rank0] = DocId(t * kJudged + j);
    }
    return hits;
  }
  /// Queries recorded since the last call, with the judged hits of all of them.
  struct Recorded {
    std::vector<std::chrono::nanoseconds> self_times;
    std::uint64_t judged_hits = 0;
  };
  Recorded take_recorded() {
    experiment_->flush();
    const std::lock_guard lock(mutex_);
    return std::exchange(recorded_, {});
  }
  [[nodiscard]] static std::uint64_t judged_in(std::span<const DocId> hits) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(hits, [](DocId id) { return id.value() < kTopics * kJudged; }));
  }

 private:
  Served() {
    for (std::uint32_t t = 0; t < kTopics; ++t) topic_ids_.push_back(topic(t));
    experiment_ = std::make_unique<Experiment>(qrels(), options());
    resolve();
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      for (std::uint32_t arm = 0; arm < kArms; ++arm) {
        const std::vector<DocId> hits = ranking(arm, t);
        found_[arm] += judged_in(std::span(hits).first(kCutoff));
        serve(arm, t, hits);
      }
      if (t % 100 == 0) experiment_->flush();
    }
    take_recorded();
    dashboard_ = std::make_unique<Dashboard>(
        *experiment_, DashboardOptions{.interval = std::chrono::milliseconds(250)});
  }

  ExperimentOptions options() {
    return {.name = "benchmark",
            .arms = {"a", "b", "c", "d"},
            .cutoffs = {kCutoff, kDepth},
            .recording = {.publish_interval = std::chrono::milliseconds(250)},
            .on_observation = [this](const Observation& observation) {
              const std::lock_guard lock(mutex_);
              recorded_.self_times.push_back(observation.self_time);
              recorded_.judged_hits += observation.hits.size();
            }};
  }

  /// A document's name is its number.
  void resolve() {
    const JudgedDocnos& judged = experiment_->judged();
    std::vector<Resolution> copies;
    for (std::uint32_t k = 0; k < judged.num_keys(); ++k) {
      copies.push_back({k, DocId(static_cast<std::uint32_t>(std::stoul(judged.key(k))))});
    }
    resolved_ = std::make_shared<const ResolvedQrels>(
        judged, std::move(copies), experiment_->next_generation(), kTopics * kJudged + kDepth);
  }

  std::mutex mutex_;  // guards the listener's data
  Recorded recorded_;
  std::vector<TopicId> topic_ids_;
  std::array<std::uint64_t, kArms> found_{};
  std::unique_ptr<Experiment> experiment_;
  std::shared_ptr<const ResolvedQrels> resolved_;
  std::unique_ptr<Dashboard> dashboard_;
};

bool answer_is_right(const HttpAnswer& answer) {
  if (answer.status != 200) return false;
  const nlohmann::json summary = nlohmann::json::parse(answer.body).at("summary");
  for (std::uint32_t arm = 0; arm < kArms; ++arm) {
    const nlohmann::json& mean = summary.at("arms").at(arm).at("means").at("R@100");
    if (mean.at("topics") != kTopics) return false;
    if (std::abs(mean.at("mean").get<double>() - Served::instance().mean_recall(arm)) > 1e-12) {
      return false;
    }
  }
  return true;
}

/// One more query, and the summary that has it.
void change_summary(std::uint32_t t) {
  Served& served = Served::instance();
  const auto before = served.experiment().latest();
  served.serve(0, t, served.ranking(0, t));
  while (served.experiment().latest() == before) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Over loopback on an open connection, for a summary that was not requested before.
void summary_over_http(benchmark::State& state) {
  Served& served = Served::instance();
  HttpClient client(served.dashboard().url());
  const std::string request = get_request("/api/summary");
  std::uint32_t t = 0;
  for (auto _ : state) {
    change_summary(t++);
    const double cpu_began = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    const auto began = Clock::now();
    client.send(request);
    const HttpAnswer answer = client.read_answer();
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - began).count());
    // CPU time, which does not include other work of the machine.
    state.counters["process_ms"] = 1e3 * (cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_began);
    if (!answer_is_right(answer)) return state.SkipWithError("a wrong answer");
    state.counters["answer_KB"] = static_cast<double>(answer.body.size()) / 1024.0;
  }
}

/// Returns the median of the plugin's own time, in seconds, over one second with a query every 200
/// us, as on a server under load. Returns std::nullopt if the queries were not recorded as served.
std::optional<double> median_self_time() {
  Served& served = Served::instance();
  served.take_recorded();
  const std::vector<DocId> hits = served.ranking(0, 0);
  const auto end = Clock::now() + std::chrono::seconds(1);
  std::uint64_t queries = 0;
  for (auto next = Clock::now(); next < end; next += std::chrono::microseconds(200)) {
    while (Clock::now() < next) {
    }
    served.serve(0, 0, hits);
    ++queries;
  }
  auto [times, judged_hits] = served.take_recorded();
  if (times.size() != queries || judged_hits != queries * Served::judged_in(hits)) return {};
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return std::chrono::duration<double>(*middle).count();
}

/// Blocks with and without listeners, in an order that alternates.
void self_time_beside_listeners(benchmark::State& state) {
  static bool listeners_first = false;
  listeners_first = !listeners_first;
  for (auto _ : state) {
    std::optional<double> with, without;
    for (const bool listens : {listeners_first, !listeners_first}) {
      if (!listens) {
        without = median_self_time();
        continue;
      }
      const EventListeners listeners(Served::instance().dashboard().url(), kListeners);
      const std::uint64_t before = listeners.fewest_events();
      with = median_self_time();
      if (listeners.fewest_events() < before + 2) return state.SkipWithError("some heard nothing");
    }
    if (!with || !without) return state.SkipWithError("not recorded as served");
    state.SetIterationTime(*with);
    state.counters["ratio"] = *with / *without;
  }
}

BENCHMARK(summary_over_http)
    ->UseManualTime()
    ->Iterations(10)
    ->Repetitions(9)
    ->ReportAggregatesOnly()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(self_time_beside_listeners)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(21)
    ->ReportAggregatesOnly()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  return prescope::benchmarks::run_with_bars(argc, argv,
                                             {{.what = "/api/summary, 10,000 topics, 4 arms",
                                               .benchmark = "summary_over_http",
                                               .unit = Bar::Unit::kMilliseconds,
                                               .most = 5.0},
                                              {.what = "a query's own time, 200 listeners / none",
                                               .benchmark = "self_time_beside_listeners",
                                               .unit = Bar::Unit::kTimes,
                                               .most = 1.05,
                                               .counter = "ratio"}});
}
