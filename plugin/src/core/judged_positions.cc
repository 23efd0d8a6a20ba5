#include "core/judged_positions.h"

#include <algorithm>

#include "core/code_placement.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PRESCOPE_HAS_AVX2_PATH 1
#include <immintrin.h>
#endif

namespace prescope {
namespace {

#ifdef PRESCOPE_HAS_AVX2_PATH

static_assert(sizeof(DocId) == sizeof(std::uint32_t));

/// Up to here comparing with every judged document costs less than the prefilter does.
constexpr std::size_t kMostCompared = 16;

#pragma GCC push_options
#pragma GCC target("avx2,bmi")

/// The lower halves of 16 docids: of the first 8 and of the others in turn.
__m256i halves(const DocId* docids) noexcept {
  const auto* const eights = reinterpret_cast<const __m256i*>(docids);
  return _mm256_blend_epi16(_mm256_loadu_si256(eights),
                            _mm256_slli_epi32(_mm256_loadu_si256(eights + 1), 16), 0xAA);
}

/// A bit for each of the 16 docids, in their order, from a comparison of their `halves`.
std::uint32_t bits(__m256i equal) noexcept {
  const int first = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(equal, 16)));
  const int others = _mm256_movemask_ps(_mm256_castsi256_ps(equal));
  return static_cast<std::uint32_t>(first | others << 8);
}

/// Compares many docids at a time with all judged ones: first their lower halves, which takes half
/// the comparisons that whole docids would. Short, and without constants in memory: when a ranking
/// comes, neither code nor constants are in the caches.
PRESCOPE_QUERY_PATH std::size_t positions_by_comparing(const ResolvedQrels::Topic& topic,
                                                       std::span<const DocId> docids,
                                                       JudgedPosition* found) noexcept {
  constexpr std::size_t kBlock = 32;
  const std::span<const ResolvedQrels::Entry> entries = topic.entries;
  if (entries.size() > kMostCompared || docids.size() < kBlock) {
    return judged_positions_by_prefilter(topic, docids, found);
  }
  JudgedPosition* end = found;
  for (std::size_t i = 0; i < docids.size(); i += kBlock) {
    const std::size_t begin = std::min(i, docids.size() - kBlock);
    const __m256i a = halves(&docids[begin]), b = halves(&docids[begin + 16]);
    __m256i in_a = _mm256_setzero_si256(), in_b = in_a;
    for (const ResolvedQrels::Entry& entry : entries) {
      const __m256i half = _mm256_set1_epi16(static_cast<short>(entry.docid.value()));
      in_a = _mm256_or_si256(in_a, _mm256_cmpeq_epi16(a, half));
      in_b = _mm256_or_si256(in_b, _mm256_cmpeq_epi16(b, half));
    }
    const __m256i any = _mm256_or_si256(in_a, in_b);
    if (_mm256_testz_si256(any, any) != 0) [[likely]]
      continue;
    std::uint32_t alike = (bits(in_a) | bits(in_b) << 16) & ~std::uint32_t{0} << (i - begin);
    for (; alike != 0; alike &= alike - 1) {
      const std::size_t position = begin + _tzcnt_u32(alike);
      for (std::size_t e = 0; e < entries.size(); ++e) {
        if (entries[e].docid != docids[position]) continue;
        *end++ = {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(e)};
        break;
      }
    }
  }
  return static_cast<std::size_t>(end - found);
}

#pragma GCC pop_options

#endif

}  // namespace

PRESCOPE_QUERY_PATH std::size_t judged_positions_by_prefilter(const ResolvedQrels::Topic& topic,
                                                              std::span<const DocId> docids,
                                                              JudgedPosition* found) noexcept {
  const ResolvedQrels::Prefilter& prefilter = *topic.prefilter;
  JudgedPosition* end = found;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const std::uint32_t value = docids[i].value();
    if ((prefilter[(value / 64) % prefilter.size()] >> (value % 64) & 1U) == 0) continue;
    const auto entry =
        std::ranges::lower_bound(topic.entries, docids[i], {}, &ResolvedQrels::Entry::docid);
    if (entry == topic.entries.end() || entry->docid != docids[i]) continue;
    *end++ = {static_cast<std::uint32_t>(i),
              static_cast<std::uint32_t>(entry - topic.entries.begin())};
  }
  return static_cast<std::size_t>(end - found);
}

JudgedPositions quickest_judged_positions() noexcept {
#ifdef PRESCOPE_HAS_AVX2_PATH
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
    return positions_by_comparing;
  }
#endif
  return judged_positions_by_prefilter;
}

}  // namespace prescope
