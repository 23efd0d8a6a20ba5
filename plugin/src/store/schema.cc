// Opens a store, and creates the tables of all folders in a new one.
#include "store/sqlite/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>
#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cerrno>
#include <system_error>
#include <thread>

#include "base/errors.h"
#include "base/folder_lock.h"
#include "store/nights/evaluation_rows.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

using Access = Database::Access;

/// Identifies a file as prescope's: "PRES", in the header of the SQLite file.
constexpr std::int64_t kStoreApplicationId = 0x50524553;

void refuse_other_version(const std::filesystem::path& path, std::int64_t version) {
  if (version == kStoreVersion) return;
  throw bad_input_error(
      "{}: {} prescope wrote it (schema version {}, this prescope reads and writes {}); use that "
      "prescope, or another file",
      path.string(), version > kStoreVersion ? "a newer" : "an older", version, kStoreVersion);
}

/// Creates the tables of a new file, in one transaction with the version.
void make_schema(Database& database) {
  if (database.number("PRAGMA user_version") == kStoreVersion) return;
  // The transaction begins with the pragma, which only takes effect before the first page is
  // written. A new file therefore appears complete, or not at all.
  Transaction transaction(database, SQLite::TransactionBehavior::DEFERRED);
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  const std::int64_t found = database.number("PRAGMA user_version");
  if (found != 0) {  // another process has created them while this one waited
    return refuse_other_version(database.path(), found);
  }
  database.run(fmt::format("{}{}PRAGMA application_id = {}; PRAGMA user_version = {}",
                           kEvaluationSchema, observation_schema(), kStoreApplicationId,
                           kStoreVersion));
  transaction.commit();
}

constexpr std::string_view kMagic{"SQLite format 3\0", 16};

/// Reads the beginning of an SQLite file's header (sqlite.org/fileformat.html, section 1.3).
/// Through SQLite, because closing the file would release the locks of this process's other
/// connections.
std::string read_header(const std::filesystem::path& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
    throw io_error("{}: cannot be read ({}); allow reading it", path.string(),
                   std::generic_category().message(errno));
  }
  return translated(path, [&] {
    const SQLite::Database connection(
        std::filesystem::absolute(path).string());  // only for reading
    sqlite3_file* file = nullptr;
    sqlite3_file_control(connection.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    sqlite3_int64 size = 0;
    std::string header(100, '\0');
    int code = file->pMethods->xFileSize(file, &size);
    if (code == SQLITE_OK) code = file->pMethods->xRead(file, header.data(), 100, 0);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
      throw SQLite::Exception("the header cannot be read", code);
    }
    header.resize(static_cast<std::size_t>(std::min(size, sqlite3_int64{100})));
    return header;
  });
}

void refuse_missing(const std::filesystem::path& path, Access access) {
  if (access != Access::kWrite) {
    throw io_error(
        "{}: there is no such file; name a store that prescope wrote, or write to one first",
        path.string());
  }
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw io_error("{}: its folder '{}' is not there; make it first", path.string(),
                   folder.string());
  }
}

