#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

namespace prescope::serve {

/// What a store's file, and the write-ahead log beside it, look like from outside.
class FileStamp {
 public:
  /// As they are now; a file that is not there looks like nothing.
  explicit FileStamp(const std::filesystem::path& path);

  /// Whether what was read after this stamp was taken is what the same stamp stands for later: a
  /// file system's clock cannot tell two writes within some milliseconds apart.
  [[nodiscard]] bool is_settled() const noexcept { return is_settled_; }

  friend bool operator==(const FileStamp& a, const FileStamp& b) noexcept {
    return a.facts_ == b.facts_;
  }

 private:
  std::array<std::uint64_t, 8> facts_{};  // of each: device, inode, size, last write
  bool is_settled_ = true;
};

}  // namespace prescope::serve
