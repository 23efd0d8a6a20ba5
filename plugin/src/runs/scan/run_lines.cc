#include "runs/scan/run_lines.h"

#include <fmt/format.h>

#include "base/text_file.h"
#include "judgements/judgement_line.h"

namespace prescope {

namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 17U;
constexpr std::size_t kLongestDocno = std::size_t{1} << 20U;
/// Longest quotation in a message; the rest of a line may be a megabyte.
constexpr std::size_t kQuotedBytes = 40;

std::string shortened(std::string_view text) {
  return text.size() <= kQuotedBytes ? std::string(text)
                                     : fmt::format("{}...", text.substr(0, kQuotedBytes));
}

std::string expected_instead_of(std::string_view line, std::size_t columns) {
  constexpr std::size_t kMsMarcoColumns = 3, kRankingColumns = 4;
  const std::string text = std::string(kExpectedRunLine) + foreign_format_words(line, "run");
  if (text.size() > kExpectedRunLine.size()) return text;
  if (columns == kRankingColumns || columns == kMsMarcoColumns) {
    return text + "; `prescope convert --kind run` makes a run of a ranking without scores";
  }
  return text;
}

/// Removes the last column of `line`, which ends with it, and returns it.
std::string_view take_last_column(std::string_view& line) noexcept {
  line = trimmed(line);
  std::size_t begin = line.size();
  while (begin > 0 && !is_blank(line[begin - 1])) --begin;
  const std::string_view column = line.substr(begin);
  line = trimmed(line.substr(0, begin));
  return column;
}

/// Returns the docno of a line without a tag, whose docno has a blank behind the country (topic Q0
/// US 6123456 3 2.5); an empty text for another line.
std::string_view country_apart(const Columns& columns) {
  constexpr std::size_t kShortestNumber = 5;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const std::string_view country = columns.text[2], number = columns.text[3];
  const bool is_apart = country.size() == 2 && std::ranges::all_of(country, is_capital) &&
                        number.size() >= kShortestNumber && finite_number(columns.text[5]) &&
                        whole_number<std::uint64_t>(columns.text[4]);
  if (!is_apart) return {};
  return {country.data(), static_cast<std::size_t>(number.data() + number.size() - country.data())};
}

/// Returns the docno if it contains blanks: between tabs, or as columns too many before what must
/// be rank, score and tag (topic Q0 my doc 1 2.5 tag); otherwise an empty text.
std::string_view docno_with_blanks(const Columns& columns, std::string_view line) {
  const Columns at_tabs = split_at_tabs(line);
  if (at_tabs.count == kRunColumns && at_tabs.text[2].find(' ') != std::string_view::npos) {
    return at_tabs.text[2];
  }
  if (columns.count == kRunColumns) return country_apart(columns);
  if (columns.count < kRunColumns) return {};
  std::string_view rest = line;
  (void)take_last_column(rest);
  const bool has_score = finite_number(take_last_column(rest)).has_value();
  const bool has_rank = whole_number<std::uint64_t>(take_last_column(rest)).has_value();
  const char* const docno = columns.text[2].data();
  return has_score && has_rank
             ? std::string_view(docno, static_cast<std::size_t>(rest.data() + rest.size() - docno))
             : std::string_view();
}

/// Parses every valid line; returns true for a hit. For a malformed line, sets `problem`.
bool parse_run_line(std::string_view line, RunLine& hit, ColumnCount& count, std::string_view& tag,
                    std::string& problem) {
  if (line.find('\0') != std::string_view::npos) {
    problem = "a NUL byte; expected text (is this a binary file?)";
    return false;
  }
  line = without_mark(line);
  if (trimmed(line).empty() || trimmed(line).starts_with('#')) return false;
  const Columns columns = split_at_blanks(line);
  hit = {.topic = columns.text[0], .docno = columns.text[2]};
  tag = columns.text[kRunColumns - 1];
  problem = problem_of_run_line(columns, line);
  if (problem.empty() && !read_score(columns.text[4], hit.score)) {
    problem = fmt::format("score '{}' is not a number; {}", shortened(columns.text[4]),
                          expected_instead_of(line, columns.count));
  }
  // Text behind the tag may differ. A number in its place is a column that was shifted.
  const std::string other_count = count.problem_of(columns.count);
  if (problem.empty() && finite_number(tag)) problem = other_count;
  return problem.empty();
}

}  // namespace

