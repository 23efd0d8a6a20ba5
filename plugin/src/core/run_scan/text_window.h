#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "core/run_scan/docno_hash.h"
#include "core/run_scan/run_input.h"

namespace prescope {

/// A window of text that moves over the bytes: it begins with the first byte still needed. kPadding
/// bytes behind it can be read.
class TextWindow {
 public:
  static constexpr std::size_t kReadBlock = std::size_t{1} << 18U;

  /// Reads up to `block` bytes at a time, or more where more are needed at once.
  explicit TextWindow(ByteReader& bytes, std::size_t block = kReadBlock) : bytes_(&bytes) {
    make_room(block);
  }

  [[nodiscard]] const char* begin() const noexcept { return buffer_.get(); }
  [[nodiscard]] const char* end() const noexcept { return buffer_.get() + used_; }
  /// Behind the last line feed from `at` on; `at` where there is none.
  [[nodiscard]] const char* end_of_lines(const char* at) const noexcept {
    const void* const feed = ::memrchr(at, '\n', static_cast<std::size_t>(end() - at));
    return feed == nullptr ? at : static_cast<const char*>(feed) + 1;
  }
  /// Forgets what is before `needed` and reads on; false at the end of the bytes.
  bool read_on(const char* needed) {
    used_ -= static_cast<std::size_t>(needed - buffer_.get());
    std::memmove(buffer_.get(), needed, used_);
    if (used_ > room_ / 2) make_room(2 * room_);
    const std::size_t got = bytes_->read(buffer_.get() + used_, room_ - used_);
    used_ += got;
    return got != 0;
  }
  /// Reads twice as many bytes at a time from now on, or `most`.
  void double_room(std::size_t most) {
    if (room_ < most) make_room(2 * room_);
  }
  /// Ends the last line of a file that does not.
  void end_last_line() {
    if (used_ != 0 && buffer_[used_ - 1] != '\n') buffer_[used_++] = '\n';
  }

 private:
  /// And for the end of the last line, and for scanners that read on.
  void make_room(std::size_t room) {
    std::unique_ptr<char[]> larger(new char[room + 1 + kPadding]);
    if (used_ != 0) std::memcpy(larger.get(), buffer_.get(), used_);
    std::memset(larger.get() + room, 0, 1 + kPadding);
    buffer_ = std::move(larger);
    room_ = room;
  }

  ByteReader* bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t room_ = 0, used_ = 0;
};

}  // namespace prescope
