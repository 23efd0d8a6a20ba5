#pragma once

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/split_mix.h"
#include "prescope/experiment.h"

namespace prescope {

/// A share of what happens, chosen by chance: each decision by itself, on any thread, without a
/// lock or an allocation.
class Sampling {
 public:
  /// `share` in (0, 1].
  explicit Sampling(double share) noexcept : below_(bound_of(share)) {}

  /// Whether everything is taken: then no coin needs to be tossed.
  [[nodiscard]] bool takes_all() const noexcept { return below_ == kAll; }
  [[nodiscard]] bool takes_next() const noexcept { return takes_all() || next() < below_; }

 private:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  static std::uint64_t bound_of(double share) noexcept {
    return share >= 1.0 ? kAll : static_cast<std::uint64_t>(std::ldexp(share, 64));
  }

  /// Each thread has a sequence of its own.
  static std::uint64_t next() noexcept {
    static std::atomic<std::uint64_t> threads{0};
    static thread_local SplitMix numbers(
        SplitMix(threads.fetch_add(1, std::memory_order_relaxed)).next());
    return numbers.next();
  }

  std::uint64_t below_;
};

/// A query to be searched again.
struct ShadowQuery {
  TopicIndex topic = kUnjudgedTopic;
  ArmIndex served{};
  std::function<void(ArmIndex)> search{};
};

/// What became of the queries that were offered; what is not counted yet waits or runs. See Health.
struct ShadowCounts {
  std::uint64_t unjudged = 0, unpaired = 0, sampled_out = 0, queue_full = 0, expired = 0, run = 0,
                failed = 0;
};

/// Runs searches for comparison on a bounded number of threads, from a bounded queue, each query
/// under the active arms in an order tossed for it. Nothing that a search does or throws reaches
/// who offered it. Observations go to the experiment, marked RankingFlags::kShadow.
class ShadowPool {
 public:
  /// Whether an arm takes part now. Lock-free.
  using IsActive = bool (*)(const Experiment&, ArmIndex) noexcept;

  /// Starts the threads. `seed`: of the order of arms.
  ShadowPool(Experiment& experiment, const ShadowOptions& options, IsActive is_active,
             std::uint64_t seed);
  /// As `stop`.
  ~ShadowPool();
  ShadowPool(const ShadowPool&) = delete;
  ShadowPool& operator=(const ShadowPool&) = delete;

  /// Whether a query for the topic would be taken now; where not, counts why. A yes lets the next
  /// query in without another toss. Lock-free, no allocation; any thread.
  [[nodiscard]] bool wants(TopicIndex topic) noexcept;
  /// False, counted, where it is not taken. No allocation; locks for as long as moving a function
  /// takes; any thread.
  bool offer(ShadowQuery query) noexcept;

  /// Waits for the searches that run, begins no other; the queries that wait count as expired.
  /// Before anything that searches use is gone; once.
  void stop() noexcept;

  [[nodiscard]] ShadowCounts counts() const noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    ShadowQuery query{};
    Clock::time_point since{};
  };
  enum class Ended { kInterrupted, kRun, kFailed };

  [[nodiscard]] bool has_another_arm(std::optional<ArmIndex> served) const noexcept;
  [[nodiscard]] bool take_grant() noexcept;
  [[nodiscard]] bool enqueue(ShadowQuery& query) noexcept;

  void run(const std::stop_token& stop, SplitMix random) noexcept;
  [[nodiscard]] std::optional<Waiting> next(const std::stop_token& stop);
  [[nodiscard]] std::optional<Waiting> pop() noexcept;  // under the mutex
  [[nodiscard]] Ended search_arms(const ShadowQuery& query, const std::stop_token& stop,
                                  SplitMix& random) noexcept;
  [[nodiscard]] bool search(const ShadowQuery& query, ArmIndex arm) noexcept;

  Experiment& experiment_;
  const ShadowOptions options_;
  const IsActive is_active_;
  const Sampling sampling_;

  std::atomic<std::uint64_t> granted_{0};  // times that `wants` said yes and nothing came yet
  std::atomic<std::size_t> waiting_{0};    // size_ for `wants`
  std::atomic<std::uint64_t> unjudged_{0}, unpaired_{0}, sampled_out_{0}, queue_full_{0},
      expired_{0}, run_{0}, failed_{0};

  std::mutex mutex_;  // of the following
  std::condition_variable_any wake_;
  std::vector<Waiting> queue_;  // a ring, its room allocated once
  std::size_t first_ = 0, size_ = 0;
  bool stopped_ = false;

  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace prescope
