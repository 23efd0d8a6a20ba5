#pragma once

#include <sys/stat.h>
#include <filesystem>
#include <optional>

namespace prescope {

/// Tells a file from another one that is put at its path later, while the first one is open.
class FileIdentity {
 public:
  /// Returns the identity of the file at the path, links followed; std::nullopt if there is none.
  [[nodiscard]] static std::optional<FileIdentity> of(const std::filesystem::path& path) noexcept {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileIdentity(status);
  }
  explicit FileIdentity(const struct stat& status) noexcept
      : device_(status.st_dev), inode_(status.st_ino) {}

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;

 private:
  dev_t device_;
  ino_t inode_;
};

}  // namespace prescope
