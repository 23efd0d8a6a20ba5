#include "store/sqlite/schema.h"

#include <fmt/format.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>

#include "prescope/error.h"
#include "store/nights/evaluation_rows.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

std::span<const SchemaStep> store_schema() {
  static const std::array kSteps = {
      SchemaStep{.version = 1,
                 .sql = std::string(kEvaluationSchema) + std::string(kObservationSchema)},
  };
  return kSteps;
}

std::string newer_store_sentence(const std::filesystem::path& path, std::int64_t version,
                                 std::int64_t newest) {
  return fmt::format(
      "{}: a newer prescope wrote it (schema version {}, this prescope knows up to {}); use that "
      "prescope, or another file",
      path.string(), version, newest);
}

void migrate(Database& database, std::span<const SchemaStep> steps) {
  const std::int64_t newest = steps.back().version;
  if (database.number("PRAGMA user_version") == newest) return;
  // Begun by the pragma, which only takes effect before the first page is written: a new file
  // appears with all that is in it, or not at all.
  Transaction transaction(database, SQLite::TransactionBehavior::DEFERRED);
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  // Another process may have migrated while this one waited for its turn.
  const std::int64_t found = database.number("PRAGMA user_version");
  if (found > newest) {
    throw Error(ErrorCode::kBadInput, newer_store_sentence(database.path(), found, newest));
  }
  for (const SchemaStep& step : steps) {
    if (step.version > found) database.run(step.sql);
  }
  database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                           kStoreApplicationId, newest));
  transaction.commit();
}

namespace {

using Access = Database::Access;

/// The first bytes of an SQLite file (sqlite.org/fileformat.html, section 1.3).
struct FileHeader {
  static constexpr std::size_t kSize = 100;
  static constexpr std::string_view kMagic{"SQLite format 3\0", 16};

  std::array<char, kSize> bytes{};
  std::size_t size = 0;

  [[nodiscard]] bool is_sqlite() const {
    return size == kSize && std::string_view(bytes.data(), kMagic.size()) == kMagic;
  }
  [[nodiscard]] std::uint32_t number_at(std::size_t offset) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      number = number << 8U | static_cast<unsigned char>(bytes[offset + i]);
    }
    return number;
  }
  [[nodiscard]] std::uint32_t user_version() const { return number_at(60); }
  [[nodiscard]] std::uint32_t application_id() const { return number_at(68); }
};

[[noreturn]] void refuse(const std::filesystem::path& path, ErrorCode code,
                         const std::string& sentence) {
  throw Error(code, fmt::format("{}: {}", path.string(), sentence));
}

FileHeader read_header(const std::filesystem::path& path) {
  FileHeader header;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    refuse(path, ErrorCode::kIo,
           fmt::format("cannot be read ({}); allow reading it",
                       std::generic_category().message(errno)));
  }
  file.read(header.bytes.data(), FileHeader::kSize);
  header.size = static_cast<std::size_t>(file.gcount());
  return header;
}

/// Whether there is a store, or what may become one. Reads only.
enum class Existing { kNothing, kStore };

Existing refuse_missing(const std::filesystem::path& path, Access access) {
  if (access == Access::kRead) {
    refuse(path, ErrorCode::kIo,
           "there is no such file; name a store that prescope wrote, or write to one first");
  }
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    refuse(path, ErrorCode::kIo,
           fmt::format("its folder '{}' is not there; make it first", folder.string()));
  }
  return Existing::kNothing;
}

Existing refuse_empty(const std::filesystem::path& path, Access access) {
  if (access == Access::kWrite) return Existing::kNothing;
  refuse(path, ErrorCode::kBadInput, "is empty; nothing was ever stored in it");
}

/// Decides on the file's own bytes, before SQLite sees them.
Existing inspect(const std::filesystem::path& path, Access access, std::int64_t newest) {
  const std::filesystem::file_status status = std::filesystem::status(path);
  if (!std::filesystem::exists(status)) return refuse_missing(path, access);
  if (std::filesystem::is_directory(status)) {
    refuse(path, ErrorCode::kIo, "is a folder; a store is a file");
  }
  if (!std::filesystem::is_regular_file(status)) {
    refuse(path, ErrorCode::kIo, "is not a regular file; a store is one");
  }
  const FileHeader header = read_header(path);
  if (header.size == 0) return refuse_empty(path, access);
  if (!header.is_sqlite()) {
    refuse(path, ErrorCode::kBadInput,
           "is not an SQLite file; name a store, or a path where there is no file yet");
  }
  if (header.application_id() != kStoreApplicationId) {
    refuse(path, ErrorCode::kBadInput,
           fmt::format("is an SQLite file of another program (application_id {:#x}, a store has "
                       "{:#x}); name a store, or a path where there is no file yet",
                       header.application_id(), kStoreApplicationId));
  }
  if (header.user_version() > newest) {
    throw Error(ErrorCode::kBadInput, newer_store_sentence(path, header.user_version(), newest));
  }
  return Existing::kStore;
}

/// What the header does not say while a write-ahead log is beside the file, nor about the pages
/// behind it.
void check(const Database& database, std::int64_t newest) {
  const std::int64_t version = database.number("PRAGMA user_version");
  static_cast<void>(database.number("SELECT count(*) FROM sqlite_schema"));
  if (version > newest) {
    throw Error(ErrorCode::kBadInput, newer_store_sentence(database.path(), version, newest));
  }
}

Database open_for_reading(const std::filesystem::path& path, std::int64_t newest) {
  Database database(path, Access::kRead);
  check(database, newest);
  const std::int64_t version = database.number("PRAGMA user_version");
  if (version < newest) {
    refuse(path, ErrorCode::kBadInput,
           fmt::format("its schema version is {}, this prescope reads {}; any command that writes "
                       "to it brings it up to date",
                       version, newest));
  }
  return database;
}

/// Of the file that is there, by a connection that cannot change it. One whose making was
/// interrupted can only be read once a writer has undone what was begun.
void check_before_writing(const std::filesystem::path& path, std::int64_t newest) {
  if (std::filesystem::exists(path.string() + "-journal")) return;
  check(Database(path, Access::kRead), newest);
}

/// Makes the file or brings it up to date. If several processes make one file, SQLite refuses all
/// but one of them at once, without its own timeout: they try again for as long as that lasts.
Database open_for_writing(const std::filesystem::path& path, Database::Durability durability,
                          std::span<const SchemaStep> schema) {
  const auto give_up =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(Database::kBusyTimeoutMs);
  while (true) {
    try {
      Database database(path, Access::kWrite, durability);
      migrate(database, schema);
      // After the first transaction, so that the file itself says from its first byte on whose it
      // is.
      database.run("PRAGMA journal_mode = WAL");
      return database;
    } catch (const LockedError&) {
      if (std::chrono::steady_clock::now() > give_up) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

Database open_store_file(const std::filesystem::path& path, Access access,
                         Database::Durability durability, std::span<const SchemaStep> schema) {
  const std::int64_t newest = schema.back().version;
  const Existing found = inspect(path, access, newest);
  if (access == Access::kRead) return open_for_reading(path, newest);
  if (found == Existing::kStore) check_before_writing(path, newest);
  return open_for_writing(path, durability, schema);
}

}  // namespace prescope
