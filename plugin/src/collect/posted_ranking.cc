#include "collect/posted_ranking.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "base/errors.h"
#include "base/json_lines.h"
#include "base/utc_time.h"
#include "facts/engine_answer.h"
#include "report/text/visible_text.h"

namespace prescope {

namespace {

using Element = simdjson::dom::element;

constexpr std::size_t kLongestId = 100, kLongestName = 1024, kMostDocnos = 100'000;

/// The words of `flags`.
constexpr std::array<std::pair<std::string_view, RankingFlags>, 7> kFlagWords{
    {{"partial", RankingFlags::kPartial},
     {"filtered", RankingFlags::kFiltered},
     {"sorted", RankingFlags::kSorted},
     {"collapsed", RankingFlags::kCollapsed},
     {"retried", RankingFlags::kRetried},
     {"timed_out", RankingFlags::kTimedOut},
     {"failed", RankingFlags::kFailed}}};

Error wrong_type(std::string_view key, Element value, std::string_view expected) {
  return bad_input_error("{} is {}; expected {}", key, json_type(value), expected);
}

/// Returns a text of 1 to `longest` bytes without a NUL.
std::string_view name_of(std::string_view key, Element value, std::size_t longest = kLongestName) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) throw wrong_type(key, value, "a string");
  if (text.empty()) throw bad_input_error("{} is empty; leave it out, or name it", key);
  if (text.size() > longest) {
    throw bad_input_error("{} has {} bytes; expected at most {}", key, text.size(), longest);
  }
  if (text.find('\0') != std::string_view::npos) {
    throw bad_input_error("{} contains a NUL character; remove it", key);
  }
  return text;
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kLongestName && text.find('\0') == std::string_view::npos;
}

/// Returns a whole number, also if it is written as 10.0.
std::uint64_t count_of(std::string_view key, Element value, std::uint64_t least,
                       std::uint64_t most) {
  if (!value.is_number()) {
    throw wrong_type(key, value, fmt::format("a whole number {}", range_words(least, most)));
  }
  constexpr double kExact = 9007199254740992.0;  // 2^53
  std::uint64_t number = 0;
  double fraction = 0.0;
  bool is_whole = value.get(number) == simdjson::SUCCESS;
  if (!is_whole && value.get(fraction) == simdjson::SUCCESS) {
    is_whole = fraction >= 0.0 && fraction <= kExact && fraction == std::floor(fraction);
    if (is_whole) number = static_cast<std::uint64_t>(fraction);
  }
  if (is_whole && number >= least && number <= most) return number;
  throw bad_input_error("{} is {}; expected a whole number {}", key, simdjson::minify(value),
                        range_words(least, most));
}

std::chrono::nanoseconds latency_of(std::string_view key, Element value) {
  constexpr auto kMostMs = static_cast<double>(kLongestLatencyMs);
  constexpr double kNsPerMs = 1e6;
  double ms = 0.0;
  if (!value.is_number() || value.get(ms) != simdjson::SUCCESS) {
    throw wrong_type(key, value, "a number of milliseconds");
  }
  if (ms < 0.0 || ms > kMostMs) {
    throw bad_input_error("{} is {}; expected milliseconds from 0 to {:.0f}", key,
                          simdjson::minify(value), kMostMs);
  }
  return std::chrono::nanoseconds(std::llround(ms * kNsPerMs));
}

bool truth_of(std::string_view key, Element value) {
  bool truth = false;
  if (value.get(truth) != simdjson::SUCCESS) throw wrong_type(key, value, "true or false");
  return truth;
}

std::vector<std::string_view> names_of(std::string_view key, Element value,
                                       std::vector<std::string_view> names = {}) {
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) throw wrong_type(key, value, "an array of strings");
  names.clear();
  for (const Element item : items) {
    std::string_view name;
    const bool is_good = item.get(name) == simdjson::SUCCESS && is_name(name);
    // Only a bad name needs a name of its own in the message.
    names.push_back(is_good ? name : name_of(fmt::format("{}[{}]", key, names.size()), item));
    if (names.size() > kMostDocnos) {
      throw bad_input_error("{} has more than {} names", key, kMostDocnos);
    }
  }
  return names;
}