/// Returns true if the file is a store, false if it can become one. Reads the file's own bytes
/// before SQLite does, and refuses a file that cannot be used.
bool is_store(const std::filesystem::path& path, Access access) {
  const std::filesystem::file_status status = std::filesystem::status(path);
  if (!std::filesystem::exists(status)) {
    refuse_missing(path, access);
    return false;
  }
  if (std::filesystem::is_directory(status)) {
    throw io_error("{}: is a folder; a store is a file", path.string());
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw io_error("{}: is not a regular file; a store is one", path.string());
  }
  const std::string header = read_header(path);
  if (header.empty() && access == Access::kWrite) return false;
  if (header.empty()) {
    throw bad_input_error("{}: is empty; nothing was ever stored in it", path.string());
  }
  if (header.size() < 100 || !header.starts_with(kMagic)) {
    throw bad_input_error("{}: is not an SQLite file; name a store, or the path of a new file",
                          path.string());
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(header.data());
  const std::uint32_t version = boost::endian::load_big_u32(bytes + 60);
  const std::uint32_t application_id = boost::endian::load_big_u32(bytes + 68);
  if (application_id != kStoreApplicationId) {
    throw bad_input_error(
        "{}: is an SQLite file of another program (application_id {:#x}, a store has "
        "{:#x}); name a store, or the path of a new file",
        path.string(), application_id, kStoreApplicationId);
  }
  refuse_other_version(path, version);
  return true;
}

/// Checks the pages behind the header, and the header's fields that may be stale while a
/// write-ahead log is beside the file.
void check(const Database& database) {
  static_cast<void>(database.number("SELECT count(*) FROM sqlite_schema"));
  refuse_other_version(database.path(), database.number("PRAGMA user_version"));
}

/// Calls `open` until it succeeds, for as long as SQLite's own timeout, if it fails for a reason
/// that `is_passing`.
template <class Open, class IsPassing>
Database opened(const Open& open, const IsPassing& is_passing) {
  const auto give_up =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(Database::kBusyTimeoutMs);
  while (true) {
    try {
      return open();
    } catch (const Error& error) {
      if (!is_passing(error) || std::chrono::steady_clock::now() > give_up) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

bool is_locked(const Error& error) { return dynamic_cast<const LockedError*>(&error) != nullptr; }

/// Without the right to write to it, a file cannot be opened while a process begins or ends to
/// write to it.
Database open_for_reading(const std::filesystem::path& path) {
  const bool may_write = Database::may_write(path);
  const auto open = [&] {
    Database database(path, Access::kRead);
    check(database);
    if (!may_write) return database;
    // A connection that may not write would leave the log of a killed process beside the file.
    Database leaves_one_file(path, Access::kUpdate);
    leaves_one_file.run("PRAGMA query_only = ON");
    return leaves_one_file;
  };
  return opened(open,
                [&](const Error& error) { return error.code() == ErrorCode::kIo && !may_write; });
}

/// Creates the file if it is missing. If several processes create one file, SQLite refuses all but
/// one of them at once, without its own timeout.
Database open_for_writing(const std::filesystem::path& path, Access access,
                          Database::Durability durability) {
  const auto open = [&] {
    Database database(path, access, durability);
    make_schema(database);
    // Set after the first transaction, so that the file has its application id from its first byte
    // on.
    database.run("PRAGMA journal_mode = WAL");
    return database;
  };
  return opened(open, is_locked);
}

/// Takes away what a file that was moved from `path` left beside it. That file may still be open,
/// and SQLite finds `-wal` and `-shm` by the path: two files that shared them would lose data.
/// Connections keep what they have open. A log with content is kept under another name.
void remove_parts_of_moved_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path log = path.string() + "-wal";
  if (std::filesystem::file_size(log, ignored) > 0 && !ignored) {
    const auto now = utc_now().time_since_epoch().count();
    std::filesystem::rename(log, fmt::format("{}.{}", log.string(), now), ignored);
  } else {
    std::filesystem::remove(log, ignored);
  }
  std::filesystem::remove(path.string() + "-shm", ignored);
}

/// Returns the path of the file that symbolic links lead to. SQLite keeps `-wal` and `-shm` there.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  return path;
}

/// Creates the file, unless another process does so first.
Database create(const std::filesystem::path& path, Database::Durability durability) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  const auto create_alone = [&] {
    // Keeps others from making a store in this folder now, if the file system can lock folders.
    const FolderLock lock(folder);
    if (lock.is_held_by_other()) {
      throw LockedError(fmt::format(
          "{}: another process is making a store in this folder; try again when it is done",
          folder.string()));
    }
    if (!std::filesystem::exists(path)) remove_parts_of_moved_file(path);
    return open_for_writing(path, Access::kWrite, durability);
  };
  return opened(create_alone, is_locked);
}

Database open_shared(const std::filesystem::path& path, Access access,
                     Database::Durability durability) {
  const bool is_there = is_store(path, access);
  if (access == Access::kRead) return open_for_reading(path);
  // The checking connection cannot change the file. A file whose creation was interrupted can only
  // be read after a writer has rolled it back.
  const bool is_unfinished = std::filesystem::exists(path.string() + "-journal");
  if (is_there && !is_unfinished) check(Database(path, Access::kRead));
  if (!std::filesystem::exists(path)) return create(path, durability);
  return open_for_writing(path, access, durability);
}

}  // namespace

Database open_store_file(const std::filesystem::path& name, Access access,
                         Database::Durability durability) {
  if (access == Access::kMemory) {
    Database database(name, access);
    make_schema(database);
    return database;
  }
  const std::filesystem::path path = behind_links(name);
  try {
    return open_shared(path, access, durability);
  } catch (const LockedError&) {
    throw;
  } catch (const Error& error) {
    const bool is_file = std::filesystem::is_regular_file(path) && Database::may_write(path);
    if (access == Access::kWrite || error.code() != ErrorCode::kIo || !is_file) throw;
    // A full disk has no room for what connections share beside the file. A copy needs none of it,
    // nor does a connection that locks the file: it reads, and every write says why it fails.
    try {
      Database database(path, access == Access::kRead ? Access::kCopy : Access::kAlone);
      check(database);
      return database;
    } catch (const Error&) {  // the first error says more
    }
    throw;
  }
}

}  // namespace prescope
