#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace prescope {

/// Tells a file from another one that is put at its path later. A removed file's inode number goes
/// to the next new file at once, so the time of birth counts too, where the file system keeps it.
class FileIdentity {
 public:
  /// Returns the identity of the file at the path, links followed; std::nullopt if there is none.
  [[nodiscard]] static std::optional<FileIdentity> of(const std::filesystem::path& path) noexcept {
    return read(AT_FDCWD, path.c_str(), 0);
  }
  /// Returns the identity of an open file.
  [[nodiscard]] static std::optional<FileIdentity> of(int descriptor) noexcept {
    return read(descriptor, "", AT_EMPTY_PATH);
  }

  /// Returns it as text, to be compared with another one later.
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(numbers_, "-")); }
  /// Returns when the file was made, nanoseconds since 1970; 0 if the file system does not say.
  [[nodiscard]] std::uint64_t born_ns() const noexcept {
    constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
    return numbers_[3] * kNsPerSecond + numbers_[4];
  }

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;

 private:
  static std::optional<FileIdentity> read(int folder, const char* path, int flags) noexcept {
    struct statx status {};
    if (::statx(folder, path, flags, STATX_INO | STATX_BTIME, &status) != 0) return std::nullopt;
    FileIdentity identity;
    identity.numbers_ = {status.stx_dev_major, status.stx_dev_minor, status.stx_ino,
                         static_cast<std::uint64_t>(status.stx_btime.tv_sec),
                         status.stx_btime.tv_nsec};
    return identity;
  }

  std::array<std::uint64_t, 5> numbers_{};
};

}  // namespace prescope
