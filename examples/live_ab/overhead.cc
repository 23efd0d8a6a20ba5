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

constexpr double kShortestBlock = 0.05, kLongestBlock = 0.35;  // seconds
constexpr double kBlocks = 20.0;                               // at least so many, if there is time
constexpr std::uint32_t kLeastPairs = 5, kLeastPairsWhenStopped = 2;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

enum class Plugin { kOff, kOn };

/// Seconds that queries spent in prescope.
struct PluginTimes {
  std::vector<float> judged, unjudged;

  void add(const PluginTimes& others) {
    judged.insert(judged.end(), others.judged.begin(), others.judged.end());
    unjudged.insert(unjudged.end(), others.unjudged.begin(), others.unjudged.end());
  }
};

struct Block {
  double seconds = 0.0;
  double p99_ms = 0.0;
  std::uint64_t hits = 0;
  PluginTimes plugin_times{};
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
    std::vector<PluginTimes> plugin_times(threads_);
    const auto began = Clock::now();
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t t = 0; t < threads_; ++t) {
        threads.emplace_back([&, t, this] {
          for (auto i = next.fetch_add(1); i < first + queries; i = next.fetch_add(1)) {
            const auto asked = Clock::now();
            hits.fetch_add(search(plugin, traffic_.query(i), plugin_times[t]),
                           std::memory_order_relaxed);
            latencies[t].push_back(static_cast<float>(1e3 * seconds_since(asked)));
          }
        });
      }
    }
    Block block{.seconds = seconds_since(began), .hits = hits};
    std::vector<float> all;
    for (const auto& own : latencies) all.insert(all.end(), own.begin(), own.end());
    block.p99_ms = quantile(all, 0.99);
    for (const PluginTimes& times : plugin_times) block.plugin_times.add(times);
    return block;
  }

 private:
  std::uint32_t search(Plugin plugin, const Query& query, PluginTimes& times) const {
    const ArmIndex arm{std::uint32_t(query.coin % std::size(kArms))};
    if (plugin == Plugin::kOff) return snapshot_.search_plain(arm, query.text);
    double seconds = 0.0;
    const auto timed = [&](const auto& work) {
      const auto began = Clock::now();
      work();
      seconds += seconds_since(began);
    };
    std::optional<prescope::QueryScope> scope;
    timed([&] {
      if (query.topic != nullptr) {
        scope.emplace(experiment_, *query.topic);
      } else {
        scope.emplace(experiment_, prescope::kUnjudgedTopic);
      }
    });
    const std::uint32_t hits = snapshot_.search_and_show(arm, query.text, timed);
    timed([&] { scope.reset(); });
    (query.topic != nullptr ? times.judged : times.unjudged).push_back(static_cast<float>(seconds));
    return hits;
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

std::optional<double> median(std::vector<float>& seconds, double unit) {
  if (seconds.empty()) return std::nullopt;
  return quantile(seconds, 0.5) * unit;
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
  PluginTimes plugin_times;
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
    plugin_times.add(a.plugin_times);
  }
  overhead.throughput = ratio_of(throughput);
  overhead.p99 = ratio_of(p99);
  overhead.hits_a_ranking = double(hits) / double(overhead.pairs * overhead.queries_a_block);
  overhead.judged_us = median(plugin_times.judged, 1e6);
  overhead.unjudged_us = median(plugin_times.unjudged, 1e6);
  return overhead;
}

}  // namespace live_ab
