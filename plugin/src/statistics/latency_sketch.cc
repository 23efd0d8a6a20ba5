#include "statistics/latency_sketch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <ranges>

#include "base/varint.h"

namespace prescope {

namespace {

using std::chrono::nanoseconds;

/// The first byte of a stored sketch: how the rest is written.
constexpr char kSketchFormat = 1;

// (1 + e) / (1 - e) with e = 0.01, and its natural logarithm 2 atanh(e).
constexpr double kGamma = 1.01 / 0.99;
constexpr double kLogGamma = 0.020000666706669525;

// 1 ns and 1000 s, and the buckets they fall into.
constexpr nanoseconds kSmallest{1};
constexpr nanoseconds kLargest = std::chrono::seconds{1000};
constexpr int kFirstBucket = -690;
constexpr int kLastBucket = 691;

double in_ms(nanoseconds duration) noexcept { return static_cast<double>(duration.count()) / 1e6; }

// Bucket i holds (gamma^(i-1), gamma^i] ms; the small number keeps exact powers of gamma there.
int bucket_of(nanoseconds duration) noexcept {
  return static_cast<int>(std::ceil(std::log(in_ms(duration)) / kLogGamma - 1e-12));
}

double end_ms_of(int bucket) noexcept { return std::pow(kGamma, bucket); }

// The point of the bucket that is within the relative error of both its ends.
double value_ms_of(int bucket) noexcept { return 2.0 * end_ms_of(bucket) / (kGamma + 1.0); }

nanoseconds value_of(int bucket) noexcept {
  return nanoseconds{std::llround(value_ms_of(bucket) * 1e6)};
}

}  // namespace

LatencySketch::LatencySketch() : buckets_(kLastBucket - kFirstBucket + 1) {
  static_assert(kRanges == kLastBucket - kFirstBucket + 3);
}

std::size_t LatencySketch::range_of(nanoseconds duration) noexcept {
  if (duration < kSmallest) return 0;
  if (duration > kLargest) return kRanges - 1;
  return static_cast<std::size_t>(bucket_of(duration) - kFirstBucket) + 1;
}

nanoseconds LatencySketch::value_of_range(std::size_t range) noexcept {
  if (range == 0) return nanoseconds{0};
  if (range == kRanges - 1) return kLargest;
  return value_of(static_cast<int>(range) - 1 + kFirstBucket);
}

void LatencySketch::add(nanoseconds duration) noexcept {
  min_ = !has_durations() ? duration : std::min(min_, duration);
  max_ = !has_durations() ? duration : std::max(max_, duration);
  ++count_;
  const std::size_t range = range_of(duration);
  ++(range == 0 ? below_ : range == kRanges - 1 ? above_ : buckets_[range - 1]);
}

std::optional<nanoseconds> LatencySketch::at_rank(std::uint64_t rank) const noexcept {
  if (rank < 1 || rank > count_) return std::nullopt;
  if (rank > count_ - failures_) return kNever;
  if (rank > count_ - failures_ - above_) return max_;
  if (rank <= below_) return min_;
  std::uint64_t passed = below_;
  std::size_t i = 0;
  while ((passed += buckets_[i]) < rank) ++i;
  return std::clamp(value_of(static_cast<int>(i) + kFirstBucket), min_, max_);
}

double LatencySketch::sum_ms() const noexcept {
  // Values are not clamped as quantiles are, because a new minimum would then let the sum fall.
  double sum = 0.0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    sum += static_cast<double>(buckets_[i]) * value_ms_of(static_cast<int>(i) + kFirstBucket);
  }
  return above_ == 0 ? sum : sum + static_cast<double>(above_) * in_ms(max_);
}

std::vector<LatencyBucket> LatencySketch::buckets() const {
  std::vector<LatencyBucket> filled;
  const auto add = [&filled](double at_most_ms, std::uint64_t count) {
    if (count > 0) filled.push_back({.at_most_ms = at_most_ms, .count = count});
  };
  add(0.0, below_);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] > 0) add(end_ms_of(static_cast<int>(i) + kFirstBucket), buckets_[i]);
  }
  add(in_ms(nanoseconds::max()), above_);
  add(std::numeric_limits<double>::infinity(), failures_);
  return filled;
}

bool LatencySketch::is_sound() const noexcept {
  if (!has_durations()) return below_ == 0 && above_ == 0 && min_ == max_ && max_ == nanoseconds{};
  if (min_ > max_ || (min_ < kSmallest) != (below_ > 0) || (max_ > kLargest) != (above_ > 0)) {
    return false;
  }
  const auto is_filled = [](std::uint64_t bucket) { return bucket > 0; };
  const auto first = std::ranges::find_if(buckets_, is_filled);
  if (first == buckets_.end()) return below_ + above_ > 0;
  const auto last = std::ranges::find_if(buckets_ | std::views::reverse, is_filled).base() - 1;
  // One bucket off, because another machine's logarithm may have put a duration at its border.
  const auto is_at = [&](nanoseconds duration, auto bucket) {
    return std::abs(bucket_of(duration) - kFirstBucket - (bucket - buckets_.begin())) <= 1;
  };
  return (below_ > 0 || is_at(min_, first)) && (above_ > 0 || is_at(max_, last));
}

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
  std::string_view left = bytes.substr(1);
  LatencySketch sketch;
  bool fits = true;
  const auto next = [&]() -> std::uint64_t {
    const std::optional<std::uint64_t> number = take_varint(left);
    fits = fits && number.has_value();
    return fits ? *number : 0;
  };
  const auto next_counter = [&](std::uint64_t& counter) {
    counter = next();
    sketch.count_ += counter;
    fits = fits && sketch.count_ >= counter;  // within 64 bits
  };
  const std::uint64_t count = next();
  for (auto* counter : {&sketch.failures_, &sketch.below_, &sketch.above_}) next_counter(*counter);
  if (fits && !left.empty()) {
    sketch.min_ = nanoseconds{static_cast<std::int64_t>(next())};
    sketch.max_ = nanoseconds{static_cast<std::int64_t>(next())};
  }
  for (std::size_t i = 0; fits && !left.empty(); ++i) {
    const std::uint64_t gap = next();
    if (gap >= sketch.buckets_.size() - i) return std::nullopt;
    i += gap;
    next_counter(sketch.buckets_[i]);
  }
  // Bytes that say the same in another way are not of this format.
  const bool is_sketch =
      fits && sketch.count_ == count && sketch.is_sound() && sketch.bytes() == bytes;
  return is_sketch ? std::optional(sketch) : std::nullopt;
}

}  // namespace prescope
