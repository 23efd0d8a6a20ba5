#include "facts/engine_answer.h"

#include <fmt/ranges.h>
#include <array>

#include "base/errors.h"
#include "base/json_lines.h"

namespace prescope {

namespace {

using Element = simdjson::dom::element;

/// Returns the value at a place if it is there and of this type.
template <class Value>
std::optional<Value> value_at(Element from, std::string_view place) {
  Value value{};
  if (from.at_pointer(place).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

bool is_something(Element value) {
  if (bool truth = false; value.get(truth) == simdjson::SUCCESS) return truth;
  if (double number = 0.0; value.get(number) == simdjson::SUCCESS) return number > 0.0;
  if (std::string_view text; value.get(text) == simdjson::SUCCESS) return !text.empty();
  if (simdjson::dom::array list; value.get(list) == simdjson::SUCCESS) return list.size() > 0;
  if (simdjson::dom::object object; value.get(object) == simdjson::SUCCESS) {
    return object.size() > 0;
  }
  return false;
}

std::string text_of(Element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(value);
}

bool is_below(Element answer, std::string_view place, std::string_view other) {
  const auto number = value_at<double>(answer, place), limit = value_at<double>(answer, other);
  return number && limit && *number < *limit;
}

bool holds(Element answer, std::string_view condition) {
  if (const std::size_t below = condition.find('<'); below != std::string_view::npos) {
    return is_below(answer, condition.substr(0, below), condition.substr(below + 1));
  }
  const std::size_t equals = condition.find('=');
  const auto value = value_at<Element>(answer, condition.substr(0, equals));
  if (!value) return false;
  if (equals == std::string_view::npos) return is_something(*value);
  return text_of(*value) == condition.substr(equals + 1);
}

bool any_holds(Element answer, std::span<const std::string> conditions) {
  return std::ranges::any_of(conditions,
                             [&](const std::string& one) { return holds(answer, one); });
}

RankingFlags without(RankingFlags flags, RankingFlags one) noexcept {
  return RankingFlags(std::uint32_t(flags) & ~std::uint32_t(one));
}

/// Returns what follows "id:NAMESPACE:TYPE:KEY:". The key may be empty.
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

std::optional<std::string_view> docno_of(Element hit, const AnswerShape& shape) {
  for (const std::string& place : shape.docno) {
    auto text = value_at<std::string_view>(hit, place);
    if (!text) text = value_at<std::string_view>(hit, place + "/0");
    if (text && shape.docno_is_document_id) text = name_in_document_id(*text);
    if (text) return text;
  }
  return std::nullopt;
}

Error hit_without_docno(std::size_t number, const AnswerShape& shape) {
  return bad_input_error("hit {} of the answer has no docno; expected {} at {}", number,
                         shape.docno_is_document_id ? "id:NAMESPACE:TYPE::DOCNO" : "a text",
                         fmt::join(shape.docno, " or "));
}

/// Returns the whole number at the first place that has a value.
std::optional<std::uint64_t> count_at(Element from, std::span<const std::string> places) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  for (const std::string& place : places) {
    const auto value = value_at<Element>(from, place);
    if (!value || value->is_null()) continue;
    std::uint64_t count = 0;
    if (value->get(count) == simdjson::SUCCESS) return count;
    double number = 0.0;
    const bool is_number = value->get(number) == simdjson::SUCCESS;
    if (is_number && number == -1.0)
      return std::nullopt;  // as engines write that they did not count
    if (is_number && number >= 0.0 && number < kExact && number == std::floor(number)) {
      return static_cast<std::uint64_t>(number);
    }
    throw bad_input_error("{} of the answer is {}; expected a whole number", place,
                          value->is_number() ? simdjson::minify(*value) : json_type(*value));
  }
  return std::nullopt;
}

void read_numbers(Element from, const AnswerShape& shape, EngineAnswer& answer) {
  if (const auto ms = value_at<double>(from, shape.took_ms)) {
    if (!(*ms >= 0.0 && *ms <= static_cast<double>(kLongestLatencyMs))) {
      throw bad_input_error("{} of the answer is {}; expected milliseconds from 0 to {}",
                            shape.took_ms, *ms, kLongestLatencyMs);
    }
    constexpr double kNsPerMs = 1e6;
    answer.took = std::chrono::nanoseconds(std::llround(*ms * kNsPerMs));
  }
  answer.total = count_at(from, shape.total);
  answer.is_total_least = any_holds(from, shape.total_is_least);
  if (const auto offset = count_at(from, shape.offset)) {
    constexpr std::uint64_t kMost = std::numeric_limits<Rank>::max() - 1;
    answer.first_rank = static_cast<Rank>(std::min(*offset, kMost) + 1);
  }
}

void read_hits(Element from, const AnswerShape& shape, bool has_failed, EngineAnswer& answer) {
  const auto hits = value_at<simdjson::dom::array>(from, shape.hits);
  const auto other = value_at<Element>(from, shape.hits);
  if (!hits && other && !has_failed) {
    throw bad_input_error("{} of the answer is {}; expected the list of hits", shape.hits,
                          json_type(*other));
  }
  if (!hits && !has_failed && !answer.total) {
    throw bad_input_error("the answer has no {}; expected the whole answer", shape.hits);
  }
  if (!hits) return;
  for (const Element hit : *hits) {
    const auto docno = docno_of(hit, shape);
    if (!docno) throw hit_without_docno(answer.docnos.size() + 1, shape);
    answer.docnos.push_back(*docno);
  }
}

}  // namespace

AnswerShape AnswerShape::with_docno_field(std::string_view field) const {
  if (fields.empty()) {
    throw usage_error("hits at {} have no fields; expected the place of their docnos", hits);
  }
  AnswerShape shape = *this;
  shape.docno_is_document_id = false;
  shape.docno.clear();
  std::string key;
  for (const char c : field) key += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  for (const std::string& before : fields) shape.docno.push_back(before + key);
  return shape;
}

std::span<const AnswerShape> known_answer_shapes() {
  static const std::array<AnswerShape, 3> kShapes{
      {{.hits = "/hits/hits",
        .docno = {"/_id"},
        .fields = {"/fields/", "/_source/"},
        .took_ms = "/took",
        .total = {"/hits/total/value", "/hits/total"},
        .total_is_least = {"/hits/total/relation=gte"},
        .timed_out = {"/timed_out"},
        .partial = {"/_shards/failed", "/_shards/successful</_shards/total", "/terminated_early",
                    "/_clusters/skipped", "/_clusters/partial", "/_clusters/failed",
                    "/_clusters/running"},
        .failed = {"/error", "/_shards/total=0"}},
       {.hits = "/response/docs",
        .docno = {"/id"},
        .fields = {"/"},
        .took_ms = "/responseHeader/QTime",
        .total = {"/response/numFound"},
        .offset = {"/response/start"},
        .total_is_least = {"/response/numFoundExact=false"},
        .partial = {"/responseHeader/partialResults", "/responseHeader/segmentTerminatedEarly",
                    "/responseHeader/maxHitsTerminatedEarly"},
        .failed = {"/error", "/responseHeader/status"}},
       {.hits = "/root/children",
        .docno = {"/fields/documentid", "/id"},
        .fields = {"/fields/"},
        .docno_is_document_id = true,
        .total = {"/root/fields/totalCount"},
        .partial = {"/root/coverage/full=false"},
        .failed = {"/root/errors"}}}};
  return kShapes;
}

const AnswerShape& known_answer_shape(std::string_view hits) {
  std::vector<std::string_view> places;
  for (const AnswerShape& shape : known_answer_shapes()) {
    if (shape.hits == hits) return shape;
    places.emplace_back(shape.hits);
  }
  throw Error(ErrorCode::kUsage, unknown_name_message("place of hits", hits, places));
}

void check_json_pointer(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~' || text.substr(i + 1, 1) == "0" || text.substr(i + 1, 1) == "1") continue;
    throw usage_error("'{}' is no JSON pointer: write ~0 for ~, and ~1 for / in a key", text);
  }
  if (text.starts_with('/')) return;
  throw usage_error("'{}' is no JSON pointer; expected one such as /hits/hits", text);
}

RankingFlags settled_flags(RankingFlags said, std::size_t hits, Rank first_rank,
                           std::uint32_t depth, std::optional<std::uint64_t> total) noexcept {
  constexpr RankingFlags kNone = RankingFlags::kFailed | RankingFlags::kTimedOut;
  if (has(said, kNone)) {
    return hits == 0 ? said : without(said, kNone) | RankingFlags::kPartial;
  }
  const std::uint64_t before = std::uint64_t{first_rank} - 1;
  const std::uint64_t matching = total && *total > before ? *total - before : 0;
  if (matching == 0) return said;
  if (hits == 0) return said | RankingFlags::kFailed;
  const bool is_short = hits < std::min<std::uint64_t>(matching, depth);
  const bool may_be = has(said, RankingFlags::kCollapsed);
  return is_short && !may_be ? said | RankingFlags::kPartial : said;
}

EngineAnswer read_engine_answer(Element from, const AnswerShape& shape) {
  EngineAnswer answer;
  read_numbers(from, shape, answer);
  const bool has_failed = any_holds(from, shape.failed);
  read_hits(from, shape, has_failed, answer);
  const auto set = [&](RankingFlags flag, bool is_set) {
    if (is_set) answer.flags = answer.flags | flag;
  };
  set(RankingFlags::kFailed, has_failed);
  set(RankingFlags::kTimedOut, any_holds(from, shape.timed_out));
  set(RankingFlags::kPartial, any_holds(from, shape.partial));
  return answer;
}

struct EngineAnswerReader::Parsed {
  simdjson::dom::parser parser{};
  Element answer{};
};

EngineAnswerReader::EngineAnswerReader() : parsed_(std::make_unique<Parsed>()) {}
EngineAnswerReader::~EngineAnswerReader() = default;

EngineAnswer EngineAnswerReader::read(std::string_view json, const AnswerShape& shape) {
  const auto failed = parsed_->parser.parse(json.data(), json.size()).get(parsed_->answer);
  if (failed == simdjson::SUCCESS) return read_engine_answer(parsed_->answer, shape);
  throw bad_input_error("the answer is not JSON: {}", simdjson::error_message(failed));
}

std::string EngineAnswerReader::text_at(std::string_view pointer) const {
  const auto value = value_at<Element>(parsed_->answer, pointer);
  return value ? text_of(*value) : std::string();
}

}  // namespace prescope
