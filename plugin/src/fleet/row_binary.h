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

/// Reads rows. Throws Error(kIo) if they end within a value.
class RowBinaryReader {
 public:
  explicit RowBinaryReader(std::string_view rows) : rest_(rows) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  template <std::integral Number>
  Number number() {
    Number number{};
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  /// Valid as long as the rows are.
  std::string_view text() { return take(length()); }
  /// Returns the number of values of an array, which follow.
  std::uint64_t length() {
    const auto length = take_varint(rest_);
    if (!length) refuse();
    return *length;
  }
  void skip(std::uint64_t bytes) { take(bytes); }
  /// Calls `use` with each number of an array, in order.
  template <std::integral Number, class Use>
  void array(const Use& use) {
    for (std::uint64_t left = length(); left > 0; --left) use(number<Number>());
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) refuse();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::kIo,
                "the fleet's answer is not what was asked for; was a table changed "
                "by hand? 'prescope fleet check' compares them");
  }

  std::string_view rest_;
};

}  // namespace prescope
