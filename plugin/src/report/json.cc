#include "report/summary_json.h"

#include "prescope/report.h"

namespace prescope {

std::string_view name_of(Mode mode) noexcept {
  switch (mode) {
    case Mode::kObserve:
      return "observe";
    case Mode::kPaired:
      return "paired";
    case Mode::kSplit:
      return "split";
  }
  return "";
}

namespace {

Json by_measure_json(const Summary& summary, const std::vector<std::optional<double>>& values) {
  Json json = Json::object();
  for (std::size_t m = 0; m < values.size(); ++m) {
    json[summary.measures[m].name()] = or_null(values[m]);
  }
  return json;
}

Json row_arm_json(const Summary& summary, const TopicRow::Arm& arm) {
  return {{"seen", arm.seen},
          {"visits", arm.visits},
          {"num_ret", arm.num_ret},
          {"exhausted", arm.exhausted},
          {"missing", arm.missing},
          {"latency_ms", or_null(arm.latency_ms)},
          {"relevant_ranks", arm.relevant_ranks},
          {"scores", by_measure_json(summary, arm.scores)},
          {"means", by_measure_json(summary, arm.means)},
          {"awaiting", arm.awaiting}};
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
          {"recorder_failures", health.recorder_failures},
          {"log_failures", health.log_failures},
          {"log_queue_full", health.log_queue_full},
          {"log_write_failures", health.log_write_failures},
          {"publish_failures", health.publish_failures},
          {"sampled_out", health.sampled_out},
          {"inactive_arm", health.inactive_arm},
          {"late_observations", health.late_observations},
          {"clock_steps", health.clock_steps},
          {"shadow_unjudged", health.shadow_unjudged},
          {"shadow_unpaired", health.shadow_unpaired},
          {"shadow_sampled_out", health.shadow_sampled_out},
          {"shadow_queue_full", health.shadow_queue_full},
          {"shadow_expired", health.shadow_expired},
          {"shadow_run", health.shadow_run},
          {"shadow_failed", health.shadow_failed}};
}

Json epoch_json(const Epoch& epoch) {
  return {{"number", epoch.number},
          {"reason", to_string(epoch.reason)},
          {"observations", epoch.observations}};
}

Json past_epoch_json(const Summary& summary, const PastEpoch& past) {
  Json differences = Json::array();
  for (const PastEpoch::Difference& difference : past.differences) {
    differences.push_back({{"b", summary.arms[difference.b.value()].id.text()},
                           {"measure", difference.measure.name()},
                           {"topics", difference.topics},
                           {"mean", or_null(difference.mean)},
                           {"live", live_json(difference.live)}});
  }
  Json json = epoch_json(past.epoch);
  json["ended_with"] = std::move(differences);
  return json;
}

Json measures_json(const Summary& summary) {
  Json names = Json::array();
  for (const Measure& measure : summary.measures) names.push_back(measure.name());
  return names;
}

}  // namespace

Json summary_json(const Summary& summary) {
  Json arms = Json::array(), pairs = Json::array(), rows = Json::array(), past = Json::array();
  for (const ArmSummary& arm : summary.arms) arms.push_back(arm_json(arm));
  for (const ArmPair& pair : summary.pairs) pairs.push_back(pair_json(summary, pair));
  for (const TopicRow& row : summary.rows) rows.push_back(row_json(summary, row));
  for (const PastEpoch& epoch : summary.past_epochs) {
    past.push_back(past_epoch_json(summary, epoch));
  }
  return {{"experiment", summary.experiment},
          {"mode", name_of(summary.mode)},
          {"epoch", epoch_json(summary.epoch)},
          {"past_epochs", std::move(past)},
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
}

std::string to_json(const Summary& summary) { return document_text(summary_json(summary)); }

}  // namespace prescope
