#include "store/found_text.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <limits>

#include "core/json_text.h"
#include "core/utf8.h"
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

}  // namespace prescope