RankingFlags flags_of(std::string_view key, Element value) {
  RankingFlags flags = RankingFlags::kNone;
  for (const std::string_view word : names_of(key, value)) {
    const auto* const known =
        std::ranges::find(kFlagWords, word, &std::pair<std::string_view, RankingFlags>::first);
    if (known == kFlagWords.end()) {
      std::vector<std::string_view> words;
      for (const auto& [name, flag] : kFlagWords) words.push_back(name);
      throw Error(ErrorCode::kBadInput, unknown_name_message("flag", word, words));
    }
    flags = flags | known->second;
  }
  return flags;
}

/// Milliseconds since 1970 in this century, or a text.
UtcTime time_of(std::string_view key, Element value) {
  constexpr std::int64_t kFirst = 946'684'800'000, kLast = 4'102'444'800'000;  // 2000, 2100
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) {
    const UtcTime time = parse_zoned_time(text);
    const std::int64_t since_1970 = time.time_since_epoch().count();
    if (since_1970 >= kFirst && since_1970 < kLast) return time;
    throw bad_input_error("{} is '{}'; expected one from 2000 to 2099", key, one_line(text));
  }
  std::int64_t ms = 0;
  if (!value.is_number()) throw wrong_type(key, value, "a time such as 2026-11-28T15:00:00Z");
  if (value.get(ms) == simdjson::SUCCESS && ms >= kFirst && ms < kLast) {
    return UtcTime(std::chrono::milliseconds(ms));
  }
  throw bad_input_error(
      "{} is {}; expected milliseconds since 1970 (13 digits), or a time such as "
      "2026-11-28T15:00:00Z",
      key, simdjson::minify(value));
}

/// What a line says beside the ranking itself.
struct Reading {
  PostedRanking& ranking;
  bool is_total_least = false;  // total_is_lower_bound
  bool has_docnos = false, has_first_rank = false;
  std::optional<Element> answer{};
  std::string_view docno_field{};
};

/// A key of a line, and what reads its value, which is not null.
struct Key {
  std::string_view name;
  void (*read)(std::string_view key, Element value, Reading& to);
};

constexpr Rank kLastRank = std::numeric_limits<Rank>::max();

constexpr std::array<Key, 17> kKeys{{
    {"id", [](auto key, auto value, auto& to) { to.ranking.id = name_of(key, value, kLongestId); }},
    {"visit", [](auto key, auto value, auto& to) { to.ranking.visit = name_of(key, value); }},
    {"topic", [](auto key, auto value, auto& to) { to.ranking.topic = name_of(key, value); }},
    {"query",
     [](auto key, auto value, auto& to) {
       if (value.get(to.ranking.query) != simdjson::SUCCESS) {
         throw wrong_type(key, value, "a string");
       }
     }},
    {"arm", [](auto key, auto value, auto& to) { to.ranking.arm = name_of(key, value); }},
    {"time", [](auto key, auto value, auto& to) { to.ranking.served = time_of(key, value); }},
    {"latency_ms",
     [](auto key, auto value, auto& to) { to.ranking.latency = latency_of(key, value); }},
    {"first_rank",
     [](auto key, auto value, auto& to) {
       to.ranking.first_rank = static_cast<Rank>(count_of(key, value, 1, kLastRank));
       to.has_first_rank = true;
     }},
    {"depth",
     [](auto key, auto value, auto& to) {
       to.ranking.depth = static_cast<std::uint32_t>(count_of(key, value, 1, kLastRank));
     }},
    {"total",
     [](auto key, auto value, auto& to) {
       to.ranking.total = count_of(key, value, 0, std::uint64_t{1} << 62U);
     }},
    {"total_is_lower_bound",
     [](auto key, auto value, auto& to) { to.is_total_least = truth_of(key, value); }},
    {"flags", [](auto key, auto value, auto& to) { to.ranking.flags = flags_of(key, value); }},
    {"shadow", [](auto key, auto value, auto& to) { to.ranking.shadow = truth_of(key, value); }},
    {"compared",
     [](auto key, auto value, auto& to) { to.ranking.compared = names_of(key, value); }},
    {"answer",
     [](auto key, auto value, auto& to) {
       if (!value.is_object()) throw wrong_type(key, value, "an engine's answer, an object");
       to.answer = value;
     }},
    {"docno_field", [](auto key, auto value, auto& to) { to.docno_field = name_of(key, value); }},
    {"docnos",
     [](auto key, auto value, auto& to) {
       to.ranking.docnos = names_of(key, value, std::move(to.ranking.docnos));
       to.has_docnos = true;
     }},
}};

