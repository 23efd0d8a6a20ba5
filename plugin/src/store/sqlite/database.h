#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "prescope/error.h"

namespace prescope {

/// The sentence for what SQLite refused about the file at `path`.
[[nodiscard]] Error sqlite_error(const std::filesystem::path& path,
                                 const SQLite::Exception& refusal);

/// What `call` returns; what SQLite refuses meanwhile, as an Error about the file at `path`.
template <class Call>
decltype(auto) translated(const std::filesystem::path& path, const Call& call) {
  try {
    return call();
  } catch (const SQLite::Exception& refusal) {
    throw sqlite_error(path, refusal);
  }
}

/// One connection to an SQLite file. Whatever SQLite refuses is thrown as Error that names the
/// file, what was found and what mends it: kIo (missing, no permission, disk full, locked),
/// kBadInput (damaged, not of SQLite). Not thread-safe; may be handed from thread to thread.
class Database {
 public:
  enum class Access {
    kRead,   ///< never writes to the file
    kWrite,  ///< makes the file where it is missing
  };
  /// What a power cut may take of what was committed. The death of the process takes nothing,
  /// either way.
  enum class Durability {
    kFull,    ///< nothing: every commit waits for the disk
    kNormal,  ///< the last commits, never the file's soundness
  };

  /// Waits up to `kBusyTimeout` ms for another connection's write to end, each time.
  static constexpr int kBusyTimeoutMs = 5000;

  /// A connection that reads a file in a folder that may not be written to, with no write-ahead log
  /// beside it, takes the file as it is: nobody can be writing to it.
  Database(const std::filesystem::path& path, Access access,
           Durability durability = Durability::kFull);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// Runs SQL statements separated by `;` that have no parameters.
  void run(const std::string& sql);
  /// The first column of the first row, an integer. For statements without parameters.
  [[nodiscard]] std::int64_t number(const std::string& sql) const;
  /// The number of the row inserted last on this connection.
  [[nodiscard]] std::int64_t last_row() const noexcept;
  /// The rows that the last statement inserted, changed or deleted.
  [[nodiscard]] std::int64_t changed_rows() const noexcept;

 private:
  friend class Statement;
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

/// What a Database is made of. SQLiteCpp stays behind this header.
struct Database::Connection {
  std::filesystem::path path;
  SQLite::Database sqlite;
};

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

/// Writes that happen together or not at all: from the constructor, which waits for other writers,
/// to `commit()`. Undone where it ends without. One at a time on a connection.
class Transaction {
 public:
  explicit Transaction(Database& database, const std::string& begin = "BEGIN IMMEDIATE");
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// On return what was written is in the file, as durably as the connection has it.
  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace prescope
