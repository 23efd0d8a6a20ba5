#include "statistics/latency_blocks.h"

#include <numeric>

#include "statistics/latency_sketch.h"

namespace prescope {

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t kFailedRange = LatencySketch::kRanges;

/// The limits of PairedLatency.
constexpr std::size_t kFewestBlocks = 30;
constexpr double kMostAutocorrelation = 0.1;

/// Equal values have no deviation, although their mean is rounded.
double deviation(double value, double mean) noexcept {
  const double difference = value - mean;
  return std::abs(difference) < 1e-12 ? 0.0 : difference;
}

/// Returns the range that the quantile falls into, `counts` having `n` >= 1 in all.
std::size_t range_of_quantile(std::span<const std::uint64_t> counts, std::uint64_t n, double q) {
  const auto before = static_cast<std::uint64_t>(q * static_cast<double>(n - 1));
  std::uint64_t passed = 0;
  std::size_t range = 0;
  while ((passed += counts[range]) <= before) ++range;
  return range;
}

nanoseconds low_end(std::size_t range) {
  return range == kFailedRange ? LatencySketch::kNever : LatencySketch::value_of_range(range);
}

/// The last range before the failures has no upper bound.
nanoseconds high_end(std::size_t range) {
  return range + 1 >= kFailedRange ? LatencySketch::kNever : LatencySketch::value_of_range(range);
}

}  // namespace

double lag1_autocorrelation(std::span<const double> values) noexcept {
  if (values.size() < 2) return 0.0;
  const double mean = mean_of(values);
  double squares = 0.0, products = 0.0, before = 0.0;
  for (const double value : values) {
    const double from_mean = deviation(value, mean);
    squares += from_mean * from_mean;
    products += before * from_mean;
    before = from_mean;
  }
  return squares > 0.0 ? products / squares : 0.0;
}

QuantileCheck check_quantile(std::span<const double> shares, double q,
                             std::uint64_t requests_per_block) noexcept {
  const auto blocks = static_cast<double>(shares.size());
  QuantileCheck check{
      .q = q, .mean = mean_of(shares), .autocorrelation = lag1_autocorrelation(shares)};
  double squares = 0.0, largest = 0.0;
  for (const double share : shares) {
    const double square = std::pow(deviation(share, check.mean), 2.0);
    squares += square;
    largest = std::max(largest, square);
  }
  if (squares > 0.0) check.largest_block = largest / squares;
  const double by_blocks = std::sqrt(squares / (blocks - 1.0) / blocks);
  const double n = blocks * static_cast<double>(requests_per_block);
  check.standard_error = std::max(by_blocks, std::sqrt(q * (1.0 - q) / n));
  check.effective_n = q * (1.0 - q) / (check.standard_error * check.standard_error);
  return check;
}

bool QuantileCheck::accepts(double t) const noexcept {
  return std::abs(mean - q) <= t * standard_error;
}

bool QuantileCheck::is_estimable() const noexcept {
  constexpr double kMostDependent = 0.2, kFewestInTail = 20.0;
  return autocorrelation <= kMostDependent && largest_block <= kMostDependent &&
         effective_n * std::min(q, 1.0 - q) >= kFewestInTail;
}

LatencyBlocks::LatencyBlocks() : current_(kFailedRange + 1), all_(kFailedRange + 1) {}

void LatencyBlocks::add(nanoseconds duration) { count(LatencySketch::range_of(duration)); }

void LatencyBlocks::add_failure() { count(kFailedRange); }

/// Makes the next block before it counts, so that a search for which memory runs out changes
/// nothing.
void LatencyBlocks::count(std::size_t range) {
  Counts next;
  if (in_current_ + 1 >= length_) {
    next.resize(kFailedRange + 1);
    full_.reserve(kMost);
  }
  ++current_[range];
  ++all_[range];
  if (++in_current_ < length_) return;
  full_.push_back(std::move(current_));
  current_ = std::move(next);
  in_current_ = 0;
  if (full_.size() == kMost) merge_neighbours();
}

