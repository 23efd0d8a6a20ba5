#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/unicode.h"
#include "base/utc_time.h"
#include "prescope/error.h"
#include "prescope/observation_log.h"

namespace prescope {

/// Another connection holds a lock that this one needs.
struct LockedError : Error {
  explicit LockedError(const std::string& message) : Error(ErrorCode::kIo, message) {}
};

/// Throws SQLite's error as an Error about the file at `path`: kIo (missing, no permission, disk
/// full; LockedError), kBadInput (damaged, not an SQLite file).
[[noreturn]] void throw_refusal(const std::filesystem::path& path,
                                const SQLite::Exception& refusal);

/// Returns the result of `call`, with SQLite's errors thrown as above.
template <class Call>
decltype(auto) translated(const std::filesystem::path& path, const Call& call) {
  try {
    return call();
  } catch (const SQLite::Exception& refusal) {
    throw_refusal(path, refusal);
  }
}

/// One connection to an SQLite file; everything throws as `throw_refusal`. Not thread-safe; may be
/// handed from thread to thread.
class Database : public SQLite::Database {
 public:
  enum class Access {
    kRead,    ///< changes nothing in the store
    kCopy,    ///< likewise, and reads a copy in memory; needs no room on the disk
    kUpdate,  ///< writes to a file that must be there
    kAlone,   ///< likewise, and keeps all others out; needs no room on the disk to read
    kWrite,   ///< creates the file if it is missing
    kMemory,  ///< no file: empty at first, gone at the end; its path is a name for errors
  };
  /// Decides whether a power cut may lose commits. A killed process loses none.
  using Durability = StoreLogOptions::Durability;

  /// The longest wait for a write of another connection.
  static constexpr int kBusyTimeoutMs = 5000;

  /// A reader that may not write to the store needs the write-ahead log of a process that does. If
  /// there is none, it reads a copy of the file in memory; LockedError if the file changed
  /// meanwhile.
  Database(const std::filesystem::path& path, Access access,
           Durability durability = Durability::kFull);
  // In the source file, because SQLiteCpp is linked into this library only.
  /// Makes a file complete that was moved away while it was open.
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) = delete;  // would close a connection without its destructor

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns true if this is a copy of a file that was written to since.
  [[nodiscard]] bool is_outdated() const;
  /// Returns true if its path leads to another file by now, or to none.
  [[nodiscard]] bool is_moved() const;
  /// Moves what was committed from the write-ahead log into the file, as far as readers allow, so
  /// that a copy of the file alone has it. If that fails, the log keeps it.
  void checkpoint() noexcept;
  /// Runs SQL statements separated by `;` that have no parameters.
  void run(const std::string& sql);
  /// Returns the first column of the first row, an integer. For statements without parameters.
  [[nodiscard]] std::int64_t number(const std::string& sql) const;

  /// Returns true if this user may write to the file, and make a write-ahead log beside it.
  [[nodiscard]] static bool may_write(const std::filesystem::path& path);

 private:
  /// Device, inode, size and times of a file, which each write changes.
  using Stamp = std::array<std::int64_t, 7>;

  [[nodiscard]] static Stamp stamp_of(const std::filesystem::path& path);
  void read_into_memory();

  std::filesystem::path path_;
  std::optional<Stamp> copied_;  // from this state of the file
};

/// A prepared statement, used many times: `insert.bind(1, "EP1").run()`, or `for (select.bind(7);
/// select.next();) select.read(name, rank)`. The connection must outlive it. Throws as Database
/// does. Not thread-safe.
///
/// Values are integers, enumerations, doubles, times (ms), durations, texts and names made of text,
/// Bytes (to bind only), and optionals of them. A text that is not UTF-8, such as a docno in
/// Latin-1, is stored as a BLOB of its bytes, and is read as the same text.
///
/// What is read is checked: Error(kBadInput) for NULL if the value is not an optional, for another
/// type, and for a number out of the value's range.
class Statement : public SQLite::Statement {
 public:
  using Bytes = std::span<const std::byte>;

  Statement(const Database& database, const std::string& sql)
      : SQLite::Statement(
            translated(database.path(), [&] { return SQLite::Statement(database, sql); })),
        path_(&database.path()) {}

  /// Resets the statement and binds copies of these values, in the order of the parameters; the
  /// rest is NULL.
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
  /// Runs it to its end, ignoring rows.
  void run() {
    while (next()) {
    }
  }
  /// Moves to the next row, to which the column functions refer; returns false at the end.
  bool next();
  /// Resets the statement. Otherwise unread rows keep the connection from ending its transaction.
  /// Ignores an earlier failure.
  void rewind() { static_cast<void>(tryReset()); }

  /// Reads the row's columns into these, from the first on. A `string_view` is valid until the next
  /// call other than a column's.
  template <class... Values>
  void read(Values&... values) const {
    int column = 0;
    (get(column++, values), ...);
  }
  // Columns count from 0.
  [[nodiscard]] bool is_null(int column) const { return isColumnNull(column); }
  [[nodiscard]] std::int64_t integer(int column) const { return as<std::int64_t>(column); }
  [[nodiscard]] double real(int column) const;
  /// Empty for NULL.
  [[nodiscard]] std::string_view text(int column) const;
  template <class Value>
  [[nodiscard]] Value as(int column) const {
    Value value{};
    get(column, value);
    return value;
  }

