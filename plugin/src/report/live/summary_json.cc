#include "report/live/live_report.h"

#include "base/utc_time.h"
#include "facts/health_counters.h"
#include "measures/definitions.h"

namespace prescope {

std::string_view name_of(Mode mode) noexcept {
  return word_of(mode, {"observe", "paired", "split"});
}

PRESCOPE_JSON_MEMBERS(StageSummary, name, topics, relevant, found, kept, served)
PRESCOPE_JSON_MEMBERS(ArmSummary, judged_queries, unjudged_queries, retried_queries, failed_queries,
                      timed_out_queries, unseen_visits, sorted_queries, filtered_queries,
                      collapsed_queries, partial_queries, replaced_rankings, topics_seen,
                      topics_awaiting, stages)
PRESCOPE_JSON_MEMBERS(CitationMove, docno, grade, about, rank_a, rank_b, share)
PRESCOPE_JSON_MEMBERS(Epoch, number, reason, observations, index_changes, compared_visits,
                      incomplete_visits)
PRESCOPE_JSON_MEMBERS(LatencyRatio, pairs, failed_a, failed_b, untimed_a, untimed_b, repeated_a,
                      repeated_b, mean, least, most, log_e, state, differs, low, high, blocks,
                      pairs_in_block)
PRESCOPE_JSON_MEMBERS(LiveVerdict, state, alpha, topics, by_family, sd, bounded_topics, mean,
                      mean_low, mean_high, low, high, log_e, log_e_better, log_e_worse,
                      topics_to_undo, detectable)
PRESCOPE_JSON_MEMBERS(OverlapMean, mean, low, high, latest)
PRESCOPE_JSON_MEMBERS(OverlapSummary, depth, persistence, alpha, visits, identical, jaccard, rbo,
                      failed_a, failed_b, empty, shallow, shallow_depth, other_index, left_out,
                      incomplete, waiting)
PRESCOPE_JSON_MEMBERS(PlannedLook, topics, boundary, is_taken, z, mean, low, high)
PRESCOPE_JSON_MEMBERS(PlannedTest, state, alpha, topics, looks, topics_to_undo)
PRESCOPE_JSON_MEMBERS(Outlook, is_open, topics, left, per_hour)
PRESCOPE_JSON_MEMBERS(GuardrailSummary, name, margin, state, topics, mean, log_e_kept, log_e_broken)
PRESCOPE_JSON_MEMBERS(Equivalence, margin, log_e_not_worse, log_e_not_better, is_shown)
PRESCOPE_JSON_MEMBERS(SampleRatio, topics_a, topics_b, seen_a, seen_b, share_b, log_e, p, alarm)
PRESCOPE_JSON_MEMBERS(Check::Share, count, of)
PRESCOPE_JSON_MEMBERS(TopicDifference, topic, a, b, difference)
PRESCOPE_JSON_MEMBERS(MeasureDifference, topics, mean, mean_a, mean_b, wins, ties, losses, live,
                      worst)
PRESCOPE_JSON_MEMBERS(TopicRow::Arm, seen, visits, num_ret, exhausted, missing, latency_ms,
                      relevant_ranks)
PRESCOPE_JSON_MEMBERS(TopicDetail::Citation::Place, rank, in_index)
PRESCOPE_JSON_MEMBERS(TopicDetail::Citation, docno, grade, about, relevant, arms)
PRESCOPE_JSON_MEMBERS(TopicMove, topic, measure, a, b, difference, num_rel, citations)

static void to_json(Json& json, const Health& health) {
  json = Json::object();
  for (const HealthCounter& one : health_counters()) {
    json[std::string(one.name)] = health.*one.member;
  }
}

/// A topic only if one changed.
static void to_json(Json& json, const Drift& drift) {
  json = {{"revisited", drift.revisited},
          {"changed", drift.changed},
          {"mean_change", drift.mean_change},
          {"largest", drift.largest},
          {"topic", drift.changed > 0 ? Json(drift.topic) : Json()}};
}
PRESCOPE_JSON_MEMBERS(MeasureMean, mean, topics, mean_over_all, too_shallow, visits, shallow_visits,
                      drift)

namespace {

/// Null for a measure that has no score yet.
Json scores_json(std::span<const Measure> measures,
                 const std::vector<std::optional<double>>& scores) {
  return by_measure(
      measures, [&](std::size_t m) { return Json(m < scores.size() ? scores[m] : std::nullopt); });
}

Json row_arm_json(const Summary& summary, const TopicRow::Arm& arm) {
  const std::span<const Measure> measures = summary.measures;
  return merged(Json(arm),
                Json{{"scores", scores_json(measures.first(arm.scores.size()), arm.scores)},
                     {"means", scores_json(measures.first(arm.means.size()), arm.means)},
                     {"awaiting", arm.awaiting}});
}

Json row_json(const Summary& summary, const TopicRow& row) {
  Json arms = Json::object();
  for (std::size_t a = 0; a < row.arms.size(); ++a) {
    arms[summary.arms[a].id.text()] = row_arm_json(summary, row.arms[a]);
  }
  return {{"topic", row.id}, {"num_rel", row.num_rel}, {"arms", std::move(arms)}};
}

/// JSON has no infinity: a query that failed has no milliseconds.
Json ms_or_null(const std::optional<double>& ms) {
  return ms && std::isfinite(*ms) ? Json(*ms) : Json(nullptr);
}

Json latency_json(const LatencySummary& latency) {
  Json json = {{"count", latency.count}}, intervals;
  for (const auto& [name, quantile] : {std::pair("p50", &latency.p50),
                                       {"p90", &latency.p90},
                                       {"p95", &latency.p95},
                                       {"p99", &latency.p99}}) {
    json[name] = ms_or_null(quantile->ms);
    intervals[name] = {{"low", ms_or_null(quantile->low_ms)},
                       {"high", ms_or_null(quantile->high_ms)}};
  }
  json.update({{"max", ms_or_null(latency.max_ms)}, {"intervals", intervals}});
  return json;
}

Json means_json(const std::vector<MeasureMean>& means) {
  Json json = Json::object();
  for (const MeasureMean& mean : means) json[mean.measure.name()] = mean;
  return json;
}

Json arm_summary_json(const ArmSummary& arm) {
  return merged(
      Json{{"name", arm.id}, {"status", word_of(arm.status, {"active", "paused", "removed"})}}, arm,
      Json{{"means", means_json(arm.means)},
           {"served_means", means_json(arm.served_means)},
           {"latency_ms", latency_json(arm.latency)},
           {"shadow_latency_ms", latency_json(arm.shadow_latency)},
           {"self_time_us", {{"p50", arm.self_p50_us}, {"p99", arm.self_p99_us}}},
           {"unjudged_self_time_us",
            {{"p50", arm.unjudged_self_p50_us}, {"p99", arm.unjudged_self_p99_us}}},
           {"duplicate_hits", arm.duplicate_hits},
           {"relevant_missing", arm.relevant_missing}});
}

Json past_epoch_json(const Summary& summary, const PastEpoch& past) {
  const auto difference_json = [&](const PastEpoch::Difference& difference) -> Json {
    const ArmNames names = names_of(summary, {.b = difference.b});
    return {{"b", names.b},
            {"measure", difference.measure},
            {"topics", difference.topics},
            {"mean", difference.mean},
            {"live", difference.live},
            {"planned", difference.planned},
            {"words", difference.planned ? planned_state_text(*difference.planned, names)
                                         : live_state_text(difference, names)}};
  };
  Json json = past.epoch;
  json["ended_with"] = list_of(past.differences, difference_json);
  return json;
}

Json difference_json(const Summary& summary, const ArmPair& pair,
                     const MeasureDifference& difference) {
  const ArmNames names = names_of(summary, pair);
  Json json = difference;
  const bool is_verdict = difference.measure == summary.measures[summary.primary];
  const bool is_planned = is_verdict && pair.planned;
  json["words"] = {
      {"state",
       is_planned ? planned_state_text(*pair.planned, names) : live_state_text(difference, names)},
      {"live",
       is_verdict ? verdict_sentence(summary, pair) : live_sentence(summary, pair, difference)},
      {"grounds", is_planned ? planned_grounds(summary, pair) : live_grounds(difference)}};
  return json;
}

Json slice_json(const Summary& summary, const ArmPair& pair, const SliceSummary& slice) {
  Json difference = slice.difference;
  difference.erase("worst");
  return {{"dimension", slice.dimension},
          {"slice", slice.name},
          {"slices", slice.slices},
          {"judged", slice.judged},
          {"differing", slice.differing},
          {"may_speak", slice.may_speak},
          {"difference", std::move(difference)},
          {"words",
           {{"name", live_slice_name(slice)},
            {"state", live_slice_state_text(slice, names_of(summary, pair))}}}};
}

Json guardrail_json(const Summary& summary, const ArmPair& pair,
                    const GuardrailSummary& guardrail) {
  return merged(Json(guardrail), Json{{"words", guardrail_words(summary, pair, guardrail)}});
}

Json check_json(const Summary& summary, const ArmPair& pair, const Check& check) {
  return {{"check", to_string(check.kind)},
          {"a", check.a},
          {"b", check.b},
          {"limit", check.limit},
          {"state", to_string(check.state)},
          {"words", is_worth_saying(check) ? check_words(summary, pair, check) : ""}};
}

Json pair_words_json(const Summary& summary, const ArmPair& pair) {
  return {{"slices", live_slices_sentence(summary, pair)},
          {"about_slices", about_live_slices(summary, pair)},
          {"outlook", outlook_sentence(summary, pair)},
          {"equivalence", equivalence_words(summary, pair)},
          {"latency", live_latency_words(summary, pair)},
          {"trade_off", trade_off_sentence(summary, pair)},
          {"sample_ratio", sample_ratio_words(summary, pair)}};
}

Json changed_query_json(const ChangedQuery& query) {
  return {{"query", query.query},     {"visit", query.visit}, {"time", utc_text(query.time)},
          {"jaccard", query.jaccard}, {"rbo", query.rbo},     {"name", changed_query_name(query)}};
}

Json overlap_json(const Summary& summary, const ArmPair& pair) {
  if (!pair.overlap) return nullptr;
  return merged(Json(*pair.overlap),
                Json{{"most_changed", list_of(pair.overlap->most_changed, changed_query_json)},
                     {"words",
                      {{"sentence", overlap_sentence(summary, pair)},
                       {"remarks", overlap_remarks(summary, pair)}}}});
}

Json pair_json(const Summary& summary, const ArmPair& pair) {
  const ArmNames names = names_of(summary, pair);
  Json differences = Json::object();
  for (const MeasureDifference& difference : pair.differences) {
    differences[difference.measure.name()] = difference_json(summary, pair, difference);
  }
  return {{"a", names.a},
          {"b", names.b},
          {"differences", std::move(differences)},
          {"slices",
           list_of(pair.slices,
                   [&](const SliceSummary& slice) { return slice_json(summary, pair, slice); })},
          {"planned", pair.planned},
          {"outlook", pair.outlook},
          {"guardrails", list_of(pair.guardrails,
                                 [&](const GuardrailSummary& guardrail) {
                                   return guardrail_json(summary, pair, guardrail);
                                 })},
          {"equivalence", pair.equivalence},
          {"latency_ratio", pair.latency},
          {"overlap", overlap_json(summary, pair)},
          {"sample_ratio", pair.sample_ratio},
          {"checks", list_of(pair.checks,
                             [&](const Check& check) { return check_json(summary, pair, check); })},
          {"told_topics", pair.told_topics},
          {"alike_topics", pair.alike_topics},
          {"moves", pair.moves},
          {"words", pair_words_json(summary, pair)}};
}

Json arm_json(const TopicNames& names, std::size_t a, const TopicRow::Arm& arm) {
  return {{"name", names.arms[a]},
          {"seen", arm.seen},
          {"visits", arm.visits},
          {"num_ret", arm.num_ret},
          {"exhausted", arm.exhausted},
          {"awaiting", arm.awaiting},
          {"latency_ms", arm.latency_ms},
          {"scores", scores_json(names.measures, arm.scores)},
          {"means", scores_json(names.measures, arm.means)},
          {"relevant_ranks", arm.relevant_ranks}};
}

Json difference_json(const TopicNames& names, const TopicDetail::Difference& difference) {
  return {{"a", names.arms[difference.a.value()]},
          {"b", names.arms[difference.b.value()]},
          {"measure", difference.measure},
          {"difference", difference.difference},
          {"shares", difference.shares}};
}

}  // namespace

Json summary_json(const Summary& summary) {
  const auto of_summary = [&](auto json_of) {
    return [&summary, json_of](const auto& part) { return json_of(summary, part); };
  };
  return {{"experiment", summary.experiment},
          {"mode", name_of(summary.mode)},
          {"salt", summary.salt.empty() ? Json() : Json(summary.salt)},
          {"has_baseline", summary.has_baseline},
          {"collapse", summary.collapses},
          {"rule", summary.rule.empty() ? Json() : Json(summary.rule)},
          {"epoch", summary.epoch},
          {"past_epochs", list_of(summary.past_epochs, of_summary(past_epoch_json))},
          {"topics", summary.topics},
          {"topics_without_relevant", summary.topics_without_relevant},
          {"families", summary.families},
          {"judgements", summary.judgements},
          {"judgements_repeated", summary.judgements_repeated},
          {"judgements_merged", summary.judgements_merged},
          {"measures", summary.measures},
          {"primary", summary.primary < summary.measures.size()
                          ? Json(summary.measures[summary.primary])
                          : Json()},
          {"arms", list_of(summary.arms, arm_summary_json)},
          {"pairs", list_of(summary.pairs, of_summary(pair_json))},
          {"per_topic", list_of(summary.rows, of_summary(row_json))},
          {"health", summary.health},
          {"words", {{"left_out", left_out(summary)}, {"notes", oddities(summary)}}}};
}

std::string to_json(const Summary& summary) { return indented_text(summary_json(summary)); }

std::string topic_json(const TopicDetail& topic, const TopicNames& names) {
  const auto pres = std::ranges::find(names.measures, &kPres,
                                      [](const Measure& each) { return &each.definition(); });
  const bool has_pres = pres != names.measures.end();
  const auto cutoff = has_pres ? pres->cutoff() : std::nullopt;
  return json_line(
      {{"topic", topic.row.id},
       {"num_rel", topic.row.num_rel},
       {"cutoff", cutoff ? Json(cutoff->value()) : Json()},
       {"measure", has_pres ? Json(*pres) : Json()},
       {"arms", list_of(positions(topic.row.arms.size()),
                        [&](std::size_t a) { return arm_json(names, a, topic.row.arms[a]); })},
       {"citations", topic.citations},
       {"pairs", list_of(topic.differences, [&](const auto& difference) {
          return difference_json(names, difference);
        })}});
}

}  // namespace prescope
