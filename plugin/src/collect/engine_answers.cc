#include "collect/engine_answers.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "report/text/visible_text.h"

namespace prescope {

namespace {

using DomObject = simdjson::dom::object;
using DomArray = simdjson::dom::array;
using DomElement = simdjson::dom::element;

/// Returns the value at a JSON pointer if it is there and of this type.
template <class Value, class From>
std::optional<Value> value_at(const From& from, std::string_view pointer) {
  Value value{};
  if (from.at_pointer(pointer).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

bool is_true_at(const DomObject& from, std::string_view pointer) {
  return value_at<bool>(from, pointer).value_or(false);
}

void add_flag(EngineAnswer& answer, RankingFlags flag) { answer.flags = answer.flags | flag; }

void set_took(EngineAnswer& answer, const DomObject& from, std::string_view pointer) {
  const auto ms = value_at<std::uint64_t>(from, pointer);
  if (!ms) return;
  if (*ms > kLongestLatencyMs) {
    throw bad_input_error("{} of the answer is {}; expected milliseconds from 0 to {}", pointer,
                          *ms, kLongestLatencyMs);
  }
  answer.took = std::chrono::milliseconds(*ms);
}

/// Returns a field of a hit: itself, or the first of several values.
std::optional<std::string_view> text_of(const DomElement& hit, const std::string& pointer) {
  if (const auto text = value_at<std::string_view>(hit, pointer)) return text;
  return value_at<std::string_view>(hit, pointer + "/0");
}

Error hit_without_docno(std::size_t number, std::string_view expected) {
  return bad_input_error("hit {} of the answer has no docno; expected {}", number, expected);
}

EngineAnswer read_hits(const DomObject& from, std::string_view docno_field) {
  EngineAnswer answer;
  set_took(answer, from, "/took");
  answer.total = value_at<std::uint64_t>(from, "/hits/total/value");
  if (!answer.total) answer.total = value_at<std::uint64_t>(from, "/hits/total");
  answer.is_total_least = value_at<std::string_view>(from, "/hits/total/relation") == "gte";
  if (is_true_at(from, "/timed_out")) add_flag(answer, RankingFlags::kTimedOut);
  const bool lost_shards = value_at<std::uint64_t>(from, "/_shards/failed").value_or(0) > 0;
  if (lost_shards || is_true_at(from, "/terminated_early")) {
    add_flag(answer, RankingFlags::kPartial);
  }
  const auto hits = value_at<DomArray>(from, "/hits/hits");
  if (!hits) throw bad_input_error("the answer has no hits.hits; expected the whole answer");
  for (const DomElement hit : *hits) {
    const std::string field(docno_field);
    auto docno = field.empty() ? text_of(hit, "/_id") : text_of(hit, "/fields/" + field);
    if (!docno && !field.empty()) docno = text_of(hit, "/_source/" + field);
    if (!docno) {
      throw hit_without_docno(answer.docnos.size() + 1,
                              field.empty() ? "_id" : "the field in fields or _source");
    }
    answer.docnos.push_back(*docno);
  }
  return answer;
}

EngineAnswer read_response(const DomObject& from, std::string_view docno_field) {
  EngineAnswer answer;
  set_took(answer, from, "/responseHeader/QTime");
  answer.total = value_at<std::uint64_t>(from, "/response/numFound");
  answer.is_total_least = value_at<bool>(from, "/response/numFoundExact") == false;
  if (const auto start = value_at<std::uint64_t>(from, "/response/start")) {
    constexpr std::uint64_t kMost = std::numeric_limits<Rank>::max() - 1;
    answer.first_rank = static_cast<Rank>(std::min(*start, kMost) + 1);
  }
  if (is_true_at(from, "/responseHeader/partialResults")) add_flag(answer, RankingFlags::kPartial);
  const auto docs = value_at<DomArray>(from, "/response/docs");
  if (!docs) throw bad_input_error("the answer has no response.docs; expected the whole answer");
  const std::string field(docno_field.empty() ? "id" : docno_field);
  for (const DomElement doc : *docs) {
    const auto docno = text_of(doc, "/" + field);
    if (!docno) {
      throw hit_without_docno(answer.docnos.size() + 1, fmt::format("the field {} as text", field));
    }
    answer.docnos.push_back(*docno);
  }
  return answer;
}

/// Returns the name behind "id:NAMESPACE:TYPE::".
std::optional<std::string_view> name_in_document_id(std::string_view id) {
  if (!id.starts_with("id:")) return std::nullopt;
  constexpr int kColons = 4;
  std::size_t at = 0;
  for (int i = 0; i < kColons; ++i) {
    at = id.find(':', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  return at < id.size() ? std::optional(id.substr(at)) : std::nullopt;
}

EngineAnswer read_root(const DomObject& from, std::string_view docno_field) {
  EngineAnswer answer;
  answer.total = value_at<std::uint64_t>(from, "/root/fields/totalCount");
  const bool is_degraded = value_at<bool>(from, "/root/coverage/full") == false;
  if (is_degraded) add_flag(answer, RankingFlags::kPartial);
  const auto children = value_at<DomArray>(from, "/root/children");
  const auto errors = value_at<DomArray>(from, "/root/errors");
  if (!children && errors && errors->size() > 0) add_flag(answer, RankingFlags::kFailed);
  if (!children) return answer;
  const std::string field(docno_field);
  for (const DomElement hit : *children) {
    std::optional<std::string_view> docno;
    if (field.empty()) {
      const auto id = text_of(hit, "/fields/documentid");
      docno = name_in_document_id(id ? *id : text_of(hit, "/id").value_or(""));
    } else {
      docno = text_of(hit, "/fields/" + field);
    }
    if (!docno) {
      throw hit_without_docno(answer.docnos.size() + 1,
                              field.empty() ? "id:NAMESPACE:TYPE::NAME" : "the field in fields");
    }
    answer.docnos.push_back(*docno);
  }
  return answer;
}

}  // namespace

EngineAnswer read_engine_answer(const DomObject& answer, std::string_view docno_field) {
  const auto has_key = [&](std::string_view key) {
    return answer.at_key(key).error() == simdjson::SUCCESS;
  };
  if (has_key("hits")) return read_hits(answer, docno_field);
  if (has_key("response")) return read_response(answer, docno_field);
  if (has_key("root")) return read_root(answer, docno_field);
  if (has_key("error")) return {.flags = RankingFlags::kFailed};
  throw bad_input_error(
      "the answer has none of hits.hits, response.docs and root.children; expected the whole "
      "answer "
      "of an engine that docs/collect.md names, or docnos instead");
}

}  // namespace prescope
