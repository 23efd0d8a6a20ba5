#include "citations/formats/input.h"

#include <cstring>

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

bool CitationInput::read_more() {
  constexpr std::size_t kChunk = std::size_t{1} << 17U;
  if (is_at_end_) return false;
  if (begin_ != 0) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  const std::size_t before = bytes_.size();
  bytes_.resize(before + kChunk);
  std::size_t got = 0;
  try {
    got = read_(bytes_.data() + before, kChunk);
  } catch (...) {
    bytes_.resize(before);
    throw;
  }
  bytes_.resize(before + got);
  is_at_end_ = got == 0;
  return !is_at_end_;
}

bool CitationInput::next_line(std::string_view& line) {
  std::size_t searched = 0;
  const char* feed = nullptr;
  for (;;) {
    const std::string_view left = window();
    feed =
        static_cast<const char*>(std::memchr(left.data() + searched, '\n', left.size() - searched));
    if (feed != nullptr) break;
    searched = left.size();
    if (searched > longest_line_) {
      throw bad_input_error("{}:{}: a line of more than {} bytes; expected lines of text", place_,
                            line_number_ + 1, longest_line_);
    }
    if (!read_more()) break;
  }
  line = window();
  if (feed == nullptr && line.empty()) return false;
  if (feed != nullptr) line = line.substr(0, static_cast<std::size_t>(feed - line.data()));
  take(line.size() + (feed != nullptr ? 1 : 0));
  ++line_number_;
  line = without_mark(line);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace prescope
