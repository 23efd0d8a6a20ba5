// Time and memory that the recorder thread needs for an observation.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/split_mix.h"
#include "benchmarks/bars.h"
#include "live/ledger/ledger.h"
#include "prescope/experiment.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kTopics = 10'000, kArms = 2, kDepth = 1000;
constexpr std::uint32_t kJudged = 12, kFound = 6;
constexpr std::uint64_t kBatch = 200'000;

std::size_t bytes_allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

Qrels many_topics() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    for (std::uint32_t j = 0; j < kJudged; ++j) {
      lines.push_back({TopicId("EP" + std::to_string(1'000'000 + t) + "A1"),
                       Docno("d" + std::to_string((t * 7 + j * 1009) % 50'000))});
    }
  }
  return Qrels::from_lines(lines);
}

/// Random topics of random arms, six judged documents at ranks that differ from visit to visit.
/// Made one by one, so that each is in the cache as if a query thread had just written it.
class Traffic {
 public:
  static Traffic& instance() {
    static Traffic traffic;
    return traffic;
  }

  /// The same for the same number.
  [[nodiscard]] Observation observation(std::uint64_t number) const {
    SplitMix random(number);
    const std::uint64_t one = random.next(), two = random.next();
    return {.topic = TopicIndex(static_cast<std::uint32_t>(one % kTopics)),
            .arm = ArmIndex(static_cast<std::uint32_t>((one >> 32U) % kArms)),
            .visit = 1 + number,
            .generation = 1,
            .documents = 1'000'000,
            .latency = std::chrono::microseconds(1000 + two % 50'000),
            .self_time = std::chrono::nanoseconds(1500 + (two >> 20U) % 1000),
            .first_rank = 1,
            .depth = kDepth,
            .num_ret = kDepth,
            .hits = std::span(hits_).subspan((two >> 40U) % kRankings * kFound, kFound)};
  }

  const Qrels qrels = many_topics();
  const JudgedDocnos judged{qrels};
  const Scorer scorer{default_measures(std::vector{Cutoff{100}, Cutoff{1000}})};

 private:
  static constexpr std::size_t kRankings = 4096;

  Traffic() : hits_(kRankings * kFound) {
    SplitMix random(20100719);
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      const auto nth = static_cast<std::uint32_t>(i % kFound);
      // One in each sixth of the ranking.
      const Rank rank = nth * (kDepth / kFound) + 1 + static_cast<Rank>(random.next() % 166);
      const auto which = static_cast<std::uint32_t>(i / kFound);
      hits_[i] = {rank, JudgementIndex((nth * 5 + which) % kJudged)};
    }
  }

  std::vector<JudgedHit> hits_;
};

/// Calls `work` with observations, and reports the time of one.
template <class Work>
void time_batches(benchmark::State& state, Work work) {
  const Traffic& traffic = Traffic::instance();
  std::uint64_t number = kBatch;
  for (auto _ : state) {
    const double began = cpu_seconds();
    for (std::uint64_t i = 0; i < kBatch; ++i) work(traffic.observation(number++));
    state.SetIterationTime((cpu_seconds() - began) / static_cast<double>(kBatch));
  }
}

/// The mean of every topic's every visit, by each measure's own formula, against the sums.
bool answers_are_right(const Traffic& traffic, const Ledger& ledger, std::size_t m) {
  std::vector<double> sums(kArms * kTopics), visits(kArms * kTopics);
  for (std::uint64_t i = 0; i < kBatch; ++i) {
    const Observation observation = traffic.observation(i);
    std::vector<Rank> ranks;
    for (const JudgedHit& hit : observation.hits) ranks.push_back(hit.rank);
    const std::size_t at = observation.arm.value() * kTopics + observation.topic.value();
    sums[at] += *traffic.scorer.measures()[m].score(
        {.num_rel = kJudged, .relevant = ranks, .num_ret = kDepth});
    ++visits[at];
  }
  double differences = 0.0, of_arm_0 = 0.0, topics = 0.0, in_arm_0 = 0.0;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    const double a = visits[t] > 0 ? sums[t] / visits[t] : 0.0;
    of_arm_0 += a;
    in_arm_0 += visits[t] > 0 ? 1.0 : 0.0;
    if (visits[t] == 0 || visits[kTopics + t] == 0) continue;
    differences += sums[kTopics + t] / visits[kTopics + t] - a;
    ++topics;
  }
  const auto close = [](double x, double y) { return std::abs(x - y) < 1e-12; };
  return close(ledger.track(ArmIndex(0)).totals[m].means(0).mean.value_or(0.0),
               of_arm_0 / in_arm_0) &&
         close(ledger.pair(ArmIndex(1)).totals[m].mean_difference(), differences / topics);
}

/// Two arms, PRES, R and AP at two cutoffs; from a state in which every topic was seen.
void record_observation(benchmark::State& state) {
  const Traffic& traffic = Traffic::instance();
  const std::size_t before = bytes_allocated();
  Ledger ledger(traffic.judged, traffic.scorer, kArms);
  for (std::uint64_t i = 0; i < kBatch; ++i) ledger.record(traffic.observation(i));
  ledger.settle();
  for (std::size_t m = 0; m < traffic.scorer.measures().size(); ++m) {
    if (!answers_are_right(traffic, ledger, m)) return state.SkipWithError("wrong answers");
  }
  const double bytes = static_cast<double>(bytes_allocated() - before);
  time_batches(state, [&](const Observation& one) { ledger.record(one); });
  state.counters["KB_per_arm_and_topic"] = bytes / (kArms * kTopics) / 1024.0;
}

/// The same in Mode::kPaired: of each visit the served ranking, and both arms' for comparison.
void record_compared_observation(benchmark::State& state) {
  const Traffic& traffic = Traffic::instance();
  Ledger ledger(traffic.judged, traffic.scorer, kArms,
                {.mode = Mode::kPaired, .epochs = EpochRule::kConfiguration});
  const auto record = [&](Observation observation) {
    const std::uint64_t visit = observation.visit - 1;
    const Observation first = traffic.observation(visit - visit % 3);
    observation.topic = first.topic;
    observation.visit = first.visit;
    observation.compared_arms = visit % 3 == 0 ? 0 : kArms;
    observation.arm = ArmIndex(visit % 3 == 2 ? 1 : 0);
    ledger.record(observation);
  };
  for (std::uint64_t i = 0; i < 3 * kBatch; ++i) record(traffic.observation(i));
  const bool is_compared = ledger.epoch().compared_visits == kBatch;
  if (!is_compared) return state.SkipWithError("wrong number of comparisons");
  std::uint64_t number = 3 * kBatch;
  for (auto _ : state) {
    const double began = cpu_seconds();
    for (std::uint64_t i = 0; i < kBatch; ++i) record(traffic.observation(number++));
    ledger.settle();
    state.SetIterationTime((cpu_seconds() - began) / static_cast<double>(kBatch));
  }
}

/// A late judgement of one topic of 10,000.
void rejudge_one_topic(benchmark::State& state) {
  const Qrels& qrels = Traffic::instance().qrels;
  Experiment experiment(qrels, {.arms = {"a", "b"}});
  const std::size_t before = bytes_allocated();
  std::size_t number = 0;
  for (auto _ : state) {
    const TopicId& topic = qrels.topics()[number % kTopics].id();
    (void)experiment.rejudge({.judged = {{topic, Docno("new" + std::to_string(number++))}}});
  }
  const bool is_judged = experiment.qrels().num_judgements() == qrels.num_judgements() + number &&
                         experiment.judged().version() == number;
  if (!is_judged) return state.SkipWithError("wrong judgements");
  const double bytes = static_cast<double>(bytes_allocated() - before);
  state.counters["KB_per_version"] = bytes / static_cast<double>(number) / 1024.0;
}

void as_recorder(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Iterations(5)->Repetitions(9)->ReportAggregatesOnly();
  one->Unit(benchmark::kMicrosecond);
}
BENCHMARK(record_observation)->Apply(as_recorder);
BENCHMARK(record_compared_observation)->Apply(as_recorder);
BENCHMARK(rejudge_one_topic)
    ->Iterations(50)
    ->Repetitions(9)
    ->ReportAggregatesOnly()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  return prescope::benchmarks::run_with_bars(
      argc, argv,
      {{.what = "recording, 2 arms, 10,000 topics, 6 measures: 300,000 a second",
        .benchmark = "record_observation",
        .most = 3.3},
       {.what = "the same in Mode::kPaired",
        .benchmark = "record_compared_observation",
        .most = 3.3},
       {.what = "kept per arm and topic, no capture",
        .benchmark = "record_observation",
        .unit = Bar::Unit::kKilobytes,
        .most = 2.0,
        .counter = "KB_per_arm_and_topic"},
       {.what = "a late judgement of one of 10,000 topics",
        .benchmark = "rejudge_one_topic",
        .unit = Bar::Unit::kMilliseconds,
        .most = 1.0},
       {.what = "the version of the judgements that it makes",
        .benchmark = "rejudge_one_topic",
        .unit = Bar::Unit::kKilobytes,
        .most = 10.0,
        .counter = "KB_per_version"}});
}
