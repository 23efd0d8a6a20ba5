#include "store/sqlite/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>
#include <algorithm>

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

/// Returns a URI for SQLite: everything but letters, digits and a few signs in hexadecimal.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                          (c >= 'a' && c <= 'z') || c == '/' || c == '.' || c == '-' || c == '_';
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// Returns true if no process can be writing: there is no write-ahead log, nor a folder that could
/// hold one.
bool stands_still(const std::filesystem::path& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code ignored;
  return faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0 &&
         !std::filesystem::exists(path.string() + "-wal", ignored);
}

SQLite::Database connect(const std::filesystem::path& path, Access access) {
  constexpr int kOneThread = SQLITE_OPEN_NOMUTEX;
  if (access != Access::kRead) {
    const int create = access == Access::kWrite ? SQLITE_OPEN_CREATE : 0;
    return {path.string(), SQLITE_OPEN_READWRITE | create | kOneThread};
  }
  if (stands_still(path)) {
    return {uri_of(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | kOneThread};
  }
  return {path.string(), SQLITE_OPEN_READONLY | kOneThread};
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
  if (access == Access::kRead) return;
  run(fmt::format(
      "PRAGMA locking_mode = {}; PRAGMA synchronous = {}; PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA foreign_keys = ON",
      access == Access::kAlone ? "EXCLUSIVE" : "NORMAL",
      durability == Durability::kFull ? "FULL" : "NORMAL"));
}

Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

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
  if (code == SQLITE_BUSY) throw LockedError(ErrorCode::kIo, sentence);
  throw Error(is_content ? ErrorCode::kBadInput : ErrorCode::kIo, sentence);
}

}  // namespace prescope
