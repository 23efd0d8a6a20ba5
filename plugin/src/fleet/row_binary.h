#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/varint.h"
#include "prescope/error.h"

/// ClickHouse's format RowBinary: the columns of a row one after the other, numbers with the low
/// byte first, texts and arrays behind their length as a varint.
namespace prescope {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

template <std::integral Number>
void append_number(std::string& rows, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  rows.append(bytes, sizeof number);
}
inline void append_text(std::string& rows, std::string_view text) {
  append_varint(rows, text.size());
  rows += text;
}

[[noreturn]] inline void refuse_answer() {
  throw Error(ErrorCode::kIo,
              "the fleet's answer is not what was asked for; was a table changed "
              "by hand? 'prescope fleet check' compares them");
}

/// Reads rows. Throws Error(kIo) if they end within a value.
class RowBinaryReader {
 public:
  explicit RowBinaryReader(std::string_view rows) : rest_(rows) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  template <std::integral Number>
  Number number() {
    Number number{};
    std::memcpy(&number, take(1, sizeof number).data(), sizeof number);
    return number;
  }
  /// Valid as long as the rows are.
  std::string_view text() { return take(length(), 1); }
  /// Returns the number of values of an array, which follow.
  std::uint64_t length() {
    const auto length = take_varint(rest_);
    if (!length) refuse_answer();
    return *length;
  }
  /// Calls `use` with each number of an array, in order.
  template <std::integral Number, class Use>
  void array(const Use& use) {
    for (std::uint64_t left = length(); left > 0; --left) use(number<Number>());
  }
  /// Returns the bytes of so many values.
  std::string_view take(std::uint64_t count, std::size_t width) {
    if (count > rest_.size() / width) refuse_answer();
    const std::string_view taken = rest_.substr(0, count * width);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// Returns the bytes of so many texts.
  std::string_view take_texts(std::uint64_t count) {
    const std::string_view before = rest_;
    for (; count > 0; --count) text();
    return before.substr(0, before.size() - rest_.size());
  }

 private:
  std::string_view rest_;
};

}  // namespace prescope
