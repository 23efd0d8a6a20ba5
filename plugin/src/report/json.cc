#include "prescope/report.h"
#include "report/json_value.h"

namespace prescope {
namespace {

Json mean_json(const MeasureMean& mean) {
  return {{"mean", or_null(mean.mean)},
          {"topics", mean.topics},
          {"mean_over_all", or_null(mean.mean_over_all)},
          {"too_shallow", mean.too_shallow}};
}

Json arm_json(const ArmSummary& arm) {
  Json means = Json::object();
  for (const MeasureMean& mean : arm.means) means[mean.measure.name()] = mean_json(mean);
  const LatencySummary& latency = arm.latency;
  return {{"name", arm.id.text()},
          {"judged_queries", arm.judged_queries},
          {"unjudged_queries", arm.unjudged_queries},
          {"retried_queries", arm.retried_queries},
          {"topics_seen", arm.topics_seen},
          {"means", std::move(means)},
          {"latency_ms",
           {{"count", latency.count},
            {"p50", or_null(latency.p50.ms)},
            {"p95", or_null(latency.p95.ms)},
            {"p99", or_null(latency.p99.ms)},
            {"max", or_null(latency.max_ms)}}},
          {"self_time_us", {{"p50", or_null(arm.self_p50_us)}, {"p99", or_null(arm.self_p99_us)}}},
          {"duplicate_hits", arm.duplicate_hits},
          {"relevant_missing", or_null(arm.relevant_missing)}};
}

Json difference_json(const MeasureDifference& difference) {
  return {{"topics", difference.topics},
          {"mean", or_null(difference.mean)},
          {"ci_low", or_null(difference.ci_low)},
          {"ci_high", or_null(difference.ci_high)},
          {"p_value", or_null(difference.p_value)},
          {"wins", difference.wins},
          {"ties", difference.ties},
          {"losses", difference.losses},
          {"verdict", to_string(difference.verdict)}};
}

Json move_json(const TopicMove& move) {
  Json citations = Json::array();
  for (const CitationMove& citation : move.citations) {
    citations.push_back({{"docno", citation.docno.text()},
                         {"grade", citation.grade},
                         {"rank_a", or_null(citation.rank_a)},
                         {"rank_b", or_null(citation.rank_b)},
                         {"share", citation.share}});
  }
  return {{"topic", move.topic.text()},
          {"measure", move.measure.name()},
          {"a", move.a},
          {"b", move.b},
          {"difference", move.difference},
          {"num_rel", move.num_rel},
          {"citations", std::move(citations)}};
}

Json pair_json(const Summary& summary, const ArmPair& pair) {
  Json differences = Json::object();
  for (const MeasureDifference& difference : pair.differences) {
    differences[difference.measure.name()] = difference_json(difference);
  }
  Json moves = Json::array();
  for (const TopicMove& move : pair.moves) moves.push_back(move_json(move));
  return {{"a", summary.arms[pair.a.value()].id.text()},
          {"b", summary.arms[pair.b.value()].id.text()},
          {"differences", std::move(differences)},
          {"latency_ratio",
           {{"mean", or_null(pair.latency.mean)},
            {"ci_low", or_null(pair.latency.ci_low)},
            {"ci_high", or_null(pair.latency.ci_high)}}},
          {"moves", std::move(moves)}};
}

Json row_arm_json(const Summary& summary, const TopicRow::Arm& arm) {
  Json scores = Json::object();
  for (std::size_t m = 0; m < arm.scores.size(); ++m) {
    scores[summary.measures[m].name()] = or_null(arm.scores[m]);
  }
  return {{"seen", arm.seen},
          {"visits", arm.visits},
          {"num_ret", arm.num_ret},
          {"exhausted", arm.exhausted},
          {"missing", arm.missing},
          {"latency_ms", or_null(arm.latency_ms)},
          {"relevant_ranks", arm.relevant_ranks},
          {"scores", std::move(scores)}};
}

Json row_json(const Summary& summary, const TopicRow& row) {
  Json arms = Json::object();
  for (std::size_t a = 0; a < row.arms.size(); ++a) {
    arms[summary.arms[a].id.text()] = row_arm_json(summary, row.arms[a]);
  }
  return {{"topic", row.id.text()}, {"num_rel", row.num_rel}, {"arms", std::move(arms)}};
}

Json health_json(const Health& health) {
  return {{"pushed", health.pushed},
          {"recorded", health.recorded},
          {"dropped_queue_full", health.dropped_queue_full},
          {"queries_without_scope", health.queries_without_scope},
          {"queries_without_ranking", health.queries_without_ranking},
          {"unknown_arm", health.unknown_arm},
          {"unmatched_rankings", health.unmatched_rankings},
          {"page_gaps", health.page_gaps},
          {"adapter_failures", health.adapter_failures},
          {"listener_failures", health.listener_failures},
          {"recorder_failures", health.recorder_failures}};
}

Json measures_json(const Summary& summary) {
  Json names = Json::array();
  for (const Measure& measure : summary.measures) names.push_back(measure.name());
  return names;
}

}  // namespace

std::string to_json(const Summary& summary) {
  Json arms = Json::array(), pairs = Json::array(), rows = Json::array();
  for (const ArmSummary& arm : summary.arms) arms.push_back(arm_json(arm));
  for (const ArmPair& pair : summary.pairs) pairs.push_back(pair_json(summary, pair));
  for (const TopicRow& row : summary.rows) rows.push_back(row_json(summary, row));
  const Json json = {{"experiment", summary.experiment},
                     {"topics", summary.topics},
                     {"topics_without_relevant", summary.topics_without_relevant},
                     {"judgements", summary.judgements},
                     {"judgements_repeated", summary.judgements_repeated},
                     {"judgements_merged", summary.judgements_merged},
                     {"measures", measures_json(summary)},
                     {"arms", std::move(arms)},
                     {"pairs", std::move(pairs)},
                     {"per_topic", std::move(rows)},
                     {"health", health_json(summary.health)}};
  return document_text(json);
}

}  // namespace prescope
