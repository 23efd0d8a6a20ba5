#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace prescope {

/// Returns whether the bytes are UTF-8 as RFC 3629 has it: no surrogates, nothing longer than it
/// need be, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// The reason why a text cannot be normalised.
enum class TextFault {
  kNone,
  kNotUtf8,
  kTooManyMarks,  ///< more than kMaxMarks combining marks on one character
};

/// Most combining marks of one character. Unicode's Stream-Safe Text Format has at most 30.
inline constexpr std::size_t kMaxMarks = 64;

/// Gives `sink` the text as it is compared, UTF-8 in pieces: canonically decomposed; case folded in
/// full, not for Turkish, with compatibility decomposition and without what Unicode calls default
/// ignorable (soft hyphens, zero-width characters); marks in canonical order; then each run of
/// white space as one space, none at the ends. Stops when `sink` returns false. If a text has a
/// fault, `sink` may have received a part. Allocates nothing; throws what `sink` throws; O(length).
[[nodiscard]] TextFault normalize(std::string_view text,
                                  const std::function<bool(std::string_view piece)>& sink);

}  // namespace prescope
