#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/text_file.h"
#include "prescope/types.h"

namespace prescope {

/// All of `text` as one number, or nothing.
template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc() || stopped != end) return std::nullopt;
  return value;
}

/// An integer, or the grade of a citation category. Throws Error(kBadInput) that names the line.
[[nodiscard]] Grade parse_grade(std::string_view text, const TextFile& file);

/// `text`, which the columns of a line can carry. Throws Error(kBadInput) that names line and
/// field.
[[nodiscard]] std::string parse_name(std::string_view field, std::string_view text,
                                     const TextFile& file);

}  // namespace prescope
