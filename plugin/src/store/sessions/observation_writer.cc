#include "store/sessions/observation_writer.h"

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <string_view>

#include "base/utc_time.h"
#include "nightly/evaluation_record.h"
#include "store/nights/evaluation_rows.h"
#include "store/sessions/observation_schema.h"
#include "store/sqlite/database.h"

namespace prescope {

namespace {

/// Of searches whose latency is not the arm's, or that nobody waited for.
constexpr RankingFlags kNotTimed = RankingFlags::kRetried | RankingFlags::kUntimed |
                                   RankingFlags::kShadow | RankingFlags::kFailed |
                                   RankingFlags::kTimedOut;

}  // namespace

void roll_up_topics(Database& database) {
  const std::int64_t from = database.number("SELECT rolled_up_to FROM log_state");
  const std::int64_t to = database.number("SELECT ifnull(max(seq), 0) FROM observations");
  if (to <= from) return;
  const std::string timed =
      fmt::format("(flags & {}) = 0 AND latency_ns >= 0", static_cast<std::uint32_t>(kNotTimed));
  database.run(fmt::format(
      "INSERT INTO topic_totals SELECT arm, topic, count(*), count(pres), total(pres),"
      " count(recall), total(recall), count(ap), total(ap), sum({0}),"
      " sum(CASE WHEN {0} THEN latency_ns ELSE 0 END), min(time_ms), max(time_ms)"
      " FROM observations WHERE seq > {1} AND seq <= {2} AND topic IS NOT NULL GROUP BY arm, topic"
      " ON CONFLICT (arm, topic) DO UPDATE SET visits = visits + excluded.visits,"
      " pres_n = pres_n + excluded.pres_n, pres_sum = pres_sum + excluded.pres_sum,"
      " recall_n = recall_n + excluded.recall_n, recall_sum = recall_sum + excluded.recall_sum,"
      " ap_n = ap_n + excluded.ap_n, ap_sum = ap_sum + excluded.ap_sum,"
      " latency_n = latency_n + excluded.latency_n,"
      " latency_sum_ns = latency_sum_ns + excluded.latency_sum_ns,"
      " first_ms = min(first_ms, excluded.first_ms), last_ms = max(last_ms, excluded.last_ms);"
      "UPDATE log_state SET rolled_up_to = {2}",
      timed, from, to));
}

namespace {

std::int64_t milliseconds_of(UtcTime time) { return time.time_since_epoch().count(); }

std::string measure_list(const Experiment& experiment) {
  std::string list;
  for (const Measure& measure : experiment.measures()) {
    list += (list.empty() ? "" : ",") + measure.name();
  }
  return list;
}

std::vector<std::int64_t> topics_of(Database& database, std::int64_t qrels) {
  std::vector<std::int64_t> topics;
  Statement select(database, "SELECT topic FROM qrels_topics WHERE qrels = ? ORDER BY position");
  for (select.bind(qrels); select.next();) topics.push_back(select.integer(0));
  return topics;
}

/// One topic after the other.
class TopicWriter {
 public:
  TopicWriter(Database& database, SharedRows& shared, const Qrels& qrels)
      : database_(database),
        shared_(shared),
        policy_(qrels.docnos().policy()),
        min_grade_(qrels.min_grade()) {}

  std::int64_t number_of(const TopicQrels& topic) {
    const std::int64_t name = shared_.number_of_topic(topic.id().text());
    const std::string judgements = judgements_text(topic, policy_);
    if (find_.bind(name, to_string(policy_), min_grade_, judgements).next()) {
      const std::int64_t number = find_.integer(0);
      find_.rewind();
      return number;
    }
    add_.bind(name, to_string(policy_), min_grade_, judgements).run();
    return database_.getLastInsertRowid();
  }

