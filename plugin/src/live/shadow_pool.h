#pragma once

#include <atomic>
#include <boost/circular_buffer.hpp>
#include <boost/container/static_vector.hpp>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/split_mix.h"
#include "live/arms.h"
#include "live/query_path/health_counts.h"
#include "live/query_path/sampling.h"
#include "prescope/experiment.h"

namespace prescope {

/// A query to be searched again.
struct ShadowQuery {
  Visit visit{};
  ArmIndex served{};
  std::function<void(ArmIndex)> search{};
  QueryText query{};
};

/// Runs searches for comparison on a bounded number of threads, from a bounded queue, each query
/// under the active arms in random order. Exceptions and delays of these searches never reach the
/// caller of `offer`. Visits without judgements are searched too, if OverlapOptions asks for it.
/// Observations go to the experiment, marked RankingFlags::kShadow. A search
/// that observes nothing is recorded as failed, so that its arm's ranking counts as empty.
class ShadowPool {
 public:
  /// Starts the threads. `seed`: of the order of arms.
  ShadowPool(Experiment& experiment, const ShadowOptions& options, std::uint64_t seed);
  ~ShadowPool() { stop(); }
  ShadowPool(const ShadowPool&) = delete;
  ShadowPool& operator=(const ShadowPool&) = delete;

  /// Returns true if the visit would be taken now; otherwise counts the reason. Lock-free, no
  /// allocation; any thread.
  [[nodiscard]] bool wants(const Visit& visit) noexcept;
  /// Returns false, and counts the reason, if it is not taken. No allocation; locks for as long as
  /// moving a function takes; any thread.
  bool offer(ShadowQuery query) noexcept;

  /// Announces a comparison for which the host has searched itself, and counts it as run. Returns
  /// the number of arms that are to rank it; 0, counting the reason, if it is not compared.
  /// `served` may not be known. Lock-free, no allocation; any thread.
  [[nodiscard]] std::uint32_t begin_own(const Visit& visit,
                                        std::optional<ArmIndex> served) noexcept;
  /// Counts a comparison as failed if more arms were to rank it than have, and announces it as
  /// given up if some have not failed either.
  void end_own(const OpenComparison& comparison) noexcept;
  /// Returns RankingFlags::kRepeated if the arm has searched a visit before its search for
  /// comparison, else kNone.
  [[nodiscard]] RankingFlags repeats(ArmIndex arm, std::optional<ArmIndex> served) const noexcept;

  /// Records that the visit would have been compared, if it is one of those that are run. `served`
  /// may not be known. Lock-free, no allocation; any thread.
  void announce(const Visit& visit, std::optional<ArmIndex> served,
                RankingFlags more = RankingFlags::kNone) noexcept;

  /// See `Experiment::drain_shadow`. Throws Error(kUsage) on a thread of this pool.
  void drain();
  /// Waits for the running searches and starts no others, ever; waiting queries count as expired.
  void stop() noexcept;

  /// Adds the counts of offered queries, except those that wait or run. A query that is counted as
  /// run is also counted as failed, if it failed.
  void count(Health& health) const noexcept { counters_.add_to(health); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    ShadowQuery query{};
    Clock::time_point since{};
  };
  using Counter = std::uint64_t Health::*;
  using Arms = boost::container::static_vector<ArmIndex, ArmTable::kMost>;

  /// Returns the arms that would be compared with each other; none if they are fewer than two.
  /// `served` may not be known yet.
  [[nodiscard]] Arms arms_to_compare(std::optional<ArmIndex> served) const noexcept;
  /// Returns the arms that rank visits without judgements; none without the first arm and another.
  [[nodiscard]] Arms arms_to_overlap() const noexcept;
  [[nodiscard]] Arms active_arms() const noexcept;
  /// Returns false, and counts the reason, for a visit that is not to be compared.
  [[nodiscard]] bool takes(const Visit& visit, std::optional<ArmIndex> served) noexcept;
  [[nodiscard]] bool takes_unjudged(const Visit& visit) noexcept;
  /// Tells the experiment that the visit of a judged topic is not waited for any more.
  void answered(const Visit& visit) noexcept;
  /// Counts the reason and returns false.
  bool refuse(Counter reason) noexcept;
  /// Counts the reason, records that the visit would have been compared, and returns false.
  bool lose(const Visit& visit, std::optional<ArmIndex> served, Counter reason) noexcept;

  void run(const std::stop_token& stop, SplitMix random) noexcept;
  /// Waits for a query and takes it from the queue; std::nullopt if the pool stops.
  [[nodiscard]] std::optional<Waiting> next(const std::stop_token& stop) noexcept;
  /// Counts what becomes of the query, and destroys its function.
  void finish(std::optional<Waiting> taken, const std::stop_token& stop, SplitMix& random) noexcept;
  /// Returns the counter of what became of the query; one that failed is counted as such already.
  [[nodiscard]] Counter search_arms(const ShadowQuery& query, const std::stop_token& stop,
                                    SplitMix& random) noexcept;
  /// `num_arms` arms rank the visit. Returns false if a search threw or observed nothing.
  [[nodiscard]] bool search(const ShadowQuery& query, ArmIndex arm,
                            std::uint32_t num_arms) noexcept;
  [[nodiscard]] bool search(const ShadowQuery& query, ArmIndex arm,
                            ComparedSearch& compared) noexcept;

  Experiment& experiment_;
  const ShadowOptions options_;
  const Sampling sampling_, overlap_sampling_;

  std::atomic<std::size_t> waiting_{0};     // the queue's size, for `wants`
  std::atomic<std::uint32_t> draining_{0};  // calls of `drain`; changed under the mutex
  HealthCounts counters_;

  std::mutex mutex_;  // of the following
  std::condition_variable_any wake_, idle_;
  boost::circular_buffer<Waiting> queue_;  // its room is allocated once
  std::uint32_t taken_ = 0;                // queries whose function is not destroyed yet
  bool stopped_ = false;

  std::vector<std::jthread> threads_;  // last, because they use all members above
};

}  // namespace prescope
