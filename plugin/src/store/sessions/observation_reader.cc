#include "store/sessions/observation_reader.h"

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "facts/observation_fields.h"
#include "facts/observation_rules.h"
#include "facts/stage_names.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

/// The columns that stand before the fields in a row that is read.
constexpr auto kColumns = std::to_array<std::string_view>(
    {"seq", "time_ms", "o.topic", "hits", "sa.position", "a.name", "a.config", "s.number",
     "s.experiment", "ifnull(s.scored_flags, 0)"});

// The joins are outer joins so that the rows come in their order, without being sorted, and so that
// a row that refers to nothing is refused.
constexpr std::string_view kOfFilter =
    " FROM observations o LEFT JOIN session_arms sa ON sa.number = o.arm"
    " LEFT JOIN arms a ON a.number = sa.arm LEFT JOIN sessions s ON s.number = sa.session"
    " WHERE seq > ?1 AND (?2 IS NULL OR s.experiment = ?2) AND (?3 IS NULL OR a.name = ?3)"
    " AND (?4 IS NULL OR s.number = ?4)"
    " AND (?5 IS NULL OR o.topic IN (SELECT j.number FROM judged_topics j JOIN topics t"
    " ON t.number = j.topic WHERE t.name = ?5))"
    " AND (?6 IS NULL OR time_ms >= ?6) AND (?7 IS NULL OR time_ms < ?7)"
    " AND (?8 OR o.topic IS NOT NULL) AND seq <= ?9";

std::string sql_of(const ObservationFilter& filter) {
  const std::string rows =
      fmt::format("SELECT {}, {}{}", fmt::join(kColumns, ", "), field_names(), kOfFilter);
  if (!filter.last) return rows + " ORDER BY seq";
  return fmt::format("SELECT * FROM ({} ORDER BY seq DESC LIMIT {}) ORDER BY seq", rows,
                     *filter.last);
}

void require_name(const Database& database, const char* sql, std::string_view kind,
                  const std::optional<std::string>& name) {
  if (!name) return;
  const std::vector<std::string> names = texts_of(database, sql);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  if (std::ranges::find(candidates, *name) != candidates.end()) return;
  constexpr std::size_t kMostListed = 20;
  const std::string_view nearest = nearest_name(*name, candidates);
  const std::string place = database.path().string();
  if (candidates.empty()) {
    throw usage_error("{}: no {} was observed yet", place, kind);
  }
  if (candidates.size() > kMostListed) {
    throw usage_error("{}: no {} '{}' among {}; did you mean '{}'?", place, kind, *name,
                      candidates.size(), nearest);
  }
  throw usage_error("{}: {}", place, unknown_name_message(kind, *name, candidates));
}

template <class Value>
void read_field(const Statement& row, int column, Value& value) {
  value = row.as<Value>(column);
}
/// A host may give any 64 bits, which are stored as a signed number.
void read_field(const Statement& row, int column, std::uint64_t& value) {
  value = static_cast<std::uint64_t>(row.integer(column));
}

}  // namespace

ObservationScores::ObservationScores(std::vector<Measure> measures)
    : scorer_(std::move(measures)), values_(scorer_.measures().size()) {}

std::span<const std::optional<double>> ObservationScores::of(const Observation& observation,
                                                             const TopicQrels& topic,
                                                             RankingFlags scored_flags) {
  ranking_.hits.assign(observation.hits.begin(), observation.hits.end());
  ranking_.num_ret = observation.num_ret;
  const JudgedRanks ranks = ranks_.of(topic, topic.min_grade(), ranking_, observation.documents);
  relevant_ = ranks.relevant;
  std::ranges::fill(values_, std::nullopt);
  if (!is_scored(observation, scored_flags) || observation.first_rank != 1) return values_;
  scorer_.score(ranks, values_);
  for (std::size_t m = 0; m < values_.size(); ++m) {
    if (!reaches(observation, measures()[m].cutoff())) values_[m].reset();
  }
  return values_;
}

TopicQrels stored_topic(std::string_view name, DocnoPolicy policy, Grade min_grade,
                        std::string_view text) {
  std::vector<Judgement> judgements = read_judgements(text);
  if (policy != DocnoPolicy::kFamily) {
    const DocnoNormalizer docnos(policy);
    for (Judgement& judgement : judgements) judgement.key = docnos.key(judgement.docno);
  }
  return {TopicId(name), std::move(judgements), min_grade};
}

ObservationReader::ObservationReader(Database database)
    : database_(std::move(database)),
      capture_(database_, "SELECT kind, hits FROM captures WHERE seq = ?") {}

std::optional<std::int64_t> ObservationReader::newest_session(
    const std::optional<std::string>& experiment) const {
  Statement row(database_, "SELECT max(number) FROM sessions WHERE ?1 IS NULL OR experiment = ?1");
  row.bind(experiment).next();
  return row.as<std::optional<std::int64_t>>(0);
}

std::vector<Measure> ObservationReader::measures_of(std::int64_t session) const {
  Statement row(database_, "SELECT measures FROM sessions WHERE number = ?");
  return row.bind(session).next() ? parse_measures(row.text(0)) : std::vector<Measure>();
}