 private:
  Database& database_;
  SharedRows& shared_;
  DocnoPolicy policy_;
  Grade min_grade_;
  Statement find_{database_,
                  "SELECT number FROM judged_topics WHERE topic = ? AND docno = ?"
                  " AND min_grade = ? AND judgements = ?"};
  Statement add_{database_,
                 "INSERT INTO judged_topics (topic, docno, min_grade, judgements)"
                 " VALUES (?, ?, ?, ?)"};
};

}  // namespace

SessionNumbers::Judgements SessionNumbers::store_judgements(Database& database,
                                                            const Qrels& qrels) {
  SharedRows shared(database);
  Judgements stored{.qrels = shared.number_of(qrels_version(qrels))};
  stored.topics = topics_of(database, stored.qrels);
  if (stored.topics.size() == qrels.topics().size()) return stored;
  stored.topics.clear();
  TopicWriter writer(database, shared, qrels);
  Statement add(database,
                "INSERT OR REPLACE INTO qrels_topics (qrels, position, topic) VALUES (?, ?, ?)");
  for (const TopicQrels& topic : qrels.topics()) {
    const std::int64_t number = writer.number_of(topic);
    add.bind(stored.qrels, stored.topics.size(), number).run();
    stored.topics.push_back(number);
  }
  return stored;
}

SessionNumbers::SessionNumbers(Database& database, const Experiment& experiment,
                               StoreLogOptions::Unjudged unjudged, Cutoff cutoff)
    : experiment_(&experiment) {
  add_judgements(database, 0);
  add_session(database, unjudged, cutoff);
  const auto& descriptions = experiment.options().descriptions;
  for (std::uint32_t a = 0; a < experiment.arms().size(); ++a) {
    const auto described = descriptions.find(experiment.arms()[a].text());
    add_arm(database, ArmIndex(a),
            described != descriptions.end() ? described->second : ArmDescription{});
  }
}

void SessionNumbers::add_session(Database& database, StoreLogOptions::Unjudged unjudged,
                                 Cutoff cutoff) {
  const ExperimentOptions& options = experiment_->options();
  Statement(database,
            "INSERT INTO sessions (experiment, began_ms, mode, epochs, alpha, shadow_latency,"
            " measures, cutoff, unjudged, qrels) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(options.name, milliseconds_of(utc_now()), word_in(kModeWords, options.mode),
            word_in(kEpochWords, options.epochs), options.alpha,
            word_in(kShadowLatencyWords, options.shadow.latency), measure_list(*experiment_),
            cutoff.value(), word_in(kUnjudgedWords, unjudged), judgements_[0]->qrels)
      .run();
  session_ = database.getLastInsertRowid();
}

void SessionNumbers::add_arm(Database& database, ArmIndex arm, const ArmDescription& description) {
  const std::string& name = experiment_->arms()[arm.value()].text();
  const std::int64_t named = SharedRows(database).number_of_arm(name, description.config);
  Statement(database,
            "INSERT INTO session_arms (session, position, arm, engine, engine_version, place)"
            " VALUES (?, ?, ?, ?, ?, ?)")
      .bind(session_, arm.value(), named, description.engine, description.engine_version,
            description.index)
      .run();
  if (arms_.size() <= arm.value()) arms_.resize(arm.value() + 1);
  arms_[arm.value()] = database.getLastInsertRowid();
}

void SessionNumbers::add_judgements(Database& database, std::uint32_t version) {
  judgements_.push_back(
      std::make_shared<const Judgements>(store_judgements(database, experiment_->qrels(version))));
}

void SessionNumbers::change(Database& database, const LogBatch::Change& change,
                            std::int64_t after) {
  const bool of_judgements = change.kind == ExperimentChange::Kind::kJudgements;
  if (of_judgements) {
    add_judgements(database, change.judgements_version);
  } else if (change.description) {
    add_arm(database, change.arm, *change.description);
  }
  const auto arm = of_judgements ? std::nullopt : std::optional(arms_[change.arm.value()]);
  const auto qrels = of_judgements ? std::optional(judgements_.back()->qrels) : std::nullopt;
  Statement(database,
            "INSERT INTO session_changes (session, after_seq, kind, arm, qrels)"
            " VALUES (?, ?, ?, ?, ?)")
      .bind(session_, after, word_in(kChangeWords, change.kind), arm, qrels)
      .run();
}

std::optional<std::int64_t> SessionNumbers::topic(const Observation& observation) const {
  if (observation.topic == kUnjudgedTopic) return std::nullopt;
  return judgements_[observation.judgements_version]->topics[observation.topic.value()];
}

std::optional<std::int64_t> SessionNumbers::generation(Database& database,
                                                       const Observation& observation,
                                                       UtcTime time) {
  const Generation generation{observation.generation, observation.collection_size};
  if (generation == Generation{0, 0}) return std::nullopt;
  const auto known = generations_.find(generation);
  if (known != generations_.end()) return known->second;
  Statement(database,
            "INSERT INTO generations (session, generation, documents, first_ms)"
            " VALUES (?, ?, ?, ?)")
      .bind(session_, generation.first, generation.second, milliseconds_of(time))
      .run();
  return generations_[generation] = database.getLastInsertRowid();
}

}  // namespace prescope
