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

constexpr std::size_t kLastRange = LatencySketch::kRanges - 1;

/// The bucket of a range other than the first and the last.
int bucket_of_range(std::size_t range) noexcept {
  return static_cast<int>(range) - 1 + kFirstBucket;
}

}  // namespace

LatencySketch::LatencySketch() : counts_(kRanges) {
  static_assert(kRanges == kLastBucket - kFirstBucket + 3);
}

std::size_t LatencySketch::range_of(nanoseconds duration) noexcept {
  if (duration < kSmallest) return 0;
  if (duration > kLargest) return kLastRange;
  return static_cast<std::size_t>(bucket_of(duration) - kFirstBucket) + 1;
}

nanoseconds LatencySketch::value_of_range(std::size_t range) noexcept {
  if (range == 0) return nanoseconds{0};
  if (range == kLastRange) return kLargest;
  return nanoseconds{std::llround(value_ms_of(bucket_of_range(range)) * 1e6)};
}

void LatencySketch::add(nanoseconds duration) noexcept {
  min_ = !has_durations() ? duration : std::min(min_, duration);
  max_ = !has_durations() ? duration : std::max(max_, duration);
  ++count_;
  ++counts_[range_of(duration)];
}

std::optional<nanoseconds> LatencySketch::at_rank(std::uint64_t rank) const noexcept {
  if (rank < 1 || rank > count_) return std::nullopt;
  if (rank > count_ - failures_) return kNever;
  std::uint64_t passed = 0;
  std::size_t range = 0;
  while ((passed += counts_[range]) < rank) ++range;
  if (range == 0) return min_;
  return range == kLastRange ? max_ : std::clamp(value_of_range(range), min_, max_);
}

double LatencySketch::sum_ms() const noexcept {
  // Values are not clamped as quantiles are, because a new minimum would then let the sum fall.
  double sum = 0.0;
  for (std::size_t range = 1; range < kLastRange; ++range) {
    if (counts_[range] == 0) continue;
    sum += static_cast<double>(counts_[range]) * value_ms_of(bucket_of_range(range));
  }
  return sum + static_cast<double>(counts_[kLastRange]) * in_ms(max_);
}

std::vector<LatencyBucket> LatencySketch::buckets() const {
  std::vector<LatencyBucket> filled;
  for (std::size_t range = 0; range < kRanges; ++range) {
    if (counts_[range] == 0) continue;
    const double end_ms = range == 0            ? 0.0
                          : range == kLastRange ? in_ms(nanoseconds::max())
                                                : end_ms_of(bucket_of_range(range));
    filled.push_back({.at_most_ms = end_ms, .count = counts_[range]});
  }
  if (failures_ > 0) {
    filled.push_back({.at_most_ms = std::numeric_limits<double>::infinity(), .count = failures_});
  }
  return filled;
}

bool LatencySketch::is_sound() const noexcept {
  if (!has_durations()) return min_ == nanoseconds{} && max_ == nanoseconds{};
  const auto is_filled = [](std::uint64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts_, is_filled);
  const auto last = std::ranges::find_if(counts_ | std::views::reverse, is_filled).base() - 1;
  // One range off, because another machine's logarithm may have put a duration at its border. The
  // borders of the first and the last range are exact.
  const auto is_in = [&](nanoseconds duration, auto at) {
    const auto range = static_cast<std::ptrdiff_t>(range_of(duration)),
               filled = at - counts_.begin();
    return (range == 0) == (filled == 0) && (range == kLastRange) == (filled == kLastRange) &&
           std::abs(range - filled) <= 1;
  };
  return min_ <= max_ && is_in(min_, first) && is_in(max_, last);
}

std::string LatencySketch::bytes() const {
  std::string bytes(1, kSketchFormat);
  for (const std::uint64_t number : {count_, failures_, counts_.front(), counts_.back()}) {
    append_varint(bytes, number);
  }
  if (!has_durations()) return bytes;
  append_varint(bytes, static_cast<std::uint64_t>(min_.count()));
  append_varint(bytes, static_cast<std::uint64_t>(max_.count()));
  std::size_t next = 1;
  for (std::size_t range = 1; range < kLastRange; ++range) {
    if (counts_[range] == 0) continue;
    append_varint(bytes, range - next);
    append_varint(bytes, counts_[range]);
    next = range + 1;
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
  next_counter(sketch.failures_);
  next_counter(sketch.counts_.front());
  next_counter(sketch.counts_.back());
  if (fits && !left.empty()) {
    sketch.min_ = nanoseconds{static_cast<std::int64_t>(next())};
    sketch.max_ = nanoseconds{static_cast<std::int64_t>(next())};
  }
  for (std::size_t range = 1; fits && !left.empty(); ++range) {
    const std::uint64_t gap = next();
    if (gap >= kLastRange - range) return std::nullopt;
    range += gap;
    next_counter(sketch.counts_[range]);
  }
  // Bytes that say the same in another way are not of this format.
  const bool is_sketch =
      fits && sketch.count_ == count && sketch.is_sound() && sketch.bytes() == bytes;
  return is_sketch ? std::optional(sketch) : std::nullopt;
}

}  // namespace prescope
