#pragma once

#include <cstddef>
#include <cstdint>

namespace prescope {

/// Bytes behind a text that may be read, though they are not part of it.
inline constexpr std::size_t kPadding = 64;

/// A bit for each byte of a block of 64, the first one in the lowest bit.
struct Separators {
  std::uint64_t all = 0;    ///< white space and other control characters, up to the space
  std::uint64_t feeds = 0;  ///< the line feeds among them
};

/// Finds the separators of `count` blocks. Returns true if one of them is neither a space nor a
/// line feed.
bool find_separators(const char* text, std::size_t count, Separators* blocks) noexcept;
/// Does the same without vector instructions.
bool find_separators_portably(const char* text, std::size_t count, Separators* blocks) noexcept;

}  // namespace prescope
