#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prescope {

/// Bytes behind a text that `FindByteMasks` and the line splitter may read.
inline constexpr std::size_t kPadding = 64;

/// The high bit of each byte of a word.
inline constexpr std::uint64_t kHighBits = 0x8080808080808080U;

/// Reads eight bytes as a word, the first one lowest.
[[nodiscard]] inline std::uint64_t word_at(const char* from) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// The classes of 64 bytes of a text: a bit for each byte, the first byte in the lowest bit.
struct ByteMasks {
  std::uint64_t blanks = 0;  ///< spaces
  std::uint64_t others = 0;  ///< neither spaces nor other printable ASCII: line ends, tabs, UTF-8
};

/// Fills the masks of `count` blocks of 64 bytes.
using FindByteMasks = void (*)(const char* text, std::size_t count, ByteMasks* masks);

/// Plain C++.
void find_byte_masks_portably(const char* text, std::size_t count, ByteMasks* masks) noexcept;
/// Does the same with vector instructions if the processor has those of AVX2.
void find_byte_masks(const char* text, std::size_t count, ByteMasks* masks) noexcept;

}  // namespace prescope
