#include "runs/scan/byte_masks.h"

#if defined(__SSE2__)
#include <emmintrin.h>
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

#if defined(__SSE2__)

void find_byte_masks(const char* text, std::size_t count, ByteMasks* masks) noexcept {
  const __m128i space = _mm_set1_epi8(' ');
  for (; count != 0; --count, text += 64, ++masks) {
    ByteMasks own;
    for (unsigned byte = 0; byte < 64; byte += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + byte));
      const auto bits = [byte](__m128i equal) {
        return static_cast<std::uint64_t>(_mm_movemask_epi8(equal)) << byte;
      };
      own.blanks |= bits(_mm_cmpeq_epi8(bytes, space));
      own.others |= bits(_mm_cmplt_epi8(bytes, space));  // bytes above ASCII are negative
    }
    *masks = own;
  }
}

#else

void find_byte_masks(const char* text, std::size_t count, ByteMasks* masks) noexcept {
  find_byte_masks_portably(text, count, masks);
}

#endif

}  // namespace prescope
