#include "store/database.h"

#include <SQLiteCpp/Column.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <utility>

#include "store/connection.h"

namespace prescope {
namespace {

using Access = Database::Access;

/// As a URI that SQLite takes: everything but letters, digits and a few signs in hexadecimal.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                          (c >= 'a' && c <= 'z') || c == '/' || c == '.' || c == '-' || c == '_';
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// Whether nobody writes to the file, and its folder cannot take the shared memory that SQLite
/// makes for readers beside writers.
bool stands_still(const std::filesystem::path& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code ignored;
  return faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0 &&
         !std::filesystem::exists(path.string() + "-wal", ignored);
}

SQLite::Database connect(const std::filesystem::path& path, Access access) {
  constexpr int kOneThread = SQLITE_OPEN_NOMUTEX;
  if (access == Access::kWrite) {
    return {path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | kOneThread};
  }
  if (stands_still(path)) {
    return {uri_of(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | kOneThread};
  }
  return {path.string(), SQLITE_OPEN_READONLY | kOneThread};
}

}  // namespace

Database::Database(const std::filesystem::path& path, Access access, Durability durability)
    : connection_(translated(path, [&] {
        return std::make_unique<Connection>(Connection{path, connect(path, access)});
      })) {
  translated(path, [&] { connection_->sqlite.setBusyTimeout(kBusyTimeoutMs); });
  if (access == Access::kRead) return;
  run(
      fmt::format("PRAGMA synchronous = {}; PRAGMA wal_autocheckpoint = 4000;"
                  "PRAGMA foreign_keys = ON",
                  durability == Durability::kFull ? "FULL" : "NORMAL"));
}

Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

const std::filesystem::path& Database::path() const noexcept { return connection_->path; }

void Database::run(const std::string& sql) {
  translated(path(), [&] { connection_->sqlite.exec(sql); });
}

std::int64_t Database::number(const std::string& sql) const {
  return translated(path(), [&] { return connection_->sqlite.execAndGet(sql).getInt64(); });
}

std::int64_t Database::last_row() const noexcept {
  return sqlite3_last_insert_rowid(connection_->sqlite.getHandle());
}

std::int64_t Database::changed_rows() const noexcept {
  return sqlite3_changes(connection_->sqlite.getHandle());
}

Transaction::Transaction(Database& database, const std::string& begin) : database_(database) {
  database_.run(begin);
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const Error&) {
    // A failed write may have ended the transaction already.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  is_open_ = false;
}

}  // namespace prescope
