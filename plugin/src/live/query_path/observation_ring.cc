#include "live/query_path/observation_ring.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace prescope {

namespace {

// A record is a header word and its bytes. The word is 0 until the record is committed, because the
// consumer zeroes the bytes that it has read; then it holds the size of header and bytes, and the
// kind.
constexpr std::uint64_t kPaddingBit = std::uint64_t{1} << 63U;
constexpr std::uint64_t kSizeMask = kPaddingBit - 1;

std::atomic_ref<std::uint64_t> header_of(std::byte* record) noexcept {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(record));
}

std::uint64_t with_header(std::size_t size) noexcept {
  return sizeof(std::uint64_t) + ((size + 7) & ~std::size_t{7});
}

/// Copies the values to `place`, lets the span refer to the copy, and moves `place` behind it.
template <class T>
void move_span(std::span<const T>& values, std::byte*& place) noexcept {
  auto* const copy = reinterpret_cast<T*>(place);
  std::ranges::copy(values, copy);
  values = {copy, values.size()};
  place += values.size_bytes();
}

}  // namespace

ObservationRing::ObservationRing(std::size_t capacity)
    : capacity_(capacity),
      words_(std::make_unique<std::uint64_t[]>(capacity / sizeof(std::uint64_t))),
      buffer_(reinterpret_cast<std::byte*>(words_.get())) {}

std::byte* ObservationRing::claim(std::size_t size) noexcept {
  const std::uint64_t bytes = with_header(size);
  if (size > max_record()) return nullptr;
  std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  std::uint64_t padding = 0;
  do {
    // The head is read after the tail, so that the used size is never overestimated. The difference
    // is signed: a tail that was read a while ago may be behind the head.
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    const std::uint64_t to_end = capacity_ - (tail & (capacity_ - 1));
    padding = bytes > to_end ? to_end : 0;
    const auto used = static_cast<std::int64_t>(tail + padding + bytes - head);
    if (used > static_cast<std::int64_t>(capacity_)) return nullptr;
  } while (!tail_.compare_exchange_weak(tail, tail + padding + bytes, std::memory_order_relaxed));

  std::byte* const record = buffer_ + (tail & (capacity_ - 1));
  if (padding == 0) return record + kHeader;
  header_of(record).store(kPaddingBit | padding, std::memory_order_release);
  return buffer_ + kHeader;
}

void ObservationRing::commit(std::byte* record, std::size_t size) noexcept {
  header_of(record - kHeader).store(with_header(size), std::memory_order_release);
}

bool ObservationRing::push(const Observation& observation) noexcept {
  const std::size_t bytes = sizeof(Observation) + observation.hits.size_bytes() +
                            observation.captured_docids.size_bytes() +
                            observation.captured_keys.size_bytes() + observation.query.size();
  std::byte* const record = claim(bytes);
  if (record == nullptr) return false;
  auto* const copy = new (record) Observation(observation);
  std::byte* behind = record + sizeof(Observation);
  move_span(copy->hits, behind);
  move_span(copy->captured_keys, behind);
  move_span(copy->captured_docids, behind);
  std::ranges::copy(observation.query, reinterpret_cast<char*>(behind));
  copy->query = {reinterpret_cast<const char*>(behind), observation.query.size()};
  commit(record, bytes);
  return true;
}

void ObservationRing::drain(const std::function<void(const std::byte*)>& use) {
  const std::uint64_t end = claimed();
  for (std::uint64_t head = drained(); head < end; head = drained()) {
    std::byte* const record = buffer_ + (head & (capacity_ - 1));
    const std::uint64_t header = header_of(record).load(std::memory_order_acquire);
    if (header == 0) break;
    if ((header & kPaddingBit) == 0) use(record + kHeader);
    std::memset(record, 0, header & kSizeMask);
    head_.fetch_add(header & kSizeMask, std::memory_order_release);
  }
}

}  // namespace prescope
