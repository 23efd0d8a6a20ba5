#pragma once

#include <functional>

#include "base/file_identity.h"
#include "collect/line_buffer.h"
#include "store/sessions/stored_requests.h"

namespace prescope {

/// Reads the lines of a log that other programs write to. A log that was renamed is read to its
/// end, with what its writer still adds. Then come the files that were made after it and before the
/// present one, in their order. A log that became shorter is read from its beginning. Not
/// thread-safe.
class LogTail {
 public:
  using Warn = std::function<void(const std::string&)>;

  struct Options {
    Warn warn{};
    /// How long nothing may come to a file that was renamed before the next one is read.
    std::chrono::milliseconds patience{1000};
  };
  /// Goes on at `position`, or begins with the file as it is. The file need not be there yet.
  LogTail(std::filesystem::path path, const std::optional<LogPosition>& position, Options options);
  ~LogTail();
  LogTail(const LogTail&) = delete;
  LogTail& operator=(const LogTail&) = delete;

  /// Returns the complete lines that are there now, up to about 1 MiB at a time; empty if there are
  /// none. Throws Error(kIo) if the file cannot be read.
  [[nodiscard]] std::string read();
  /// Returns the position behind the lines that were returned so far.
  [[nodiscard]] const LogPosition& position() const noexcept { return position_; }

 private:
  using Clock = std::chrono::steady_clock;

  void open(const std::filesystem::path& path, std::uint64_t offset);
  void close() noexcept;
  void find(const LogPosition& position);
  [[nodiscard]] std::string read_piece();
  /// Returns whether the file was renamed, and nothing came to it for a while.
  [[nodiscard]] bool has_ended();
  /// Opens the file that follows the present one, if there is one.
  [[nodiscard]] bool open_next();
  enum class Names { kAll, kOfRotations };
  [[nodiscard]] std::vector<std::filesystem::path> siblings(Names names) const;
  [[nodiscard]] std::uint64_t read_to() const noexcept {
    return position_.offset + lines_.waiting();
  }

  const std::filesystem::path path_;
  const Options options_;
  int descriptor_ = -1;  // below 0: no file is open
  std::optional<FileIdentity> identity_;
  std::optional<Clock::time_point> renamed_;  // since when nothing has come
  LineBuffer lines_;
  LogPosition position_;
};

}  // namespace prescope
