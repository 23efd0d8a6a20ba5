#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace prescope {

/// Returns true if the bytes are UTF-8 by RFC 3629: no surrogates, no overlong forms, nothing above
/// U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// A character's bytes and code; a byte that is not part of a UTF-8 character has the code -1.
struct Character {
  std::string_view bytes;
  std::int32_t code;
};
/// Removes the first character of `text`, which is not empty.
[[nodiscard]] Character take_character(std::string_view& text) noexcept;

/// Appends a character as UTF-8; returns false for a surrogate, and for a number that is no
/// character's.
[[nodiscard]] bool append_utf8(std::string& text, std::uint32_t code);

/// Returns the text with U+FFFD for each byte that is not part of a UTF-8 character.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// The reason why a text cannot be normalised.
enum class TextFault {
  kNone,
  kNotUtf8,
  kTooManyMarks,  ///< more than kMaxMarks combining marks on one character
};

/// Most combining marks of one character. Unicode's Stream-Safe Text Format has at most 30.
inline constexpr std::size_t kMaxMarks = 64;

/// Passes the normalised text, UTF-8 in pieces, to `sink`: canonically decomposed; case folded in
/// full, not for Turkish, with compatibility decomposition and without Unicode's default ignorable
/// characters (soft hyphens, zero-width characters); marks in canonical order; then each run of
/// white space as one space, none at the ends. Stops when `sink` returns false. If a text has a
/// fault, `sink` may have received a part. Allocates nothing; exceptions of `sink` pass through;
/// O(length).
[[nodiscard]] TextFault normalize(std::string_view text,
                                  const std::function<bool(std::string_view piece)>& sink);

}  // namespace prescope
