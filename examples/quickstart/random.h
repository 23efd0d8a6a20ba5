#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace quickstart {

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014). Written out because the distributions of <random>
/// differ from one standard library to the next, and the same seed must give the same bytes
/// everywhere; integers only, for the same reason.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  /// Returns a number in [0, bound); bound >= 1.
  std::uint32_t below(std::size_t bound) noexcept {
    return std::uint32_t(((next() >> 32U) * bound) >> 32U);
  }
  /// Returns a number in [low, high].
  std::uint32_t between(std::uint32_t low, std::uint32_t high) noexcept {
    return low + below(high - low + 1);
  }
  /// True in `per_mille` of 1000 cases.
  bool chance(std::uint32_t per_mille) noexcept { return below(1000) < per_mille; }
  /// An independent stream, e.g. for one document.
  [[nodiscard]] static Random stream(std::uint64_t seed, std::uint64_t number) noexcept {
    return Random(Random(seed ^ (number * 0xD1342543DE82EF95U)).next());
  }

 private:
  std::uint64_t state_;
};

/// Draws 0 .. size-1 with weights 1 / (i + flatness): Zipf's law with a flattened head.
class Zipf {
 public:
  Zipf(std::size_t size, std::uint32_t flatness) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i)
      cumulative_.push_back(sum += 100'000'000 / (i + flatness));
  }
  [[nodiscard]] std::uint32_t draw(Random& random) const noexcept {
    const std::uint64_t at = random.next() % cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
    return std::uint32_t(found - cumulative_.begin());
  }

 private:
  std::vector<std::uint64_t> cumulative_;
};

}  // namespace quickstart