 private:
  template <class Value>
  void set(int parameter, const Value& value) {
    if constexpr (std::integral<Value> || std::is_enum_v<Value>) {
      SQLite::Statement::bind(parameter, static_cast<std::int64_t>(value));
    } else if constexpr (std::same_as<Value, double>) {
      SQLite::Statement::bind(parameter, value);
    } else if constexpr (std::same_as<Value, Bytes>) {
      SQLite::Statement::bind(parameter, value.data(), static_cast<int>(value.size()));
    } else if constexpr (std::same_as<Value, UtcTime>) {
      set(parameter, value.time_since_epoch().count());
    } else if constexpr (requires { value.count(); }) {
      set(parameter, value.count());
    } else if constexpr (requires { value.text(); }) {
      set_text(parameter, value.text());
    } else {
      set_text(parameter, std::string(value));
    }
  }
  void set_text(int parameter, const std::string& text) {
    if (is_utf8(text)) return SQLite::Statement::bind(parameter, text);
    SQLite::Statement::bind(parameter, text.data(), static_cast<int>(text.size()));
  }
  template <class Value>
  void set(int parameter, const std::optional<Value>& value) {
    if (value) set(parameter, value.value());
  }

  template <class Value>
  void get(int column, Value& value) const {
    if constexpr (std::is_enum_v<Value>) {
      value = Value(as<std::underlying_type_t<Value>>(column));
    } else if constexpr (std::integral<Value>) {
      using Limits = std::numeric_limits<Value>;
      constexpr auto kMost = std::min<std::uint64_t>(Limits::max(), INT64_MAX);
      value = static_cast<Value>(
          whole(column, std::int64_t{Limits::min()}, static_cast<std::int64_t>(kMost)));
    } else if constexpr (std::same_as<Value, double>) {
      value = real(column);
    } else if constexpr (std::same_as<Value, UtcTime>) {
      value = UtcTime(std::chrono::milliseconds(whole(column, -kLastMs, kLastMs)));
    } else if constexpr (requires { value.count(); }) {
      value = Value(whole(column, -kLongestCount, kLongestCount));
    } else {
      if (is_null(column)) refuse_value(column, "a text");
      value = Value(text(column));
    }
  }
  template <class Value>
  void get(int column, std::optional<Value>& value) const {
    value.reset();
    if (!is_null(column)) get(column, value.emplace());
  }

  static constexpr std::int64_t kLastMs = 253'402'300'799'999;  // of the year 9999
  /// Of a duration; sums of some do not overflow. 36 years in nanoseconds.
  static constexpr std::int64_t kLongestCount = std::int64_t{1} << 60U;

  /// Returns an integer in [least, most].
  [[nodiscard]] std::int64_t whole(int column, std::int64_t least, std::int64_t most) const;
  [[noreturn]] void refuse_value(int column, std::string_view expected) const;

  const std::filesystem::path* path_;  // for errors
};

/// Throws Error(kBadInput) for content that prescope does not write: "PATH: WHAT; ...".
[[noreturn]] void refuse_content(const std::filesystem::path& path, std::string_view what);

/// The first column of every row.
[[nodiscard]] std::vector<std::string> texts_of(const Database& database, const std::string& sql);

/// `into`: "arms (name, config)". A statement that inserts one row with a value for each column.
[[nodiscard]] Statement insert_into(const Database& database, std::string_view into);

/// Inserts one row; returns its number.
template <class... Values>
std::int64_t insert(const Database& database, std::string_view into, const Values&... values) {
  insert_into(database, into).bind(values...).run();
  return database.getLastInsertRowid();
}

/// Rows of a table with a `number` that other rows refer to, each stored once: asking for the
/// number of a row stores it. Within a transaction of a connection for writing, which must outlive
/// this.
class NumberedRows {
 public:
  /// `into` as above; `condition` finds an existing row by the same values.
  NumberedRows(const Database& database, std::string_view into, std::string_view condition);

  template <class... Values>
  std::int64_t number_of(const Values&... values) {
    if (!find_.bind(values...).next()) {
      add_.bind(values...).run();
      return database_->getLastInsertRowid();
    }
    const std::int64_t number = find_.integer(0);
    find_.rewind();
    return number;
  }

 private:
  const Database* database_;
  Statement find_, add_;
};

/// A transaction for writing, from the constructor, which waits for other writers, to `commit()`.
/// Rolled back if it ends without. One at a time on a connection.
class Transaction {
 public:
  explicit Transaction(Database& database, SQLite::TransactionBehavior behavior =
                                               SQLite::TransactionBehavior::IMMEDIATE)
      : path_(database.path()),
        transaction_(translated(path_, [&] { return SQLite::Transaction(database, behavior); })) {}

  /// On return the changes are in the file, as durably as the connection provides.
  void commit() {
    translated(path_, [&] { transaction_.commit(); });
  }

 private:
  const std::filesystem::path& path_;
  SQLite::Transaction transaction_;
};

/// The schema version of the stores that this prescope reads and writes.
inline constexpr std::int64_t kStoreVersion = 16;

/// Connects to a store. Access::kWrite creates the file if it is missing, and fills it if it is
/// empty. Throws Error, and leaves the file unchanged: kIo (missing, a folder, no permission),
/// kBadInput (another program's, damaged, of another schema version; for reading also: empty).
/// store/schema.cc implements it, because it knows the tables of all folders.
[[nodiscard]] Database open_store_file(
    const std::filesystem::path& path, Database::Access access,
    Database::Durability durability = Database::Durability::kFull);

}  // namespace prescope