const Key& key_of(std::string_view name) {
  const auto* const known = std::ranges::find(kKeys, name, &Key::name);
  if (known != kKeys.end()) return *known;
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.push_back(key.name);
  throw Error(ErrorCode::kBadInput, unknown_name_message("key", name, names));
}

void read_keys(const simdjson::dom::object& line, Reading& to) {
  std::uint32_t seen = 0;
  for (const auto& [name, value] : line) {
    const Key& key = key_of(name);
    const std::uint32_t bit = 1U << static_cast<std::uint32_t>(&key - kKeys.data());
    if ((seen & bit) != 0) throw bad_input_error("{} is there twice; expected it once", key.name);
    seen |= bit;
    if (!value.is_null()) key.read(key.name, value, to);
  }
}

/// Returns the shape of an answer, which has the first key of the place of its hits.
AnswerShape shape_of(Element answer, std::string_view docno_field) {
  const auto has_key = [&](std::string_view key) {
    return answer.at_key(key).error() == simdjson::SUCCESS;
  };
  for (const AnswerShape& shape : known_answer_shapes()) {
    const std::string_view place = std::string_view(shape.hits).substr(1);
    if (!has_key(place.substr(0, place.find('/')))) continue;
    return docno_field.empty() ? shape : shape.with_docno_field(docno_field);
  }
  if (has_key("error")) return {.failed = {"/error"}};
  throw bad_input_error(
      "the answer has none of hits.hits, response.docs and root.children; expected the whole "
      "answer of an engine that docs/collect.md names, or docnos instead");
}

/// Takes from an engine's answer what the line itself does not say.
void read_answer(Reading& reading) {
  if (!reading.answer) return;
  if (reading.has_docnos) {
    throw bad_input_error("both docnos and answer; expected one of the two");
  }
  PostedRanking& ranking = reading.ranking;
  const AnswerShape shape = shape_of(*reading.answer, reading.docno_field);
  EngineAnswer answer = read_engine_answer(*reading.answer, shape);
  const auto bad = std::ranges::find_if_not(answer.docnos, is_name);
  if (bad != answer.docnos.end()) {
    throw bad_input_error(
        "hit {} of the answer has a docno of {} bytes; expected 1 to {}, without NUL",
        bad - answer.docnos.begin() + 1, bad->size(), kLongestName);
  }
  // An answer that tells of a failure, and has hits, is partial.
  ranking.flags =
      ranking.flags | settled_flags(answer.flags, answer.docnos.size(), 1, 0, std::nullopt);
  ranking.docnos = std::move(answer.docnos);
  reading.has_docnos = true;
  if (!ranking.latency) ranking.latency = answer.took;
  if (!ranking.total) {
    ranking.total = answer.total;
    reading.is_total_least = answer.is_total_least;
  }
  if (!reading.has_first_rank) ranking.first_rank = answer.first_rank.value_or(1);
}

/// Returns the value behind keys that are joined by dots, if it is there.
std::optional<Element> value_behind(Element of, std::string_view keys) {
  while (true) {
    const std::size_t dot = std::min(keys.find('.'), keys.size());
    if (of.at_key(keys.substr(0, dot)).get(of) != simdjson::SUCCESS || of.is_null()) return {};
    if (dot == keys.size()) return of;
    keys.remove_prefix(dot + 1);
  }
}

/// Reads a query document of UBI, whose hits have one of two names. Its other keys say nothing
/// about the ranking.
void read_ubi(Element document, const UbiKeys& keys, Reading& to) {
  const auto use = [&](std::string_view key, const auto& read) {
    if (const auto value = value_behind(document, key)) read(key, *value);
    return !value_behind(document, key);
  };
  const auto set = [&](std::string_view PostedRanking::*member) {
    return [&to, member](std::string_view key, Element value) {
      to.ranking.*member = name_of(key, value);
    };
  };
  const auto read_hits = [&](std::string_view key, Element value) {
    to.ranking.docnos = names_of(key, value, std::move(to.ranking.docnos));
    to.has_docnos = true;
  };
  use("query_response_id", set(&PostedRanking::id));
  use("query_id", set(&PostedRanking::visit));
  use(keys.arm, set(&PostedRanking::arm));
  if (use(keys.topic, set(&PostedRanking::topic))) {
    use("user_query", set(&PostedRanking::query));
  }
  use("timestamp",
      [&](std::string_view key, Element value) { to.ranking.served = time_of(key, value); });
  if (use("query_response_object_ids", read_hits)) use("query_response_hit_ids", read_hits);
}

