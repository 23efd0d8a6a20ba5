#include "report/live/summary_json.h"

#include <cmath>

#include "prescope/report.h"
#include "report/live/live_words.h"

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
    json[summary.measures[m].name()] = values[m];
  }
  return json;
}

Json row_arm_json(const Summary& summary, const TopicRow::Arm& arm) {
  return {{"seen", arm.seen},
          {"visits", arm.visits},
          {"num_ret", arm.num_ret},
          {"exhausted", arm.exhausted},
          {"missing", arm.missing},
          {"latency_ms", arm.latency_ms},
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
  return {{"topic", row.id}, {"num_rel", row.num_rel}, {"arms", std::move(arms)}};
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

std::string_view name_of(ArmStatus status) {
  switch (status) {
    case ArmStatus::kActive:
      return "active";
    case ArmStatus::kPaused:
      return "paused";
    case ArmStatus::kRemoved:
      return "removed";
  }
  return "";
}

/// JSON has no infinity: a query that failed has no milliseconds.
Json ms_or_null(const std::optional<double>& ms) {
  return ms && std::isfinite(*ms) ? Json(*ms) : Json(nullptr);
}

Json drift_json(const Drift& drift) {
  return {{"revisited", drift.revisited},
          {"changed", drift.changed},
          {"mean_change", drift.mean_change},
          {"largest", drift.largest},
          {"topic", drift.changed > 0 ? Json(drift.topic) : Json(nullptr)}};
}

Json mean_json(const MeasureMean& mean) {
  return {{"mean", mean.mean},
          {"topics", mean.topics},
          {"mean_over_all", mean.mean_over_all},
          {"too_shallow", mean.too_shallow},
          {"drift", drift_json(mean.drift)}};
}

Json interval_json(const LatencyQuantile& quantile) {
  return {{"low", ms_or_null(quantile.low_ms)}, {"high", ms_or_null(quantile.high_ms)}};
}

Json latency_json(const LatencySummary& latency) {
  return {{"count", latency.count},
          {"p50", ms_or_null(latency.p50.ms)},
          {"p90", ms_or_null(latency.p90.ms)},
          {"p95", ms_or_null(latency.p95.ms)},
          {"p99", ms_or_null(latency.p99.ms)},
          {"max", ms_or_null(latency.max_ms)},
          {"intervals",
           {{"p50", interval_json(latency.p50)},
            {"p90", interval_json(latency.p90)},
            {"p95", interval_json(latency.p95)},
            {"p99", interval_json(latency.p99)}}}};
}

Json self_time_json(const std::optional<double>& p50_us, const std::optional<double>& p99_us) {
  return {{"p50", p50_us}, {"p99", p99_us}};
}

Json arm_json(const ArmSummary& arm) {
  Json means = Json::object();
  for (const MeasureMean& mean : arm.means) means[mean.measure.name()] = mean_json(mean);
  return {
      {"name", arm.id},
      {"status", name_of(arm.status)},
      {"judged_queries", arm.judged_queries},
      {"unjudged_queries", arm.unjudged_queries},
      {"retried_queries", arm.retried_queries},
      {"failed_queries", arm.failed_queries},
      {"timed_out_queries", arm.timed_out_queries},
      {"topics_seen", arm.topics_seen},
      {"topics_awaiting", arm.topics_awaiting},
      {"means", std::move(means)},
      {"latency_ms", latency_json(arm.latency)},
      {"shadow_latency_ms", latency_json(arm.shadow_latency)},
      {"self_time_us", self_time_json(arm.self_p50_us, arm.self_p99_us)},
      {"unjudged_self_time_us", self_time_json(arm.unjudged_self_p50_us, arm.unjudged_self_p99_us)},
      {"duplicate_hits", arm.duplicate_hits},
      {"relevant_missing", arm.relevant_missing}};
}

Json live_json(const LiveVerdict& live) {
  return {{"state", to_string(live.state)},
          {"alpha", live.alpha},
          {"low", live.low},
          {"high", live.high},
          {"log_e", live.log_e},
          {"log_e_better", live.log_e_better},
          {"log_e_worse", live.log_e_worse},
          {"detectable", live.detectable}};
}

Json past_epoch_json(const Summary& summary, const PastEpoch& past) {
  Json differences = Json::array();
  for (const PastEpoch::Difference& difference : past.differences) {
    const ArmNames names{.a = summary.arms.front().id.text(),
                         .b = summary.arms[difference.b.value()].id.text()};
    differences.push_back(
        {{"b", names.b},
         {"measure", difference.measure},
         {"topics", difference.topics},
         {"mean", difference.mean},
         {"live", live_json(difference.live)},
         {"words", live_state_text(difference.live, difference.topics, difference.mean, names)}});
  }
  Json json = epoch_json(past.epoch);
  json["ended_with"] = std::move(differences);
  return json;
}

Json worst_json(const std::vector<TopicDifference>& worst) {
  return array_of(worst, [](const TopicDifference& topic) -> Json {
    return {
        {"topic", topic.topic}, {"a", topic.a}, {"b", topic.b}, {"difference", topic.difference}};
  });
}

Json difference_json(const MeasureDifference& difference, const ArmNames& names) {
  return {{"topics", difference.topics},
          {"mean", difference.mean},
          {"ci_low", difference.ci_low},
          {"ci_high", difference.ci_high},
          {"p_value", difference.p_value},
          {"wins", difference.wins},
          {"ties", difference.ties},
          {"losses", difference.losses},
          {"verdict", to_string(difference.verdict)},
          {"live", live_json(difference.live)},
          {"worst", worst_json(difference.worst)},
          {"words",
           {{"state", live_state_text(difference.live, difference.topics, difference.mean, names)},
            {"live", live_sentence(difference, names)},
            {"grounds", live_grounds(difference)},
            {"finished", verdict_words(difference, names)}}}};
}

Json move_json(const TopicMove& move) {
  const auto citation_json = [](const CitationMove& citation) -> Json {
    return {{"docno", citation.docno},
            {"grade", citation.grade},
            {"rank_a", citation.rank_a},
            {"rank_b", citation.rank_b},
            {"share", citation.share}};
  };
  return {{"topic", move.topic},
          {"measure", move.measure},
          {"a", move.a},
          {"b", move.b},
          {"difference", move.difference},
          {"num_rel", move.num_rel},
          {"citations", array_of(move.citations, citation_json)}};
}

Json latency_ratio_json(const LatencyRatio& ratio) {
  return {{"topics", ratio.topics},   {"mean", ratio.mean}, {"ci_low", ratio.ci_low},
          {"ci_high", ratio.ci_high}, {"low", ratio.low},   {"high", ratio.high}};
}

Json sample_ratio_json(const std::optional<SampleRatio>& ratio) {
  if (!ratio) return nullptr;
  return {{"topics_a", ratio->topics_a},
          {"topics_b", ratio->topics_b},
          {"log_e", ratio->log_e},
          {"alarm", ratio->alarm}};
}

Json pair_json(const Summary& summary, const ArmPair& pair) {
  const ArmNames names = names_of(summary, pair);
  Json differences = Json::object();
  for (const MeasureDifference& difference : pair.differences) {
    differences[difference.measure.name()] = difference_json(difference, names);
  }
  return {{"a", names.a},
          {"b", names.b},
          {"differences", std::move(differences)},
          {"latency_ratio", latency_ratio_json(pair.latency)},
          {"sample_ratio", sample_ratio_json(pair.sample_ratio)},
          {"moves", array_of(pair.moves, move_json)},
          {"words",
           {{"latency", live_latency_words(summary, pair)},
            {"sample_ratio", sample_ratio_words(summary, pair)},
            {"finished", pair_sentence(summary, pair)},
            {"finished_latency", latency_words(summary, pair)}}}};
}

}  // namespace

Json summary_json(const Summary& summary) {
  const auto of_summary = [&](auto json_of) {
    return [&summary, json_of](const auto& part) { return json_of(summary, part); };
  };
  return {{"experiment", summary.experiment},
          {"mode", name_of(summary.mode)},
          {"epoch", epoch_json(summary.epoch)},
          {"past_epochs", array_of(summary.past_epochs, of_summary(past_epoch_json))},
          {"topics", summary.topics},
          {"topics_without_relevant", summary.topics_without_relevant},
          {"judgements", summary.judgements},
          {"judgements_repeated", summary.judgements_repeated},
          {"judgements_merged", summary.judgements_merged},
          {"measures", summary.measures},
          {"arms", array_of(summary.arms, arm_json)},
          {"pairs", array_of(summary.pairs, of_summary(pair_json))},
          {"per_topic", array_of(summary.rows, of_summary(row_json))},
          {"health", health_json(summary.health)}};
}

std::string to_json(const Summary& summary) { return document_text(summary_json(summary)); }

}  // namespace prescope
