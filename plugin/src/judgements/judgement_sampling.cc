#include "judgements/judgement_sampling.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "base/split_mix.h"

namespace prescope {

namespace {

/// Returns the upper 64 bits of the product of `below` and 64 random bits: a number in [0, below).
std::uint32_t number_below(std::uint32_t below, SplitMix& random) noexcept {
  const std::uint64_t bits = random.next();
  const std::uint64_t carry = (bits & UINT32_MAX) * below >> 32U;
  return static_cast<std::uint32_t>(((bits >> 32U) * below + carry) >> 32U);
}

}  // namespace

std::uint32_t sample_size(std::uint32_t num_rel, double fraction,
                          SampleRounding rounding) noexcept {
  // 0.29 * 50 is 14.499... in binary, and 14.5 to people.
  constexpr double kNoise = 1e-9;
  const double exact = fraction * num_rel;
  const double size = rounding == SampleRounding::kUp     ? std::ceil(exact - kNoise)
                      : rounding == SampleRounding::kDown ? std::floor(exact + kNoise)
                                                          : std::floor(exact + 0.5 + kNoise);
  const double least = std::min(1.0, static_cast<double>(num_rel));
  return static_cast<std::uint32_t>(std::clamp(size, least, static_cast<double>(num_rel)));
}

std::uint64_t seed_of(const SampleDraw& draw, std::string_view topic) {
  return fnv_1a(fmt::format("{}|{}|{}|{}", draw.seed, draw.fraction, draw.sample, topic));
}

std::vector<std::uint32_t> sample_relevant(const SampleDraw& draw, std::string_view topic,
                                           std::uint32_t num_rel) {
  std::vector<std::uint32_t> positions(num_rel);
  std::iota(positions.begin(), positions.end(), 0U);
  const std::uint32_t size = sample_size(num_rel, draw.fraction, draw.rounding);
  if (size == num_rel) return positions;
  SplitMix random(seed_of(draw, topic));
  for (std::uint32_t i = 0; i < size; ++i) {
    std::swap(positions[i], positions[i + number_below(num_rel - i, random)]);
  }
  positions.resize(size);
  std::ranges::sort(positions);
  return positions;
}

}  // namespace prescope
