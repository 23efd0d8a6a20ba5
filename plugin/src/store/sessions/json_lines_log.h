#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string_view>

namespace prescope {

/// A file that lines are appended to, and that somebody may move or remove meanwhile, as log
/// rotation does. Not thread-safe.
class AppendedFile {
 public:
  /// Made where it is missing. Throws Error(kIo).
  explicit AppendedFile(std::filesystem::path path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// One call of the system: how many bytes of it were taken, at least one. Throws Error(kIo) where
  /// none was.
  std::size_t append(std::string_view text);
  /// Opens the path anew where another file, or none, is there; looks at most once a second. True
  /// where it did. Throws Error(kIo) where it cannot be opened; tried again at the next call.
  bool follow_path();

 private:
  void open();
  void close() noexcept;
  [[nodiscard]] bool is_at_path() const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  dev_t device_{};
  ino_t inode_{};
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace prescope
