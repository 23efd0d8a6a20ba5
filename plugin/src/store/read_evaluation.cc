#include <fmt/format.h>

#include <algorithm>

#include "prescope/error.h"
#include "store/evaluation_rows.h"
#include "store/found_text.h"
#include "store/statement.h"

namespace prescope {
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
  const Statement::Bytes bytes = row.bytes(column);
  auto sketch =
      LatencySketch::from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
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

std::vector<EvaluationRecord::Topic> read_topics(const Database& database, std::int64_t number) {
  std::vector<EvaluationRecord::Topic> topics;
  FoundReader reader;
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
    if (!reader.read(row.text(6), topic.found)) {
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
