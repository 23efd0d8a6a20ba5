#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace prescope {

/// Joins the pieces of a file or a pipe to complete lines. Of a line without an end it keeps the
/// first 4 MiB, which no collector takes.
class LineBuffer {
 public:
  /// Adds bytes. Returns all lines that are complete now, with their ends.
  std::string add(std::string_view piece) {
    const std::size_t end = piece.rfind('\n') + 1;  // 0: no line ends
    std::string lines;
    if (end > 0) {
      lines = rest();
      lines += piece.substr(0, end);
      piece.remove_prefix(end);
    }
    const std::size_t kept = std::min(piece.size(), kMost - pending_.size());
    pending_ += piece.substr(0, kept);
    skipped_ += piece.size() - kept;
    return lines;
  }
  /// Returns what is there of the last line, and forgets it.
  std::string rest() {
    skipped_ = 0;
    return std::exchange(pending_, {});
  }
  /// Returns the number of bytes that were added and not returned.
  [[nodiscard]] std::uint64_t waiting() const noexcept { return pending_.size() + skipped_; }

 private:
  static constexpr std::size_t kMost = std::size_t{4} << 20U;

  std::string pending_;
  std::uint64_t skipped_ = 0;
};

}  // namespace prescope
