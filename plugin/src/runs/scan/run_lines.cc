#include "runs/scan/run_lines.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/unicode.h"
#include "prescope/error.h"

namespace prescope {

namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 17U;
constexpr std::size_t kRunColumns = 6, kRankingColumns = 4;
constexpr std::size_t kLongestDocno = std::size_t{1} << 20U;
/// Of what is quoted in a message; the rest of a line may be a megabyte.
constexpr std::size_t kQuotedBytes = 40;
constexpr std::string_view kMark = "\xEF\xBB\xBF";

constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

unsigned lowest(std::uint64_t bits) noexcept {
  return static_cast<unsigned>(std::countr_zero(bits));
}

/// The 64 bits from `bit` on; one word more can be read.
std::uint64_t bits_from(const std::uint64_t low, const std::uint64_t high, unsigned bit) noexcept {
  return low >> bit | high << 1U << (63U - bit);
}

/// Reads `-12.3456`, up to 15 digits, all of `text`. An integer below 2^53 divided by a power of
/// ten that a double holds is rounded once, as is right.
bool read_plain_score(std::string_view text, double& score) noexcept {
  constexpr std::uint32_t kMostDigits = 15;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  std::uint64_t number = 0;
  std::uint32_t digits = 0, decimals = 0;
  const char* const whole = at;
  for (; at != end && is_digit(*at); ++at) {
    number = number * 10 + static_cast<unsigned char>(*at - '0');
  }
  digits = static_cast<std::uint32_t>(at - whole);
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    for (; at != end && is_digit(*at); ++at) {
      number = number * 10 + static_cast<unsigned char>(*at - '0');
    }
    decimals = static_cast<std::uint32_t>(at - fraction);
    digits += decimals;
  }
  if (at != end || digits == 0 || digits > kMostDigits) return false;
  const double value = static_cast<double>(number) / kPowersOfTen[decimals];
  score = negative ? -value : value;
  return true;
}

/// The same for a text of up to seven bytes without a sign, all at once. Eight bytes can be read.
bool read_short_score(std::string_view text, double& score) noexcept {
  constexpr std::uint64_t kHighs = 0x8080808080808080U, kPairs = 0x000000FF000000FFU;
  if (std::endian::native != std::endian::little || text.size() > 7) return false;
  std::uint64_t digits = 0;
  std::memcpy(&digits, text.data(), sizeof digits);
  digits ^= 0x3030303030303030U;
  const std::uint64_t others =
      (((digits & ~kHighs) + 0x7676767676767676U) | digits) & kHighs;  // of bytes above 9
  unsigned count = lowest(others) / 8, decimals = 0;
  if (count != text.size()) {
    if (count == 0 || text[count] != '.') return false;
    const std::uint64_t before = (std::uint64_t{1} << (8 * count)) - 1;
    if (lowest(others & (others - 1)) / 8 != text.size()) return false;
    digits = (digits & before) | (digits >> 8U & ~before);
    decimals = static_cast<unsigned>(text.size()) - count - 1;
    count += decimals;
  }
  // Leading zeros make eight digits; then pairs, fours and all of them are put together.
  digits <<= 8 * (8 - count);
  digits = digits * 10 + (digits >> 8U);
  const std::uint64_t number =
      ((digits & kPairs) * 0x000F424000000064U + (digits >> 16U & kPairs) * 0x0000271000000001U) >>
      32U;
  score = static_cast<double>(number & 0xFFFFFFFFU) / kPowersOfTen[decimals];
  return true;
}

/// A finite decimal number as C++ or C print it, rounded once; nothing for all else. What is too
/// small for a double is 0.
std::optional<double> parse_score(std::string_view text) noexcept {
  double score = 0.0;
  if (read_plain_score(text, score)) return score;
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, score);
  if (stopped != end || text.empty()) return std::nullopt;
  if (failed == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && text.substr(exponent).size() > 1 &&
                      text[exponent + 1] == '-';
    return tiny ? std::optional(0.0) : std::nullopt;
  }
  if (failed != std::errc() || !std::isfinite(score)) return std::nullopt;
  return score;
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

/// Understands every line that is valid. Of a bad one, `problem` says what was found and expected.
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
  hit = {.topic = columns.text[0], .docno = columns.text[2], .rest = columns.text[5]};
  if (hit.docno.size() > kLongestDocno) {
    problem =
        fmt::format("a docno of {} bytes; expected at most {}", hit.docno.size(), kLongestDocno);
    return LineKind::kBad;
  }
  const std::optional<double> score = parse_score(columns.text[4]);
  if (!score) {
    problem = fmt::format("score '{}' is not a finite number; {}", shortened(columns.text[4]),
                          expected_instead_of(line, columns.count));
    return LineKind::kBad;
  }
  hit.score = *score;
  return LineKind::kHit;
}

}  // namespace

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

