#include "judgements/judgement_line.h"

#include <fmt/format.h>
#include <limits>

namespace prescope {

namespace {

/// Returns an integer without a sign + and a fraction of zeros; any other text as it is.
std::string_view without_fraction(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const bool is_whole = point != std::string_view::npos && point > 0 &&
                        text.find_first_not_of('0', point + 1) == std::string_view::npos;
  return is_whole ? text.substr(0, point) : text;
}

/// Four columns between tabs, of which the docno holds a blank, look like five.
void refuse_blanks_in_docno(std::string_view line, const TextFile& file) {
  constexpr std::size_t kColumns = 4;
  const Columns at_tabs = split_at_tabs(line);
  if (at_tabs.count != kColumns || at_tabs.text[2].find(' ') == std::string_view::npos) return;
  throw file.bad_line(fmt::format("docno '{}' contains blanks, which separate columns; rename it",
                                  at_tabs.text[2]));
}

}  // namespace

ParsedGrade parse_grade(std::string_view text, const CitationCategories& categories,
                        const TextFile& file) {
  Grade grade = 0;
  const std::string_view digits = without_fraction(text);
  const char* const end = digits.data() + digits.size();
  const auto [stopped, failed] = std::from_chars(digits.data(), end, grade);
  if (stopped == end && failed == std::errc::result_out_of_range) {
    throw file.bad_line(fmt::format("grade '{}' is out of range; expected an integer in [{}, {}]",
                                    text, std::numeric_limits<Grade>::min(),
                                    std::numeric_limits<Grade>::max()));
  }
  if (stopped == end && failed == std::errc()) return {.value = grade, .text = text};
  if (failed == std::errc() && stopped != end && *stopped == '.') {
    throw file.bad_line(
        fmt::format("grade '{}' is no integer; grades are integers, so multiply all of them by one "
                    "number that makes them so",
                    text));
  }
  if (const auto graded = categories.grade(text)) {
    return {.value = graded->grade,
            .is_category = true,
            .has_unknown = graded->has_unknown,
            .text = text};
  }
  throw file.bad_line(
      fmt::format("grade '{}' is neither an integer nor a citation category (X, Y, A, ...); {}",
                  text, kExpectedJudgement));
}

JudgementLine JudgementLines::parse(std::string_view line, const TextFile& file) {
  constexpr std::size_t kClefIp = 3, kWithExtra = 5;
  const Columns columns = split_at_blanks(line);
  if (columns.count == kWithExtra) refuse_blanks_in_docno(line, file);
  if (columns.count < kClefIp || columns.count > kWithExtra) {
    throw file.bad_line(
        fmt::format("{} column{}; {} (or \"topic docno grade\"); no name can contain white space",
                    columns.count, columns.count == 1 ? "" : "s", kExpectedJudgement));
  }
  if (columns_ == 0) columns_ = columns.count;
  if (columns.count != columns_) {
    throw file.bad_line(fmt::format("{} columns, unlike the {} of the first line; {}",
                                    columns.count, columns_, kExpectedJudgement));
  }
  const std::size_t docno = columns.count == kClefIp ? 1 : 2;
  return {.topic = columns.text[0],
          .docno = columns.text[docno],
          .grade = parse_grade(columns.text[docno + 1], categories_, file)};
}

}  // namespace prescope
