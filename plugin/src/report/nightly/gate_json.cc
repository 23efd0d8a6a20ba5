#include "base/utc_time.h"
#include "nightly/gate/gate_rules.h"
#include "nightly/record/conditions.h"
#include "report/nightly/gate_report.h"
#include "report/text/json.h"
#include "report/text/moved_citations.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(GateVerdict::Rule, id, status, reason)
PRESCOPE_JSON_MEMBERS(GateVerdict::MeasureResult, measure, margin, by_family, topics, baseline,
                      tonight, difference, low, high, sd, p_non_inferior, p_equivalent, p_different,
                      wins, ties, losses, status)
PRESCOPE_JSON_MEMBERS(GateVerdict::Emptied, emptied, filled, p_value, rate_high)
PRESCOPE_JSON_MEMBERS(GateVerdict::Latency, baseline_p95_ms, tonight_p95_ms, pairs, nights, ratio,
                      ratio_low, ratio_high, bound, finds_from)
PRESCOPE_JSON_MEMBERS(Mean, mean, topics)
PRESCOPE_JSON_MEMBERS(GateRules::Decision, measure, margin)
PRESCOPE_JSON_MEMBERS(MustFind, topic, docno)

namespace {

Json citation_json_of(const GateVerdict::Citation& citation) {
  return {{"docno", citation.docno},          {"what", moved_words(citation)},
          {"rank_baseline", citation.rank_a}, {"rank_tonight", citation.rank_b},
          {"share", citation.share},          {"must_find", citation.must_find}};
}

Json gate_topic_json(const GateVerdict::Topic& topic) {
  return {{"topic", topic.topic},
          {"num_rel", topic.num_rel},
          {"baseline", topic.a},
          {"tonight", topic.b},
          {"fails", topic.fails},
          {"failures", failure_words(topic)},
          {"citations", list_of(topic.citations, citation_json_of)}};
}

Json qrels_json(const QrelsVersion& qrels) {
  return {{"hash", qrels.hash},
          {"topics", qrels.topics},
          {"judgements", qrels.judgements},
          {"relevant", qrels.relevant},
          {"docno_policy", to_string(qrels.docno)},
          {"min_grade", qrels.min_grade}};
}

Json docno_hint_json(const std::optional<DocnoHint>& hint) {
  if (!hint) return nullptr;
  return {{"docno_policy", to_string(hint->policy)},
          {"judged", hint->judged},
          {"matched", hint->matched},
          {"would_match", hint->would_match}};
}

/// Names with values; null: unknown.
Json passport_json(const IndexPassport& passport) {
  Json fields = nullptr;
  if (passport.fields) {
    fields = Json::object();
    for (const IndexPassport::Field& field : *passport.fields) fields[field.name] = field.documents;
  }
  return {{"analyzer", passport.analyzer},
          {"fields", std::move(fields)},
          {"checksum", passport.checksum}};
}

Json searched_index_json(const IndexVersion& index) {
  return {{"engine", index.engine},
          {"engine_version", index.engine_version},
          {"path", index.path},
          {"documents", index.documents},
          {"judged_found", index.judged_found},
          {"passport", passport_json(index.passport)}};
}

Json conditions_json(const EvaluationRecord& record) {
  Json json = Json::object();
  for (const Condition& one : conditions_of(record)) json[one.name] = one.value;
  return json;
}

Json means_json(const EvaluationRecord& record) {
  return by_measure(record.measures,
                    [&](std::size_t m) { return Json(mean_of(record, record.measures[m])); });
}

Json record_json(const EvaluationRecord& record) {
  return {{"arm", record.arm},
          {"source", record.source},
          {"config", record.config},
          {"time", utc_text(record.time)},
          {"depth", record.depth},
          {"qrels", qrels_json(record.qrels)},
          {"index", searched_index_json(record.index)},
          {"conditions", conditions_json(record)},
          {"means", means_json(record)},
          {"docno_hint", docno_hint_json(record.docno_hint)}};
}

Json baseline_json(const Baseline& baseline) {
  return {{"name", baseline.name},           {"pinned", utc_text(baseline.pinned)},
          {"pinned_by", baseline.pinned_by}, {"why", baseline.why},
          {"must_find", baseline.must_find}, {"evaluation", record_json(baseline.evaluation)}};
}

Json applied_rules_json(const GateRules& rules) {
  Json json = Json::object();
  json["decisions"] = rules.decisions;
  for (const GateRuleKey& key : gate_rule_keys()) {
    // "input.topics_missing" is topics_missing of the object input.
    std::string place = fmt::format("/{}", key.key);
    std::ranges::replace(place, '.', '/');
    json[Json::json_pointer(place)] =
        std::visit([](const auto& value) { return Json(value); }, key.get(rules));
  }
  return json;
}

/// A slice has the members of a measure's result, and some of its own.
Json gate_slice_json(const GateVerdict::SliceResult& slice) {
  Json json = static_cast<const GateVerdict::MeasureResult&>(slice);
  json["dimension"] = slice.dimension;
  json["slice"] = slice.name;
  json["may_speak"] = slice.may_speak;
  json["p_beyond"] = slice.p_beyond;
  json["p_worse"] = slice.p_worse;
  json["words"] = gate_slice_words(slice);
  return json;
}

Json statuses_json() {
  using Status = GateVerdict::Status;
  Json words = Json::object();
  for (const Status status : {Status::kPass, Status::kSkipped, Status::kWarning,
                              Status::kInconclusive, Status::kFail, Status::kBadInput}) {
    words[std::string(to_string(status))] = status_words(status);
  }
  return words;
}

Json latency_json(const GateVerdict::Latency& latency) {
  Json json = latency;
  json["p95_ratio"] = ratio_of_p95(latency);
  json["judged_by"] = latency_basis(latency);
  return json;
}

Json words_json(const GateReport& report) {
  const auto [before, after] = gate_names(report);
  return {{"before", before},
          {"after", after},
          {"outcome", outcome_words(report)},
          {"rules", rules_tally(report.verdict)},
          {"subject", gate_subject(report)},
          {"measures", about_gate_measures(report)},
          {"slices", about_gate_slices(report)},
          {"topics", gate_topics_words(report)},
          {"statuses", statuses_json()}};
}

}  // namespace

