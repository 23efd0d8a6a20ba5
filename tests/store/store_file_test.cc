#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <optional>

#include "store/nights/store.h"
#include "store/sqlite/database.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;

constexpr auto kRead = Database::Access::kRead;
constexpr auto kWrite = Database::Access::kWrite;

/// For a scope, without the rights of the administrator, who may write anywhere.
class Unprivileged {
 public:
  Unprivileged() {
    if (was_ == 0 && seteuid(kNobody) != 0) ADD_FAILURE() << "cannot give up privileges";
  }
  ~Unprivileged() {
    if (was_ == 0 && seteuid(0) != 0) ADD_FAILURE() << "cannot have privileges again";
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  uid_t was_ = geteuid();
};

/// A file as another program would make it.
fs::path sqlite_file(const fs::path& path, const std::string& sql) {
  sqlite3* other = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_close(other), SQLITE_OK);
  return path;
}

fs::path new_store(const fs::path& path) {
  static_cast<void>(open_store_file(path, kWrite));
  return path;
}

void expect_refused_untouched(const fs::path& path, ErrorCode code, std::string_view sentence) {
  const std::string before = content_of(path);
  for (const auto access : {kRead, kWrite}) {
    const Refusal refusal = refusal_of([&] { static_cast<void>(open_store_file(path, access)); });
    EXPECT_EQ(refusal.message, fmt::format("{}: {}", path.string(), sentence));
    EXPECT_EQ(refusal.code, code);
  }
  EXPECT_TRUE(content_of(path) == before);
}

TEST(StoreFile, IsCreatedForWritingWithItsApplicationId) {
  const ScratchFolder folder;
  const fs::path path = new_store(folder.path() / "new.store");
  // sqlite.org/fileformat.html, 1.3: user version at 60, application id at 68, big endian.
  const std::string bytes = content_of(path);
  EXPECT_EQ(bytes.substr(60, 4), std::string({0, 0, 0, static_cast<char>(kStoreVersion)}));
  EXPECT_EQ(bytes.substr(68, 4), "PRES");
  EXPECT_FALSE(fs::exists(path.string() + "-wal"));
}

TEST(StoreFile, EmptyFileBecomesAStoreWhenWritten) {
  const ScratchFolder folder;
  const fs::path path = folder.write("empty.store", "");
  EXPECT_EQ(refusal_of([&] { static_cast<void>(open_store_file(path, kRead)); }).message,
            path.string() + ": is empty; nothing was ever stored in it");
  EXPECT_EQ(content_of(path), "");
  static_cast<void>(open_store_file(path, kWrite));
  static_cast<void>(open_store_file(path, kRead));
}

TEST(StoreFile, HasThePragmasOfItsDocumentation) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "new.store";
  using Durability = Database::Durability;
  for (const auto& [durability, synchronous] :
       {std::pair{Durability::kFull, 2}, std::pair{Durability::kNormal, 1}}) {
    const Database database = open_store_file(path, kWrite, durability);
    EXPECT_EQ(database.number("PRAGMA synchronous"), synchronous);
    EXPECT_EQ(database.number("PRAGMA wal_autocheckpoint"), 4000);
    EXPECT_EQ(database.number("PRAGMA busy_timeout"), 5000);
    EXPECT_EQ(database.number("PRAGMA foreign_keys"), 1);
    EXPECT_EQ(database.number("PRAGMA auto_vacuum"), 2);
    Statement mode(database, "PRAGMA journal_mode");
    ASSERT_TRUE(mode.next());
    EXPECT_EQ(mode.text(0), "wal");
  }
}

TEST(StoreFile, FileOfAnotherProgramIsRefused) {
  const ScratchFolder folder;
  const auto refused = [](const std::string& id) {
    return "is an SQLite file of another program (application_id " + id +
           ", a store has 0x50524553); name a store, or the path of a new file";
  };
  expect_refused_untouched(
      sqlite_file(folder.path() / "unmarked.db", "CREATE TABLE songs (title TEXT)"),
      ErrorCode::kBadInput, refused("0x0"));
  expect_refused_untouched(
      sqlite_file(folder.path() / "marked.db",
                  "PRAGMA application_id = 0x0F055112; PRAGMA journal_mode = WAL;"
                  "CREATE TABLE songs (title TEXT)"),
      ErrorCode::kBadInput, refused("0xf055112"));
}

