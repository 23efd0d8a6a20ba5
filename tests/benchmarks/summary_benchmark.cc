// Cost of a summary: two arms, 10,000 topics, PRES, R and AP at 100 and 1000. Each topic is ranked
// by both arms for comparison, a fifth of them again. And of a million topics, of which 1 % have
// changed since the summary before.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "benchmarks/bars.h"
#include "live/summary/summarize.h"
#include "statistics/paired_tests.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kTopics = 10'000, kManyTopics = 1'000'000;
constexpr std::uint32_t kJudged = 6;
constexpr std::uint32_t kDepth = 1000;
constexpr std::uint64_t kSeed = 1;

class Served {
 public:
  static const Served& instance() {
    static const Served served(kTopics);
    return served;
  }
  explicit Served(std::uint32_t topics) : qrels_(qrels(topics)) {
    for (std::uint32_t t = 0; t < topics; ++t) compare(TopicIndex(t));
    for (std::uint32_t t = 0; t < topics; t += 5) compare(TopicIndex(t));
  }

  /// One more visit that both arms rank.
  void compare(TopicIndex topic) {
    ++visits_;
    for (const std::uint32_t arm : {0U, 1U}) serve(ArmIndex(arm), topic);
  }

  [[nodiscard]] Summary summary(SummaryDetail detail) const {
    return summarize(*ledger_, {.experiment = "benchmark", .arms = arms_}, detail);
  }
  [[nodiscard]] const Ledger& ledger() const { return *ledger_; }

 private:
  static Qrels qrels(std::uint32_t topics) {
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < topics; ++t) {
      for (std::uint32_t j = 0; j < kJudged; ++j) {
        lines.push_back(
            {TopicId(fmt::format("T{:07}", t)), Docno(fmt::format("D{:07}-{}", t, j)), 1});
      }
    }
    return Qrels::from_lines(lines);
  }

  void serve(ArmIndex arm, TopicIndex topic) {
    std::vector<Rank> ranks;
    while (ranks.size() < kJudged) {
      const Rank rank = 1 + static_cast<Rank>(random_() % (kDepth + 500));
      if (std::ranges::find(ranks, rank) == ranks.end()) ranks.push_back(rank);
    }
    std::ranges::sort(ranks);
    std::vector<JudgedHit> hits;
    for (std::uint32_t j = 0; j < kJudged; ++j) {
      if (ranks[j] <= kDepth) hits.push_back({ranks[j], JudgementIndex(j)});
    }
    ledger_->record({.topic = topic,
                     .arm = arm,
                     .visit = visits_,
                     .compared_arms = 2,
                     .generation = 1,
                     .latency = std::chrono::microseconds(5000 + random_() % 20000),
                     .self_time = std::chrono::nanoseconds(2000 + random_() % 2000),
                     .depth = kDepth,
                     .num_ret = kDepth,
                     .hits = hits});
  }

  std::mt19937_64 random_{kSeed};
  std::uint64_t visits_ = 0;
  Qrels qrels_;
  JudgedDocnos judged_{qrels_};
  Scorer scorer_{default_measures(std::vector{Cutoff{100}, Cutoff{1000}})};
  std::unique_ptr<Ledger> ledger_ = std::make_unique<Ledger>(
      judged_, scorer_, 2,
      LedgerOptions{.mode = Mode::kPaired, .epochs = EpochRule::kConfiguration});
  std::vector<ArmFacts> arms_{{.id = ArmId("a")}, {.id = ArmId("b")}};
};

/// The mean differences, from the scores themselves.
bool answers_are_right(const Summary& summary) {
  const Ledger& ledger = Served::instance().ledger();
  const std::vector<MeasureDifference>& differences = summary.pairs.at(0).differences;
  for (std::size_t m = 0; m < differences.size(); ++m) {
    long double sum = 0.0;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      sum += ledger.score(ArmIndex(1), TopicIndex(t), m).mean -
             ledger.score(ArmIndex(0), TopicIndex(t), m).mean;
    }
    if (differences[m].topics != kTopics || !differences[m].live.value().detectable) return false;
    if (std::abs(static_cast<double>(sum / kTopics) - *differences[m].mean) > 1e-12) return false;
  }
  return differences.size() == 6;
}

void summarize_with(benchmark::State& state, SummaryDetail detail) {
  if (!answers_are_right(Served::instance().summary(detail))) {
    state.SkipWithError("wrong answers");
    return;
  }
  for (auto _ : state) {
    const double began = cpu_seconds();
    const Summary summary = Served::instance().summary(detail);
    benchmark::DoNotOptimize(&summary);
    state.SetIterationTime(cpu_seconds() - began);
  }
}

void summary_of_verdicts(benchmark::State& state) {
  summarize_with(state, SummaryDetail::kVerdicts);
}
void summary_of_every_topic(benchmark::State& state) {
  summarize_with(state, SummaryDetail::kEveryTopic);
}

/// Each summary after 1 % of the topics have changed.
void summary_of_a_million_topics(benchmark::State& state) {
  static Served served(kManyTopics);
  std::uint32_t next = 0;
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < kManyTopics / 100; ++i) {
      served.compare(TopicIndex(next = (next + 7919) % kManyTopics));
    }
    const double began = cpu_seconds();
    const Summary summary = served.summary(SummaryDetail::kVerdicts);
    benchmark::DoNotOptimize(&summary);
    state.SetIterationTime(cpu_seconds() - began);
    if (summary.pairs.at(0).differences.at(0).topics != kManyTopics) {
      return state.SkipWithError("wrong answers");
    }
  }
}

void as_summary(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Iterations(20)->Repetitions(9)->ReportAggregatesOnly()->Unit(
      benchmark::kMillisecond);
}
BENCHMARK(summary_of_verdicts)->Apply(as_summary);
BENCHMARK(summary_of_every_topic)->Apply(as_summary);
BENCHMARK(summary_of_a_million_topics)->Apply(as_summary)->Iterations(3);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  return prescope::benchmarks::run_with_bars(
      argc, argv,
      {{.what = "summary with verdicts, 10,000 topics, 2 arms",
        .benchmark = "summary_of_verdicts",
        .unit = Bar::Unit::kMilliseconds,
        .most = 5.0},
       {.what = "summary with verdicts, 1,000,000 topics of which 1 % changed",
        .benchmark = "summary_of_a_million_topics",
        .unit = Bar::Unit::kMilliseconds,
        .most = 100.0},
       {.what = "summary with every topic, 10,000 topics, 2 arms",
        .benchmark = "summary_of_every_topic",
        .unit = Bar::Unit::kMilliseconds,
        .most = 50.0}});
}
