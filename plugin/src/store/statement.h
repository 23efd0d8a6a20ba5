#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/database.h"

namespace prescope {

/// A prepared statement of a connection, which must outlive it. Used again and again:
/// `insert.bind(1, "EP1").run()`, or `for (select.bind(7); select.next();) select.text(0)`. Throws
/// as Database does. Not thread-safe.
class Statement {
 public:
  using Bytes = std::span<const std::byte>;

  Statement(const Database& database, const std::string& sql);
  ~Statement();
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;

  /// Begins anew with these values, copied, in the order of the parameters; the rest is NULL.
  /// Integers, doubles, texts, Bytes, and optionals of them.
  template <class... Values>
  Statement& bind(const Values&... values) {
    rewind();
    clear_values();
    int parameter = 0;
    (set(++parameter, values), ...);
    return *this;
  }
  /// To its end; for what gives no rows. Ready for the next `bind`.
  void run();
  /// Whether there is a further row, which the columns below are of.
  bool next();
  /// Leaves the rows that are left: until then, or to the end of them, they keep the connection
  /// from ending its transaction.
  void rewind();

  // Of the current row; columns count from 0. Views are valid until the next call that is not of a
  // column.
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] Bytes bytes(int column) const;
  [[nodiscard]] std::optional<double> real_if_any(int column) const {
    return is_null(column) ? std::nullopt : std::optional(real(column));
  }
  template <std::integral Integer>
  [[nodiscard]] std::optional<Integer> integer_if_any(int column) const {
    return is_null(column) ? std::nullopt : std::optional(static_cast<Integer>(integer(column)));
  }

 private:
  void clear_values();
  void set_integer(int parameter, std::int64_t value);
  void set(int parameter, double value);
  void set(int parameter, std::string_view value);
  void set(int parameter, Bytes value);
  void set(int parameter, const std::string& value) { set(parameter, std::string_view(value)); }
  void set(int parameter, const char* value) { set(parameter, std::string_view(value)); }
  void set(int parameter, std::integral auto value) {
    set_integer(parameter, static_cast<std::int64_t>(value));
  }
  // Where it is inlined, GCC 12 takes the value for one that may be uninitialised.
  template <class Value>
  [[gnu::noinline]] void set(int parameter, const std::optional<Value>& value) {
    if (value) set(parameter, *value);
  }

  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace prescope
