#include "base/text_file.h"

#include <fmt/format.h>

#include "base/unicode.h"

namespace prescope {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

// The buffer is not set before it is read into: most files are smaller.
TextFile::TextFile(const std::filesystem::path& path)
    : bytes_(path), buffer_(std::make_unique_for_overwrite<char[]>(kChunk)), room_(kChunk) {}

/// Up to the next line feed, or to the end of the file; false if nothing is left.
bool TextFile::take_line(std::string_view& line) {
  for (std::size_t searched = begin_;;) {
    const void* const feed = std::memchr(buffer_.get() + searched, '\n', end_ - searched);
    if (feed != nullptr) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(feed) - buffer_.get());
      line = {buffer_.get() + begin_, at - begin_};
      begin_ = at + 1;
      return true;
    }
    const std::size_t pending = end_ - begin_;
    if (!read_on()) break;
    searched = begin_ + pending;
  }
  line = {buffer_.get() + begin_, end_ - begin_};
  begin_ = end_;
  return !line.empty();
}

/// Makes room behind what is left; false at the end of the file.
bool TextFile::read_on() {
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == room_) {
    auto larger = std::make_unique_for_overwrite<char[]>(2 * room_);
    std::memcpy(larger.get(), buffer_.get(), end_);
    buffer_ = std::move(larger);
    room_ *= 2;
  }
  const std::size_t got =
      bytes_.read(buffer_.get() + end_, std::min(room_ - end_, kChunk), line_number_);
  end_ += got;
  return got != 0;
}

bool TextFile::next(std::string_view& line) {
  if (!take_line(line)) return false;
  ++line_number_;
  if (line_number_ == 1 && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\0') != std::string_view::npos) {
    throw bad_line("a NUL byte; expected text in UTF-8 (is this a binary file?)");
  }
  if (!is_utf8(line)) throw bad_line("invalid UTF-8; convert the file to UTF-8");
  return true;
}

Error TextFile::bad_line(std::string_view message) const {
  return {ErrorCode::kBadInput, fmt::format("{}:{}: {}", bytes_.name(), line_number_, message)};
}

}  // namespace prescope
