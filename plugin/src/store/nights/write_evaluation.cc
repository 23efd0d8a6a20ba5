#include "store/nights/evaluation_rows.h"

#include <algorithm>

#include "base/errors.h"
#include "base/json_lines.h"

namespace prescope {

SharedRows::SharedRows(const Database& database)
    : qrels(database, "qrels_versions (hash, topics, judgements, relevant, docno, min_grade)",
            "hash = ?1 AND docno = ?5 AND min_grade = ?6"),
      indexes(database, "index_versions (engine, engine_version, place, documents, judged_found)",
              "engine = ? AND engine_version = ? AND place = ? AND documents IS ? AND"
              " judged_found IS ?"),
      arms(database, "arms (name, config)", "name = ? AND config = ?"),
      topics(database, "topics (name)", "name = ?") {}

namespace {

/// The ranks at which a topic's relevant documents were served, as a JSON object: `{"EP1":3}`.
std::string found_text(const std::vector<EvaluationRecord::Found>& found) {
  std::string text = "{";
  for (const EvaluationRecord::Found& each : found) {
    if (!is_utf8(each.docno.text())) {
      throw usage_error(
          "document '{}' that was found is not named in UTF-8; docnos of an evaluation in a store "
          "are",
          valid_utf8(each.docno.text()));
    }
    if (text.size() > 1) text += ',';
    append_json_text(text, each.docno.text());
    text += ':';
    text += fmt::format_int(each.rank).c_str();
  }
  return text + '}';
}

std::optional<double> quantile_ms(const LatencySketch& latency, double q) {
  const auto quantile = latency.quantile(q);
  if (!quantile || *quantile == LatencySketch::kNever) return std::nullopt;
  return static_cast<double>(quantile->count()) / 1e6;
}

void require_ascending(const EvaluationRecord& record) {
  const auto wrong = std::ranges::adjacent_find(
      record.topics, [](const auto& a, const auto& b) { return !(a.id < b.id); });
  if (wrong == record.topics.end()) return;
  throw usage_error(
      "topic '{}' of the evaluation comes before '{}'; topics must ascend by id, each once",
      wrong->id.text(), (wrong + 1)->id.text());
}

std::int64_t write_conditions(const Database& database, SharedRows& shared,
                              const EvaluationRecord& record, std::int64_t number) {
  const bool is_timed = record.latency.count() > 0;
  const std::string sketch = is_timed ? record.latency.bytes() : std::string();
  const auto latency = is_timed ? std::optional(std::as_bytes(std::span(sketch))) : std::nullopt;
  const auto hint = [&](auto member) {
    return record.docno_hint ? std::optional((*record.docno_hint).*member) : std::nullopt;
  };
  const auto hinted =
      record.docno_hint ? std::optional(to_string(record.docno_hint->policy)) : std::nullopt;
  const IndexVersion& index = record.index;
  const std::int64_t arm = shared.arms.number_of(record.arm, record.config);
  const std::int64_t qrels = shared.number_of(record.qrels);
  const std::int64_t index_version = shared.indexes.number_of(
      index.engine, index.engine_version, index.path, index.documents, index.judged_found);
  return insert(database,
                "evaluations (number, time_ms, arm, source, qrels, index_version, depth, topics, "
                "p50_ms, p95_ms, p99_ms, latency, hint_docno, hint_judged, hint_matched, "
                "hint_would_match)",
                number == 0 ? std::nullopt : std::optional(number), record.time, arm, record.source,
                qrels, index_version, record.depth, record.topics.size(),
                quantile_ms(record.latency, 0.5), quantile_ms(record.latency, 0.95),
                quantile_ms(record.latency, 0.99), latency, hinted, hint(&DocnoHint::judged),
                hint(&DocnoHint::matched), hint(&DocnoHint::would_match));
}

/// Writes the facts of the topics; returns their numbers.
std::vector<std::int64_t> write_topics(const Database& database, SharedRows& shared,
                                       std::int64_t evaluation, const EvaluationRecord& record) {
  std::vector<std::int64_t> numbers;
  Statement facts = insert_into(database,
                                "evaluation_topics (evaluation, topic, num_rel, num_ret, "
                                "duplicates, served, latency_ns, text, found)");
  for (const EvaluationRecord::Topic& topic : record.topics) {
    numbers.push_back(shared.topics.number_of(topic.id));
    facts
        .bind(evaluation, numbers.back(), topic.num_rel, topic.num_ret, topic.duplicates,
              topic.served, topic.latency, topic.text, found_text(topic.found))
        .run();
  }
  return numbers;
}

/// Writes the mean and the scores of a measure; `topics`: the numbers of the record's topics.
void write_scores(const Database& database, std::int64_t evaluation, const EvaluationRecord& record,
                  std::size_t position, std::span<const std::int64_t> topics) {
  const Measure& measure = record.measures[position];
  const Mean mean = mean_of(record, measure);
  insert(database, "evaluation_means (evaluation, position, measure, mean, topics)", evaluation,
         position, measure.name(), mean.mean, mean.topics);
  // Only SQL of users reads scores, and no user reaches a store in memory.
  if (database.getFilename() == ":memory:") return;
  Statement add = insert_into(database, "topic_scores (evaluation, position, topic, score)");
  for (std::size_t t = 0; t < topics.size(); ++t) {
    const auto score = EvaluationRecord::score(record.topics[t], measure);
    if (score) add.bind(evaluation, position, topics[t], *score).run();
  }
}

}  // namespace

std::int64_t write_evaluation(Database& database, const EvaluationRecord& record,
                              std::int64_t number) {
  require_ascending(record);
  SharedRows shared(database);
  number = write_conditions(database, shared, record, number);
  const std::vector<std::int64_t> topics = write_topics(database, shared, number, record);
  for (std::size_t m = 0; m < record.measures.size(); ++m) {
    write_scores(database, number, record, m, topics);
  }
  return number;
}

}  // namespace prescope
