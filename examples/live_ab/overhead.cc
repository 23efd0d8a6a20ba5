#include "overhead.h"

#include <algorithm>
#include <atomic>
#include <boost/math/distributions/students_t.hpp>
#include <chrono>
#include <cmath>
#include <iterator>
#include <numeric>
#include <thread>
#include <vector>

#include "load.h"

namespace live_ab {
namespace {

using Clock = std::chrono::steady_clock;
using prescope::ArmIndex;

constexpr double kShortestBlock = 0.05, kLongestBlock = 0.5;  // seconds
constexpr double kBlocks = 20.0;                              // at least so many, if there is time
constexpr std::uint32_t kLeastPairs = 5, kLeastPairsWhenStopped = 2;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

enum class Plugin { kOff, kOn };

struct Block {
  double seconds = 0.0;
  double p99_ms = 0.0;
  std::uint64_t hits = 0;
};

/// One block after the other on the same snapshot.
class Blocks {
 public:
  Blocks(const Snapshot& snapshot, prescope::Experiment& experiment, const Traffic& traffic,
         std::uint32_t threads)
      : snapshot_(snapshot), experiment_(experiment), traffic_(traffic), threads_(threads) {}

  Block run(Plugin plugin, std::uint64_t first, std::uint64_t queries) const {
    std::atomic<std::uint64_t> next{first}, hits{0};
    std::vector<std::vector<float>> latencies(threads_);
    const auto began = Clock::now();
    {
      std::vector<std::jthread> threads;
      for (std::vector<float>& own : latencies) {
        threads.emplace_back([&, this] {
          for (auto i = next.fetch_add(1); i < first + queries; i = next.fetch_add(1)) {
            const auto asked = Clock::now();
            hits.fetch_add(search(plugin, traffic_.query(i)), std::memory_order_relaxed);
            own.push_back(static_cast<float>(1e3 * seconds_since(asked)));
          }
        });
      }
    }
    Block block{.seconds = seconds_since(began), .hits = hits};
    std::vector<float> all;
    for (const auto& own : latencies) all.insert(all.end(), own.begin(), own.end());
    block.p99_ms = quantile(all, 0.99);
    return block;
  }

 private:
  [[nodiscard]] std::uint32_t search(Plugin plugin, const Query& query) const {
    const ArmIndex arm{std::uint32_t(query.coin % std::size(kArms))};
    if (plugin == Plugin::kOff) return snapshot_.search_plain(arm, query.text);
    const prescope::Visit visit = query.topic != nullptr
                                      ? experiment_.visit(*query.topic)
                                      : experiment_.visit(prescope::kUnjudgedTopic);
    const prescope::QueryScope scope(experiment_, visit);
    return snapshot_.search(arm, query.text);
  }

  const Snapshot& snapshot_;
  prescope::Experiment& experiment_;
  const Traffic& traffic_;
  std::uint32_t threads_;
};

BlockRatio ratio_of(const std::vector<double>& logs) {
  const auto n = static_cast<double>(logs.size());
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  double squares = 0.0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const boost::math::students_t distribution(n - 1.0);
  const double half =
      boost::math::quantile(distribution, 0.975) * std::sqrt(squares / (n - 1.0) / n);
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

/// The larger of the arms' medians: neither arm is to be above the bar.
void take_self_time(prescope::Experiment& experiment, Overhead& overhead) {
  const auto summary = experiment.summary();
  const auto take = [](std::optional<double>& kept, std::optional<double> value, double unit) {
    if (value) kept = std::max(kept.value_or(0.0), *value * unit);
  };
  for (const prescope::ArmSummary& arm : summary->arms) {
    take(overhead.judged_self_us, arm.self_p50_us, 1.0);
    take(overhead.unjudged_self_ns, arm.unjudged_self_p50_us, 1e3);
  }
}

}  // namespace

Overhead measure_overhead(const Snapshot& snapshot, prescope::Experiment& experiment,
                          const Traffic& traffic, const OverheadPlan& plan,
                          const std::function<bool()>& goes_on) {
  const Blocks blocks(snapshot, experiment, traffic, plan.threads);
  // Warms up, and measures how many queries a block takes.
  const std::uint64_t warm_up = 200;
  const double a_query = blocks.run(Plugin::kOff, 0, warm_up).seconds / double(warm_up);
  const double block = std::clamp(plan.seconds / kBlocks, kShortestBlock, kLongestBlock);
  Overhead overhead;
  overhead.queries_a_block =
      std::max<std::uint64_t>(20, static_cast<std::uint64_t>(block / a_query));
  const auto wanted =
      std::max(kLeastPairs, static_cast<std::uint32_t>(plan.seconds / (2.0 * block)));
  std::vector<double> throughput, p99;
  std::uint64_t hits = 0, first = warm_up;
  quickstart::Random coin(plan.seed);
  for (; overhead.pairs < wanted; ++overhead.pairs, first += overhead.queries_a_block) {
    if (overhead.pairs >= kLeastPairsWhenStopped && !goes_on()) break;
    const Plugin sooner = coin.chance(500) ? Plugin::kOn : Plugin::kOff;
    const Plugin later = sooner == Plugin::kOn ? Plugin::kOff : Plugin::kOn;
    Block a = blocks.run(sooner, first, overhead.queries_a_block);
    Block b = blocks.run(later, first, overhead.queries_a_block);
    if (sooner == Plugin::kOff) std::swap(a, b);  // a: on
    throughput.push_back(std::log(b.seconds / a.seconds));
    p99.push_back(std::log(a.p99_ms / b.p99_ms));
    hits += a.hits;
  }
  overhead.throughput = ratio_of(throughput);
  overhead.p99 = ratio_of(p99);
  overhead.hits_a_ranking = double(hits) / double(overhead.pairs * overhead.queries_a_block);
  take_self_time(experiment, overhead);
  return overhead;
}

}  // namespace live_ab
