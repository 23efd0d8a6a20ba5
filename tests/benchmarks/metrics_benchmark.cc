// Time of a scrape beside that of the summary it is made from: four arms, 10,000 topics, PRES, R
// and AP at 100 and 1000. Each topic is served by all arms.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/bars.h"
#include "live/summary/summarize.h"
#include "serve/metrics/metrics.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kTopics = 10000;
constexpr std::uint32_t kArms = 4;
constexpr std::uint32_t kJudged = 6;
constexpr std::uint32_t kDepth = 1000;
constexpr std::uint64_t kSeed = 1;

class ServedByFour {
 public:
  static const ServedByFour& instance() {
    static const ServedByFour served;
    return served;
  }
  [[nodiscard]] Summary summary() const {
    return summarize(*ledger_, {.experiment = "benchmark", .arms = arms_},
                     SummaryDetail::kEveryTopic);
  }

 private:
  ServedByFour() {
    for (std::uint32_t arm = 0; arm < kArms; ++arm) {
      arms_.push_back({.id = ArmId(fmt::format("arm {}", arm))});
      for (std::uint32_t t = 0; t < kTopics; ++t) serve(ArmIndex(arm), TopicIndex(t));
    }
  }

  static Qrels qrels() {
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      for (std::uint32_t j = 0; j < kJudged; ++j) {
        lines.push_back(
            {TopicId(fmt::format("T{:05}", t)), Docno(fmt::format("D{:05}-{}", t, j)), 1});
      }
    }
    return Qrels::from_lines(lines);
  }

  void serve(ArmIndex arm, TopicIndex topic) {
    std::vector<JudgedHit> hits;
    Rank rank = 0;
    for (std::uint32_t j = 0; j < kJudged; ++j) {
      rank += 1 + static_cast<Rank>(random_() % 300);
      if (rank <= kDepth) hits.push_back({rank, JudgementIndex(j)});
    }
    ledger_->record({.topic = topic,
                     .arm = arm,
                     .generation = 1,
                     .latency = std::chrono::microseconds(1000 + random_() % 100000),
                     .self_time = std::chrono::nanoseconds(2000 + random_() % 2000),
                     .depth = kDepth,
                     .num_ret = kDepth,
                     .hits = hits});
  }

  std::mt19937_64 random_{kSeed};
  Qrels qrels_ = qrels();
  JudgedDocnos judged_{qrels_};
  Scorer scorer_{default_measures(std::vector{Cutoff{100}, Cutoff{1000}})};
  std::unique_ptr<Ledger> ledger_ = std::make_unique<Ledger>(judged_, scorer_, kArms);
  std::vector<ArmFacts> arms_;
};

/// Every topic is in the distribution of each arm and measure, and below its middle are as many as
/// score so little.
bool answers_are_right(const Summary& summary, const std::string& text) {
  for (std::size_t arm = 0; arm < kArms; ++arm) {
    for (std::size_t m = 0; m < summary.measures.size(); ++m) {
      const auto low = std::ranges::count_if(summary.rows, [&](const TopicRow& row) {
        return row.arms[arm].means[m].value_or(1.0) <= 0.5;
      });
      const std::string labels =
          fmt::format(R"(_bucket{{experiment="benchmark",arm="arm {}",measure="{}",le=)", arm,
                      summary.measures[m].name());
      const auto has = [&](const char* le, std::size_t topics) {
        return text.find(fmt::format("{}\"{}\"}} {}\n", labels, le, topics)) != std::string::npos;
      };
      if (!has("+Inf", kTopics) || !has("0.5", static_cast<std::size_t>(low))) return false;
    }
  }
  return true;
}

template <class Work>
void measure(benchmark::State& state, Work work) {
  for (auto _ : state) {
    const double began = cpu_seconds();
    const auto result = work();
    benchmark::DoNotOptimize(&result);
    state.SetIterationTime(cpu_seconds() - began);
  }
}

void summary_of_every_topic(benchmark::State& state) {
  measure(state, [] { return ServedByFour::instance().summary(); });
}

void metrics_of_a_summary(benchmark::State& state) {
  const Summary summary = ServedByFour::instance().summary();
  const std::string text = serve::metrics_text(summary);
  if (!answers_are_right(summary, text)) {
    state.SkipWithError("wrong answers");
    return;
  }
  measure(state, [&] { return serve::metrics_text(summary); });
  state.counters["kilobytes"] = static_cast<double>(text.size()) / 1024.0;
}

void as_metrics(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Iterations(20)->Repetitions(9)->ReportAggregatesOnly()->Unit(
      benchmark::kMillisecond);
}
BENCHMARK(summary_of_every_topic)->Apply(as_metrics);
BENCHMARK(metrics_of_a_summary)->Apply(as_metrics);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  return prescope::benchmarks::run_with_bars(
      argc, argv,
      {{.what = "metrics, 10,000 topics, 4 arms, 6 measures",
        .benchmark = "metrics_of_a_summary",
        .unit = Bar::Unit::kMilliseconds,
        .most = 10.0},
       {.what = "the same / the summary that they are made from",
        .benchmark = "metrics_of_a_summary",
        .per = "summary_of_every_topic",
        .unit = Bar::Unit::kTimes,
        .most = 1.0},
       {.what = "text",
        .benchmark = "metrics_of_a_summary",
        .unit = Bar::Unit::kKilobytes,
        .most = 256.0,
        .counter = "kilobytes"}});
}
