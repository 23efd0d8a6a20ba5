#include "judgements/judgement_line.h"

#include <fmt/format.h>
#include <limits>

#include "base/errors.h"

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

bool is_category(std::string_view text) noexcept {
  return text == "&" || (text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z');
}

/// "A X", a list of categories, is two columns: the second would be the language, or the first the
/// docno of a line of three columns.
void refuse_blanks_in_categories(const Columns& columns, const TextFile& file) {
  constexpr std::size_t kTrec = 4, kLongestIter = 2;
  if (columns.count < kTrec || !is_category(columns.text[columns.count - 1])) return;
  if (columns.count == kTrec && columns.text[1].size() <= kLongestIter) return;
  const std::string_view last = columns.text[columns.count - 1];
  const std::string_view before = columns.text[columns.count - 2];
  if (!is_category(before)) return;
  throw file.bad_line(
      fmt::format("categories '{} {}' stand in two columns; write a list without blanks: {},{}",
                  before, last, before, last));
}

}  // namespace

std::string without_family_words(const Qrels& qrels) {
  const auto [patents, example] = qrels.without_family();
  if (patents == 0) return {};
  return fmt::format("lines of the family map that give no family: {}, the first is '{}'", patents,
                     example);
}

std::pair<std::string, std::string> split_category(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw usage_error("'{}'; expected a letter and its grade: X=3", text);
  }
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

void set_category(CitationCategories& categories, std::string_view letter, std::string_view grade) {
  const auto number = whole_number<Grade>(grade);
  if (!number) {
    throw usage_error(
        "the grade of category {} is '{}'; expected an integer {}", letter, grade,
        range_words(std::numeric_limits<Grade>::min(), std::numeric_limits<Grade>::max()));
  }
  const auto before = categories.given().find(std::string(letter));
  if (before != categories.given().end() && before->second != *number) {
    throw usage_error("category {} has grade {} and also {}; keep one of them", letter,
                      before->second, *number);
  }
  categories.set(letter, *number);
}

std::string changed_categories(const CitationCategories& categories) {
  const CitationCategories otherwise;
  std::string changed;
  for (const auto& [letter, grade] : categories.given()) {
    const auto before = otherwise.grade(letter);
    if (before && before->grade == grade) continue;
    changed += fmt::format("{}{}={}", changed.empty() ? "" : ",", letter, grade);
  }
  return changed;
}

std::string category_words(const CitationCategories& categories) {
  const std::string changed = changed_categories(categories);
  return changed.empty() ? "" : fmt::format(", categories {}", changed);
}

std::string rule_words(const Qrels& qrels) {
  std::string words = qrels.collapses() ? ", rankings collapsed" : "";
  if (!qrels.rule().empty()) words += fmt::format(", rule {}", qrels.rule());
  return words;
}

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

