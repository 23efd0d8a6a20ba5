#include "store/sqlite/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/errors.h"

namespace prescope {

bool Statement::next() {
  return translated(*path_, [&] {
    const bool has_row = executeStep();
    if (!has_row) reset();
    return has_row;
  });
}

std::string_view Statement::text(int column) const {
  const SQLite::Column value = getColumn(column);
  // The text must be asked for first, because its size depends on it.
  const auto* const begin = static_cast<const char*>(value.getBlob());
  return {begin, static_cast<std::size_t>(value.getBytes())};
}

std::int64_t Statement::whole(int column, std::int64_t least, std::int64_t most) const {
  const SQLite::Column value = getColumn(column);
  if (!value.isInteger() || value.getInt64() < least || value.getInt64() > most) {
    refuse_value(column, "a whole number " + range_words(least, most));
  }
  return value.getInt64();
}

double Statement::real(int column) const {
  const SQLite::Column value = getColumn(column);
  const bool is_number = value.isFloat() || value.isInteger();
  if (!is_number || !std::isfinite(value.getDouble())) refuse_value(column, "a number");
  return value.getDouble();
}

void Statement::refuse_value(int column, std::string_view expected) const {
  constexpr std::size_t kShown = 40;
  const std::string found =
      is_null(column) ? "NULL" : fmt::format("'{}'", valid_utf8(text(column).substr(0, kShown)));
  refuse_content(
      *path_, fmt::format("column {} has {}, expected {}", getColumnName(column), found, expected));
}

void refuse_content(const std::filesystem::path& path, std::string_view what) {
  throw bad_input_error(
      "{}: {}; the file was changed by another program; restore it, or name another", path.string(),
      what);
}

std::vector<std::string> texts_of(const Database& database, const std::string& sql) {
  std::vector<std::string> texts;
  for (Statement row(database, sql); row.next();) texts.emplace_back(row.text(0));
  return texts;
}

Statement insert_into(const Database& database, std::string_view into) {
  const auto commas = static_cast<std::size_t>(std::ranges::count(into, ','));
  return {database, fmt::format("INSERT INTO {} VALUES ({})", into,
                                fmt::join(std::vector<const char*>(commas + 1, "?"), ", "))};
}

NumberedRows::NumberedRows(const Database& database, std::string_view into,
                           std::string_view condition)
    : database_(&database),
      find_(database, fmt::format("SELECT number FROM {} WHERE {}", into.substr(0, into.find(' ')),
                                  condition)),
      add_(insert_into(database, into)) {}

namespace {

using Access = Database::Access;

/// An empty log is one of a connection that wrote nothing, and may have been left behind.
bool has_log(const std::filesystem::path& path) {
  std::error_code missing;
  return std::filesystem::file_size(path.string() + "-wal", missing) > 0 && !missing;
}

bool has_right_to_write(const std::filesystem::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

SQLite::Database connect(const std::filesystem::path& path, Access access) {
  constexpr int kOneThread = SQLITE_OPEN_NOMUTEX;
  if (access == Access::kMemory) return {":memory:", SQLITE_OPEN_READWRITE | kOneThread};
  // SQLite interprets names such as ":memory:" and "file:...", but no absolute path.
  const std::string file = std::filesystem::absolute(path).string();
  if (access == Access::kRead || access == Access::kCopy) {
    return {file, SQLITE_OPEN_READONLY | kOneThread};
  }
  // SQLite would open it all the same, and make a log that the file's owner cannot write to.
  if (!has_right_to_write(path) && errno != ENOENT) {
    throw SQLite::Exception(sqlite3_errstr(SQLITE_READONLY), SQLITE_READONLY);
  }
  const int create = access == Access::kWrite ? SQLITE_OPEN_CREATE : 0;
  return {file, SQLITE_OPEN_READWRITE | create | kOneThread};
}

/// Returns the sentence that follows the path and a colon.
std::string refusal_sentence(int code, const std::string& said) {
  switch (code) {
    case SQLITE_CANTOPEN:
      return fmt::format("cannot be opened ({}); its folder must be there and allow writing", said);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return fmt::format("may not be written to ({}); allow writing to the file and its folder",
                         said);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format(
          "another process has been writing for more than {} s; try again when it is done",
          Database::kBusyTimeoutMs / 1000);
    case SQLITE_FULL:
      return "the disk is full; nothing of this write was kept, free some space and repeat it";
    case SQLITE_IOERR:
      return fmt::format(
          "reading or writing failed ({}); check the disk, its free space and limits on file sizes",
          said);
    case SQLITE_NOTADB:
      return "is not an SQLite file; name a store, or the path of a new file";
    case SQLITE_CORRUPT:
      return fmt::format(
          "is damaged ({}); take a copy of an earlier day, or save what can be read with: "
          "sqlite3 FILE .recover",
          said);
    case SQLITE_NOMEM:
      return "there is not enough memory to work with it";
    default:
      return fmt::format("SQLite refuses: {}", said);
  }
}

}  // namespace

Database::Database(const std::filesystem::path& path, Access access, Durability durability)
    : SQLite::Database(translated(path, [&] { return connect(path, access); })), path_(path) {
  translated(path_, [&] { setBusyTimeout(kBusyTimeoutMs); });
  if (access == Access::kRead || access == Access::kCopy) {
    if (access == Access::kRead && may_write(path_)) return;
    if (access == Access::kCopy || !has_log(path_)) {
      read_into_memory();
    } else if (!std::filesystem::exists(path_.string() + "-shm")) {
      throw io_error("{}: has a -wal but no -shm beside it; let a user open it who may write to it",
                     path_.string());
    }
    return;
  }
  run(fmt::format(
      "PRAGMA locking_mode = {}; PRAGMA synchronous = {}; PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA foreign_keys = ON",
      access == Access::kAlone ? "EXCLUSIVE" : "NORMAL",
      durability == Durability::kFull ? "FULL" : "NORMAL"));
}

bool Database::may_write(const std::filesystem::path& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  return has_right_to_write(path) && has_right_to_write(folder);
}

Database::Stamp Database::stamp_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {std::int64_t(status.st_dev), std::int64_t(status.st_ino), status.st_size,
          status.st_mtim.tv_sec,       status.st_mtim.tv_nsec,      status.st_ctim.tv_sec,
          status.st_ctim.tv_nsec};
}

void Database::read_into_memory() {
  copied_ = stamp_of(path_);
  // Times of files have steps of up to 10 ms. Whatever is not seen in them is complete after this.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::ifstream file(path_, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (is_outdated() || content.size() < 100) {
    throw LockedError(fmt::format("{}: {}", path_.string(), refusal_sentence(SQLITE_BUSY, {})));
  }
  // SQLite reads a file without a write-ahead log if its versions are 1 (fileformat.html, 1.3.3).
  content[18] = content[19] = 1;
  const auto size = static_cast<sqlite3_int64>(content.size());
  auto* const bytes = static_cast<unsigned char*>(sqlite3_malloc64(content.size()));
  if (bytes == nullptr) throw std::bad_alloc();
  std::ranges::copy(content, bytes);
  constexpr unsigned kFlags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY;
  translated(path_, [&] {
    const int code = sqlite3_deserialize(getHandle(), "main", bytes, size, size, kFlags);
    if (code != SQLITE_OK) throw SQLite::Exception(getHandle(), code);
  });
}

