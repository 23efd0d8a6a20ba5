#include "core/latency_sketch.h"
#include "core/varint.h"

namespace prescope {
namespace {

using std::chrono::nanoseconds;

/// The first byte: how the rest is written.
constexpr char kSketchFormat = 1;

/// Numbers off the front of bytes; once one is missing, all that follow are.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t next() {
    const auto number = take_varint(bytes_);
    is_sound_ = is_sound_ && number.has_value();
    return is_sound_ ? *number : 0;
  }
  [[nodiscard]] bool is_sound() const noexcept { return is_sound_; }
  [[nodiscard]] bool has_more() const noexcept { return is_sound_ && !bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_sound_ = true;
};

/// Adds to a sum; false where it would pass 64 bits.
bool add_to(std::uint64_t& sum, std::uint64_t number) noexcept {
  return !__builtin_add_overflow(sum, number, &sum);
}

}  // namespace

std::string LatencySketch::bytes() const {
  std::string bytes(1, kSketchFormat);
  for (const std::uint64_t number : {count_, failures_, below_, above_}) {
    append_varint(bytes, number);
  }
  if (!has_durations()) return bytes;
  append_varint(bytes, static_cast<std::uint64_t>(min_.count()));
  append_varint(bytes, static_cast<std::uint64_t>(max_.count()));
  std::size_t next = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    append_varint(bytes, i - next);
    append_varint(bytes, buckets_[i]);
    next = i + 1;
  }
  return bytes;
}

std::optional<LatencySketch> LatencySketch::from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kSketchFormat)) return std::nullopt;
  NumberReader numbers(bytes.substr(1));
  LatencySketch sketch;
  const std::uint64_t count = numbers.next();
  bool fits = true;
  for (std::uint64_t* counter : {&sketch.failures_, &sketch.below_, &sketch.above_}) {
    *counter = numbers.next();
    fits = fits && add_to(sketch.count_, *counter);
  }
  if (numbers.has_more()) {
    sketch.min_ = nanoseconds{static_cast<std::int64_t>(numbers.next())};
    sketch.max_ = nanoseconds{static_cast<std::int64_t>(numbers.next())};
  }
  for (std::size_t next = 0; numbers.has_more(); ++next) {
    const std::uint64_t gap = numbers.next();
    if (gap >= sketch.buckets_.size() - next) return std::nullopt;
    next += gap;
    sketch.buckets_[next] = numbers.next();
    fits = fits && sketch.buckets_[next] > 0 && add_to(sketch.count_, sketch.buckets_[next]);
  }
  const bool is_sketch = fits && numbers.is_sound() && sketch.count_ == count && sketch.is_sound();
  // Written in another way, they are not of this format.
  return is_sketch && sketch.bytes() == bytes ? std::optional(sketch) : std::nullopt;
}

}  // namespace prescope