std::string problem_of_run_line(const Columns& columns, std::string_view line) {
  if (columns.count < kRunColumns) {
    return fmt::format("{} column{}; {}", columns.count, columns.count == 1 ? "" : "s",
                       expected_instead_of(line, columns.count));
  }
  const std::string_view docno = columns.text[2], rank = columns.text[3], last = columns.text[5];
  if (docno.size() > kLongestDocno) {
    return fmt::format("a docno of {} bytes; expected at most {}", docno.size(), kLongestDocno);
  }
  if (columns.count >= 2 * kRunColumns && last.data()[last.size()] == '\r') {
    return "lines that end with carriage returns; expected line feeds (tr '\\r' '\\n' makes them)";
  }
  if (const auto with_blanks = docno_with_blanks(columns, line); !with_blanks.empty()) {
    return fmt::format("docno '{}' contains blanks, which separate columns; rename it",
                       shortened(with_blanks));
  }
  if (rank.starts_with('/') && finite_number(last)) {
    return fmt::format(
        "'{}' in place of the rank, and a number in that of the tag: a passage run "
        "(topic Q0 docno path rank score)? {}; move the score to column 5",
        shortened(rank), kExpectedRunLine);
  }
  return {};
}

std::string ColumnCount::problem_of(std::size_t columns) {
  if (first_ == 0) first_ = columns;
  if (columns == first_) return {};
  return fmt::format(
      "{} columns, unlike the {} of the first line; {}, and a blank in a name makes "
      "two columns of it",
      columns, first_, kExpectedRunLine);
}

void TagCheck::add_other(std::string_view tag, std::uint64_t line) {
  if (size_ != 0) {
    if (tags_.other_lines++ != 0) return;
    tags_.other = tag;
    tags_.first_other = line;
    return;
  }
  tags_.first = tag;
  size_ = tag.size();
  last_ = size_ > kWord ? std::min(size_ - kWord, kWord) : 0;
  mask_ = size_ < kWord ? (std::uint64_t{1} << 8U * size_) - 1 : ~std::uint64_t{0};
  begin_ = word_at(tag.data()) & mask_;
  end_ = word_at(tag.data() + last_) & mask_;
}