std::span<const RunLine> RunLines::next() {
  std::size_t hits = 0;
  while (hits == 0) {
    if (at_ == end_of_lines_ && !read_on()) break;
    hits += take_regular_lines(std::span(lines_).subspan(hits));
    if (at_ < end_of_lines_ && hits < lines_.size() && take_any_line(lines_[hits])) ++hits;
  }
  return std::span(lines_).first(hits);
}

/// Forgets the lines that were taken and reads on, up to the end of a line; false at the end.
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

/// Takes lines as nearly all are: printable ASCII, six or more columns with one space between any
/// two, of which the first five end within 64 bytes. Stops before the first one that is not.
std::size_t RunLines::take_regular_lines(std::span<RunLine> lines) noexcept {
  std::size_t taken = 0;
  for (std::size_t at = at_; at < end_of_lines_ && taken < lines.size(); ++taken) {
    const ByteMasks* const block = &masks_[at / 64];
    const unsigned bit = at % 64;
    const ByteMasks own = {bits_from(block[0].blanks, block[1].blanks, bit),
                           bits_from(block[0].others, block[1].others, bit)};
    const std::uint64_t different =
        (own.blanks ^ layout_.masks.blanks) | (own.others ^ layout_.masks.others);
    if ((different & layout_.bits) != 0 && !set_layout(own)) break;
    const Layout& layout = layout_;
    const char* const text = text_.get() + at;
    if (text[layout.line_feed] != '\n' || text[0] == '#') break;
    if (layout.line_feed != layout.size && text[layout.size] != '\r') break;
    const std::string_view score(text + layout.score, layout.score_size);
    RunLine& line = lines[taken];
    if (!read_short_score(score, line.score)) {
      const std::optional<double> other = parse_score(score);
      if (!other) break;
      line.score = *other;
    }
    line.topic = {text, layout.topic_size};
    line.docno = {text + layout.docno, layout.docno_size};
    line.rest = {text + layout.tag, layout.size - layout.tag};
    at_ = at += layout.line_feed + 1;
  }
  count_ += taken;
  return taken;
}

/// Finds the columns of the line at `at_`; false if it is not regular.
bool RunLines::set_layout(const ByteMasks& masks) noexcept {
  constexpr std::uint64_t kOne = 1;
  const ByteMasks* block = &masks_[at_ / 64];
  std::size_t size = lowest(masks.others);
  if (masks.others == 0) {
    std::size_t searched = 64 - at_ % 64;
    while ((++block)->others == 0) searched += 64;
    size = searched + lowest(block->others);
  }
  std::array<std::uint32_t, kRunColumns - 1> ends;
  std::uint64_t rest = masks.blanks;
  for (std::uint32_t& end : ends) {
    end = lowest(rest);
    rest &= rest - 1;
  }
  // If there are too few columns, the last end is 64, or lies behind the line.
  const std::uint32_t tag = ends.back() + 1;
  const std::uint64_t side_by_side = masks.blanks & (masks.blanks >> 1U);
  const bool is_regular = ends.back() < 63 && tag < size && (masks.blanks & 1U) == 0 &&
                          (side_by_side & ((kOne << tag) - 1)) == 0;
  // The end of a longer line is not among the bits: its layout is used once.
  const bool is_short = size < 64;
  layout_ = {.masks = is_short && is_regular ? masks : Layout{}.masks,
             .bits = is_short && is_regular ? (2 * kOne << size) - 1 : Layout{}.bits,
             .topic_size = ends[0],
             .docno = ends[1] + 1,
             .docno_size = ends[2] - ends[1] - 1,
             .score = ends[3] + 1,
             .score_size = ends[4] - ends[3] - 1,
             .tag = tag,
             .size = size,
             .line_feed = size + (text_[at_ + size] == '\r' ? 1 : 0)};
  return is_regular;
}

/// Any line that is left; false if it holds no hit.
bool RunLines::take_any_line(RunLine& line) {
  const char* const begin = text_.get() + at_;
  const auto* const feed = static_cast<const char*>(std::memchr(begin, '\n', end_of_lines_ - at_));
  const std::string_view text(begin, static_cast<std::size_t>(feed - begin));
  at_ += text.size() + 1;
  ++count_;
  std::string problem;
  const LineKind kind = parse_run_line(text, line, problem);
  if (kind == LineKind::kBad) bad_lines_.add(count_, std::move(problem));
  return kind == LineKind::kHit;
}

}  // namespace prescope
