#include "runs/scan/byte_masks.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace prescope {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101U;

/// The high bit of each byte that is a space.
std::uint64_t spaces(std::uint64_t bytes) noexcept {
  const std::uint64_t different = bytes ^ kOnes * ' ';
  return ~(((different & ~kHighBits) + ~kHighBits) | different) & kHighBits;
}

/// The high bit of each byte below a space or above ASCII.
std::uint64_t unprintable(std::uint64_t bytes) noexcept {
  return (~((bytes & ~kHighBits) + kOnes * (128U - ' ')) | bytes) & kHighBits;
}

/// High bits of bytes as a bit for each byte.
std::uint64_t packed(std::uint64_t highs) noexcept {
  return (highs >> 7U) * 0x0102040810204080U >> 56U;
}

}  // namespace

void find_byte_masks_portably(const char* text, std::size_t count, ByteMasks* masks) noexcept {
  for (; count != 0; --count, text += 64, ++masks) {
    *masks = {};
    for (unsigned byte = 0; byte < 64; byte += 8) {
      const std::uint64_t bytes = word_at(text + byte);
      masks->blanks |= packed(spaces(bytes)) << byte;
      masks->others |= packed(unprintable(bytes)) << byte;
    }
  }
}

#if defined(__x86_64__)

namespace {

__attribute__((target("avx2"))) std::uint64_t bits(__m256i low, __m256i high) noexcept {
  const auto upper = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
  return std::uint64_t{upper} << 32U | static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
}

__attribute__((target("avx2"))) void find_with_avx2(const char* text, std::size_t count,
                                                    ByteMasks* masks) noexcept {
  const __m256i space = _mm256_set1_epi8(' ');
  for (; count != 0; --count, text += 64, ++masks) {
    const auto* const bytes = reinterpret_cast<const __m256i*>(text);
    const __m256i low = _mm256_loadu_si256(bytes), high = _mm256_loadu_si256(bytes + 1);
    masks->blanks = bits(_mm256_cmpeq_epi8(low, space), _mm256_cmpeq_epi8(high, space));
    // Bytes above ASCII are negative.
    masks->others = bits(_mm256_cmpgt_epi8(space, low), _mm256_cmpgt_epi8(space, high));
  }
}

}  // namespace

void find_byte_masks(const char* text, std::size_t count, ByteMasks* masks) noexcept {
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  (has_avx2 ? find_with_avx2 : find_byte_masks_portably)(text, count, masks);
}

#else

void find_byte_masks(const char* text, std::size_t count, ByteMasks* masks) noexcept {
  find_byte_masks_portably(text, count, masks);
}

#endif

}  // namespace prescope
