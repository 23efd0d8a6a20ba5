#pragma once

#include <fmt/format.h>
#include <bit>
#include <concepts>
#include <cstring>
#include <functional>
#include <type_traits>

#include "base/utc_time.h"
#include "base/varint.h"
#include "fleet/clickhouse.h"

/// ClickHouse's format RowBinary: the columns of a row one after the other, numbers with the low
/// byte first, texts and arrays behind their length as a varint. Enumerations are numbers of their
/// type, times (ms) and durations are Int64, truth values UInt8.
namespace prescope {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

template <class Value>
void append_value(std::string& rows, const Value& value) {
  if constexpr (std::integral<Value> || std::same_as<Value, double>) {
    rows.append(reinterpret_cast<const char*>(&value), sizeof value);
  } else if constexpr (std::is_enum_v<Value>) {
    append_value(rows, static_cast<std::underlying_type_t<Value>>(value));
  } else if constexpr (std::same_as<Value, UtcTime>) {
    append_value(rows, value.time_since_epoch().count());
  } else if constexpr (requires { value.bytes(); }) {
    append_value(rows, value.bytes());
  } else if constexpr (requires { value.count(); }) {
    append_value(rows, value.count());
  } else if constexpr (requires { value.text(); }) {
    append_value(rows, value.text());
  } else {
    const std::string_view text(value);
    append_varint(rows, text.size());
    rows += text;
  }
}
/// Appends values in the order of their columns.
template <class... Values>
void append_row(std::string& rows, const Values&... values) {
  (append_value(rows, values), ...);
}
/// Appends an array that has `of` each value.
template <class Values, class Of>
void append_array(std::string& rows, const Values& values, const Of& of) {
  append_varint(rows, std::size(values));
  for (const auto& value : values) append_value(rows, std::invoke(of, value));
}

[[noreturn]] inline void refuse_answer() {
  throw FleetUnavailable(
      "the fleet's answer is not what was asked for: something else answers, or a table was "
      "changed "
      "by hand; 'prescope fleet check' compares them");
}

/// Reads rows. Throws FleetUnavailable if they end within a value.
class RowBinaryReader {
 public:
  explicit RowBinaryReader(std::string_view rows) : rest_(rows) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  template <class Number>
  Number number() {
    Number number{};
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  std::string_view text() { return take(length()); }
  /// Returns the number of values of an array, which follow.
  std::uint64_t length() {
    const auto length = take_varint(rest_);
    if (!length) refuse_answer();
    return *length;
  }

 private:
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) refuse_answer();
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
};

/// Reads a value. A `string_view` is valid as long as the rows are.
template <class Value>
void read_value(RowBinaryReader& rows, Value& value) {
  if constexpr (std::same_as<Value, bool>) {
    value = rows.number<std::uint8_t>() != 0;
  } else if constexpr (std::integral<Value> || std::same_as<Value, double>) {
    value = rows.number<Value>();
  } else if constexpr (std::is_enum_v<Value>) {
    value = Value(rows.number<std::underlying_type_t<Value>>());
  } else if constexpr (std::same_as<Value, UtcTime>) {
    value = UtcTime(std::chrono::milliseconds(rows.number<std::int64_t>()));
  } else if constexpr (requires { value.count(); }) {
    value = Value(rows.number<std::int64_t>());
  } else if constexpr (requires { value.emplace_back(); }) {
    value.clear();
    for (auto left = rows.length(); left > 0; --left) read_value(rows, value.emplace_back());
  } else {
    value = Value(rows.text());
  }
}
/// Reads values in the order of their columns.
template <class... Values>
void read_row(RowBinaryReader& rows, Values&... values) {
  (read_value(rows, values), ...);
}

/// The rows that the fleet has for a query: `FleetRows row(fleet, "SELECT name FROM {}.t",
/// database)`, then `while (row.next(name))`.
class FleetRows {
 public:
  /// Throws as ClickHouse::ask.
  template <class... Args>
  FleetRows(ClickHouse& fleet, fmt::format_string<Args...> query, Args&&... args)
      : answer_(fleet.ask(fmt::format(query, std::forward<Args>(args)...) + " FORMAT RowBinary")),
        rows_(answer_) {}
  FleetRows(const FleetRows&) = delete;
  FleetRows& operator=(const FleetRows&) = delete;

  /// Reads the first columns of the next row; returns false at the end.
  template <class... Values>
  bool next(Values&... values) {
    if (rows_.at_end()) return false;
    read_row(rows_, values...);
    return true;
  }
  /// Reads further columns of the row.
  template <class... Values>
  void read(Values&... values) {
    read_row(rows_, values...);
  }

 private:
  const std::string answer_;
  RowBinaryReader rows_;
};

}  // namespace prescope
