#include "core/judged_positions.h"

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PRESCOPE_HAS_AVX2_PATH 1
#include <immintrin.h>
#endif

namespace prescope {
namespace {

bool is_judged(const ResolvedQrels::Topic& topic, DocId docid) noexcept {
  const std::uint32_t value = docid.value();
  const auto& prefilter = topic.prefilter;
  if ((prefilter[(value / 64) % prefilter.size()] >> (value % 64) & 1U) == 0) return false;
  return std::ranges::binary_search(topic.entries, docid, {}, &ResolvedQrels::Entry::docid);
}

#ifdef PRESCOPE_HAS_AVX2_PATH

static_assert(sizeof(DocId) == sizeof(std::uint32_t));

/// Up to here comparing with every judged document costs less than the prefilter does.
constexpr std::size_t kMostCompared = 16;

#pragma GCC push_options
#pragma GCC target("avx2,bmi")

/// Compares 32 docids at a time with all judged ones.
std::size_t positions_by_comparing(const ResolvedQrels::Topic& topic, const DocId* docids,
                                   std::size_t count, std::uint32_t* positions) noexcept {
  constexpr std::size_t kBlock = 32;
  const std::size_t entries = topic.entries.size();
  __m256i judged[kMostCompared];
  for (std::size_t e = 0; e < entries; ++e) {
    judged[e] = _mm256_set1_epi32(static_cast<int>(topic.entries[e].docid.value()));
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += kBlock) {
    const auto* const block = reinterpret_cast<const __m256i*>(docids + i);
    const __m256i a = _mm256_loadu_si256(block), b = _mm256_loadu_si256(block + 1),
                  c = _mm256_loadu_si256(block + 2), d = _mm256_loadu_si256(block + 3);
    __m256i in_a = _mm256_setzero_si256(), in_b = in_a, in_c = in_a, in_d = in_a;
    for (std::size_t e = 0; e < entries; ++e) {
      in_a = _mm256_or_si256(in_a, _mm256_cmpeq_epi32(a, judged[e]));
      in_b = _mm256_or_si256(in_b, _mm256_cmpeq_epi32(b, judged[e]));
      in_c = _mm256_or_si256(in_c, _mm256_cmpeq_epi32(c, judged[e]));
      in_d = _mm256_or_si256(in_d, _mm256_cmpeq_epi32(d, judged[e]));
    }
    const __m256i any = _mm256_or_si256(_mm256_or_si256(in_a, in_b), _mm256_or_si256(in_c, in_d));
    if (_mm256_testz_si256(any, any) != 0) continue;
    const auto lanes = [](__m256i mask) {
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
    };
    std::uint32_t bits = lanes(in_a) | lanes(in_b) << 8U | lanes(in_c) << 16U | lanes(in_d) << 24U;
    for (; bits != 0; bits &= bits - 1) {
      positions[found++] = static_cast<std::uint32_t>(i) + _tzcnt_u32(bits);
    }
  }
  return found;
}

#pragma GCC pop_options

bool has_avx2() noexcept {
  static const bool kHasIt = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
  return kHasIt;
}

#endif

}  // namespace

std::size_t judged_positions_by_prefilter(const ResolvedQrels::Topic& topic,
                                          std::span<const DocId> docids,
                                          std::uint32_t* positions) noexcept {
  std::size_t found = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    if (is_judged(topic, docids[i])) positions[found++] = static_cast<std::uint32_t>(i);
  }
  return found;
}

std::size_t judged_positions(const ResolvedQrels::Topic& topic, std::span<const DocId> docids,
                             std::uint32_t* positions) noexcept {
#ifdef PRESCOPE_HAS_AVX2_PATH
  if (topic.entries.size() <= kMostCompared && has_avx2()) {
    const std::size_t whole = docids.size() - docids.size() % 32;
    std::size_t found = positions_by_comparing(topic, docids.data(), whole, positions);
    const std::size_t rest =
        judged_positions_by_prefilter(topic, docids.subspan(whole), positions + found);
    for (const std::size_t end = found + rest; found < end; ++found) {
      positions[found] += static_cast<std::uint32_t>(whole);
    }
    return found;
  }
#endif
  return judged_positions_by_prefilter(topic, docids, positions);
}

}  // namespace prescope
