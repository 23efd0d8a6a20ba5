#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "prescope/observation.h"

namespace prescope {

/// A bounded queue of variable-sized records from many producers to one consumer, in one buffer
/// that is allocated up front. Producers never lock, allocate or wait: they claim room, copy a
/// record into it, and commit. Records are read in the order of their claims.
class ObservationRing {
 public:
  /// `capacity` in bytes, a power of two, >= 1024.
  explicit ObservationRing(std::size_t capacity);

  /// Capacity in bytes.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// The largest record that can be claimed.
  [[nodiscard]] std::size_t max_record() const noexcept { return capacity_ / 4; }

  /// Returns `size` zeroed bytes, aligned to 8, or null if there is no room. Each claim must be
  /// committed, with its size, soon: the consumer waits for it. Lock-free; any thread.
  [[nodiscard]] std::byte* claim(std::size_t size) noexcept;
  static void commit(std::byte* record, std::size_t size) noexcept;

  /// Copies an observation and its spans into the queue; returns false if there is no room.
  /// Lock-free; any thread.
  [[nodiscard]] bool push(const Observation& observation) noexcept;

  /// Passes the committed records that were claimed before the call to `use`, up to the first claim
  /// that is not yet committed. One consumer at a time. `use` must not throw.
  void drain(const std::function<void(const std::byte*)>& use);

  /// Bytes claimed and drained in total; equal when the queue is empty. Any thread.
  [[nodiscard]] std::uint64_t claimed() const noexcept {
    return tail_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t drained() const noexcept {
    return head_.load(std::memory_order_acquire);
  }

 private:
  static constexpr std::size_t kHeader = 8;

  alignas(64) std::atomic<std::uint64_t> tail_{0};  // of the producers; the rest never changes
  std::size_t capacity_;
  std::unique_ptr<std::uint64_t[]> words_;
  std::byte* buffer_;
  alignas(64) std::atomic<std::uint64_t> head_{0};  // the consumer's
};

}  // namespace prescope
