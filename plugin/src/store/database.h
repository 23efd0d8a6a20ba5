#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace prescope {

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