namespace {

/// Titles in lower case without other characters than letters, by meaning.
constexpr std::pair<std::string_view, ColumnMeaning> kTitles[] = {
    {"topic", ColumnMeaning::kTopic},
    {"topicid", ColumnMeaning::kTopic},
    {"query", ColumnMeaning::kTopic},
    {"queryid", ColumnMeaning::kTopic},
    {"qid", ColumnMeaning::kTopic},
    {"patentid", ColumnMeaning::kTopic},
    {"citing", ColumnMeaning::kTopic},
    {"citingid", ColumnMeaning::kTopic},
    {"docno", ColumnMeaning::kDocno},
    {"docid", ColumnMeaning::kDocno},
    {"doc", ColumnMeaning::kDocno},
    {"document", ColumnMeaning::kDocno},
    {"documentid", ColumnMeaning::kDocno},
    {"corpusid", ColumnMeaning::kDocno},
    {"did", ColumnMeaning::kDocno},
    {"pid", ColumnMeaning::kDocno},
    {"passageid", ColumnMeaning::kDocno},
    {"citationpatentid", ColumnMeaning::kDocno},
    {"cited", ColumnMeaning::kDocno},
    {"citedid", ColumnMeaning::kDocno},
    {"citationdocumentnumber", ColumnMeaning::kDocno},
    {"grade", ColumnMeaning::kGrade},
    {"rating", ColumnMeaning::kGrade},
    {"relevance", ColumnMeaning::kGrade},
    {"rel", ColumnMeaning::kGrade},
    {"label", ColumnMeaning::kGrade},
    {"judgment", ColumnMeaning::kGrade},
    {"judgement", ColumnMeaning::kGrade},
    {"citationcategory", ColumnMeaning::kGrade},
    {"category", ColumnMeaning::kGrade},
    {"score", ColumnMeaning::kScore},
    {"similarity", ColumnMeaning::kScore},
    {"sim", ColumnMeaning::kScore},
    {"rank", ColumnMeaning::kRank},
    {"position", ColumnMeaning::kRank},
    {"tag", ColumnMeaning::kTag},
    {"runid", ColumnMeaning::kTag},
    {"run", ColumnMeaning::kTag},
    {"system", ColumnMeaning::kTag},
    {"runname", ColumnMeaning::kTag}};

/// A header names a topic and a docno, and has no number.
bool is_header(std::string_view line) {
  bool has_topic = false, has_docno = false;
  for (const std::string& title : split_table_line(line, table_separator(line))) {
    if (finite_number(title)) return false;
    const ColumnMeaning meaning = meaning_of_column(title);
    has_topic = has_topic || meaning == ColumnMeaning::kTopic;
    has_docno = has_docno || meaning == ColumnMeaning::kDocno;
  }
  return has_topic && has_docno;
}

}  // namespace

ColumnMeaning meaning_of_column(std::string_view title) {
  std::string letters;
  for (const char c : title) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') letters += c;
  }
  for (const auto& [name, meaning] : kTitles) {
    if (name == letters) return meaning;
  }
  return ColumnMeaning::kNone;
}

char table_separator(std::string_view header) noexcept {
  for (const char separator : {'\t', ',', ';'}) {
    if (header.find(separator) != std::string_view::npos) return separator;
  }
  return ' ';
}

std::vector<std::string> split_table_line(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_doubled = is_quoted && line.substr(i, 2) == "\"\"";
    if (is_doubled) {
      cells.back() += line[i++];
    } else if (line[i] == '"' && (is_quoted || cells.back().empty())) {
      is_quoted = !is_quoted;
    } else if (line[i] == separator && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  if (separator == ' ') std::erase(cells, std::string());
  return cells;
}

ForeignFormat foreign_format_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('{') || line.starts_with('[')) return ForeignFormat::kJson;
  if (split_at_blanks(line).text[1].starts_with("qid:")) return ForeignFormat::kLetor;
  return is_header(line) ? ForeignFormat::kTable : ForeignFormat::kNone;
}

std::string foreign_format_words(std::string_view line, std::string_view kind) {
  constexpr std::string_view kNames[] = {
      "", "a header, as BEIR, Quepid, PatentsView and spreadsheets write it", "JSON",
      "LETOR's columns"};
  const ForeignFormat format = foreign_format_of(line);
  if (format == ForeignFormat::kNone) return {};
  return fmt::format("; this looks like {}, which `prescope convert --kind {}` reads",
                     kNames[static_cast<std::size_t>(format)], kind);
}

JudgementLine JudgementLines::parse(std::string_view line, const TextFile& file) {
  const std::string foreign = columns_ == 0 ? foreign_format_words(line, "qrels") : std::string();
  if (!foreign.empty()) {
    throw file.bad_line(fmt::format("{}{}", kExpectedJudgement, foreign));
  }
  constexpr std::size_t kClefIp = 3, kWithExtra = 5;
  const Columns columns = split_at_blanks(line);
  if (columns.count == kWithExtra) refuse_blanks_in_docno(line, file);
  if (columns.count < kClefIp || columns.count > kWithExtra) {
    throw file.bad_line(
        fmt::format("{} column{}; {} (or \"topic docno grade\"); no name can contain white space",
                    columns.count, columns.count == 1 ? "" : "s", kExpectedJudgement));
  }
  refuse_blanks_in_categories(columns, file);
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
