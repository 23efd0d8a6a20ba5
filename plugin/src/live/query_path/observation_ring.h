#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "live/query_path/prefetch.h"

namespace prescope {

/// A bounded queue of variable-sized records from many producers to one consumer, in one buffer
/// allocated up front. Producers never lock, allocate or wait: they claim room, write into it, and
/// commit; a claim fails when there is no room. Records are read in the order of their claims.
class ObservationRing {
 public:
  /// `capacity` in bytes, a power of two, >= 1024.
  explicit ObservationRing(std::size_t capacity);

  /// In bytes.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// The largest record that can be claimed.
  [[nodiscard]] std::size_t max_record() const noexcept { return capacity_ / 4; }

  /// `size` zeroed bytes, aligned to 8, or null where there is no room; they are not touched. Each
  /// claim must be committed, with its size, soon: the consumer waits for it. Lock-free; any
  /// thread.
  [[nodiscard]] std::byte* claim(std::size_t size) noexcept {
    std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const std::uint64_t bytes = bytes_of(size), at = tail & (capacity_ - 1);
    if (bytes <= largest() && at + bytes <= capacity_ &&
        is_enough(tail + bytes, known_head_.load(std::memory_order_acquire)) &&
        tail_.compare_exchange_strong(tail, tail + bytes, std::memory_order_relaxed)) [[likely]] {
      return buffer_ + at + kHeader;
    }
    return claim_elsewhere(bytes);
  }
  static void commit(std::byte* record, std::size_t size) noexcept {
    header_of(record - kHeader).store(bytes_of(size), std::memory_order_release);
  }
  /// Fetches what the next claim changes, without waiting for it.
  void prefetch() const noexcept { prefetch_to_change(&tail_); }

  /// Hands committed records to `use(std::byte*)`, those claimed before the call, until it meets a
  /// claim that is not yet committed; returns how many. Ends however fast producers are. One
  /// consumer at a time. `use` must not throw.
  template <class Use>
  std::size_t drain(Use&& use) {
    std::size_t records = 0;
    const std::uint64_t end = claimed();
    while (drained() < end) {
      std::byte* record = front();
      if (record == nullptr) break;
      if (!is_padding(record)) {
        use(record + kHeader);
        ++records;
      }
      pop(record);
    }
    return records;
  }

  /// Bytes ever claimed and ever drained; equal when empty. Any thread.
  [[nodiscard]] std::uint64_t claimed() const noexcept {
    return tail_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t drained() const noexcept {
    return head_.load(std::memory_order_acquire);
  }

 private:
  static constexpr std::size_t kHeader = 8;

  [[nodiscard]] static std::uint64_t bytes_of(std::size_t size) noexcept {
    return kHeader + ((size + 7) & ~std::size_t{7});
  }
  [[nodiscard]] std::uint64_t largest() const noexcept { return max_record() + kHeader; }
  [[nodiscard]] static std::atomic_ref<std::uint64_t> header_of(std::byte* record) noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(record));
  }
  /// Whether the tail may come so far. Signed: one that was read a while ago may be behind the
  /// head.
  [[nodiscard]] bool is_enough(std::uint64_t tail, std::uint64_t head) const noexcept {
    return static_cast<std::int64_t>(tail - head) <= static_cast<std::int64_t>(capacity_);
  }
  /// For a record that would go over the end, a head that has moved, a tail that others move.
  [[nodiscard]] std::byte* claim_elsewhere(std::uint64_t bytes) noexcept;

  std::byte* front() noexcept;
  void pop(std::byte* record) noexcept;
  static bool is_padding(const std::byte* record) noexcept;

  // All that a producer needs, in one line of the cache.
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::atomic<std::uint64_t> known_head_{0};  // as a producer saw it; at most head_
  std::size_t capacity_;
  std::unique_ptr<std::uint64_t[]> words_;
  std::byte* buffer_;

  alignas(64) std::atomic<std::uint64_t> head_{0};  // the consumer's
};

}  // namespace prescope
