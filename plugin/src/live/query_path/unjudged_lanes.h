#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

#include "live/arms.h"
#include "live/query_path/processor_counter.h"
#include "live/query_path/thread_number.h"
#include "prescope/observation.h"

namespace prescope {

/// What is counted of an unjudged query.
struct UnjudgedQuery {
  std::int64_t latency = 0;  // in ticks or nanoseconds
  std::uint32_t self_ticks = 0;
  std::uint16_t flags = 0;
  std::uint8_t arm = 0;
  bool is_latency_in_ticks = false;

  /// For `self_ticks`.
  [[nodiscard, gnu::always_inline]] static inline std::uint32_t ticks_since(Ticks began) noexcept {
    return static_cast<std::uint32_t>(std::clamp<Ticks>(ticks_now() - began, 0, UINT32_MAX));
  }
  [[nodiscard]] Observation observation() const noexcept {
    Observation result;
    result.arm = ArmIndex(arm);
    result.latency =
        is_latency_in_ticks ? nanoseconds_of(latency) : std::chrono::nanoseconds(latency);
    result.self_time = nanoseconds_of(self_ticks);
    result.flags = RankingFlags(flags);
    return result;
  }
};
static_assert(sizeof(UnjudgedQuery) == 16);
static_assert(ArmTable::kMost <= std::numeric_limits<std::uint8_t>::max());

/// Unjudged queries of one thread on their way to the recorder: written by that thread, read by
/// one other. Neither waits, and the writer does nothing that other processors must agree to.
class alignas(2048) UnjudgedLane {
  static constexpr std::uint64_t kRoom = 120;

 public:
  /// What the writing thread needs, apart from the lane: but once in a while it only writes to the
  /// lane, which nothing waits for.
  class Writer {
   public:
    Writer() = default;
    /// After any other writer of the lane.
    explicit Writer(UnjudgedLane& lane) noexcept
        : lane_(&lane),
          pushed_(lane.pushed_.load(std::memory_order_relaxed)),
          place_(static_cast<std::uint32_t>(pushed_ % kRoom)) {}

    /// Whether the next query can be pushed.
    [[nodiscard]] bool has_room() noexcept {
      if (room_ == 0) {
        const std::uint64_t drained = lane_->drained_.load(std::memory_order_acquire);
        room_ = static_cast<std::uint32_t>(kRoom - (pushed_ - drained));
      }
      return room_ != 0;
    }
    void push(const UnjudgedQuery& query) noexcept {
      lane_->queries_[place_] = query;
      lane_->pushed_.store(++pushed_, std::memory_order_release);
      --room_;
      place_ = place_ + 1 == kRoom ? 0 : place_ + 1;
    }

   private:
    UnjudgedLane* lane_ = nullptr;
    std::uint64_t pushed_ = 0;
    std::uint32_t place_ = 0;  // of `pushed_`
    std::uint32_t room_ = 0;   // that there surely is
  };

  /// Hands over what was pushed before the call. One thread at a time; `use` must not throw.
  template <class Use>
  void drain(Use&& use) {
    std::uint64_t drained = drained_.load(std::memory_order_relaxed);
    const std::uint64_t end = pushed_.load(std::memory_order_acquire);
    if (drained == end) return;
    for (; drained < end; ++drained) use(queries_[drained % kRoom]);
    drained_.store(end, std::memory_order_release);
  }

 private:
  alignas(64) std::atomic<std::uint64_t> pushed_{0};
  alignas(64) std::atomic<std::uint64_t> drained_{0};
  alignas(64) std::array<UnjudgedQuery, kRoom> queries_{};
};

static_assert(sizeof(UnjudgedLane) == alignof(UnjudgedLane), "within a page");

/// A lane for each thread that has a number. They stand beside the ring because taking a turn among
/// all threads costs more than everything else that is done for an unjudged query.
class UnjudgedLanes {
 public:
  /// Which lane a Writer is of: lanes and threads that came later have other numbers.
  struct Key {
    std::uint64_t lanes = 0, turn = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };

  UnjudgedLanes() : lanes_(std::make_unique<Lanes>()) {}

  /// Has `writer`, which is of `key`, write to the calling thread's lane. False where it has none.
  [[nodiscard]] bool give(UnjudgedLane::Writer& writer, Key& key) noexcept {
    const ThreadNumber mine = thread_number();
    if (mine.value == kThreadNumbers) return false;
    const Key wanted{number_, mine.turn};
    if (key != wanted) {
      writer = UnjudgedLane::Writer((*lanes_)[mine.value]);
      key = wanted;
    }
    return true;
  }
  template <class Use>
  void drain(const Use& use) {
    for (UnjudgedLane& lane : *lanes_) lane.drain(use);
  }

 private:
  using Lanes = std::array<UnjudgedLane, kThreadNumbers>;
  static std::uint64_t next_number() noexcept {
    static constinit std::atomic<std::uint64_t> numbers{0};
    return numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  std::uint64_t number_ = next_number();
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace prescope
