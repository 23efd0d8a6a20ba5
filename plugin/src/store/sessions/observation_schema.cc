#include "store/sessions/observation_schema.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_lines.h"
#include "base/varint.h"
#include "live/summary/checks.h"

namespace prescope {

namespace {

constexpr std::size_t kKeyBytes = 8;

/// A varint that fits into 32 bits.
std::optional<std::uint32_t> take_small(std::string_view& bytes) {
  const std::optional<std::uint64_t> number = take_varint(bytes);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

void write_hits(std::string& bytes, std::span<const JudgedHit> hits) {
  Rank before = 0;
  for (const JudgedHit& hit : hits) {
    append_varint(bytes, hit.rank - before);
    append_varint(bytes, hit.judgement.value());
    before = hit.rank;
  }
}

std::optional<std::vector<JudgedHit>> read_hits(std::string_view bytes, std::size_t judgements) {
  std::vector<JudgedHit> hits;
  for (std::uint64_t rank = 0; !bytes.empty();) {
    const std::optional<std::uint32_t> distance = take_small(bytes), judgement = take_small(bytes);
    if (!distance || !judgement || *distance == 0 || *judgement >= judgements) return std::nullopt;
    rank += *distance;
    if (rank > std::numeric_limits<Rank>::max()) return std::nullopt;
    hits.push_back({static_cast<Rank>(rank), JudgementIndex(*judgement)});
  }
  return hits;
}

void write_docids(std::string& bytes, std::span<const DocId> docids) {
  for (const DocId docid : docids) append_varint(bytes, docid.value());
}

std::optional<std::vector<DocId>> read_docids(std::string_view bytes) {
  std::vector<DocId> docids;
  while (!bytes.empty()) {
    const std::optional<std::uint32_t> docid = take_small(bytes);
    if (!docid) return std::nullopt;
    docids.emplace_back(*docid);
  }
  return docids;
}

void write_keys(std::string& bytes, std::span<const std::uint64_t> keys) {
  for (const std::uint64_t key : keys) {
    for (std::size_t i = 0; i < kKeyBytes; ++i) bytes += static_cast<char>(key >> (8 * i));
  }
}

std::optional<std::vector<std::uint64_t>> read_keys(std::string_view bytes) {
  if (bytes.size() % kKeyBytes != 0) return std::nullopt;
  std::vector<std::uint64_t> keys(bytes.size() / kKeyBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    keys[i / kKeyBytes] |= std::uint64_t{static_cast<unsigned char>(bytes[i])}
                           << (8 * (i % kKeyBytes));
  }
  return keys;
}

void append_name(std::string& text, std::string_view name) {
  if (is_utf8(name)) return append_json_text(text, name);
  text += R"({"hex":")";
  for (const char byte : name) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  text += "\"}";
}

std::string name_in(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  const auto& hex = json.at("hex").get_ref<const std::string&>();
  std::string name;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    name += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return name;
}

namespace {

/// Returns `make(element)` for each element of an array.
template <class Value, class Make>
std::vector<Value> read_list(std::string_view text, std::string_view expected, const Make& make) {
  const auto refusal = [&] {
    constexpr std::size_t kShown = 60;
    return bad_input_error("the store has '{}'; expected {}", text.substr(0, kShown), expected);
  };
  try {
    std::vector<Value> values;
    for (const auto& one : nlohmann::json::parse(text)) values.push_back(make(one));
    return values;
  } catch (const nlohmann::json::exception&) {
    throw refusal();
  } catch (const std::logic_error&) {
    throw refusal();
  }
}

}  // namespace

std::string judgements_text(const TopicQrels& topic, DocnoPolicy policy) {
  std::string text = "[";
  for (const Judgement& judgement : topic.judgements()) {
    if (text.size() > 1) text += ',';
    text += '[';
    append_name(text, judgement.docno.text());
    text += fmt::format(",{}", judgement.grade);
    if (policy == DocnoPolicy::kFamily) {
      text += ',';
      append_name(text, judgement.key);
    }
    text += ']';
  }
  return text + ']';
}

std::vector<Judgement> read_judgements(std::string_view text) {
  return read_list<Judgement>(
      text, "judgements, [[docno, grade], ...]", [](const nlohmann::json& one) {
        return Judgement{.docno = Docno(name_in(one.at(0))),
                         .key = one.size() > 2 ? name_in(one[2]) : std::string(),
                         .grade = one.at(1).get<Grade>()};
      });
}

std::string texts_json(std::span<const std::string> own) {
  std::string text = "[";
  for (const std::string& name : own) {
    if (text.size() > 1) text += ',';
    append_name(text, name);
  }
  return text + ']';
}

std::vector<std::string> read_texts(std::string_view text) {
  return read_list<std::string>(text, "a list of texts, [text, ...]", name_in);
}

std::string limits_text(const VerdictLimits& limits) {
  nlohmann::ordered_json json;
  for (const auto& [name, limit] : kVerdictLimits) json[std::string(name)] = limits.*limit;
  return json.dump();
}

VerdictLimits read_limits(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    VerdictLimits limits;
    for (const auto& [name, limit] : kVerdictLimits) {
      limits.*limit = json.value(std::string(name), limits.*limit);
    }
    return limits;
  } catch (const nlohmann::json::exception&) {
    throw bad_input_error("'{}' are no limits of verdicts, {{name: share, ...}}", text);
  }
}

std::string baseline_text(std::span<const BaselineScore> baseline) {
  std::string text = "[";
  for (const BaselineScore& score : baseline) {
    if (text.size() > 1) text += ',';
    text += '[';
    append_name(text, score.topic.text());
    text += ',';
    append_json_text(text, score.measure);
    text += fmt::format(",{}]", score.score);
  }
  return text + ']';
}

std::string families_text(const Qrels& qrels) {
  if (!qrels.has_family_map()) return {};
  std::vector<std::vector<std::uint32_t>> members(qrels.num_families());
  for (std::uint32_t t = 0; t < qrels.topics().size(); ++t) {
    members[qrels.family(TopicIndex(t)).value()].push_back(t);
  }
  std::erase_if(members, [](const auto& topics) { return topics.size() < 2; });
  return nlohmann::json(members).dump();
}

std::shared_ptr<const FamilyMap> read_families(std::string_view text,
                                               std::span<const TopicQrels> topics) {
  if (text.empty()) return nullptr;
  const auto families = read_list<std::vector<std::size_t>>(
      text, "families, [[topic, topic, ...], ...]",
      [](const nlohmann::json& one) { return one.get<std::vector<std::size_t>>(); });
  auto map = std::make_shared<FamilyMap>();
  for (std::size_t f = 0; f < families.size(); ++f) {
    for (const std::size_t topic : families[f]) {
      if (topic >= topics.size()) {
        throw bad_input_error("the store has a family with topic {} of {}", topic, topics.size());
      }
      map->add(Docno(topics[topic].id().text()), fmt::format("f{}", f));
    }
  }
  return map;
}

std::vector<BaselineScore> read_baseline(std::string_view text) {
  return read_list<BaselineScore>(text, "baseline scores, [[topic, measure, score], ...]",
                                  [](const nlohmann::json& one) {
                                    return BaselineScore{.topic = TopicId(name_in(one.at(0))),
                                                         .measure = one.at(1).get<std::string>(),
                                                         .score = one.at(2).get<double>()};
                                  });
}

}  // namespace prescope