void LatencyBlocks::merge_neighbours() {
  for (std::size_t i = 0; i < full_.size() / 2; ++i) {
    Counts& merged = full_[2 * i];
    const Counts& next = full_[2 * i + 1];
    for (std::size_t range = 0; range < merged.size(); ++range) merged[range] += next[range];
    if (i > 0) full_[i] = std::move(merged);
  }
  full_.resize(full_.size() / 2);
  length_ *= 2;
}

std::optional<QuantileInterval> LatencyBlocks::interval(double q) const {
  if (full_.size() < kFewest) return std::nullopt;
  std::vector<std::uint64_t> in_full = all_;
  for (std::size_t i = 0; i < in_full.size(); ++i) in_full[i] -= current_[i];
  const std::uint64_t n = full_.size() * length_;
  const std::size_t estimate = range_of_quantile(in_full, n, q);

  std::vector<Counts> up_to = full_;  // the requests in each range and those below it
  for (Counts& block : up_to) std::partial_sum(block.begin(), block.end(), block.begin());
  // Checks the shares of each block's requests in the first `ranges` ranges.
  const auto check = [&](std::size_t ranges) {
    std::vector<double> shares;
    for (const Counts& block : up_to) {
      const double count = ranges == 0 ? 0.0 : block[ranges - 1];
      shares.push_back(count / static_cast<double>(length_));
    }
    return check_quantile(shares, q, length_);
  };
  // Both ends of the estimate's range.
  std::size_t low = estimate, high = estimate + 1;
  if (!check(low).is_estimable() || !check(high).is_estimable()) return std::nullopt;
  const double t = student_t_quantile(0.975, static_cast<double>(full_.size() - 1));
  while (low > 0 && check(low).accepts(t)) --low;
  while (high <= kFailedRange && check(high).accepts(t)) ++high;
  // The block that is not full may have moved the quantile.
  const std::size_t of_all = range_of_quantile(all_, n + in_current_, q);
  return QuantileInterval{low_end(std::min(low, of_all)), high_end(std::max(high - 1, of_all))};
}

void PairedLatency::add(double log_ratio) {
  constexpr std::size_t kMostBlocks = 1024;
  pairs_.add(log_ratio);
  current_sum_ += log_ratio;
  if (++in_current_ < length_) return;
  means_.push_back(current_sum_ / length_);
  current_sum_ = 0.0;
  in_current_ = 0;
  if (means_.size() == kMostBlocks) merge_neighbours();
  while (means_.size() >= kFewestBlocks && lag1_autocorrelation(means_) > kMostAutocorrelation) {
    merge_neighbours();
  }
}

void PairedLatency::merge_neighbours() noexcept {
  if (means_.size() % 2 == 1) {  // the last one begins the block that is not full
    current_sum_ += means_.back() * length_;
    in_current_ += length_;
    means_.pop_back();
  }
  for (std::size_t i = 0; i < means_.size() / 2; ++i) {
    means_[i] = (means_[2 * i] + means_[2 * i + 1]) / 2.0;
  }
  means_.resize(means_.size() / 2);
  length_ *= 2;
}

double PairedLatency::log_e() const noexcept {
  return ConfidenceSequence{.b_squared = 2.0}.log_e_value(pairs_);
}

LatencyRatio live_latency_ratio(const PairedLatency& latency, double alpha) {
  const std::span<const double> means = latency.block_means();
  LatencyRatio ratio{.pairs = latency.pairs().n(),
                     .log_e = latency.log_e(),
                     .blocks = static_cast<std::uint32_t>(means.size()),
                     .pairs_in_block = latency.pairs_in_block()};
  if (ratio.pairs > 0) ratio.mean = std::exp(latency.pairs().mean());
  if (means.size() < kFewestBlocks || lag1_autocorrelation(means) > kMostAutocorrelation) {
    return ratio;
  }
  TopicSums blocks;
  for (const double mean : means) blocks.add(mean);
  ratio.mean = std::exp(blocks.mean());
  const ConfidenceSequence sequence{.alpha = alpha, .b_squared = 0.1};
  if (const std::optional<double> half_width = sequence.half_width(blocks)) {
    ratio.low = std::exp(blocks.mean() - *half_width);
    ratio.high = std::exp(blocks.mean() + *half_width);
  }
  return ratio;
}

}  // namespace prescope
