#include "store/sessions/observation_schema.h"

#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_lines.h"
#include "base/varint.h"

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

std::string judgements_text(const TopicQrels& topic, DocnoPolicy policy) {
  std::string text = "[";
  for (const Judgement& judgement : topic.judgements()) {
    if (text.size() > 1) text += ',';
    text += '[';
    append_json_text(text, judgement.docno.text());
    text += fmt::format(",{}", judgement.grade);
    if (policy == DocnoPolicy::kFamily) {
      text += ',';
      append_json_text(text, judgement.key);
    }
    text += ']';
  }
  return text + ']';
}

std::vector<Judgement> read_judgements(std::string_view text) {
  try {
    std::vector<Judgement> judgements;
    for (const auto& one : nlohmann::json::parse(text)) {
      judgements.push_back({.docno = Docno(one.at(0).get<std::string>()),
                            .key = one.size() > 2 ? one[2].get<std::string>() : std::string(),
                            .grade = one.at(1).get<Grade>()});
    }
    return judgements;
  } catch (const nlohmann::json::exception&) {
    constexpr std::size_t kShown = 60;
    throw Error(ErrorCode::kBadInput,
                fmt::format("judgements of a topic are '{}'; expected [[docno, grade], ...]",
                            text.substr(0, kShown)));
  }
}

}  // namespace prescope
