#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "traffic.h"

namespace live_ab {

struct LoadReport {
  std::uint64_t queries = 0, failed = 0;
  double seconds = 0.0;
  /// Latencies of all queries, also failed ones; in an open loop from when the query was due. 0
  /// without queries.
  double p50_ms = 0.0, p99_ms = 0.0, max_ms = 0.0;
};

/// Returns the `p`-quantile, [0, 1], of values in any order: one of them, or 0 if there are none.
[[nodiscard]] double quantile(std::vector<float>& values, double p);

/// Users: threads that ask the server, from construction until `stop`.
class Load {
 public:
  struct Plan {
    std::uint32_t threads = 1;
    double rate = 0.0;  ///< queries a second; 0: each thread asks when it has its answer
  };
  /// `answer` is called on each thread. Both must outlive this object.
  Load(const Traffic& traffic, std::function<void(const Query&)> answer, Plan plan);
  ~Load() = default;

  [[nodiscard]] std::uint64_t asked() const noexcept { return next_; }
  LoadReport stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct User {
    std::vector<float> latencies_ms{};
    std::uint64_t failed = 0;
    std::jthread thread{};  // last, because it uses the members above
  };

  void ask(const std::stop_token& stop, User& user);
  /// When query `number` is due: in a closed loop, now.
  [[nodiscard]] Clock::time_point due(std::uint64_t number) const;

  const Traffic& traffic_;
  const std::function<void(const Query&)> answer_;
  const Plan plan_;
  const Clock::time_point started_ = Clock::now();
  std::atomic<std::uint64_t> next_{0};
  std::vector<User> users_;
};

}  // namespace live_ab
