#pragma once

#include <cstddef>

namespace prescope {

/// Bytes behind a text that may be read, though they are not part of it.
inline constexpr std::size_t kPadding = 64;

/// Marks of the bytes of a text: bit i % 8 of byte i / 8 is about byte i of the text.
struct Separators {
  char* all = nullptr;    ///< white space and other control characters, up to the space
  char* feeds = nullptr;  ///< the line feeds among them
};

/// Bytes that a text has besides letters, digits, spaces and line feeds.
struct UnusualBytes {
  bool separators = false;  ///< separators that are neither spaces nor line feeds
  bool marks = false;       ///< quotation marks, or bytes that are not ASCII
  friend bool operator==(const UnusualBytes&, const UnusualBytes&) = default;
};

/// Finds the separators of `count` blocks of 64 bytes.
UnusualBytes find_separators(const char* text, std::size_t count, Separators found) noexcept;
/// Does the same without vector instructions.
UnusualBytes find_separators_portably(const char* text, std::size_t count,
                                      Separators found) noexcept;

}  // namespace prescope
