#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <vector>

#include "base/byte_source.h"
#include "prescope/error.h"

namespace prescope {

/// A text file line by line, plain or gzip (told by its content), LF or CRLF; `-` is standard
/// input.
class TextFile {
 public:
  /// The bytes that a line may have.
  enum class Bytes { kUtf8, kAnyButNul };

  /// Throws Error(kIo): missing, a folder, unreadable.
  explicit TextFile(const std::filesystem::path& path, Bytes allowed = Bytes::kUtf8);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Gives the next line without its end, valid until the next call; returns false at the end of
  /// the file. Skips a byte-order mark before a line. Throws Error(kBadInput) for bytes that are
  /// not allowed, Error(kIo) for a read error or a gzip file that ends early or is damaged.
  bool next(std::string_view& line);
  /// Returns the number of the line last returned, from 1.
  [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }

  /// Returns an Error(kBadInput) that reads `file:line: MESSAGE`.
  [[nodiscard]] Error bad_line(std::string_view message) const;

 private:
  bool take_line(std::string_view& line);
  bool read_on();

  ByteSource bytes_;
  const Bytes allowed_;
  std::string pending_;  // bytes that were read; those not yet returned begin at `begin_`
  std::size_t begin_ = 0;
  std::uint64_t line_number_ = 0;
};

/// Returns whether the character separates columns: white space other than a line feed.
[[nodiscard]] inline bool is_blank(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}
[[nodiscard]] inline bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
/// Returns a letter of ASCII in the other case; any other character as it is.
[[nodiscard]] inline char ascii_upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
[[nodiscard]] inline char ascii_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Parses all of `text` as one number; std::nullopt if it is not one.
template <class T>
std::optional<T> whole_number(std::string_view text) noexcept {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}
/// Parses all of `text` as one number; std::nullopt if it is not one, infinite or NaN.
[[nodiscard]] inline std::optional<double> finite_number(std::string_view text) noexcept {
  const auto value = whole_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Returns `text` without the white space at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Returns `line` without a byte-order mark. Editors write one; joined files have it within.
[[nodiscard]] inline std::string_view without_mark(std::string_view line) noexcept {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  return line.starts_with(kByteOrderMark) ? line.substr(kByteOrderMark.size()) : line;
}

/// Returns the parts between separators, empty ones too: "a,,b" has three.
[[nodiscard]] inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The columns of a line: views into it, none of them empty.
struct Columns {
  static constexpr std::size_t kKept = 6;

  std::array<std::string_view, kKept> text;  ///< the first ones
  std::size_t count = 0;                     ///< of all there are

  void add(std::string_view column) noexcept {
    if (count < kKept) text[count] = column;
    ++count;
  }
};

/// Columns between tabs, each trimmed; no columns at all if one of them is empty.
[[nodiscard]] inline Columns split_at_tabs(std::string_view line) noexcept {
  Columns columns;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    const std::string_view column = trimmed(line.substr(begin, end - begin));
    if (column.empty()) return {};
    columns.add(column);
    begin = end + 1;
  }
  return columns;
}

/// Columns between runs of white space.
[[nodiscard]] inline Columns split_at_blanks(std::string_view line) noexcept {
  Columns columns;
  const char* at = line.data();
  for (const char* const end = at + line.size(); at != end;) {
    const char* const begin = at;
    while (at != end && !is_blank(*at)) ++at;
    if (at != begin) columns.add({begin, static_cast<std::size_t>(at - begin)});
    while (at != end && is_blank(*at)) ++at;
  }
  return columns;
}

/// Splits at tabs if they alone give `min` to `max` columns, so that a column may hold spaces
/// (`EP 0 971 326 B1`); otherwise at every run of spaces and tabs.
[[nodiscard]] inline Columns split_columns(std::string_view line, std::size_t min,
                                           std::size_t max) noexcept {
  line = trimmed(line);
  if (line.find('\t') == std::string_view::npos) return split_at_blanks(line);
  const Columns columns = split_at_tabs(line);
  return columns.count >= min && columns.count <= max ? columns : split_at_blanks(line);
}

}  // namespace prescope