TEST(StoreFile, FileThatIsNotSqliteIsRefused) {
  const ScratchFolder folder;
  constexpr auto kSentence = "is not an SQLite file; name a store, or the path of a new file";
  expect_refused_untouched(folder.write("qrels.txt", "T1 0 EP1 1\n"), ErrorCode::kBadInput,
                           kSentence);
  expect_refused_untouched(folder.write("long.bin", std::string(100'000, '\xA5')),
                           ErrorCode::kBadInput, kSentence);
  const std::string store = content_of(new_store(folder.path() / "a.store"));
  expect_refused_untouched(folder.write("header.store", store.substr(0, 99)), ErrorCode::kBadInput,
                           kSentence);
}

TEST(StoreFile, TruncatedFileIsRefused) {
  const ScratchFolder folder;
  const std::string store = content_of(new_store(folder.path() / "a.store"));
  for (const std::size_t size : {std::size_t{100}, std::size_t{4096}, store.size() - 4096}) {
    const fs::path path = folder.write("cut.store", store.substr(0, size));
    expect_refused_untouched(path, ErrorCode::kBadInput,
                             "is damaged (database disk image is malformed); take a copy of an "
                             "earlier day, or save what can be read with: sqlite3 FILE .recover");
  }
}

TEST(StoreFile, OfAnotherPrescopeIsRefused) {
  const std::pair<std::int64_t, const char*> kCases[] = {{kStoreVersion - 1, "an older"},
                                                         {kStoreVersion + 1, "a newer"}};
  for (const auto& [version, which] : kCases) {
    const ScratchFolder folder;
    const fs::path path =
        sqlite_file(new_store(folder.path() / "a.store"),
                    fmt::format("PRAGMA user_version = {}; CREATE TABLE later (a)", version));
    expect_refused_untouched(
        path, ErrorCode::kBadInput,
        fmt::format("{} prescope wrote it (schema version {}, this prescope reads and writes {}); "
                    "use that prescope, or another file",
                    which, version, kStoreVersion));
    EXPECT_FALSE(fs::exists(path.string() + "-wal"));
  }
}

// The last writes of a newer prescope may be in a log beside the file, while it runs or after it
// was killed.
TEST(StoreFile, OfANewerPrescopeThatIsStillRunningIsRefused) {
  const ScratchFolder folder;
  const fs::path path = new_store(folder.path() / "a.store");
  Database newer(path, kWrite);
  newer.run(fmt::format("PRAGMA user_version = {}", kStoreVersion + 1));
  EXPECT_EQ(content_of(path)[63], static_cast<char>(kStoreVersion)) << "the last byte of it";
  expect_refused_untouched(
      path, ErrorCode::kBadInput,
      fmt::format("a newer prescope wrote it (schema version {}, this prescope reads and writes "
                  "{}); use that prescope, or another file",
                  kStoreVersion + 1, kStoreVersion));
}

TEST(StoreFile, MissingFileIsNotCreatedForReading) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "none.store";
  const Refusal refusal = refusal_of([&] { static_cast<void>(open_store_file(path, kRead)); });
  EXPECT_EQ(refusal.code, ErrorCode::kIo);
  EXPECT_EQ(refusal.message, path.string() +
                                 ": there is no such file; name a store that prescope wrote, or "
                                 "write to one first");
  EXPECT_FALSE(fs::exists(path));
}

TEST(StoreFile, CannotBeAFolder) {
  const ScratchFolder folder;
  for (const auto access : {kRead, kWrite}) {
    const Refusal refusal =
        refusal_of([&] { static_cast<void>(open_store_file(folder.path(), access)); });
    EXPECT_EQ(refusal.code, ErrorCode::kIo);
    EXPECT_EQ(refusal.message, folder.path().string() + ": is a folder; a store is a file");
  }
}

TEST(StoreFile, CannotBeADevice) {
  for (const auto access : {kRead, Database::Access::kUpdate, kWrite}) {
    const Refusal refusal =
        refusal_of([&] { static_cast<void>(open_store_file("/dev/null", access)); });
    EXPECT_EQ(refusal.message, "/dev/null: is not a regular file; a store is one");
  }
}

TEST(StoreFile, NeedsItsFolder) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "none" / "a.store";
  const Refusal refusal = refusal_of([&] { static_cast<void>(open_store_file(path, kWrite)); });
  EXPECT_EQ(refusal.code, ErrorCode::kIo);
  EXPECT_EQ(refusal.message, fmt::format("{}: its folder '{}' is not there; make it first",
                                         path.string(), (folder.path() / "none").string()));
}

