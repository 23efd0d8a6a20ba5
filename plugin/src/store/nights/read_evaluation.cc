#include "store/nights/evaluation_rows.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <algorithm>
#include <limits>

#include "prescope/error.h"
#include "store/sqlite/database.h"

namespace prescope {

namespace {

constexpr std::int64_t kFirstMs = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLastMs = std::numeric_limits<std::int64_t>::max();

std::int64_t ms_of(const std::optional<UtcTime>& time, std::int64_t otherwise) {
  return time ? time->time_since_epoch().count() : otherwise;
}

void require_arm(const Database& database, const std::string& arm) {
  std::vector<std::string> names;
  Statement row(database,
                "SELECT DISTINCT a.name FROM evaluations e "
                "JOIN arms a ON a.number = e.arm ORDER BY a.name");
  while (row.next()) names.emplace_back(row.text(0));
  if (std::ranges::find(names, arm) != names.end()) return;
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw Error(ErrorCode::kUsage, unknown_name_message("arm", arm, candidates));
}

/// Reads what `to_string` wrote.
GateOutcome parse_outcome(std::string_view text) {
  for (const GateOutcome outcome : {GateOutcome::kPass, GateOutcome::kRegression,
                                    GateOutcome::kInconclusive, GateOutcome::kBadInput}) {
    if (to_string(outcome) == text) return outcome;
  }
  throw Error(ErrorCode::kBadInput,
              fmt::format("the store has a verdict '{}', which no prescope writes; take a copy of "
                          "an earlier day",
                          text));
}

/// What a night is made of besides its own row.
class NightReader {
 public:
  explicit NightReader(const Database& database)
      : means_(database,
               "SELECT measure, mean, topics FROM evaluation_means WHERE evaluation = ? "
               "ORDER BY position"),
        verdict_(database,
                 "SELECT outcome, reason, baseline, baseline_evaluation FROM verdicts "
                 "WHERE evaluation = ? ORDER BY number DESC LIMIT 1"),
        pins_(database,
              "SELECT name FROM pins WHERE evaluation = ? GROUP BY name ORDER BY min(number)") {}

  void complete(Night& night) {
    for (means_.bind(night.number); means_.next();) {
      night.means.push_back({std::string(means_.text(0)),
                             {.mean = means_.real_if_any(1),
                              .topics = static_cast<std::uint32_t>(means_.integer(2))}});
    }
    for (verdict_.bind(night.number); verdict_.next();) {
      night.outcome = parse_outcome(verdict_.text(0));
      night.reason = verdict_.text(1);
      night.baseline = verdict_.text(2);
      night.baseline_number = verdict_.integer_if_any<std::int64_t>(3);
    }
    for (pins_.bind(night.number); pins_.next();) night.pinned_as.emplace_back(pins_.text(0));
  }

