#pragma once

#include <atomic>
#include <boost/circular_buffer.hpp>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/split_mix.h"
#include "prescope/experiment.h"

namespace prescope {

/// Random sampling: each decision is independent, on any thread, without a lock or an allocation.
class Sampling {
 public:
  /// `share` in (0, 1].
  explicit Sampling(double share) noexcept : below_(bound_of(share)) {}

  [[nodiscard]] bool takes_next() const noexcept { return below_ == kAll || next() < below_; }

 private:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  static std::uint64_t bound_of(double share) noexcept {
    return share >= 1.0 ? kAll : static_cast<std::uint64_t>(std::ldexp(share, 64));
  }

  /// Each thread has a random sequence of its own.
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

/// Runs searches for comparison on a bounded number of threads, from a bounded queue, each query
/// under the active arms in random order. Exceptions and delays of these searches never reach the
/// caller of `offer`. Observations go to the experiment, marked RankingFlags::kShadow.
class ShadowPool {
 public:
  /// Starts the threads. `seed`: of the order of arms.
  ShadowPool(Experiment& experiment, const ShadowOptions& options, std::uint64_t seed);
  ~ShadowPool() { stop(); }
  ShadowPool(const ShadowPool&) = delete;
  ShadowPool& operator=(const ShadowPool&) = delete;

  /// Returns true if a query for the topic would be taken now; otherwise counts the reason. After
  /// true, the next query is taken without sampling again. Lock-free, no allocation; any thread.
  [[nodiscard]] bool wants(TopicIndex topic) noexcept;
  /// Returns false, and counts the reason, if it is not taken. No allocation; locks for as long as
  /// moving a function takes; any thread.
  bool offer(ShadowQuery query) noexcept;

  /// Waits for the running searches and starts no others; waiting queries count as expired. Call it
  /// before objects that searches use are destroyed.
  void stop() noexcept;

  /// Sets the counts of offered queries, except those that wait or run.
  void count(Health& health) const noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    ShadowQuery query{};
    Clock::time_point since{};
  };
  enum class Ended { kInterrupted, kRun, kFailed };

  [[nodiscard]] bool is_active(ArmIndex arm) const noexcept {
    return experiment_.status(arm) == ArmStatus::kActive;
  }
  [[nodiscard]] bool has_another_arm(std::optional<ArmIndex> served) const noexcept;
  [[nodiscard]] bool take_grant() noexcept;
  [[nodiscard]] bool enqueue(ShadowQuery& query) noexcept;

  void run(const std::stop_token& stop, SplitMix random) noexcept;
  [[nodiscard]] Ended search_arms(const ShadowQuery& query, const std::stop_token& stop,
                                  SplitMix& random) noexcept;
  [[nodiscard]] bool search(const ShadowQuery& query, ArmIndex arm) noexcept;

  Experiment& experiment_;
  const ShadowOptions options_;
  const Sampling sampling_;

  std::atomic<std::uint64_t> granted_{0};  // times that `wants` returned true without an offer yet
  std::atomic<std::size_t> waiting_{0};    // the queue's size, for `wants`
  std::atomic<std::uint64_t> unjudged_{0}, unpaired_{0}, sampled_out_{0}, queue_full_{0},
      expired_{0}, run_{0}, failed_{0};

  std::mutex mutex_;  // of the following
  std::condition_variable_any wake_;
  boost::circular_buffer<Waiting> queue_;  // its room is allocated once
  bool stopped_ = false;

  std::vector<std::jthread> threads_;  // last, because they use all members above
};

}  // namespace prescope
