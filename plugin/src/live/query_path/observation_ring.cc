#include "live/query_path/observation_ring.h"

#include <cstring>

namespace prescope {

namespace {

// A record is a header word and its bytes. The word is 0 until the record is committed, because the
// consumer zeroes what it has read; then it holds the size of header and bytes, and the kind.
constexpr std::uint64_t kPadding = std::uint64_t{1} << 63U;
constexpr std::uint64_t kSizeMask = kPadding - 1;

}  // namespace

ObservationRing::ObservationRing(std::size_t capacity)
    : capacity_(capacity),
      words_(std::make_unique<std::uint64_t[]>(capacity / sizeof(std::uint64_t))),
      buffer_(reinterpret_cast<std::byte*>(words_.get())) {}

std::byte* ObservationRing::claim_elsewhere(std::uint64_t bytes) noexcept {
  if (bytes > largest()) return nullptr;
  std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  std::uint64_t padding = 0;
  do {
    // The head is read after the tail, so that what is used is never overestimated: full means
    // full. Only here: the consumer's line of the cache is far from the producers.
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    known_head_.store(head, std::memory_order_release);
    const std::uint64_t to_end = capacity_ - (tail & (capacity_ - 1));
    padding = bytes > to_end ? to_end : 0;
    if (!is_enough(tail + padding + bytes, head)) return nullptr;
  } while (!tail_.compare_exchange_weak(tail, tail + padding + bytes, std::memory_order_relaxed));

  std::byte* const record = buffer_ + (tail & (capacity_ - 1));
  if (padding == 0) return record + kHeader;
  header_of(record).store(kPadding | padding, std::memory_order_release);
  return buffer_ + kHeader;
}

std::byte* ObservationRing::front() noexcept {
  const std::uint64_t head = head_.load(std::memory_order_relaxed);
  if (head == tail_.load(std::memory_order_acquire)) return nullptr;
  std::byte* record = buffer_ + (head & (capacity_ - 1));
  return header_of(record).load(std::memory_order_acquire) == 0 ? nullptr : record;
}

void ObservationRing::pop(std::byte* record) noexcept {
  const std::uint64_t size = header_of(record).load(std::memory_order_relaxed) & kSizeMask;
  std::memset(record, 0, size);
  head_.fetch_add(size, std::memory_order_release);
}

bool ObservationRing::is_padding(const std::byte* record) noexcept {
  return (*reinterpret_cast<const std::uint64_t*>(record) & kPadding) != 0;
}

}  // namespace prescope