 private:
  Statement means_, verdict_, pins_;
};

}  // namespace

std::vector<Night> read_nights(const Database& database, const Store::NightFilter& filter) {
  if (filter.arm) require_arm(database, *filter.arm);
  Statement row(database,
                "SELECT e.number, e.time_ms, a.name, e.source, q.hash, e.topics, e.p95_ms "
                "FROM evaluations e JOIN arms a ON a.number = e.arm "
                "JOIN qrels_versions q ON q.number = e.qrels "
                "WHERE e.time_ms >= ? AND e.time_ms < ? AND a.name = coalesce(?, a.name) "
                "ORDER BY e.time_ms DESC, e.number DESC LIMIT ?");
  // A negative limit is none.
  const std::int64_t limit = filter.last ? static_cast<std::int64_t>(*filter.last) : -1;
  NightReader reader(database);
  std::vector<Night> nights;
  row.bind(ms_of(filter.since, kFirstMs), ms_of(filter.until, kLastMs), filter.arm, limit);
  while (row.next()) {
    Night& night = nights.emplace_back();
    night = {.number = row.integer(0),
             .time = UtcTime(std::chrono::milliseconds(row.integer(1))),
             .arm = std::string(row.text(2)),
             .source = std::string(row.text(3)),
             .qrels = std::string(row.text(4)),
             .topics = static_cast<std::uint32_t>(row.integer(5)),
             .p95_ms = row.real_if_any(6)};
    reader.complete(night);
  }
  std::ranges::reverse(nights);
  return nights;
}

namespace {

[[noreturn]] void refuse_damaged(const Database& database, std::int64_t number,
                                 std::string_view what) {
  throw Error(ErrorCode::kBadInput,
              fmt::format("{}: {} of evaluation {} is not as prescope writes it; take a copy of an "
                          "earlier day",
                          database.path().string(), what, number));
}

std::uint32_t small(const Statement& row, int column) {
  return static_cast<std::uint32_t>(row.integer(column));
}

std::uint64_t count(const Statement& row, int column) {
  return static_cast<std::uint64_t>(row.integer(column));
}

std::string copy(const Statement& row, int column) { return std::string(row.text(column)); }

LatencySketch read_sketch(const Database& database, const Statement& row, int column,
                          std::int64_t number) {
  if (row.is_null(column)) return {};
  auto sketch = LatencySketch::from_bytes(row.text(column));
  if (!sketch) refuse_damaged(database, number, "the latency");
  return *std::move(sketch);
}

/// All but measures and topics.
EvaluationRecord read_conditions(const Database& database, std::int64_t number) {
  Statement row(database,
                "SELECT a.name, e.source, a.config, e.time_ms, q.hash, q.topics, q.judgements, "
                "q.relevant, q.docno, q.min_grade, i.engine, i.engine_version, i.place, "
                "i.documents, i.judged_found, e.depth, e.latency, e.hint_docno, e.hint_judged, "
                "e.hint_matched, e.hint_would_match FROM evaluations e "
                "JOIN arms a ON a.number = e.arm JOIN qrels_versions q ON q.number = e.qrels "
                "JOIN index_versions i ON i.number = e.index_version WHERE e.number = ?");
  if (!row.bind(number).next()) refuse_damaged(database, number, "the row");
  EvaluationRecord record{.arm = copy(row, 0),
                          .source = copy(row, 1),
                          .config = copy(row, 2),
                          .time = UtcTime(std::chrono::milliseconds(row.integer(3))),
                          .qrels = {.hash = copy(row, 4),
                                    .topics = count(row, 5),
                                    .judgements = count(row, 6),
                                    .relevant = count(row, 7),
                                    .docno = parse_docno_policy(row.text(8)),
                                    .min_grade = static_cast<Grade>(row.integer(9))},
                          .index = {.engine = copy(row, 10),
                                    .engine_version = copy(row, 11),
                                    .place = copy(row, 12),
                                    .documents = row.integer_if_any<std::uint64_t>(13),
                                    .judged_found = row.integer_if_any<std::uint64_t>(14)},
                          .depth = small(row, 15),
                          .latency = read_sketch(database, row, 16, number)};
  if (!row.is_null(17)) {
    record.docno_hint = {.policy = parse_docno_policy(row.text(17)),
                         .judged = count(row, 18),
                         .matched = count(row, 19),
                         .would_match = count(row, 20)};
  }
  return record;
}

std::vector<Measure> read_measures(const Database& database, std::int64_t number) {
  std::vector<Measure> measures;
  Statement row(database,
                "SELECT measure FROM evaluation_means WHERE evaluation = ? ORDER BY position");
  for (row.bind(number); row.next();) measures.push_back(Measure::parse(row.text(0)));
  return measures;
}

/// Reads what was written as `{"EP1":3}`; false for a text of another form.
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
      "SELECT t.name, e.num_rel, e.num_ret, e.duplicates, e.served, e.latency_ns, e.found "
      "FROM evaluation_topics e JOIN topics t ON t.number = e.topic "
      "WHERE e.evaluation = ?");
  for (row.bind(number); row.next();) {
    EvaluationRecord::Topic& topic = topics.emplace_back();
    topic = {.id = TopicId(row.text(0)),
             .num_rel = small(row, 1),
             .num_ret = small(row, 2),
             .duplicates = small(row, 3),
             .served = row.integer(4) != 0};
    if (const auto latency = row.integer_if_any<std::int64_t>(5)) {
      topic.latency = std::chrono::nanoseconds(*latency);
    }
    if (!read_found(parser, row.text(6), topic.found)) {
      refuse_damaged(database, number, fmt::format("topic '{}'", topic.id.text()));
    }
  }
  // In order of number, which is that of ids, but for topics that came with later judgements.
  if (!std::ranges::is_sorted(topics, {}, &EvaluationRecord::Topic::id)) {
    std::ranges::sort(topics, {}, &EvaluationRecord::Topic::id);
  }
  return topics;
}

}  // namespace

void require_evaluation(const Database& database, std::int64_t number) {
  Statement row(database,
                "SELECT count(*), min(number), max(number), total(number = ?) "
                "FROM evaluations");
  row.bind(number).next();
  if (row.real(3) > 0) return;
  const auto there = row.integer(0) == 0
                         ? std::string("there is none yet")
                         : fmt::format("there are {}, from {} to {}", row.integer(0),
                                       row.integer(1), row.integer(2));
  throw Error(ErrorCode::kUsage, fmt::format("{}: there is no evaluation {}; {}",
                                             database.path().string(), number, there));
}

EvaluationRecord read_evaluation(Database& database, std::int64_t number) {
  require_evaluation(database, number);
  EvaluationRecord record = read_conditions(database, number);
  record.measures = read_measures(database, number);
  record.topics = read_topics(database, number);
  return record;
}

}  // namespace prescope