bool Database::is_outdated() const {
  return copied_ && (has_log(path_) || stamp_of(path_) != *copied_);
}

Database::~Database() {
  // SQLite itself would leave what was committed in the log at the former path.
  if (getHandle() != nullptr && is_moved()) {
    static_cast<void>(tryExec("PRAGMA wal_checkpoint(TRUNCATE)"));
  }
}
Database::Database(Database&&) noexcept = default;

bool Database::is_moved() const {
  int is_moved = 0;
  sqlite3_file_control(getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &is_moved);
  return is_moved != 0;
}

void Database::run(const std::string& sql) {
  translated(path_, [&] { exec(sql); });
}

void Database::checkpoint() noexcept {
  static_cast<void>(tryExec("PRAGMA wal_checkpoint(PASSIVE)"));
}

std::int64_t Database::number(const std::string& sql) const {
  Statement row(*this, sql);
  row.next();
  return row.integer(0);
}

void throw_refusal(const std::filesystem::path& path, const SQLite::Exception& refusal) {
  const int code = refusal.getErrorCode() & 0xFF;
  const bool is_content = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
  const std::string sentence =
      fmt::format("{}: {}", path.string(), refusal_sentence(code, refusal.what()));
  if (code == SQLITE_BUSY) throw LockedError(sentence);
  throw Error(is_content ? ErrorCode::kBadInput : ErrorCode::kIo, sentence);
}

}  // namespace prescope
