#pragma once

#include "base/file_identity.h"
#include "store/sqlite/database.h"

namespace prescope {

/// The place up to which the lines of a log are in the store.
struct LogPosition {
  std::string file{};        ///< FileIdentity::text
  std::uint64_t offset = 0;  ///< of the next byte
  std::uint64_t line = 0;    ///< complete lines read

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

/// Returns how far the log at `path` was read; std::nullopt if it was not. Throws as
/// `open_store_file`.
[[nodiscard]] std::optional<LogPosition> stored_position(const std::filesystem::path& store,
                                                         const std::string& path);
/// Stores how far the log was read, in one transaction. Throws as `open_store_file`.
void store_position(const std::filesystem::path& store, const std::string& path,
                    const LogPosition& position);

/// Reads which requests a store has, by `VisitOptions::request_id`, while a log writes to it. Opens
/// the store anew if another file takes its place. One thread at a time; throws as Database does.
class StoredRequests {
 public:
  /// Throws as `open_store_file`. The store must be there.
  explicit StoredRequests(std::filesystem::path path);

  /// Returns true if an observation of the request was committed.
  [[nodiscard]] bool contains(std::uint64_t request_id);
  /// Returns the time before which requests were forgotten when the store was pruned; std::nullopt
  /// if none were.
  [[nodiscard]] std::optional<UtcTime> since();

 private:
  /// A connection to the file that is at the path.
  struct File {
    explicit File(const std::filesystem::path& path);
    Database database;
    std::optional<FileIdentity> identity;
    Statement find, since;
  };

  std::filesystem::path path_;
  std::unique_ptr<File> file_;
};

}  // namespace prescope
