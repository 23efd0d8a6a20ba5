#pragma once

#include "c/handles.h"

namespace prescope::c {

/// Reads the strings of a column one after the other.
class ColumnCursor {
 public:
  /// Throws Error(kUsage) for a column that cannot be read. `name`: for messages, a literal.
  ColumnCursor(const prescope_column& column, std::string_view name);

  /// Returns the next of `prescope_column::count` strings. The view is one into the column, except
  /// in PRESCOPE_FIXED_UCS4, in which it lives until the next call. Throws Error(kUsage) for a
  /// column that is not as its layout says, Error(kBadInput) for a NUL within a string and for
  /// what is no Unicode.
  [[nodiscard]] std::string_view next();
  /// Throws Error(kBadInput) if there are more strings than `count`.
  void check_end() const;
  [[nodiscard]] std::size_t size() const noexcept { return column_.count; }

 private:
  [[nodiscard]] std::string_view raw();
  [[nodiscard]] std::string_view terminated();
  template <class Offset>
  [[nodiscard]] std::string_view at_offset() const;
  [[nodiscard]] std::string_view fixed_utf8() const;
  [[nodiscard]] std::string_view fixed_ucs4();
  void set_utf8(std::span<const std::uint32_t> codes);
  [[nodiscard]] std::string place() const;
  [[noreturn]] void refuse_nul(std::string_view text) const;

  prescope_column column_;
  std::string_view name_;
  std::size_t at_ = 0;     // the next string
  std::size_t begin_ = 0;  // PRESCOPE_TERMINATED: its first byte
  std::string buffer_;     // PRESCOPE_FIXED_UCS4
};

}  // namespace prescope::c
