#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>

#include "base/file_identity.h"

namespace prescope {

/// A lock on a folder that one object of one process can have at a time. It ends with the object or
/// the process.
class FolderLock {
 public:
  enum class Patience { kTriesOnce, kWaits };

  explicit FolderLock(const std::filesystem::path& folder, Patience patience = Patience::kTriesOnce)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    const int operation = patience == Patience::kWaits ? LOCK_EX : LOCK_EX | LOCK_NB;
    int failed = is_open() ? ::flock(descriptor_, operation) : 0;
    while (failed != 0 && errno == EINTR) failed = ::flock(descriptor_, operation);
    if (failed != 0) refusal_ = errno;
  }
  ~FolderLock() {
    if (is_open()) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Returns false if there is no such folder, or it may not be read.
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  [[nodiscard]] bool is_held() const noexcept { return is_open() && refusal_ == 0; }
  /// Returns true if another object has the lock; false also on a file system that locks no
  /// folders.
  [[nodiscard]] bool is_held_by_other() const noexcept { return refusal_ == EWOULDBLOCK; }
  /// Returns whether the open folder is still at this path.
  [[nodiscard]] bool is_at(const std::filesystem::path& path) const noexcept {
    return FileIdentity::of(path) == FileIdentity::of(descriptor_);
  }

 private:
  int descriptor_;
  int refusal_ = 0;  // errno
};

}  // namespace prescope
