// A thousand nights of 400 topics listed, the whole process from its start to its end.

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/bars.h"
#include "benchmarks/process.h"
#include "store/nights/store.h"
#include "support/built_files.h"

namespace prescope::benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr int kNights = 1000, kTopics = 400;
constexpr std::uint32_t kRelevant = 6;

/// About two thirds of the relevant documents somewhere among a thousand hits.
EvaluationRecord::Topic some_topic(int number, std::mt19937& random) {
  EvaluationRecord::Topic topic{
      .id = TopicId(fmt::format("EP{:07}A1", number)), .num_rel = kRelevant, .num_ret = 1000};
  std::uniform_int_distribution<Rank> rank(1, 150);
  Rank at = 0;
  for (std::uint32_t i = 0; i < kRelevant; ++i) {
    at += rank(random);
    if (at > 1000) break;
    topic.found.push_back({.docno = Docno(fmt::format("EP{:07}B{}", number, i)), .rank = at});
  }
  topic.latency = std::chrono::microseconds(1000 + 10 * at);
  return topic;
}

EvaluationRecord some_night(int number, std::mt19937& random) {
  EvaluationRecord night{.arm = "bm25", .source = "replay nightly.toml"};
  night.time =
      UtcTime(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)) + std::chrono::days(number);
  night.qrels = {.hash = "0123456789abcdef", .topics = kTopics, .relevant = kTopics * kRelevant};
  night.depth = 1000;
  for (const char* measure : {"PRES@100", "R@100", "AP@100", "PRES@1000", "R@1000", "AP@1000"}) {
    night.measures.push_back(Measure::parse(measure));
  }
  for (int t = 0; t < kTopics; ++t) {
    night.topics.push_back(some_topic(t, random));
    night.latency.add(*night.topics.back().latency);
  }
  return night;
}

/// A store with a thousand nights, the first of them pinned.
class ManyNights {
 public:
  static const ManyNights& instance() {
    static const ManyNights nights;
    return nights;
  }

  [[nodiscard]] Taken history(const std::vector<std::string>& more) const {
    std::vector<std::string> command = {program_, "history", path("nights.db")};
    command.insert(command.end(), more.begin(), more.end());
    return run(command, path("out"));
  }
  [[nodiscard]] int start() const { return run({program_, "--version"}, path("out")).exit_code; }

  /// A line for each night, with a change against the pinned one.
  [[nodiscard]] bool is_right() const {
    if (history({"--format", "csv"}).exit_code != 0) return false;
    std::ifstream in(path("out"));
    int lines = 0, compared = 0;
    for (std::string line; std::getline(in, line); ++lines) {
      if (line.find(",1,") != std::string::npos) ++compared;
    }
    return lines == kNights + 1 && compared >= kNights - 1;
  }

 private:
  ManyNights()
      : folder_(fs::temp_directory_path() / fmt::format("prescope-history-{}", ::getpid())),
        program_(testing::prescope_program()) {
    fs::create_directory(folder_);
    std::mt19937 random(400);
    Store store = Store::open(path("nights.db"), Store::Access::kWrite);
    const EvaluationRecord first = some_night(0, random);
    (void)store.pin(first,
                    {.name = "main", .by = "benchmark", .why = "benchmark", .time = first.time});
    for (int n = 1; n < kNights; ++n) (void)store.add(some_night(n, random));
  }
  ~ManyNights() { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  fs::path folder_;
  std::string program_;
};

void history_with(benchmark::State& state, const std::vector<std::string>& more) {
  if (!ManyNights::instance().is_right()) {
    state.SkipWithError("wrong answers");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(ManyNights::instance().history(more));
}

void history_table(benchmark::State& state) { history_with(state, {}); }
void history_json(benchmark::State& state) { history_with(state, {"--format", "json"}); }
void history_page(benchmark::State& state) { history_with(state, {"--html", "-"}); }
void history_start(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ManyNights::instance().start());
}

void as_history_process(benchmark::internal::Benchmark* one) {
  one->UseRealTime()->Iterations(5)->Repetitions(9)->ReportAggregatesOnly()->Unit(
      benchmark::kMillisecond);
}
BENCHMARK(history_table)->Apply(as_history_process);
BENCHMARK(history_json)->Apply(as_history_process);
BENCHMARK(history_page)->Apply(as_history_process);
BENCHMARK(history_start)->Apply(as_history_process);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  const auto bar = [](const char* what, const char* benchmark) {
    return Bar{
        .what = what, .benchmark = benchmark, .unit = Bar::Unit::kMilliseconds, .most = 200.0};
  };
  return prescope::benchmarks::run_with_bars(
      argc, argv,
      {bar("1,000 nights of 400 topics as a table", "history_table"),
       bar("the same as JSON, all measures", "history_json"),
       bar("the same as a page with charts", "history_page")});
}