/// Stops at the end of a shorter tag.
bool TagCheck::is_long(const char* tag) const noexcept {
  return std::strncmp(tag, tags_.first.data(), size_) == 0 &&
         static_cast<unsigned char>(tag[size_]) <= ' ';
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

RunLines::RunLines(ByteSource& bytes, std::uint64_t size) : bytes_(bytes), left_(size) {
  make_room(kReadBlock);
}

/// Drops the lines that were returned and reads on, up to the end of a line; false at the end.
bool RunLines::read_on() {
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
  // Separators are looked for in whole blocks. Bytes behind the text must not count as its own.
  constexpr std::size_t kBlock = 64;
  static_assert(kBlock <= 2 * kPadding, "there is room behind the text");
  std::memset(text_.get() + used_, ' ', kBlock);
  const UnusualBytes unusual =
      find_separators(text_.get(), end_of_lines_ / kBlock + 1, {separators_.data(), feeds_.data()});
  has_other_separators_ = unusual.separators;
  has_marks_ = has_marks_ || unusual.marks;
  return true;
}

void RunLines::make_room(std::size_t room) {
  std::unique_ptr<char[]> larger(new char[room + 1 + 2 * kPadding]);
  std::memset(larger.get() + room, 0, 1 + 2 * kPadding);
  if (used_ != 0) std::memcpy(larger.get(), text_.get(), used_);
  text_ = std::move(larger);
  room_ = room;
  separators_.resize(room / 8 + kPadding);
  feeds_.resize(room / 8 + kPadding);
}

/// Finds the columns of a line from its separators; returns false if it is not regular.
bool RunLines::set_layout(const char* text, std::uint64_t separators,
                          std::uint64_t feeds) noexcept {
  constexpr std::uint32_t kLast = 56;  // that is marked
  std::array<std::uint32_t, kRunColumns> ends;
  std::uint64_t rest = separators;
  for (std::uint32_t& end : ends) {
    end = static_cast<std::uint32_t>(std::countr_zero(rest));
    rest &= rest - 1;
  }
  const std::uint32_t tag = ends[4] + 1, size = ends[5] <= kLast ? ends[5] : 0;
  if (tag > kLast) return false;  // too few columns, or too long
  const std::uint64_t bytes = (std::uint64_t{2} << (size != 0 ? size : tag)) - 1;
  const std::uint64_t end = size != 0 ? std::uint64_t{1} << size : 0;
  if ((feeds & bytes & ~end) != 0) return false;                          // the line ends before
  if ((separators & (separators << 1U | 1U) & bytes) != 0) return false;  // empty column
  if (text[ends[2] + 1] == '/') return false;  // in place of the rank: a passage?
  if (ends[2] - ends[1] == 3) return false;    // two letters: a country?
  const std::uint32_t score_size = ends[4] - ends[3] - 1;
  if (score_size != layout_.score_size) score_format_ = {};
  layout_ = {.bytes = bytes,
             .separators = separators & bytes,
             .feeds = feeds & bytes,
             .topic_size = ends[0],
             .docno = ends[1] + 1,
             .docno_size = ends[2] - ends[1] - 1,
             .score = ends[3] + 1,
             .score_size = score_size,
             .tag = tag,
             .size = size};
  return true;
}

/// Returns the size of a line of the layout up to the separator behind its tag: lines are ended.
std::size_t RunLines::size_of_long_line(const char* text) const noexcept {
  std::size_t size = layout_.tag;
  while (static_cast<unsigned char>(text[size]) > ' ') ++size;
  return size;
}

/// Returns whether the columns of the layout end with spaces or tabs. Moves `feed`, at the end of
/// the tag, over a carriage return.
bool RunLines::has_common_separators(const char* text, std::size_t& feed) const noexcept {
  if (text[feed] == '\r') ++feed;
  for (std::uint64_t rest = layout_.separators & ((std::uint64_t{1} << layout_.tag) - 1); rest != 0;
       rest &= rest - 1) {
    const char separator = text[std::countr_zero(rest)];
    if (separator != ' ' && separator != '\t') return false;
  }
  return true;
}

/// Takes the tag of the last line, which is not the first line's.
void RunLines::add_other_tag(const char* tag) {
  std::size_t size = 0;
  while (static_cast<unsigned char>(tag[size]) > ' ') ++size;
  tags_.add_other({tag, size}, count_);
}

/// Reads a score of another format, and expects that format from then on.
bool RunLines::read_other_score(const char* text, double& score) noexcept {
  const std::string_view all(text, layout_.score_size);
  score_format_ = ScoreFormat(all);
  return read_score(all, score);
}

/// Returns the last column of the line that has this docno.
std::string_view RunLines::tag_behind(std::string_view docno) const noexcept {
  const std::string_view rest(docno.data(), text_.get() + at_ - docno.data());
  return split_at_blanks(rest.substr(0, rest.find('\n'))).text[3];
}

/// Reads the next hit from a line of any layout; returns false at the end.
bool RunLines::take_any_line(RunLine& line) {
  for (;;) {
    if (at_ == end_of_lines_) {
      if (!line.docno.empty()) last_tag_ = tag_behind(line.docno);
      line = {};  // its text goes
      if (!read_on()) return false;
    }
    if (take_regular_line(line)) return true;
    const std::string_view rest(text_.get() + at_, end_of_lines_ - at_);
    const std::string_view text = rest.substr(0, rest.find('\n'));
    at_ += text.size() + 1;
    ++count_;
    std::string problem;
    std::string_view tag;
    if (parse_run_line(text, line, columns_, tag, problem)) {
      if (!tags_.is_first(tag.data())) tags_.add_other(tag, count_);
      return true;
    }
    if (!problem.empty()) bad_lines_.add(count_, std::move(problem));
  }
}

}  // namespace prescope
