#include "live/observation_ring.h"

#include <cstring>

#include "core/code_placement.h"

namespace prescope {
namespace {

// A record is a header word and its bytes. The word is 0 until the record is committed, because the
// consumer zeroes what it has read; then it holds the size of header and bytes, and the kind.
constexpr std::uint64_t kPadding = std::uint64_t{1} << 63U;
constexpr std::uint64_t kClaimed = std::uint64_t{1} << 62U;
constexpr std::uint64_t kSizeMask = kClaimed - 1;

std::atomic_ref<std::uint64_t> header_of(std::byte* record) noexcept {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(record));
}

}  // namespace

ObservationRing::ObservationRing(std::size_t capacity)
    : capacity_(capacity),
      words_(std::make_unique<std::uint64_t[]>(capacity / sizeof(std::uint64_t))),
      buffer_(reinterpret_cast<std::byte*>(words_.get())) {}

PRESCOPE_QUERY_PATH std::byte* ObservationRing::claim(std::size_t size) noexcept {
  const std::uint64_t needed = kHeader + ((size + 7) & ~std::size_t{7});
  if (needed > max_record() + kHeader) return nullptr;
  std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  std::uint64_t padding = 0;
  do {
    // The head is read after the tail, so that `used` is never overestimated: full means full.
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    const auto used = static_cast<std::int64_t>(tail - head);
    const std::uint64_t to_end = capacity_ - (tail & (capacity_ - 1));
    padding = needed > to_end ? to_end : 0;
    if (used + static_cast<std::int64_t>(needed + padding) > static_cast<std::int64_t>(capacity_)) {
      return nullptr;
    }
  } while (!tail_.compare_exchange_weak(tail, tail + padding + needed, std::memory_order_relaxed));

  std::byte* record = buffer_ + (tail & (capacity_ - 1));
  if (padding != 0) {
    header_of(record).store(kPadding | padding, std::memory_order_release);
    record = buffer_;
  }
  header_of(record).store(kClaimed | needed, std::memory_order_relaxed);
  return record + kHeader;
}

PRESCOPE_QUERY_PATH void ObservationRing::commit(std::byte* record) noexcept {
  const auto header = header_of(record - kHeader);
  header.store(header.load(std::memory_order_relaxed) & ~kClaimed, std::memory_order_release);
}

std::byte* ObservationRing::front() noexcept {
  const std::uint64_t head = head_.load(std::memory_order_relaxed);
  if (head == tail_.load(std::memory_order_acquire)) return nullptr;
  std::byte* record = buffer_ + (head & (capacity_ - 1));
  const std::uint64_t header = header_of(record).load(std::memory_order_acquire);
  return header == 0 || (header & kClaimed) != 0 ? nullptr : record;
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