void ObservationReader::require_known(const ObservationFilter& filter) const {
  require_name(database_, "SELECT DISTINCT experiment FROM sessions ORDER BY 1", "experiment",
               filter.experiment);
  require_name(database_,
               "SELECT DISTINCT a.name FROM session_arms sa JOIN arms a ON a.number = sa.arm"
               " ORDER BY 1",
               "arm", filter.arm);
  require_name(database_,
               "SELECT DISTINCT t.name FROM judged_topics j JOIN topics t ON t.number = j.topic"
               " ORDER BY 1",
               "topic", filter.topic);
  if (!filter.session) return;
  Statement row(database_,
                "SELECT 1 FROM sessions WHERE number = ?1 AND (?2 IS NULL OR experiment = ?2)");
  if (row.bind(*filter.session, filter.experiment).next()) return;
  const auto newest = newest_session(filter.experiment);
  throw usage_error("{}: there is no session {}{}; {}", database_.path().string(), *filter.session,
                    filter.experiment ? fmt::format(" of '{}'", *filter.experiment) : "",
                    newest ? fmt::format("the newest is {}", *newest) : "there is none yet");
}

std::int64_t ObservationReader::read(const ObservationFilter& filter, std::int64_t after,
                                     const std::function<void(const StoredObservation&)>& use) {
  sessions_.clear();  // which may have new judgements
  Statement select(database_, sql_of(filter));
  const bool unjudged = filter.unjudged == ObservationFilter::Unjudged::kRead;
  select.bind(after, filter.experiment, filter.arm, filter.session, filter.topic, filter.since,
              filter.until, unjudged, filter.up_to);
  while (select.next()) {
    StoredObservation one;
    read_row(select, one);
    use(one);
    after = one.seq;
  }
  return after;
}

void ObservationReader::refuse(std::int64_t seq, std::string_view what) const {
  refuse_content(database_.path(), fmt::format("observation {} has {}", seq, what));
}

void ObservationReader::read_row(const Statement& row, StoredObservation& one) {
  Observation& observation = one.observation;
  std::optional<std::string_view> found;
  std::uint32_t position = 0;
  row.read(one.seq, observation.time, one.judged_topic, found, position, one.arm, one.config,
           one.session, one.experiment, one.scored_flags);
  observation.arm = ArmIndex(position);
  int column = static_cast<int>(kColumns.size());
  for_each_field([&](const auto& field) { read_field(row, column++, observation.*field.member); });
  const Session& of = session(one.session);
  one.measures = of.measures;
  one.stage = stage_name(observation.stage, of.stages);
  const auto later = of.qrels.lower_bound(one.seq);
  if (later != of.qrels.begin()) one.qrels = std::prev(later)->second;
  if (!one.judged_topic) return;
  one.topic = &topic(*one.judged_topic);
  const std::uint64_t last_rank = std::uint64_t{observation.first_rank} - 1 + observation.num_ret;
  if (observation.first_rank == 0 || last_rank > std::numeric_limits<Rank>::max()) {
    refuse(one.seq, "ranks that are none");
  }
  auto hits = read_hits(found.value_or(""), one.topic->judgements().size());
  if (!hits || (!hits->empty() &&
                (hits->front().rank < observation.first_rank || hits->back().rank > last_rank))) {
    refuse(one.seq, "hits that are none");
  }
  hits_ = std::move(*hits);
  observation.hits = hits_;
  read_capture(one);
}

void ObservationReader::read_capture(StoredObservation& one) {
  docids_.clear();
  keys_.clear();
  if (!capture_.bind(one.seq).next()) return;
  const std::string_view bytes = capture_.text(1);
  auto docids = capture_.text(0) == "docids" ? read_docids(bytes) : std::vector<DocId>();
  auto keys = capture_.text(0) == "keys" ? read_keys(bytes) : std::vector<std::uint64_t>();
  capture_.rewind();
  if (!docids || !keys) refuse(one.seq, "a captured ranking that is none");
  docids_ = std::move(*docids);
  keys_ = std::move(*keys);
  one.observation.captured_docids = docids_;
  one.observation.captured_keys = keys_;
}

const ObservationReader::Session& ObservationReader::session(std::int64_t number) {
  const auto [known, is_new] = sessions_.try_emplace(number);
  Session& session = known->second;
  if (!is_new) return session;
  session.measures = measures_of(number);
  Statement stages(database_, "SELECT stages FROM sessions WHERE number = ?");
  if (stages.bind(number).next()) session.stages = read_texts(stages.text(0));
  Statement rows(database_,
                 "SELECT c.after, q.hash FROM (SELECT -1 AS after, qrels FROM sessions"
                 " WHERE number = ?1 UNION ALL SELECT after_seq, qrels FROM session_changes"
                 " WHERE session = ?1 AND qrels IS NOT NULL) c"
                 " LEFT JOIN qrels_versions q ON q.number = c.qrels ORDER BY 1");
  for (rows.bind(number); rows.next();) session.qrels[rows.integer(0)] = rows.as<std::string>(1);
  return session;
}

const TopicQrels& ObservationReader::topic(std::int64_t number) {
  if (const auto known = topics_.find(number); known != topics_.end()) return known->second;
  Statement row(database_,
                "SELECT t.name, j.docno, j.min_grade, j.judgements FROM judged_topics j"
                " JOIN topics t ON t.number = j.topic WHERE j.number = ?");
  if (!row.bind(number).next()) {
    refuse_content(database_.path(),
                   fmt::format("observations name topic {}, which is not there", number));
  }
  std::string_view name, docno, judgements;
  Grade min_grade = 1;
  row.read(name, docno, min_grade, judgements);
  return topics_
      .emplace(number, stored_topic(name, parse_docno_policy(docno), min_grade, judgements))
      .first->second;
}

}  // namespace prescope
