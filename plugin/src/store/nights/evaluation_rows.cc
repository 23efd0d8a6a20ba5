#include "store/nights/evaluation_rows.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <limits>

#include "base/json_lines.h"
#include "base/unicode.h"
#include "prescope/error.h"

namespace prescope {

std::string found_text(const std::vector<EvaluationRecord::Found>& found) {
  std::string text = "{";
  for (const EvaluationRecord::Found& each : found) {
    if (text.size() > 1) text += ',';
    append_json_text(text, each.docno.text());
    text += ':';
    text += fmt::format_int(each.rank).c_str();
  }
  text += '}';
  if (is_utf8(text)) return text;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("a document found is not named in UTF-8: {}; docnos of a store are", text));
}

struct FoundReader::Parser {
  simdjson::dom::parser json;

  /// Throws simdjson_error.
  bool read(std::string_view text, std::vector<EvaluationRecord::Found>& found) {
    const simdjson::dom::object object = json.parse(text.data(), text.size());
    found.reserve(object.size());
    for (const auto [docno, value] : object) {
      const std::uint64_t rank = value;
      const Rank last = found.empty() ? 0 : found.back().rank;
      if (rank <= last || rank > std::numeric_limits<Rank>::max()) return false;
      found.push_back({.docno = Docno(docno), .rank = static_cast<Rank>(rank)});
    }
    return true;
  }
};

FoundReader::FoundReader() : parser_(std::make_unique<Parser>()) {}
FoundReader::~FoundReader() = default;

bool FoundReader::read(std::string_view text, std::vector<EvaluationRecord::Found>& found) {
  found.clear();
  if (text == "{}") return true;
  try {
    return parser_->read(text, found);
  } catch (const simdjson::simdjson_error&) {
    return false;
  }
}

SharedRows::SharedRows(const Database& database)
    : database_(database),
      qrels_{{database,
              "SELECT number FROM qrels_versions "
              "WHERE hash = ?1 AND docno = ?5 AND min_grade = ?6"},
             {database,
              "INSERT INTO qrels_versions (hash, topics, judgements, relevant, docno, min_grade) "
              "VALUES (?, ?, ?, ?, ?, ?)"}},
      index_{{database,
              "SELECT number FROM index_versions WHERE engine = ? AND engine_version = ? "
              "AND place = ? AND documents IS ? AND judged_found IS ?"},
             {database,
              "INSERT INTO index_versions (engine, engine_version, place, documents, judged_found) "
              "VALUES (?, ?, ?, ?, ?)"}},
      arm_{{database, "SELECT number FROM arms WHERE name = ? AND config = ?"},
           {database, "INSERT INTO arms (name, config) VALUES (?, ?)"}},
      topic_{{database, "SELECT number FROM topics WHERE name = ?"},
             {database, "INSERT INTO topics (name) VALUES (?)"}} {}

std::int64_t SharedRows::number_of(const QrelsVersion& qrels) {
  return qrels_.number_of(database_, qrels.hash, qrels.topics, qrels.judgements, qrels.relevant,
                          to_string(qrels.docno), qrels.min_grade);
}

std::int64_t SharedRows::number_of(const IndexVersion& index) {
  return index_.number_of(database_, index.engine, index.engine_version, index.place,
                          index.documents, index.judged_found);
}

std::int64_t SharedRows::number_of_arm(const std::string& name, const std::string& config) {
  return arm_.number_of(database_, name, config);
}

std::int64_t SharedRows::number_of_topic(const std::string& name) {
  return topic_.number_of(database_, name);
}

}  // namespace prescope
