#include "runs/scan/run_lines.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/text_file.h"
#include "base/unicode.h"
#include "prescope/error.h"

namespace prescope {

namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 17U;
constexpr std::size_t kRunColumns = 6, kRankingColumns = 4;
constexpr std::size_t kLongestDocno = std::size_t{1} << 20U;
/// Longest quotation in a message; the rest of a line may be a megabyte.
constexpr std::size_t kQuotedBytes = 40;
constexpr std::string_view kMark = "\xEF\xBB\xBF";

unsigned lowest(std::uint64_t bits) noexcept {
  return static_cast<unsigned>(std::countr_zero(bits));
}

std::string shortened(std::string_view text) {
  return text.size() <= kQuotedBytes ? std::string(text)
                                     : fmt::format("{}...", text.substr(0, kQuotedBytes));
}

std::string expected_instead_of(std::string_view line, std::size_t columns) {
  std::string text(kExpectedRunLine);
  if (line.starts_with('{')) {
    text += "; `prescope convert` makes a run of JSON lines";
  } else if (columns == kRankingColumns) {
    text += "; `prescope convert --kind run` makes a run of a ranking without scores";
  }
  return text;
}

enum class LineKind { kHit, kNothing, kBad };

/// Parses every valid line. For a malformed one, `problem` says what was found and expected.
LineKind parse_run_line(std::string_view line, RunLine& hit, std::string& problem) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\0') != std::string_view::npos) {
    problem = "a NUL byte; expected text in UTF-8 (is this a binary file?)";
    return LineKind::kBad;
  }
  if (!is_utf8(line)) {
    problem = "invalid UTF-8; convert the file to UTF-8";
    return LineKind::kBad;
  }
  if (trimmed(line).empty() || line.starts_with('#')) return LineKind::kNothing;
  const Columns columns = split_columns(line, kRunColumns, kRunColumns);
  if (columns.count < kRunColumns) {
    problem = fmt::format("{} column{}; {}", columns.count, columns.count == 1 ? "" : "s",
                          expected_instead_of(line, columns.count));
    return LineKind::kBad;
  }
  hit = {.topic = columns.text[0], .docno = columns.text[2]};
  if (hit.docno.size() > kLongestDocno) {
    problem =
        fmt::format("a docno of {} bytes; expected at most {}", hit.docno.size(), kLongestDocno);
    return LineKind::kBad;
  }
  if (!read_score(columns.text[4], hit.score)) {
    problem = fmt::format("score '{}' is not a finite number; {}", shortened(columns.text[4]),
                          expected_instead_of(line, columns.count));
    return LineKind::kBad;
  }
  return LineKind::kHit;
}

}  // namespace

std::string_view RunLine::tag() const noexcept {
  const char* column = docno.data();
  std::size_t size = docno.size();
  for (int i = 0; i < 3; ++i) {
    column += size;
    column += std::strspn(column, " \t");
    size = std::strcspn(column, " \t\n");
  }
  const bool is_before_crlf = column[size] == '\n' && column[size - 1] == '\r';
  return {column, is_before_crlf ? size - 1 : size};
}

void BadLines::add(std::uint64_t line, std::string problem) {
  ++count_;
  if (first_.size() < kListed) first_.emplace_back(line, std::move(problem));
}

void BadLines::append(const BadLines& part, std::uint64_t lines_before) {
  count_ += part.count_;
  for (const auto& [line, problem] : part.first_) {
    if (first_.size() < kListed) first_.emplace_back(lines_before + line, problem);
  }
}

void BadLines::throw_if_any(const std::string& path) const {
  if (count_ == 0) return;
  std::string message;
  for (const auto& [line, problem] : first_) {
    if (!message.empty()) message += '\n';
    message += fmt::format("{}:{}: {}", path, line, problem);
  }
  if (count_ > first_.size()) {
    const std::uint64_t rest = count_ - first_.size();
    message += fmt::format("\n{}: and {} more malformed line{}; nothing was evaluated", path, rest,
                           rest == 1 ? "" : "s");
  }
  throw Error(ErrorCode::kBadInput, message);
}

RunLines::RunLines(ByteSource& bytes, FindByteMasks find_masks, std::uint64_t size)
    : bytes_(bytes), find_masks_(find_masks), left_(size) {
  make_room(kReadBlock);
}

