#include "base/utc_time.h"
#include "nightly/gate/gate_rules.h"
#include "report/nightly/gate_report.h"
#include "report/text/json.h"

namespace prescope {

namespace {

Json rule_json(const GateVerdict::Rule& rule) {
  return {{"id", rule.id}, {"status", to_string(rule.status)}, {"reason", rule.reason}};
}

Json measure_result_json(const GateVerdict::MeasureResult& result) {
  return {{"measure", result.measure.name()},
          {"margin", result.margin},
          {"topics", result.topics},
          {"baseline", or_null(result.baseline)},
          {"tonight", or_null(result.tonight)},
          {"difference", or_null(result.difference)},
          {"low", or_null(result.low)},
          {"high", or_null(result.high)},
          {"sd", or_null(result.sd)},
          {"p_non_inferior", or_null(result.p_non_inferior)},
          {"p_equivalent", or_null(result.p_equivalent)},
          {"p_different", or_null(result.p_different)},
          {"wins", result.wins},
          {"ties", result.ties},
          {"losses", result.losses},
          {"status", to_string(result.status)}};
}

Json citation_json_of(const GateVerdict::Citation& citation) {
  return {{"docno", citation.docno.text()},
          {"what", citation_words(citation)},
          {"rank_baseline", or_null(citation.rank_a)},
          {"rank_tonight", or_null(citation.rank_b)},
          {"share", citation.share},
          {"must_find", citation.must_find}};
}

Json gate_topic_json(const GateVerdict::Topic& topic) {
  Json citations = Json::array();
  for (const auto& citation : topic.citations) citations.push_back(citation_json_of(citation));
  return {{"topic", topic.topic.text()}, {"num_rel", topic.num_rel},
          {"baseline", topic.a},         {"tonight", topic.b},
          {"fails", topic.fails},        {"citations", std::move(citations)}};
}

Json emptied_json(const std::optional<GateVerdict::Emptied>& emptied) {
  if (!emptied) return nullptr;
  return {{"emptied", emptied->emptied},
          {"filled", emptied->filled},
          {"p_value", or_null(emptied->p)},
          {"rate_high", emptied->rate_high}};
}

Json gate_latency_json(const GateVerdict::Latency& latency) {
  return {{"baseline_p95_ms", or_null(latency.baseline_p95_ms)},
          {"tonight_p95_ms", or_null(latency.tonight_p95_ms)},
          {"ratio", or_null(latency.ratio)},
          {"ratio_low", or_null(latency.low)},
          {"ratio_high", or_null(latency.high)}};
}

Json qrels_json(const QrelsVersion& qrels) {
  return {{"hash", qrels.hash},
          {"topics", qrels.topics},
          {"judgements", qrels.judgements},
          {"relevant", qrels.relevant},
          {"docno_policy", to_string(qrels.docno)},
          {"min_grade", qrels.min_grade}};
}

Json index_json(const IndexVersion& index) {
  return {{"engine", index.engine},
          {"engine_version", index.engine_version},
          {"path", index.place},
          {"documents", or_null(index.documents)},
          {"judged_found", or_null(index.judged_found)}};
}

Json docno_hint_json(const std::optional<DocnoHint>& hint) {
  if (!hint) return nullptr;
  return {{"docno_policy", to_string(hint->policy)},
          {"judged", hint->judged},
          {"matched", hint->matched},
          {"would_match", hint->would_match}};
}

Json means_json(const EvaluationRecord& record) {
  Json means = Json::object();
  for (const Measure& measure : record.measures) {
    const Mean mean = mean_of(record, measure);
    means[measure.name()] = {{"mean", or_null(mean.mean)}, {"topics", mean.topics}};
  }
  return means;
}

Json record_json(const EvaluationRecord& record) {
  return {{"arm", record.arm},
          {"source", record.source},
          {"config", record.config},
          {"time", utc_text(record.time)},
          {"depth", record.depth},
          {"qrels", qrels_json(record.qrels)},
          {"index", index_json(record.index)},
          {"means", means_json(record)},
          {"docno_hint", docno_hint_json(record.docno_hint)}};
}

Json must_find_json(const std::vector<MustFind>& must_find) {
  Json citations = Json::array();
  for (const MustFind& citation : must_find) {
    citations.push_back({{"topic", citation.topic.text()}, {"docno", citation.docno.text()}});
  }
  return citations;
}

Json baseline_json(const Baseline& baseline) {
  return {{"name", baseline.name},
          {"pinned", utc_text(baseline.pinned)},
          {"pinned_by", baseline.pinned_by},
          {"why", baseline.why},
          {"must_find", must_find_json(baseline.must_find)},
          {"evaluation", record_json(baseline.evaluation)}};
}

Json value_json(const GateRuleValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* optional = std::get_if<std::optional<double>>(&value)) return or_null(*optional);
  if (const auto* count = std::get_if<std::uint32_t>(&value)) return *count;
  Json topics = Json::array();
  for (const TopicId& topic : std::get<std::vector<TopicId>>(value)) topics.push_back(topic.text());
  return topics;
}

/// "input.topics_missing" is topics_missing of the object input.
Json& place_of(Json& rules, std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return rules[std::string(key)];
  return rules[std::string(key.substr(0, dot))][std::string(key.substr(dot + 1))];
}

Json applied_rules_json(const GateRules& rules) {
  Json json = Json::object();
  Json decisions = Json::array();
  for (const GateRules::Decision& decision : rules.decisions) {
    decisions.push_back({{"measure", decision.measure.name()}, {"margin", decision.margin}});
  }
  json["decisions"] = std::move(decisions);
  for (const GateRuleKey& key : gate_rule_keys()) {
    place_of(json, key.key) = value_json(key.get(rules));
  }
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

Json words_json(const GateReport& report) {
  const auto [before, after] = gate_names(report);
  return {{"before", before},
          {"after", after},
          {"outcome", outcome_words(report)},
          {"rules", rules_tally(report.verdict)},
          {"subject", labelled_json(gate_subject(report))},
          {"measures", about_gate_measures(report)},
          {"topics", gate_topics_words(report)},
          {"statuses", statuses_json()}};
}

template <class Parts, class ToJson>
Json array_of(const Parts& parts, ToJson to_json) {
  Json array = Json::array();
  for (const auto& part : parts) array.push_back(to_json(part));
  return array;
}

}  // namespace

std::string gate_json(const GateReport& report) {
  const GateVerdict& verdict = report.verdict;
  const Json json = {
      {"prescope", report.program},
      {"outcome", to_string(verdict.outcome)},
      {"exit_code", exit_code(verdict.outcome)},
      {"identical", verdict.identical},
      {"store", report.store},
      {"evaluation", or_null(report.evaluation)},
      {"rules", array_of(verdict.rules, rule_json)},
      {"measures", array_of(verdict.measures, measure_result_json)},
      {"moving_measure", verdict.moving ? Json(verdict.moving->name()) : Json(nullptr)},
      {"emptied", emptied_json(verdict.emptied)},
      {"latency", gate_latency_json(verdict.latency)},
      {"topics", array_of(verdict.topics, gate_topic_json)},
      {"baseline", baseline_json(verdict.baseline)},
      {"tonight", record_json(verdict.tonight)},
      {"applied", applied_rules_json(verdict.applied)},
      {"words", words_json(report)}};
  return document_text(json);
}

}  // namespace prescope
