#include "core/evaluation_record.h"

#include <fmt/format.h>

#include "core/evaluation.h"
#include "core/fnv_1a.h"

namespace prescope {
namespace {

/// What ends a text, so that neighbours cannot be cut elsewhere; no name has it.
constexpr std::string_view kEnd{"\0", 1};

std::uint64_t hash_of(const TopicQrels& topic, std::uint64_t hash) {
  hash = fnv_1a(kEnd, fnv_1a(topic.id().text(), hash));
  for (const Judgement& judgement : topic.judgements()) {
    hash = fnv_1a(kEnd, fnv_1a(judgement.key, hash));
    hash = fnv_1a(kEnd, fnv_1a(fmt::format_int(judgement.grade).c_str(), hash));
  }
  return fnv_1a(kEnd, hash);
}

}  // namespace

std::optional<double> EvaluationRecord::score(const Topic& topic, const Measure& measure) {
  std::vector<Rank> ranks;
  ranks.reserve(topic.found.size());
  for (const Found& found : topic.found) ranks.push_back(found.rank);
  return measure.score({.num_rel = topic.num_rel, .relevant = ranks, .num_ret = topic.num_ret});
}

RecordMean mean_of(const EvaluationRecord& record, const Measure& measure) {
  std::vector<double> scores;
  scores.reserve(record.topics.size());
  for (const EvaluationRecord::Topic& topic : record.topics) {
    if (const auto score = EvaluationRecord::score(topic, measure)) scores.push_back(*score);
  }
  return {.mean = mean_over_topics(measure, scores),
          .topics = static_cast<std::uint32_t>(scores.size())};
}

QrelsVersion qrels_version(const Qrels& qrels) {
  QrelsVersion version{.topics = qrels.topics().size(),
                       .judgements = qrels.num_judgements(),
                       .docno = qrels.docnos().policy(),
                       .min_grade = qrels.min_grade()};
  std::uint64_t hash = kFnvOffset;
  for (const TopicQrels& topic : qrels.topics()) {
    hash = hash_of(topic, hash);
    version.relevant += topic.num_rel();
  }
  version.hash = fmt::format("{:016x}", hash);
  return version;
}

}  // namespace prescope
