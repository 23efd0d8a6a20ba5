#include "runs/foreign_lines.h"

#include <simdjson.h>

#include "base/errors.h"

namespace prescope {

namespace {

namespace dom = simdjson::dom;
using Meaning = ColumnMeaning;

constexpr std::string_view kJson =
    R"(expected {"topic": "...", "docno": "...", "score": 1.5} or {..., "grade": 1})";

dom::parser& json_parser() {
  static thread_local dom::parser parser;
  return parser;
}

std::string_view name_of(Meaning meaning) noexcept {
  constexpr std::string_view kNames[] = {"", "topic", "docno", "grade", "score", "rank", "tag"};
  return kNames[static_cast<std::size_t>(meaning)];
}

/// PatentsView writes who cited; any citation is relevant.
Grade grade_of(std::string_view text, const CitationCategories& categories, const TextFile& file) {
  if (text.starts_with("cited by") || text.starts_with("imported from")) return 1;
  return parse_grade(text, categories, file).value;
}

double score_of(std::string_view text, const TextFile& file) {
  if (const auto score = finite_number(text)) return *score;
  throw file.bad_line(fmt::format("score '{}' is not a finite number", text));
}

std::uint64_t rank_of(std::string_view text, const TextFile& file) {
  if (const auto rank = whole_number<std::uint64_t>(text)) return *rank;
  throw file.bad_line(fmt::format("rank '{}' is not a whole number", text));
}

/// The fields of one JSON object, by what they mean.
class JsonFields {
 public:
  JsonFields(dom::object object, const TextFile& file) : file_(&file) {
    for (const auto [key, value] : object) {
      const Meaning meaning = meaning_of_column(key);
      if (meaning != Meaning::kNone && !value.is_null()) fields_.emplace(meaning, value);
    }
  }

