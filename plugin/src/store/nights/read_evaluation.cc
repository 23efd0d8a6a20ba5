#include "store/nights/evaluation_rows.h"

#include <simdjson.h>
#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "store/nights/store.h"

namespace prescope {

namespace {

void require_arm(const Database& database, const std::string& arm) {
  const std::vector<std::string> names =
      texts_of(database,
               "SELECT DISTINCT a.name FROM evaluations e "
               "JOIN arms a ON a.number = e.arm ORDER BY a.name");
  if (std::ranges::find(names, arm) != names.end()) return;
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw Error(ErrorCode::kUsage, unknown_name_message("arm", arm, candidates));
}

/// Parses the text that `to_string` returns.
GateOutcome parse_outcome(std::string_view text) {
  for (const GateOutcome outcome : {GateOutcome::kPass, GateOutcome::kRegression,
                                    GateOutcome::kInconclusive, GateOutcome::kBadInput}) {
    if (to_string(outcome) == text) return outcome;
  }
  throw bad_input_error(
      "the store has a verdict '{}', which no prescope writes; take a copy of an earlier day",
      text);
}

/// Adds means, verdict and pins to a night.
void complete(const Database& database, Night& night) {
  Statement means(database,
                  "SELECT measure, mean, topics FROM evaluation_means WHERE evaluation = ? "
                  "ORDER BY position");
  for (means.bind(night.number); means.next();) {
    auto& [measure, mean] = night.means.emplace_back();
    means.read(measure, mean.mean, mean.topics);
  }
  Statement verdict(database,
                    "SELECT outcome, reason, baseline, baseline_evaluation FROM verdicts "
                    "WHERE evaluation = ? ORDER BY number DESC LIMIT 1");
  if (verdict.bind(night.number).next()) {
    std::string_view outcome;
    verdict.read(outcome, night.reason, night.baseline, night.baseline_number);
    night.outcome = parse_outcome(outcome);
  }
  Statement pins(database,
                 "SELECT name FROM pins WHERE evaluation = ? GROUP BY name ORDER BY min(number)");
  for (pins.bind(night.number); pins.next();) night.pinned_as.emplace_back(pins.text(0));
}

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
                "ifnull(e.hint_would_match, 0), e.topics = (SELECT count(*) FROM "
                "evaluation_topics WHERE evaluation = e.number) FROM evaluations e "
                "JOIN arms a ON a.number = e.arm JOIN qrels_versions q ON q.number = e.qrels "
                "JOIN index_versions i ON i.number = e.index_version WHERE e.number = ?");
  if (!row.bind(number).next()) refuse_damaged(database, number, "the row");
  EvaluationRecord record;
  QrelsVersion& qrels = record.qrels;
  IndexVersion& index = record.index;
  std::string_view docno;
  std::optional<std::string_view> latency, hint_docno;
  DocnoHint hint;
  bool has_all_topics = false;
  row.read(record.arm, record.source, record.config, record.time, qrels.hash, qrels.topics,
           qrels.judgements, qrels.relevant, docno, qrels.min_grade, index.engine,
           index.engine_version, index.path, index.documents, index.judged_found, record.depth,
           latency, hint_docno, hint.judged, hint.matched, hint.would_match, has_all_topics);
  qrels.docno = parse_docno_policy(docno);
  if (!has_all_topics) refuse_damaged(database, number, "the number of topics");
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
      "SELECT t.name, e.num_rel, e.num_ret, e.duplicates, e.served, e.latency_ns, e.text, e.found "
      "FROM evaluation_topics e LEFT JOIN topics t ON t.number = e.topic "
      "WHERE e.evaluation = ?");
  for (row.bind(number); row.next();) {
    EvaluationRecord::Topic& topic = topics.emplace_back();
    std::string_view found;
    std::optional<std::int64_t> text;  // 64 bits without a sign
    row.read(topic.id, topic.num_rel, topic.num_ret, topic.duplicates, topic.served, topic.latency,
             text, found);
    if (text) topic.text = static_cast<std::uint64_t>(*text);
    if (!read_found(parser, found, topic.found) || topic.found.size() > topic.num_rel ||
        (!topic.found.empty() && topic.found.back().rank > topic.num_ret)) {
      refuse_damaged(database, number, fmt::format("topic '{}'", topic.id.text()));
    }
  }
  std::ranges::sort(topics, {}, &EvaluationRecord::Topic::id);
  return topics;
}

}  // namespace

std::vector<Night> Store::nights(const HistoryFilter& filter) const {
  const Transaction at_one_moment(database_, SQLite::TransactionBehavior::DEFERRED);
  if (filter.arm) require_arm(database_, *filter.arm);
  Statement row(database_,
                "SELECT e.number, e.time_ms, a.name, e.source, q.hash, q.topics, q.judgements, "
                "q.relevant, q.docno, q.min_grade, e.topics, e.p95_ms "
                "FROM evaluations e LEFT JOIN arms a ON a.number = e.arm "
                "LEFT JOIN qrels_versions q ON q.number = e.qrels "
                "WHERE (?1 IS NULL OR e.time_ms >= ?1) AND (?2 IS NULL OR e.time_ms < ?2) "
                "AND (?3 IS NULL OR a.name = ?3) "
                "ORDER BY e.time_ms DESC, e.number DESC LIMIT coalesce(?4, -1)");
  std::vector<Night> nights;
  for (row.bind(filter.since, filter.until, filter.arm, filter.last); row.next();) {
    Night& night = nights.emplace_back();
    QrelsVersion& qrels = night.qrels;
    std::string_view docno;
    row.read(night.number, night.time, night.arm, night.source, qrels.hash, qrels.topics,
             qrels.judgements, qrels.relevant, docno, qrels.min_grade, night.topics, night.p95_ms);
    qrels.docno = parse_docno_policy(docno);
    complete(database_, night);
  }
  std::ranges::reverse(nights);
  return nights;
}

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

namespace {

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

EvaluationRecord read_evaluation(const Database& database, std::int64_t number) {
  require_evaluation(database, number);
  EvaluationRecord record = read_conditions(database, number);
  record.measures = read_measures(database, number);
  record.topics = read_topics(database, number);
  record.scores_fault = read_scores_fault(database, number);
  return record;
}

EvaluationRecord Store::evaluation(std::int64_t number) const {
  const Transaction at_one_moment(database_, SQLite::TransactionBehavior::DEFERRED);
  return read_evaluation(database_, number);
}

}  // namespace prescope
