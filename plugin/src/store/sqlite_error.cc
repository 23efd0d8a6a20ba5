#include "store/sqlite_error.h"

#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "store/database.h"

namespace prescope {
namespace {

/// What follows the path and a colon.
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
      return "is not an SQLite file; name a store, or a path where there is no file yet";
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

bool is_about_content(int code) { return code == SQLITE_NOTADB || code == SQLITE_CORRUPT; }

}  // namespace

Error sqlite_error(const std::filesystem::path& path, const SQLite::Exception& refusal) {
  const int code = refusal.getErrorCode() & 0xFF;
  return {is_about_content(code) ? ErrorCode::kBadInput : ErrorCode::kIo,
          fmt::format("{}: {}", path.string(), refusal_sentence(code, refusal.what()))};
}

}  // namespace prescope
