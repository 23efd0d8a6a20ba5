#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/text_pieces.h"

namespace prescope {

/// JSON written as it goes, its objects and arrays with their commas: a member a line, or all of
/// one in a line where it is begun flat. The caller closes what it opened.
class JsonWriter {
 public:
  /// `out` must outlive this.
  explicit JsonWriter(TextPieces& out) : out_(&out) {}

  void begin(char bracket);
  /// Like `begin`, and everything within stands in the same line.
  void begin_flat(char bracket);
  void end(char bracket);
  /// Before each value of an array.
  JsonWriter& item();
  /// Before each value of an object.
  JsonWriter& key(std::string_view name);

  /// Bytes that are no UTF-8 become U+FFFD.
  void text(std::string_view value);
  void number(std::uint64_t value) { *out_ << value; }
  /// With all digits; null where there is none.
  void number(std::optional<double> value);
  /// As it stands: true, false, null, a number.
  void word(std::string_view value) { *out_ << value; }

 private:
  void new_line();

  TextPieces* out_;
  std::size_t depth_ = 0;
  std::size_t flat_depth_ = 0;  // of what was begun flat; 0: nothing
  bool is_first_ = true;
  std::string quoted_;
};

}  // namespace prescope