  [[nodiscard]] bool has(Meaning field) const { return fields_.contains(field); }
  /// A string, or an integer as one: topics are often numbers.
  [[nodiscard]] std::string text(Meaning field) const {
    std::string_view text;
    std::int64_t number = 0;
    const auto found = fields_.find(field);
    if (found == fields_.end()) throw bad(field, "");
    if (found->second.get(text) == simdjson::SUCCESS)
      return parse_name(name_of(field), text, *file_);
    if (found->second.get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
    throw bad(field, "a string");
  }
  template <class T>
  [[nodiscard]] T get(Meaning field, std::string_view expected) const {
    T value{};
    const auto found = fields_.find(field);
    if (found == fields_.end() || found->second.get(value) != simdjson::SUCCESS) {
      throw bad(field, expected);
    }
    return value;
  }
  /// An integer, or the letters of a citation category.
  [[nodiscard]] Grade grade(const CitationCategories& categories) const {
    std::string_view letters;
    const auto found = fields_.find(Meaning::kGrade);
    if (found != fields_.end() && found->second.get(letters) == simdjson::SUCCESS) {
      return parse_grade(letters, categories, *file_).value;
    }
    const auto grade = get<std::int64_t>(Meaning::kGrade, "an integer");
    return parse_grade(fmt::format("{}", grade), categories, *file_).value;
  }
  [[nodiscard]] FileLine line(FileKind kind, const CitationCategories& categories) const {
    FileLine result{.topic = text(Meaning::kTopic), .docno = text(Meaning::kDocno)};
    if (kind == FileKind::kQrels) {
      result.grade = grade(categories);
      return result;
    }
    if (has(Meaning::kRank)) {
      const auto rank = get<std::int64_t>(Meaning::kRank, "an integer");
      if (rank >= 0) result.rank = static_cast<std::uint64_t>(rank);
    }
    if (has(Meaning::kScore)) result.score = get<double>(Meaning::kScore, "a number");
    if (has(Meaning::kTag)) result.tag = text(Meaning::kTag);
    return result;
  }

 private:
  [[nodiscard]] Error bad(Meaning field, std::string_view expected) const {
    return file_->bad_line(
        has(field) ? fmt::format("field '{}' is not {}; {}", name_of(field), expected, kJson)
                   : fmt::format("no field '{}'; {}", name_of(field), kJson));
  }

  const TextFile* file_;
  std::map<Meaning, dom::element> fields_;
};

dom::object object_of(std::string_view line, const TextFile& file) {
  dom::object object;
  if (json_parser().parse(line.data(), line.size()).get(object) == simdjson::SUCCESS) return object;
  throw file.bad_line(fmt::format("not a JSON object; {}", kJson));
}

std::optional<FileKind> kind_of(const JsonFields& fields) {
  if (fields.has(Meaning::kGrade)) return FileKind::kQrels;
  if (fields.has(Meaning::kScore) || fields.has(Meaning::kRank)) return FileKind::kRun;
  return std::nullopt;
}

Error unknown_kind(std::string_view why, const TextFile& file) {
  return {ErrorCode::kUsage,
          file.bad_line(fmt::format("{}; say --kind run or --kind qrels", why)).what()};
}

/// A topic's documents in an object of docnos and numbers.
void add_documents(std::string_view topic, dom::object documents, const TextFile& file,
                   JsonDocument& document, bool& has_fractions) {
  for (const auto [docno, value] : documents) {
    double number = 0.0;
    if (value.get(number) != simdjson::SUCCESS) {
      throw file.bad_line(
          fmt::format("the value of docno '{}' of topic '{}' is not a number", docno, topic));
    }
    has_fractions = has_fractions || number != std::floor(number);
    document.lines.push_back({.topic = parse_name("topic", topic, file),
                              .docno = parse_name("docno", docno, file),
                              .score = number});
  }
}

JsonDocument topics_document(dom::object topics, std::optional<FileKind> kind,
                             const TextFile& file) {
  JsonDocument document;
  bool has_fractions = false;
  for (const auto [topic, value] : topics) {
    dom::object documents;
    if (value.get(documents) != simdjson::SUCCESS) {
      throw file.bad_line(
          fmt::format("topic '{}' has no object of docnos; expected "
                      "{{\"topic\": {{\"docno\": 1, ...}}, ...}}",
                      topic));
    }
    add_documents(topic, documents, file, document, has_fractions);
  }
  if (!kind && !has_fractions) throw unknown_kind("whole numbers can be grades or scores", file);
  document.kind = kind.value_or(FileKind::kRun);
  if (document.kind == FileKind::kRun) return document;
  for (FileLine& line : document.lines) {
    line.grade = parse_grade(fmt::format("{}", *line.score), {}, file).value;
    line.score.reset();
  }
  return document;
}

JsonDocument array_document(dom::array items, std::optional<FileKind> kind,
                            const CitationCategories& categories, const TextFile& file) {
  JsonDocument document;
  for (const dom::element item : items) {
    dom::object object;
    if (item.get(object) != simdjson::SUCCESS) {
      throw file.bad_line(fmt::format("an item of the array is no object; {}", kJson));
    }
    const JsonFields fields(object, file);
    if (!kind) kind = kind_of(fields);
    if (!kind) throw unknown_kind("neither 'score', 'rank' nor 'grade'", file);
    document.lines.push_back(fields.line(*kind, categories));
  }
  document.kind = kind.value_or(FileKind::kRun);
  return document;
}

}  // namespace

std::string parse_name(std::string_view field, std::string_view text, const TextFile& file) {
  if (text.find('\0') != std::string_view::npos) {
    throw file.bad_line(
        fmt::format("{} contains a NUL byte, which columns cannot carry; rename it", field));
  }
  const bool is_blank = text.find_first_of(" \t\r\n\v\f") != std::string_view::npos;
  if (!text.empty() && !is_blank) return std::string(text);
  throw file.bad_line(
      fmt::format("{} '{}' is empty or contains white space, which columns cannot carry; rename it",
                  field, text));
}

TableLines::TableLines(std::string_view header) : separator_(table_separator(header)) {
  const std::vector<std::string> titles = split_table_line(header, separator_);
  for (const std::string& title : titles) columns_.push_back(meaning_of_column(title));
  // PyTerrier has its index's number, `docid`, beside `docno`, and a text, `query`, beside `qid`.
  for (const std::string_view name : {"docno", "qid"}) {
    const auto named = std::ranges::find(titles, name);
    if (named == titles.end()) continue;
    const auto at = static_cast<std::size_t>(named - titles.begin());
    const Meaning meaning = columns_[at];
    std::ranges::replace(columns_, meaning, Meaning::kNone);
    columns_[at] = meaning;
  }
}

bool TableLines::has(Meaning meaning) const noexcept {
  return std::ranges::find(columns_, meaning) != columns_.end();
}

std::optional<FileKind> TableLines::kind() const noexcept {
  if (has(Meaning::kGrade)) return FileKind::kQrels;
  if (has(Meaning::kRank)) return FileKind::kRun;
  // BEIR's judgements have the columns query-id, corpus-id and score.
  const bool is_beir = columns_.size() == 3 && has(Meaning::kScore) && separator_ == '\t';
  return is_beir ? std::optional(FileKind::kQrels) : std::nullopt;
}

FileLine TableLines::parse(std::string_view line, FileKind kind,
                           const CitationCategories& categories, const TextFile& file) const {
  const std::vector<std::string> cells = split_table_line(line, separator_);
  if (cells.size() != columns_.size()) {
    throw file.bad_line(
        fmt::format("{} columns, unlike the {} of the header", cells.size(), columns_.size()));
  }
  FileLine result;
  std::optional<double> score;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string& cell = cells[i];
    const Meaning meaning = columns_[i];
    if (meaning == Meaning::kTopic && result.topic.empty()) {
      result.topic = parse_name("topic", cell, file);
    } else if (meaning == Meaning::kDocno && result.docno.empty()) {
      result.docno = parse_name("docno", cell, file);
    } else if (meaning == Meaning::kGrade && kind == FileKind::kQrels && !result.grade) {
      result.grade = grade_of(cell, categories, file);
    } else if (meaning == Meaning::kScore && !score) {
      score = score_of(cell, file);
    } else if (meaning == Meaning::kRank && kind == FileKind::kRun) {
      result.rank = rank_of(cell, file);
    } else if (meaning == Meaning::kTag) {
      result.tag = cell;
    }
  }
  if (kind == FileKind::kRun) {
    result.score = score;
  } else if (!result.grade) {
    result.grade = score ? parse_grade(fmt::format("{}", *score), {}, file).value : 1;
  }
  return result;
}

FileLine parse_letor_line(std::string_view line, const CitationCategories& categories,
                          const TextFile& file) {
  constexpr std::string_view kTopic = "qid:", kDocid = "docid";
  const std::size_t mark = line.find('#');
  const Columns columns = split_at_blanks(line.substr(0, mark));
  std::string_view comment = mark == std::string_view::npos ? "" : trimmed(line.substr(mark + 1));
  if (comment.starts_with(kDocid)) {
    comment = trimmed(comment.substr(kDocid.size()));
    if (comment.starts_with('=')) comment = trimmed(comment.substr(1));
  }
  if (columns.count < 2 || !columns.text[1].starts_with(kTopic)) {
    throw file.bad_line("expected \"grade qid:TOPIC 1:0.5 ... # DOCNO\"");
  }
  if (comment.empty()) {
    throw file.bad_line("no docno behind '#'; LETOR lines without one name no document");
  }
  return {.topic = parse_name("topic", columns.text[1].substr(kTopic.size()), file),
          .docno = std::string(split_at_blanks(comment).text[0]),
          .grade = parse_grade(columns.text[0], categories, file).value};
}

FileLine parse_msmarco_line(std::string_view line, const TextFile& file) {
  constexpr std::size_t kColumns = 3;
  const Columns columns = split_at_blanks(line);
  if (columns.count != kColumns && columns.count != kColumns + 1) {
    throw file.bad_line(fmt::format(
        "{} columns; expected \"topic docno rank\", perhaps with a score behind", columns.count));
  }
  FileLine result{.topic = std::string(columns.text[0]),
                  .docno = std::string(columns.text[1]),
                  .rank = rank_of(columns.text[2], file)};
  if (columns.count > kColumns) result.score = score_of(columns.text[kColumns], file);
  return result;
}

JsonDocument parse_json_document(const std::string& text, std::optional<FileKind> kind,
                                 const CitationCategories& categories, const TextFile& file) {
  dom::element root;
  const auto failed = json_parser().parse(text).get(root);
  if (failed != simdjson::SUCCESS) {
    throw file.bad_line(fmt::format("not JSON ({})", simdjson::error_message(failed)));
  }
  dom::object topics;
  dom::array items;
  if (root.get(topics) == simdjson::SUCCESS) return topics_document(topics, kind, file);
  if (root.get(items) == simdjson::SUCCESS) return array_document(items, kind, categories, file);
  throw file.bad_line("a JSON value that is neither an object of topics nor an array");
}

FileKind kind_of_json_line(std::string_view line, const TextFile& file) {
  const std::optional<FileKind> kind = kind_of(JsonFields(object_of(line, file), file));
  if (kind) return *kind;
  throw file.bad_line("neither 'score', 'rank' nor 'grade'; say --kind run or --kind qrels");
}

FileLine parse_json_line(std::string_view line, FileKind kind, const CitationCategories& categories,
                         const TextFile& file) {
  return JsonFields(object_of(line, file), file).line(kind, categories);
}

}  // namespace prescope