TEST(StoreFile, IsNotCreatedInAReadOnlyFolder) {
  const ScratchFolder folder;
  fs::permissions(folder.path(), fs::perms{0555});
  const fs::path path = folder.path() / "a.store";
  const Unprivileged here;
  const Refusal refusal = refusal_of([&] { static_cast<void>(open_store_file(path, kWrite)); });
  EXPECT_EQ(refusal.code, ErrorCode::kIo);
  EXPECT_EQ(refusal.message,
            path.string() +
                ": cannot be opened (unable to open database file); its folder must be "
                "there and allow writing");
}

// The owner could not write to a log that another user made.
TEST(StoreFile, WithoutTheRightToWriteIsReadAndLeftAlone) {
  for (const auto rights : {fs::perms{0555}, fs::perms{0777}}) {
    const ScratchFolder folder;
    const fs::path path = folder.path() / "a b%3f?.store", log = path.string() + "-wal";
    static_cast<void>(Store::open(path, Store::Access::kWrite));
    fs::permissions(path, fs::perms{0444});
    fs::permissions(folder.path(), rights);
    {
      const Unprivileged here;
      EXPECT_TRUE(Store::open(path, Store::Access::kRead).nights().empty());
      const Refusal refusal =
          refusal_of([&] { static_cast<void>(Store::open(path, Store::Access::kWrite)); });
      EXPECT_EQ(refusal.code, ErrorCode::kIo);
      EXPECT_EQ(refusal.message,
                path.string() +
                    ": may not be written to (attempt to write a readonly database); "
                    "allow writing to the file and its folder");
    }
    fs::permissions(folder.path(), fs::perms{0755});
    EXPECT_FALSE(fs::exists(log));
    std::ofstream{log};
    fs::permissions(folder.path(), rights);
    {
      const Unprivileged here;  // a log that is empty has nothing that the file lacks
      EXPECT_TRUE(Store::open(path, Store::Access::kRead).nights().empty());
    }
    std::ofstream{log} << "x";
    {
      const Unprivileged here;
      EXPECT_EQ(refusal_of([&] { Database(path, kRead).run("SELECT 1"); }).code, ErrorCode::kIo);
    }
    fs::permissions(folder.path(), fs::perms{0755});
    EXPECT_FALSE(fs::exists(path.string() + "-shm"));
  }
}

// SQLite keeps the log beside the file, so the rights that count are those there.
TEST(StoreFile, IsReadThroughALinkInAnyFolder) {
  for (const bool is_open : {false, true}) {
    for (const auto rights : {fs::perms{0555}, fs::perms{0777}}) {
      SCOPED_TRACE(fmt::format("open {}, rights {:o}", is_open, static_cast<unsigned>(rights)));
      const ScratchFolder folder, links;
      const fs::path path = folder.path() / "a.store", link = links.path() / "link.store";
      fs::create_symlink(path, link);
      std::optional<Database> writer = open_store_file(path, kWrite);
      insert(*writer, "topics (name)", "T1");
      if (!is_open) writer.reset();
      fs::permissions(folder.path(), fs::perms{0555});
      fs::permissions(links.path(), rights);
      {
        const Unprivileged here;
        EXPECT_EQ(open_store_file(link, kRead).number("SELECT count(*) FROM topics"), 1);
      }
      fs::permissions(folder.path(), fs::perms{0755});
      fs::permissions(links.path(), fs::perms{0755});
    }
  }
}

TEST(StoreFile, UnreadableFileIsRefused) {
  const ScratchFolder folder;
  const fs::path path = new_store(folder.path() / "a.store");
  fs::permissions(folder.path(), fs::perms(0755));  // others reach the file
  fs::permissions(path, fs::perms::none);
  const Unprivileged here;
  const Refusal refusal = refusal_of([&] { static_cast<void>(open_store_file(path, kRead)); });
  EXPECT_EQ(refusal.code, ErrorCode::kIo);
  EXPECT_EQ(refusal.message,
            path.string() + ": cannot be read (Permission denied); allow reading it");
}

TEST(StoreFile, IsNotChangedByReading) {
  const ScratchFolder folder;
  const fs::path path = new_store(folder.path() / "a.store");
  const std::string before = content_of(path);
  Database database = open_store_file(path, kRead);
  EXPECT_EQ(refusal_of([&] { database.run("DELETE FROM evaluations"); }).code, ErrorCode::kIo);
  EXPECT_TRUE(content_of(path) == before);
}

}  // namespace
}  // namespace prescope
