#include "runs/scan/separators.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace prescope {

bool find_separators_portably(const char* text, std::size_t count, Separators* blocks) noexcept {
  bool has_others = false;
  for (; count != 0; --count, text += 64, ++blocks) {
    *blocks = {};
    for (unsigned i = 0; i < 64; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      blocks->all |= std::uint64_t{byte <= ' '} << i;
      blocks->feeds |= std::uint64_t{byte == '\n'} << i;
      has_others = has_others || (byte < ' ' && byte != '\n');
    }
  }
  return has_others;
}

#if defined(__x86_64__)

namespace {

/// Writes the bits of 32 bytes; adds to `others` what is neither a space nor a line feed.
__attribute__((target("avx2"))) inline void find_half(const char* text, std::uint32_t& all,
                                                      std::uint32_t& feeds,
                                                      __m256i& others) noexcept {
  const __m256i space = _mm256_set1_epi8(' ');
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  const __m256i low = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, space), space);
  const __m256i feed = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'));
  const __m256i usual = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, space), feed);
  others = _mm256_or_si256(others, _mm256_andnot_si256(usual, low));
  all = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
  feeds = static_cast<std::uint32_t>(_mm256_movemask_epi8(feed));
}

__attribute__((target("avx2"))) bool find_with_avx2(const char* text, std::size_t count,
                                                    Separators* blocks) noexcept {
  __m256i others = _mm256_setzero_si256();
  for (; count != 0; --count, text += 64, ++blocks) {
    std::uint32_t all[2], feeds[2];
    find_half(text, all[0], feeds[0], others);
    find_half(text + 32, all[1], feeds[1], others);
    *blocks = {std::uint64_t{all[1]} << 32U | all[0], std::uint64_t{feeds[1]} << 32U | feeds[0]};
  }
  return _mm256_testz_si256(others, others) == 0;
}

}  // namespace

bool find_separators(const char* text, std::size_t count, Separators* blocks) noexcept {
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return (has_avx2 ? find_with_avx2 : find_separators_portably)(text, count, blocks);
}

#else

bool find_separators(const char* text, std::size_t count, Separators* blocks) noexcept {
  return find_separators_portably(text, count, blocks);
}

#endif

}  // namespace prescope
