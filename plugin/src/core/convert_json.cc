#include "core/convert_json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "core/convert_fields.h"
#include "core/json_text.h"

namespace prescope {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kJson =
    R"(expected {"topic": "...", "docno": "...", "score": 1.5} or {..., "grade": 1})";

/// The fields of one JSON line.
class JsonFields {
 public:
  JsonFields(std::string_view line, const TextFile& file) : file_(&file) {
    if (parser().parse(line.data(), line.size()).get(object_) != simdjson::SUCCESS) {
      throw file.bad_line(fmt::format("not a JSON object; {}", kJson));
    }
  }

  [[nodiscard]] bool has(std::string_view field) const {
    dom::element value;
    return object_[field].get(value) == simdjson::SUCCESS && !value.is_null();
  }
  /// A string, or an integer as one: topics are often numbers.
  [[nodiscard]] std::string text(std::string_view field) const {
    std::string_view text;
    std::int64_t number = 0;
    if (object_[field].get(text) == simdjson::SUCCESS) return parse_name(field, text, *file_);
    if (object_[field].get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
    throw bad(field, "a string");
  }
  [[nodiscard]] double number(std::string_view field) const {
    double value = 0.0;
    if (object_[field].get(value) == simdjson::SUCCESS) return value;
    throw bad(field, "a number");
  }
  [[nodiscard]] std::int64_t integer(std::string_view field) const {
    std::int64_t value = 0;
    if (object_[field].get(value) == simdjson::SUCCESS) return value;
    throw bad(field, "an integer");
  }
  /// An integer, or the letters of a citation category.
  [[nodiscard]] Grade grade() const {
    std::string_view letters;
    if (object_["grade"].get(letters) == simdjson::SUCCESS) return parse_grade(letters, *file_);
    return parse_grade(fmt::format("{}", integer("grade")), *file_);
  }

 private:
  static dom::parser& parser() {
    static thread_local dom::parser parser;
    return parser;
  }
  [[nodiscard]] Error bad(std::string_view field, std::string_view expected) const {
    return file_->bad_line(has(field)
                               ? fmt::format("field '{}' is not {}; {}", field, expected, kJson)
                               : fmt::format("no field '{}'; {}", field, kJson));
  }

  const TextFile* file_;
  dom::object object_;
};

}  // namespace

FileLine parse_json_line(std::string_view line, FileKind kind, const TextFile& file) {
  const JsonFields fields(line, file);
  FileLine result;
  result.topic = fields.text("topic");
  result.docno = fields.text("docno");
  if (kind == FileKind::kQrels) {
    result.grade = fields.grade();
    return result;
  }
  if (fields.has("rank")) {
    const std::int64_t rank = fields.integer("rank");
    if (rank >= 0) result.rank = static_cast<std::uint64_t>(rank);
  }
  if (fields.has("score")) result.score = fields.number("score");
  if (fields.has("tag")) result.tag = fields.text("tag");
  return result;
}

FileKind kind_of_json(std::string_view line, const TextFile& file) {
  const JsonFields fields(line, file);
  if (fields.has("grade")) return FileKind::kQrels;
  if (fields.has("score") || fields.has("rank")) return FileKind::kRun;
  throw file.bad_line("neither 'score', 'rank' nor 'grade'; say --kind run or --kind qrels");
}

void append_json_line(std::string& out, const FileLine& line, FileKind kind) {
  const auto end = std::back_inserter(out);
  out += R"({"topic": )";
  append_json_text(out, line.topic);
  out += R"(, "docno": )";
  append_json_text(out, line.docno);
  if (kind == FileKind::kQrels) {
    fmt::format_to(end, ", \"grade\": {}}}\n", line.grade.value_or(0));
    return;
  }
  fmt::format_to(end, R"(, "rank": {}, "score": {}, "tag": )", line.rank.value_or(0),
                 line.score.value_or(0.0));
  append_json_text(out, line.tag);
  out += "}\n";
}

}  // namespace prescope