/// Drops the lines that were returned and reads on, up to the end of a line; false at the end.
bool RunLines::read_on() {
  const bool at_beginning = count_ == 0 && used_ == 0;
  std::memmove(text_.get(), text_.get() + at_, used_ - at_);
  used_ -= at_;
  at_ = end_of_lines_ = 0;
  while (end_of_lines_ == 0) {
    if (used_ > room_ / 2) make_room(2 * room_);
    const std::size_t wanted = std::min<std::uint64_t>(room_ - used_, left_);
    const std::size_t got = wanted == 0 ? 0 : bytes_.read(text_.get() + used_, wanted, count_);
    used_ += got;
    left_ -= got;
    if (got == 0 && used_ == 0) return false;
    if (got == 0) text_[used_++] = '\n';  // the last line is not ended
    const auto* const feed = static_cast<const char*>(::memrchr(text_.get(), '\n', used_));
    if (feed != nullptr) end_of_lines_ = static_cast<std::size_t>(feed + 1 - text_.get());
  }
  if (at_beginning && std::string_view(text_.get(), used_).starts_with(kMark)) {
    at_ = kMark.size();
  }
  find_masks_(text_.get(), end_of_lines_ / 64 + 1, masks_.data());
  return true;
}

void RunLines::make_room(std::size_t room) {
  std::unique_ptr<char[]> larger(new char[room + 1 + 2 * kPadding]);
  std::memset(larger.get() + room, 0, 1 + 2 * kPadding);
  if (used_ != 0) std::memcpy(larger.get(), text_.get(), used_);
  text_ = std::move(larger);
  room_ = room;
  masks_.resize(room / 64 + 3);
}

/// Finds the columns of a line from its blanks; false if it is not regular.
bool RunLines::set_layout(std::uint64_t blanks) noexcept {
  std::array<std::uint32_t, kRunColumns - 1> ends;
  std::uint64_t rest = blanks;
  for (std::uint32_t& end : ends) {
    end = lowest(rest);
    rest &= rest - 1;
  }
  const std::uint32_t tag = ends.back() + 1;
  if (tag > 63) return false;  // too few columns, or too long
  const std::uint64_t bytes = (std::uint64_t{2} << tag) - 1;
  if ((blanks & (blanks << 1U | 1U) & bytes) != 0) return false;  // one at the beginning, or two
  layout_ = {.bytes = bytes,
             .blanks = blanks & bytes,
             .line = 0,  // unknown
             .end = 1,
             .size = 0,
             .topic_size = ends[0],
             .docno = ends[1] + 1,
             .docno_size = ends[2] - ends[1] - 1,
             .score = ends[3] + 1,
             .score_size = ends[4] - ends[3] - 1,
             .tag = tag,
             .score_format = {}};
  return true;
}

/// Finds the first byte that is neither a space nor other printable ASCII; returns false unless it
/// is behind the first byte of the tag.
bool RunLines::set_end() noexcept {
  const ByteMasks* block = &masks_[at_ / 64];
  std::uint64_t others = block->others >> at_ % 64 << at_ % 64;
  while (others == 0) others = (++block)->others;  // the last line is ended, too
  layout_.size = static_cast<std::size_t>(block - masks_.data()) * 64 + lowest(others) - at_;
  const bool is_behind = layout_.size > layout_.tag;
  const bool may_come_again = is_behind && layout_.size < 64;
  layout_.end = may_come_again ? std::uint64_t{1} << layout_.size : 1;
  layout_.line = may_come_again ? 2 * layout_.end - 1 : 0;
  return is_behind;
}

/// Reads a score of another format, and expects that format from then on.
bool RunLines::read_other_score(std::string_view text, double& score) noexcept {
  layout_.score_format = ScoreFormat(text);
  return read_score(text, score);
}

/// Reads the next hit from a line of any layout; returns false at the end.
bool RunLines::take_any_line(RunLine& line) {
  for (;;) {
    if (at_ == end_of_lines_) {
      if (!line.docno.empty()) last_tag_ = line.tag();
      line = {};  // its text goes
      if (!read_on()) return false;
    }
    if (take_regular_line(line)) return true;
    const std::string_view rest(text_.get() + at_, end_of_lines_ - at_);
    const std::string_view text = rest.substr(0, rest.find('\n'));
    at_ += text.size() + 1;
    ++count_;
    std::string problem;
    const LineKind kind = parse_run_line(text, line, problem);
    if (kind == LineKind::kHit) return true;
    if (kind == LineKind::kBad) bad_lines_.add(count_, std::move(problem));
  }
}

}  // namespace prescope
