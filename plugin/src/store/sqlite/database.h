#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "prescope/error.h"
#include "prescope/observation_log.h"

namespace prescope {

/// The sentence for what SQLite refused about the file at `path`.
[[nodiscard]] Error sqlite_error(const std::filesystem::path& path,
                                 const SQLite::Exception& refusal);

/// Another connection holds a lock that this one needs.
struct LockedError : Error {
  using Error::Error;
};

/// Returns what `call` returns. Throws what SQLite refuses as an Error about the file at `path`, a
/// LockedError if another connection is in the way.
template <class Call>
decltype(auto) translated(const std::filesystem::path& path, const Call& call) {
  try {
    return call();
  } catch (const SQLite::Exception& refusal) {
    const Error error = sqlite_error(path, refusal);
    if ((refusal.getErrorCode() & 0xFF) == SQLITE_BUSY)
      throw LockedError(error.code(), error.what());
    throw error;
  }
}

/// One connection to an SQLite file. Whatever SQLite refuses is thrown as Error that names the
/// file, what was found and what mends it: kIo (missing, no permission, disk full, locked),
/// kBadInput (damaged, not of SQLite). Not thread-safe; may be handed from thread to thread.
class Database : public SQLite::Database {
 public:
  enum class Access {
    kRead,   ///< never writes to the file
    kWrite,  ///< makes the file where it is missing
  };
  /// What a power cut may take of what was committed. The death of the process takes nothing.
  using Durability = StoreLogOptions::Durability;

  /// Waits up to `kBusyTimeout` ms for another connection's write to end, each time.
  static constexpr int kBusyTimeoutMs = 5000;

  /// A connection that reads a file in a folder that may not be written to, with no write-ahead log
  /// beside it, takes the file as it is: nobody can be writing to it.
  Database(const std::filesystem::path& path, Access access,
           Durability durability = Durability::kFull);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Runs SQL statements separated by `;` that have no parameters.
  void run(const std::string& sql);
  /// Returns the first column of the first row, an integer. For statements without parameters.
  [[nodiscard]] std::int64_t number(const std::string& sql) const;

 private:
  std::filesystem::path path_;
};

/// A prepared statement of SQLiteCpp's, used again and again: `insert.bind(1, "EP1").run()`, or
/// `for (select.bind(7); select.next();) select.text(0)`. The connection must outlive it. Throws as
/// Database does. Not thread-safe.
class Statement : public SQLite::Statement {
 public:
  using Bytes = std::span<const std::byte>;

  Statement(const Database& database, const std::string& sql)
      : SQLite::Statement(
            translated(database.path(), [&] { return SQLite::Statement(database, sql); })),
        path_(&database.path()) {}

  /// Begins anew with these values, copied, in the order of the parameters; the rest is NULL.
  /// Integers, doubles, texts, Bytes, and optionals of them.
  template <class... Values>
  Statement& bind(const Values&... values) {
    rewind();
    translated(*path_, [&] {
      clearBindings();
      int parameter = 0;
      (set(++parameter, values), ...);
    });
    return *this;
  }
  /// Runs it to its end; for statements whose rows are of no interest.
  void run() {
    while (next()) {
    }
  }
  /// Moves to the next row, which the columns below are of; false at the end.
  bool next();
  /// Leaves the rows that are left: until then, or to the end of them, they keep the connection
  /// from ending its transaction. What an earlier failure left behind is no news.
  void rewind() { static_cast<void>(tryReset()); }

  // Of the current row; columns count from 0. Views are valid until the next call that is not of a
  // column.
  [[nodiscard]] bool is_null(int column) const { return isColumnNull(column); }
  [[nodiscard]] std::int64_t integer(int column) const { return getColumn(column).getInt64(); }
  [[nodiscard]] double real(int column) const { return getColumn(column).getDouble(); }
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::optional<double> real_if_any(int column) const {
    return is_null(column) ? std::nullopt : std::optional(real(column));
  }
  template <std::integral Integer>
  [[nodiscard]] std::optional<Integer> integer_if_any(int column) const {
    return is_null(column) ? std::nullopt : std::optional(static_cast<Integer>(integer(column)));
  }

 private:
  template <class Value>
  void set(int parameter, const Value& value) {
    if constexpr (std::integral<Value>) {
      SQLite::Statement::bind(parameter, static_cast<std::int64_t>(value));
    } else if constexpr (std::same_as<Value, double>) {
      SQLite::Statement::bind(parameter, value);
    } else if constexpr (std::same_as<Value, Bytes>) {
      SQLite::Statement::bind(parameter, value.data(), static_cast<int>(value.size()));
    } else {
      SQLite::Statement::bind(parameter, std::string(value));
    }
  }
  template <class Value>
  void set(int parameter, const std::optional<Value>& value) {
    if (value) set(parameter, value.value());
  }

  const std::filesystem::path* path_;  // for errors
};

/// Writes that happen together or not at all: from the constructor, which waits for other writers,
/// to `commit()`. Undone if it ends without. One at a time on a connection.
class Transaction {
 public:
  explicit Transaction(Database& database, SQLite::TransactionBehavior behavior =
                                               SQLite::TransactionBehavior::IMMEDIATE)
      : path_(database.path()),
        transaction_(translated(path_, [&] { return SQLite::Transaction(database, behavior); })) {}

  /// On return what was written is in the file, as durably as the connection has it.
  void commit() {
    translated(path_, [&] { transaction_.commit(); });
  }

 private:
  const std::filesystem::path& path_;
  SQLite::Transaction transaction_;
};

}  // namespace prescope
