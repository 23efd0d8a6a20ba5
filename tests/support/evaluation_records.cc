#include "support/evaluation_records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace prescope {

EvaluationRecord::Topic topic_found_at(const std::string& id, const std::vector<Rank>& ranks) {
  EvaluationRecord::Topic topic{
      .id = TopicId(id), .num_rel = static_cast<std::uint32_t>(ranks.size()), .num_ret = 1000};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] > 0) topic.found.push_back({Docno(fmt::format("{}-D{}", id, i + 1)), ranks[i]});
  }
  std::ranges::sort(topic.found, {}, &EvaluationRecord::Found::rank);
  return topic;
}

EvaluationRecord evaluation_record(std::vector<EvaluationRecord::Topic> topics,
                                   std::string_view measures) {
  EvaluationRecord record{
      .arm = "bm25",
      .source = "replay nightly.toml",
      .config = "model = \"bm25\"\n",
      .time = UtcTime(std::chrono::milliseconds(1'790'000'000'000)),
      .qrels = {.hash = "0123456789abcdef", .topics = topics.size()},
      .index = {.engine = "toy", .engine_version = "1.0", .path = "index", .documents = 10'000},
      .depth = 1000,
      .measures = parse_measures(measures)};
  std::ranges::sort(topics, {}, &EvaluationRecord::Topic::id);
  for (const EvaluationRecord::Topic& topic : topics) record.qrels.relevant += topic.num_rel;
  record.qrels.judgements = record.qrels.relevant;
  record.index.judged_found = record.qrels.relevant;
  record.topics = std::move(topics);
  return record;
}

Baseline baseline_of(const EvaluationRecord& record) {
  return {.name = "main",
          .evaluation = record,
          .pinned_by = "ranking team",
          .why = "release",
          .pinned = record.time};
}

std::vector<EvaluationRecord::Topic> steady_topics(std::size_t count) {
  std::vector<EvaluationRecord::Topic> topics;
  for (std::size_t i = 0; i < count; ++i) {
    topics.push_back(topic_found_at(fmt::format("T{}", 1000 + i), {1, 20, 40, 90}));
  }
  return topics;
}

void set_latencies(EvaluationRecord& record, std::uint32_t queries, double shortest_ms,
                   double step_ms) {
  record.latency = LatencySketch();
  for (std::uint32_t i = 0; i < queries; ++i) {
    const std::chrono::duration<double, std::milli> latency(shortest_ms + i * step_ms);
    record.latency.add(std::chrono::duration_cast<std::chrono::nanoseconds>(latency));
  }
}

GateVerdict::Rule rule_of(const GateVerdict& verdict, std::string_view id) {
  const auto rule = std::ranges::find(verdict.rules, id, &GateVerdict::Rule::id);
  if (rule != verdict.rules.end()) return *rule;
  ADD_FAILURE() << "there is no rule " << id;
  return {};
}

}  // namespace prescope
