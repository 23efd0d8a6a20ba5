#include "runs/scan/separators.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <cstring>
#endif

namespace prescope {

UnusualBytes find_separators_portably(const char* text, std::size_t count,
                                      Separators found) noexcept {
  UnusualBytes unusual;
  for (std::size_t i = 0; i < 8 * count; ++i, text += 8) {
    unsigned all = 0, feeds = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      const auto byte = static_cast<unsigned char>(text[bit]);
      all |= unsigned{byte <= ' '} << bit;
      feeds |= unsigned{byte == '\n'} << bit;
      unusual.separators = unusual.separators || (byte < ' ' && byte != '\n');
      unusual.marks = unusual.marks || byte >= 0x80 || byte == '"' || byte == '\'';
    }
    found.all[i] = static_cast<char>(all);
    found.feeds[i] = static_cast<char>(feeds);
  }
  return unusual;
}

#if defined(__x86_64__)

namespace {

__attribute__((target("avx2"))) UnusualBytes find_with_avx2(const char* text, std::size_t count,
                                                            Separators found) noexcept {
  const __m256i space = _mm256_set1_epi8(' '), feed = _mm256_set1_epi8('\n');
  const __m256i quote = _mm256_set1_epi8('"'), apostrophe = _mm256_set1_epi8('\'');
  __m256i others = _mm256_setzero_si256(), marks = others, high = others;
  for (std::size_t i = 0; i < 8 * count; i += 4, text += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    const __m256i low = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, space), space);
    const __m256i is_feed = _mm256_cmpeq_epi8(bytes, feed);
    const __m256i usual = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, space), is_feed);
    others = _mm256_or_si256(others, _mm256_andnot_si256(usual, low));
    high = _mm256_or_si256(high, bytes);
    marks = _mm256_or_si256(marks, _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote),
                                                   _mm256_cmpeq_epi8(bytes, apostrophe)));
    const int all = _mm256_movemask_epi8(low), feeds = _mm256_movemask_epi8(is_feed);
    std::memcpy(found.all + i, &all, sizeof all);
    std::memcpy(found.feeds + i, &feeds, sizeof feeds);
  }
  return {.separators = _mm256_testz_si256(others, others) == 0,
          .marks = _mm256_movemask_epi8(_mm256_or_si256(marks, high)) != 0};
}

}  // namespace

UnusualBytes find_separators(const char* text, std::size_t count, Separators found) noexcept {
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return (has_avx2 ? find_with_avx2 : find_separators_portably)(text, count, found);
}

#else

UnusualBytes find_separators(const char* text, std::size_t count, Separators found) noexcept {
  return find_separators_portably(text, count, found);
}

#endif

}  // namespace prescope
