#pragma once

#include <functional>

#include "base/file_identity.h"
#include "store/sessions/stored_requests.h"

namespace prescope {

/// Reads the lines of a log that other programs write to. A log that was renamed and begun anew is
/// read to its end first, with what its writer still adds, then its successors (files of the same
/// folder whose names begin with the log's, in the order in which they were made), then the new
/// file. A log that became shorter is read from its beginning. Not thread-safe.
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
  [[nodiscard]] std::string taken(std::size_t bytes);
  /// Returns whether the file was renamed, and nothing came to it for a while.
  [[nodiscard]] bool has_ended();
  /// Opens the file that follows the present one, if there is one.
  [[nodiscard]] bool open_next();
  enum class Names { kAll, kOfRotations };
  [[nodiscard]] std::vector<std::filesystem::path> siblings(Names names) const;
  [[nodiscard]] std::uint64_t read_to() const noexcept {
    return position_.offset + pending_.size() + skipped_;
  }

  const std::filesystem::path path_;
  const Options options_;
  int descriptor_ = -1;  // below 0: no file is open
  std::optional<FileIdentity> identity_;
  std::optional<Clock::time_point> renamed_;  // since when nothing has come
  std::string pending_;                       // bytes behind the last complete line
  std::uint64_t skipped_ = 0;                 // further bytes of a line that is too long
  LogPosition position_;
};

}  // namespace prescope