std::string refusal_json(const GateRefusal& refusal) {
  return indented_text({{"prescope", PRESCOPE_VERSION},
                        {"outcome", "NOT JUDGED"},
                        {"exit_code", exit_code(GateOutcome::kBadInput)},
                        {"store", refusal.store},
                        {"baseline", {{"name", refusal.attempt.baseline}}},
                        {"source", refusal.attempt.source},
                        {"time", utc_text(refusal.attempt.time)},
                        {"reason", refusal.attempt.reason}});
}

std::string gate_result_json(const GateResult& result) {
  return indented_text({{"prescope", PRESCOPE_VERSION},
                        {"outcome", to_string(result.outcome)},
                        {"exit_code", exit_code(result.outcome)},
                        {"rules", result.rules},
                        {"measures", result.measures},
                        {"slices", list_of(result.slices, gate_slice_json)}});
}

std::string gate_json(const GateReport& report) {
  const GateVerdict& verdict = report.verdict;
  const Json json = {{"prescope", PRESCOPE_VERSION},
                     {"outcome", to_string(verdict.outcome)},
                     {"exit_code", exit_code(report)},
                     {"identical", verdict.identical},
                     {"store", report.store},
                     {"evaluation", report.evaluation},
                     {"not_stored", report.not_stored.empty() ? Json() : Json(report.not_stored)},
                     {"rules", verdict.rules},
                     {"measures", verdict.measures},
                     {"slices", list_of(verdict.slices, gate_slice_json)},
                     {"moving_measure", verdict.moving},
                     {"emptied", verdict.emptied},
                     {"latency", latency_json(verdict.latency)},
                     {"topics", list_of(verdict.topics, gate_topic_json)},
                     {"baseline", baseline_json(verdict.baseline)},
                     {"tonight", record_json(verdict.tonight)},
                     {"applied", applied_rules_json(verdict.applied)},
                     {"words", words_json(report)}};
  return indented_text(json);
}

}  // namespace prescope