/// Returns whether the object is the action of a bulk request: {"index": {...}}.
bool is_bulk_action(const simdjson::dom::object& object) {
  if (object.size() != 1) return false;
  const auto [name, value] = *object.begin();
  return (name == "index" || name == "create") && value.is_object();
}

/// Refuses a search that failed and has hits, if the client says that it failed.
void settle_flags(const Reading& reading) {
  PostedRanking& ranking = reading.ranking;
  const std::size_t hits = ranking.docnos.size();
  if (has(ranking.flags, RankingFlags::kFailed) && hits > 0) {
    throw bad_input_error("flag failed with {} docnos; expected none of a search that failed",
                          hits);
  }
  // A client may leave out hits that its engine found; an engine's own answer is whole.
  const std::uint32_t depth = reading.answer ? ranking.depth.value_or(0) : 0;
  ranking.flags = settled_flags(ranking.flags, hits, ranking.first_rank, depth, ranking.total);
}

/// Refuses facts that contradict each other.
void check_facts(const Reading& reading) {
  const PostedRanking& ranking = reading.ranking;
  if (ranking.id.empty()) {
    throw bad_input_error("no id; expected one of the client's own, such as a UUID");
  }
  if (ranking.topic.empty() && ranking.query.empty()) {
    throw bad_input_error("neither topic nor query; expected one of the two");
  }
  const bool has_failed = has(ranking.flags, RankingFlags::kFailed | RankingFlags::kTimedOut);
  if (!reading.has_docnos && !has_failed) {
    throw bad_input_error(
        "no docnos; expected the served documents, [] if there were none, or the "
        "flag failed or timed_out");
  }
  const std::size_t hits = ranking.docnos.size();
  if (ranking.depth && hits > *ranking.depth) {
    throw bad_input_error("{} docnos, and depth is {}; expected at most as many as were asked for",
                          hits, *ranking.depth);
  }
  const std::uint64_t last_rank = std::uint64_t{ranking.first_rank} - 1 + hits;
  if (last_rank > kLastRank) {
    throw bad_input_error("first_rank is {} with {} docnos; expected ranks below 2^32",
                          ranking.first_rank, hits);
  }
  if (ranking.total && !reading.is_total_least && hits > 0 && *ranking.total < last_rank) {
    throw bad_input_error("total is {}, and the last docno has rank {}; expected at least as many",
                          *ranking.total, last_rank);
  }
}

}  // namespace

struct PostedRankingReader::Parser : simdjson::dom::parser {};

PostedRankingReader::PostedRankingReader(UbiKeys ubi)
    : ubi_(std::move(ubi)), parser_(std::make_unique<Parser>()) {}

PostedRankingReader::~PostedRankingReader() = default;

const PostedRanking* PostedRankingReader::read(std::string_view line) {
  std::vector<std::string_view> docnos = std::move(ranking_.docnos);  // keeps its memory
  docnos.clear();
  ranking_ = {.docnos = std::move(docnos)};
  Element parsed;
  const auto failed = parser_->parse(line.data(), line.size()).get(parsed);
  if (failed != simdjson::SUCCESS) {
    throw bad_input_error("not JSON ({}); expected {{\"id\": \"...\", ...}} in one line",
                          simdjson::error_message(failed));
  }
  simdjson::dom::object object;
  if (parsed.get(object) != simdjson::SUCCESS) {
    throw bad_input_error("not a JSON object; expected {{\"id\": \"...\", ...}}");
  }
  if (is_bulk_action(object)) return nullptr;
  Reading reading{.ranking = ranking_};
  const bool is_ubi = object.at_key("query_response_id").error() == simdjson::SUCCESS;
  if (is_ubi) {
    read_ubi(parsed, ubi_, reading);
  } else {
    read_keys(object, reading);
    read_answer(reading);
  }
  if (ranking_.visit.empty()) ranking_.visit = ranking_.id;
  check_facts(reading);
  settle_flags(reading);
  return &ranking_;
}

}  // namespace prescope
