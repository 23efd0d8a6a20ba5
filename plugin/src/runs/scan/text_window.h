#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "runs/scan/docno_hash.h"
#include "runs/scan/run_input.h"

namespace prescope {

/// The end of the line at `at`; null where there is none before `end`, as where a file that is
/// mapped has changed since its lines were counted, which its reader finds out at the end.
[[nodiscard]] inline const char* line_feed(const char* at, const char* end) noexcept {
  return static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
}

/// Where a scanner of lines goes on: not behind their end, as it would where a file that is mapped
/// has changed since.
[[nodiscard]] inline const char* no_further(const char* at, const char* end) noexcept {
  return std::min(at, end);
}

/// A window of text that moves over the bytes: it begins with the first byte still needed. kPadding
/// bytes behind it can be read. The text is a copy, or where the bytes can be mapped the file
/// itself: then whoever changes the file meanwhile changes the text.
class TextWindow {
 public:
  static constexpr std::size_t kReadBlock = std::size_t{1} << 18U;
  static constexpr std::size_t kSmallestMapped = std::size_t{1} << 16U;

  /// Reads up to `block` bytes at a time, or more where more are needed at once. Small blocks are
  /// never mapped.
  explicit TextWindow(ByteReader& bytes, std::size_t block = kReadBlock)
      : bytes_(&bytes), may_be_mapped_(block >= kSmallestMapped) {
    make_room(block);
    text_ = buffer_.get();
  }

  [[nodiscard]] const char* begin() const noexcept { return text_; }
  [[nodiscard]] const char* end() const noexcept { return text_ + used_; }
  /// Behind the last line feed from `at` on; `at` where there is none.
  [[nodiscard]] const char* end_of_lines(const char* at) const noexcept {
    const void* const feed = ::memrchr(at, '\n', static_cast<std::size_t>(end() - at));
    return feed == nullptr ? at : static_cast<const char*>(feed) + 1;
  }
  /// Forgets what is before `needed` and reads on; false at the end of the bytes.
  bool read_on(const char* needed) {
    used_ -= static_cast<std::size_t>(needed - text_);
    text_ = needed;
    if (may_be_mapped_ && map_on()) return true;
    return read_copy();
  }
  /// Reads twice as many bytes at a time from now on, or `most`.
  void double_room(std::size_t most) {
    if (room_ < most) copy_to_room(2 * room_);
  }
  /// Ends the last line of a file that does not.
  void end_last_line() {
    if (used_ != 0 && text_[used_ - 1] != '\n') buffer_[used_++] = '\n';
  }

 private:
  bool map_on() {
    const std::string_view mapped = bytes_->map(used_);
    may_be_mapped_ = !mapped.empty();
    if (!may_be_mapped_) return false;
    text_ = mapped.data();
    used_ = mapped.size();
    return true;
  }

  bool read_copy() {
    if (used_ > room_ / 2) {
      copy_to_room(std::max(2 * room_, 2 * used_));
    } else {
      std::memmove(buffer_.get(), text_, used_);
      text_ = buffer_.get();
    }
    const std::size_t got = bytes_->read(buffer_.get() + used_, room_ - used_);
    used_ += got;
    return got != 0;
  }

  void copy_to_room(std::size_t room) {
    const std::unique_ptr<char[]> before = std::move(buffer_);
    make_room(room);
    if (used_ != 0) std::memcpy(buffer_.get(), text_, used_);
    text_ = buffer_.get();
  }

  /// And for the end of the last line, and for scanners that read on.
  void make_room(std::size_t room) {
    buffer_.reset(new char[room + 1 + kPadding]);
    std::memset(buffer_.get() + room, 0, 1 + kPadding);
    room_ = room;
  }

  ByteReader* bytes_;
  bool may_be_mapped_;
  std::unique_ptr<char[]> buffer_;
  const char* text_ = nullptr;  // in the buffer, or mapped
  std::size_t room_ = 0, used_ = 0;
};

}  // namespace prescope
