#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

#include "live/arm_table.h"
#include "live/thread_number.h"
#include "prescope/observation.h"

namespace prescope {

/// What is counted of an unjudged query.
struct UnjudgedQuery {
  std::chrono::nanoseconds latency{};
  std::uint32_t self_ns = 0;
  std::uint16_t flags = 0;
  std::uint8_t arm = 0;

  [[nodiscard]] Observation observation() const noexcept {
    Observation result;
    result.arm = ArmIndex(arm);
    result.latency = latency;
    result.self_time = std::chrono::nanoseconds(self_ns);
    result.flags = RankingFlags(flags);
    return result;
  }
};
static_assert(sizeof(UnjudgedQuery) == 16);
static_assert(ArmTable::kMost <= std::numeric_limits<std::uint8_t>::max());

/// Unjudged queries of one thread on their way to the recorder: written by that thread, read by
/// one other. Neither waits, and the writer does nothing that other processors must agree to. All
/// that the writer needs is in one page, most of it in one line of the cache: after a search,
/// fetching is what takes time.
class alignas(2048) UnjudgedLane {
 public:
  /// Any thread.
  void set_active(std::uint64_t arms) noexcept {
    active_arms_.store(arms, std::memory_order_release);
  }
  [[nodiscard]] bool is_active(ArmIndex arm) const noexcept {
    return arm.value() < ArmTable::kMost &&
           ((active_arms_.load(std::memory_order_acquire) >> arm.value()) & 1U) != 0;
  }
  /// Where the thread's next query goes; null where the lane is full. `push` follows.
  [[nodiscard]] UnjudgedQuery* next() noexcept {
    const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
    if (pushed - drained_seen_ == kRoom) {
      drained_seen_ = drained_.load(std::memory_order_acquire);
      if (pushed - drained_seen_ == kRoom) return nullptr;
    }
    return &queries_[pushed % kRoom];
  }
  void push() noexcept {
    pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// Queries ever pushed. Any thread.
  [[nodiscard]] std::uint64_t pushed() const noexcept {
    return pushed_.load(std::memory_order_acquire);
  }
  /// Hands over what was pushed before the call. One thread at a time; `use` must not throw.
  template <class Use>
  void drain(Use&& use) {
    std::uint64_t drained = drained_.load(std::memory_order_relaxed);
    const std::uint64_t end = pushed();
    if (drained == end) return;
    for (; drained < end; ++drained) use(queries_[drained % kRoom]);
    drained_.store(end, std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t kRoom = 120;

  std::atomic<std::uint64_t> pushed_{0};
  std::uint64_t drained_seen_ = 0;             // the writer's
  std::atomic<std::uint64_t> active_arms_{0};  // a bit each
  alignas(64) std::atomic<std::uint64_t> drained_{0};
  alignas(64) std::array<UnjudgedQuery, kRoom> queries_{};
};

static_assert(sizeof(UnjudgedLane) == alignof(UnjudgedLane), "within a page");

/// A lane for each thread that has a number. They stand beside the ring because taking a turn among
/// all threads costs more than everything else that is done for an unjudged query.
class UnjudgedLanes {
 public:
  UnjudgedLanes() : lanes_(std::make_unique<Lanes>()) {}

  /// A bit for each arm whose queries are counted here.
  void set_active(std::uint64_t arms) noexcept {
    for (UnjudgedLane& lane : *lanes_) lane.set_active(arms);
  }

  /// The calling thread's, or null.
  [[nodiscard]] UnjudgedLane* mine() noexcept {
    const std::uint32_t number = thread_number();
    return number < lanes_->size() ? &(*lanes_)[number] : nullptr;
  }
  /// Queries ever pushed. Any thread.
  [[nodiscard]] std::uint64_t pushed() const noexcept {
    std::uint64_t sum = 0;
    for (const UnjudgedLane& lane : *lanes_) sum += lane.pushed();
    return sum;
  }
  template <class Use>
  void drain(const Use& use) {
    for (UnjudgedLane& lane : *lanes_) lane.drain(use);
  }

 private:
  using Lanes = std::array<UnjudgedLane, kThreadNumbers>;
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace prescope
