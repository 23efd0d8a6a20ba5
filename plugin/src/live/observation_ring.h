#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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

  /// `size` zeroed bytes, aligned to 8, or null where there is no room. Each claim must be
  /// committed, soon: the consumer waits for it. Lock-free; any thread.
  [[nodiscard]] std::byte* claim(std::size_t size) noexcept;
  static void commit(std::byte* record) noexcept;
  /// Fetches what the next claim will read and write, without waiting for it.
  void prefetch() const noexcept {
    constexpr std::size_t kLine = 64, kLines = 4;
    __builtin_prefetch(&head_);
    const std::uint64_t next = tail_.load(std::memory_order_relaxed) & (capacity_ - 1);
    for (std::size_t i = 0; i < kLines; ++i) __builtin_prefetch(buffer_ + next + i * kLine, 1);
  }

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

  std::byte* front() noexcept;
  void pop(std::byte* record) noexcept;
  static bool is_padding(const std::byte* record) noexcept;

  std::size_t capacity_;
  std::unique_ptr<std::uint64_t[]> words_;
  std::byte* buffer_;
  alignas(64) std::atomic<std::uint64_t> tail_{0};  // producers
  alignas(64) std::atomic<std::uint64_t> head_{0};  // the consumer
};

}  // namespace prescope
