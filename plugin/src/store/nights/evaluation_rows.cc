#include "store/nights/evaluation_rows.h"

#include <simdjson.h>
#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "base/json_lines.h"
#include "nightly/gate/gate.h"
#include "store/nights/evaluation_texts.h"

namespace prescope {

SharedRows::SharedRows(const Database& database)
    : qrels(database, "qrels_versions (hash, topics, judgements, relevant, docno, min_grade)",
            "hash = ?1 AND docno = ?5 AND min_grade = ?6"),
      indexes(database,
              "index_versions (engine, engine_version, place, documents, judged_found, passport)",
              "engine = ? AND engine_version = ? AND place = ? AND documents IS ? AND"
              " judged_found IS ? AND passport = ?"),
      arms(database, "arms (name, config)", "name = ? AND config = ?"),
      topics(database, "topics (name)", "name = ?") {}

namespace {

/// The ranks at which a topic's relevant documents were served, as a JSON object: `{"EP1":3}`.
std::string found_text(const std::vector<EvaluationRecord::Found>& found) {
  std::string text = "{";
  for (const EvaluationRecord::Found& each : found) {
    if (!is_utf8(each.docno.text())) {
      throw usage_error(
          "relevant document '{}' is not named in UTF-8; expected a name that a store can keep: "
          "recode the docnos of the judgements, and of the run or index",
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
  const std::int64_t index_version =
      shared.indexes.number_of(index.engine, index.engine_version, index.path, index.documents,
                               index.judged_found, passport_text(index.passport));
  return insert(database,
                "evaluations (number, time_ms, arm, source, qrels, index_version, depth, topics, "
                "p50_ms, p95_ms, p99_ms, latency, hint_docno, hint_judged, hint_matched, "
                "hint_would_match, missing, conditions, samples)",
                number == 0 ? std::nullopt : std::optional(number), record.time, arm, record.source,
                qrels, index_version, record.depth, record.topics.size(),
                quantile_ms(record.latency, 0.5), quantile_ms(record.latency, 0.95),
                quantile_ms(record.latency, 0.99), latency, hinted, hint(&DocnoHint::judged),
                hint(&DocnoHint::matched), hint(&DocnoHint::would_match),
                missing_text(record.missing), conditions_text(record.conditions),
                samples_text(record.samples));
}

/// Writes the facts of the topics; returns their numbers.
std::vector<std::int64_t> write_topics(const Database& database, SharedRows& shared,
                                       std::int64_t evaluation, const EvaluationRecord& record) {
  std::vector<std::int64_t> numbers;
  Statement facts = insert_into(database,
                                "evaluation_topics (evaluation, topic, num_rel, num_ret, "
                                "duplicates, served, latency_ns, text, family, found)");
  for (const EvaluationRecord::Topic& topic : record.topics) {
    numbers.push_back(shared.topics.number_of(topic.id));
    facts
        .bind(evaluation, numbers.back(), topic.num_rel, topic.num_ret, topic.duplicates,
              topic.served, topic.latency, topic.text, topic.family, found_text(topic.found))
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
  SharedRows shared(database);
  number = write_conditions(database, shared, record, number);
  const std::vector<std::int64_t> topics = write_topics(database, shared, number, record);
  for (std::size_t m = 0; m < record.measures.size(); ++m) {
    write_scores(database, number, record, m, topics);
  }
  return number;
}

namespace {

[[noreturn]] void refuse_damaged(const Database& database, std::int64_t number,
                                 std::string_view what) {
  throw bad_input_error(
      "{}: {} of night {} is not as prescope writes it; take a copy of an earlier day",
      database.path().string(), what, number);
}

/// All but measures and topics.
EvaluationRecord read_conditions(const Database& database, std::int64_t number) {
  Statement row(database,
                "SELECT a.name, e.source, a.config, e.time_ms, q.hash, q.topics, q.judgements, "
                "q.relevant, q.docno, q.min_grade, i.engine, i.engine_version, i.place, "
                "i.documents, i.judged_found, e.depth, e.latency, e.hint_docno, "
                "ifnull(e.hint_judged, 0), ifnull(e.hint_matched, 0), "
                "ifnull(e.hint_would_match, 0), e.missing, e.conditions, e.samples, i.passport, "
                "e.topics = (SELECT count(*) FROM "
                "evaluation_topics WHERE evaluation = e.number) FROM evaluations e "
                "JOIN arms a ON a.number = e.arm JOIN qrels_versions q ON q.number = e.qrels "
                "JOIN index_versions i ON i.number = e.index_version WHERE e.number = ?");
  if (!row.bind(number).next()) refuse_damaged(database, number, "the row");
  EvaluationRecord record;
  QrelsVersion& qrels = record.qrels;
  IndexVersion& index = record.index;
  std::string_view docno, missing, conditions, samples, passport;
  std::optional<std::string_view> latency, hint_docno;
  DocnoHint hint;
  bool has_all_topics = false;
  row.read(record.arm, record.source, record.config, record.time, qrels.hash, qrels.topics,
           qrels.judgements, qrels.relevant, docno, qrels.min_grade, index.engine,
           index.engine_version, index.path, index.documents, index.judged_found, record.depth,
           latency, hint_docno, hint.judged, hint.matched, hint.would_match, missing, conditions,
           samples, passport, has_all_topics);
  qrels.docno = parse_docno_policy(docno);
  if (!has_all_topics) refuse_damaged(database, number, "the number of topics");
  if (!read_text(missing, record.missing) || !read_text(conditions, record.conditions) ||
      !read_text(samples, record.samples) || !read_text(passport, index.passport)) {
    refuse_damaged(database, number, "a list of missing documents, conditions or index facts");
  }
  if (latency) {
    auto sketch = LatencySketch::from_bytes(*latency);
    if (!sketch) refuse_damaged(database, number, "the latency");
    record.latency = *std::move(sketch);
  }
  if (hint_docno) {
    hint.policy = parse_docno_policy(*hint_docno);
    record.docno_hint = hint;
  }
  return record;
}

std::vector<Measure> read_measures(const Database& database, std::int64_t number) {
  std::vector<Measure> measures;
  Statement row(database,
                "SELECT measure, position FROM evaluation_means WHERE evaluation = ? "
                "ORDER BY position");
  for (row.bind(number); row.next();) {
    if (row.integer(1) != std::ssize(measures)) refuse_damaged(database, number, "a measure");
    measures.push_back(Measure::parse(row.text(0)));
  }
  return measures;
}

/// Reads text of the form `{"EP1":3}`; returns false for any other text.
bool read_found(simdjson::dom::parser& parser, std::string_view text,
                std::vector<EvaluationRecord::Found>& found) {
  simdjson::dom::object object;
  if (parser.parse(text.data(), text.size()).get(object) != simdjson::SUCCESS) return false;
  found.reserve(object.size());
  for (const auto [docno, value] : object) {
    std::uint64_t rank = 0;
    const Rank last = found.empty() ? 0 : found.back().rank;
    if (value.get(rank) != simdjson::SUCCESS || rank <= last ||
        rank > std::numeric_limits<Rank>::max()) {
      return false;
    }
    found.push_back({.docno = Docno(docno), .rank = static_cast<Rank>(rank)});
  }
  return true;
}

std::vector<EvaluationRecord::Topic> read_topics(const Database& database, std::int64_t number) {
  std::vector<EvaluationRecord::Topic> topics;
  simdjson::dom::parser parser;
  Statement row(
      database,
      "SELECT t.name, e.num_rel, e.num_ret, e.duplicates, e.served, e.latency_ns, e.text, "
      "e.family, e.found "
      "FROM evaluation_topics e LEFT JOIN topics t ON t.number = e.topic "
      "WHERE e.evaluation = ?");
  for (row.bind(number); row.next();) {
    EvaluationRecord::Topic& topic = topics.emplace_back();
    std::string_view found;
    std::optional<std::int64_t> text;  // 64 bits without a sign
    row.read(topic.id, topic.num_rel, topic.num_ret, topic.duplicates, topic.served, topic.latency,
             text, topic.family, found);
    if (text) topic.text = static_cast<std::uint64_t>(*text);
    if (!read_found(parser, found, topic.found) || topic.found.size() > topic.num_rel ||
        (!topic.found.empty() && topic.found.back().rank > topic.num_ret)) {
      refuse_damaged(database, number, fmt::format("topic '{}'", topic.id.text()));
    }
  }
  std::ranges::sort(topics, {}, &EvaluationRecord::Topic::id);
  return topics;
}

/// Scores are not stored; a gate that read them has said what was wrong with them.
std::string read_scores_fault(const Database& database, std::int64_t number) {
  Statement row(database,
                "SELECT r.reason FROM verdicts v JOIN verdict_rules r ON r.verdict = v.number "
                "WHERE v.evaluation = ? AND r.rule = ? AND r.status = ? LIMIT 1");
  const bool is_there =
      row.bind(number, kScoresRule, to_string(GateVerdict::Status::kBadInput)).next();
  return is_there ? std::string(row.text(0)) : std::string();
}

}  // namespace

void require_evaluation(const Database& database, std::int64_t number) {
  Statement row(database,
                "SELECT count(*), ifnull(min(number), 0), ifnull(max(number), 0), "
                "ifnull(sum(number = ?), 0) FROM evaluations");
  row.bind(number).next();
  if (row.integer(3) > 0) return;
  const auto there = row.integer(0) == 0
                         ? std::string("there is none yet")
                         : fmt::format("there are {}, from {} to {}", row.integer(0),
                                       row.integer(1), row.integer(2));
  throw usage_error("{}: there is no night {}; {}", database.path().string(), number, there);
}

EvaluationRecord read_evaluation(const Database& database, std::int64_t number) {
  require_evaluation(database, number);
  EvaluationRecord record = read_conditions(database, number);
  record.measures = read_measures(database, number);
  record.topics = read_topics(database, number);
  record.scores_fault = read_scores_fault(database, number);
  return record;
}

}  // namespace prescope
