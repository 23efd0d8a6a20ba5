#include "base/text_file.h"

#include "base/errors.h"
#include "base/unicode.h"

namespace prescope {

TextFile::TextFile(const std::filesystem::path& path, Bytes allowed)
    : bytes_(path), allowed_(allowed) {}

/// Takes everything up to the next line feed, or to the end of the file; false if nothing is left.
bool TextFile::take_line(std::string_view& line) {
  std::size_t feed = pending_.find('\n', begin_);
  while (feed == std::string::npos) {
    const std::size_t searched = pending_.size() - begin_;
    if (!read_on()) break;
    feed = pending_.find('\n', searched);
  }
  const bool has_feed = feed != std::string::npos;
  const std::size_t end = has_feed ? feed : pending_.size();
  line = std::string_view(pending_).substr(begin_, end - begin_);
  begin_ = has_feed ? end + 1 : end;
  return has_feed || !line.empty();
}

/// Appends more input to the rest; false at the end of the file.
bool TextFile::read_on() {
  constexpr std::size_t kChunk = std::size_t{1} << 14U;
  pending_.erase(0, begin_);
  begin_ = 0;
  const std::size_t left = pending_.size();
  pending_.resize(left + kChunk);
  pending_.resize(left + bytes_.read(pending_.data() + left, kChunk, line_number_));
  return pending_.size() > left;
}

bool TextFile::next(std::string_view& line) {
  if (!take_line(line)) return false;
  ++line_number_;
  line = without_mark(line);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\0') != std::string_view::npos) {
    throw bad_line("a NUL byte; expected text in UTF-8 (is this a binary file?)");
  }
  if (allowed_ == Bytes::kUtf8 && !is_utf8(line))
    throw bad_line("invalid UTF-8; convert the file to UTF-8");
  return true;
}

Error TextFile::bad_line(std::string_view message) const {
  return bad_input_error("{}:{}: {}", bytes_.name(), line_number_, message);
}

}  // namespace prescope
