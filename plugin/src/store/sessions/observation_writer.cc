#include "store/sessions/observation_writer.h"

#include <fmt/format.h>

#include "store/nights/evaluation_rows.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

void roll_up_topics(Database& database) {
  const std::int64_t from = database.number("SELECT rolled_up_to FROM log_state");
  const std::int64_t to = database.number("SELECT ifnull(max(seq), 0) FROM observations");
  if (to <= from) return;
  // Searches whose latency is the arm's, and that somebody waited for.
  constexpr RankingFlags kNotTimed = RankingFlags::kRetried | RankingFlags::kUntimed |
                                     RankingFlags::kShadow | RankingFlags::kFailed |
                                     RankingFlags::kTimedOut;
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

std::string measure_list(const Experiment& experiment) {
  std::string list;
  for (const Measure& measure : experiment.measures()) {
    list += (list.empty() ? "" : ",") + measure.name();
  }
  return list;
}

std::vector<std::int64_t> topics_of(const Database& database, std::int64_t qrels) {
  std::vector<std::int64_t> topics;
  Statement select(database, "SELECT topic FROM qrels_topics WHERE qrels = ? ORDER BY position");
  for (select.bind(qrels); select.next();) topics.push_back(select.integer(0));
  return topics;
}

}  // namespace

void SessionNumbers::add_judgements(const Database& database, std::uint32_t version) {
  const Qrels& qrels = experiment_->qrels(version);
  const DocnoPolicy policy = qrels.docnos().policy();
  SharedRows shared(database);
  Judgements stored{.qrels = shared.number_of(qrels_version(qrels))};
  stored.topics = topics_of(database, stored.qrels);
  if (stored.topics.size() != qrels.topics().size()) {
    stored.topics.clear();
    NumberedRows judged(database, "judged_topics (topic, docno, min_grade, judgements)",
                        "topic = ? AND docno = ? AND min_grade = ? AND judgements = ?");
    Statement add(database,
                  "INSERT OR REPLACE INTO qrels_topics (qrels, position, topic) VALUES (?, ?, ?)");
    for (const TopicQrels& topic : qrels.topics()) {
      const std::int64_t number =
          judged.number_of(shared.topics.number_of(topic.id()), to_string(policy),
                           qrels.min_grade(), judgements_text(topic, policy));
      add.bind(stored.qrels, stored.topics.size(), number).run();
      stored.topics.push_back(number);
    }
  }
  judgements_.push_back(std::make_shared<const Judgements>(std::move(stored)));
}

SessionNumbers::SessionNumbers(const Database& database, const Experiment& experiment,
                               StoreLogOptions::Unjudged unjudged, Cutoff cutoff)
    : experiment_(&experiment) {
  add_judgements(database, 0);
  const ExperimentOptions& options = experiment.options();
  session_ = insert(database,
                    "sessions (experiment, began_ms, mode, epochs, alpha, shadow_latency, measures,"
                    " cutoff, unjudged, qrels)",
                    options.name, utc_now(), word_in(kModeWords, options.mode),
                    word_in(kEpochWords, options.epochs), options.alpha,
                    word_in(kShadowLatencyWords, options.shadow.latency), measure_list(experiment),
                    cutoff.value(), word_in(kUnjudgedWords, unjudged), judgements_[0]->qrels);
  for (std::uint32_t a = 0; a < experiment.arms().size(); ++a) {
    const auto described = options.descriptions.find(experiment.arms()[a].text());
    add_arm(database, ArmIndex(a),
            described != options.descriptions.end() ? described->second : ArmDescription{});
  }
}

void SessionNumbers::add_arm(const Database& database, ArmIndex arm,
                             const ArmDescription& description) {
  const ArmId& name = experiment_->arms()[arm.value()];
  const std::int64_t named = SharedRows(database).arms.number_of(name, description.config);
  if (arms_.size() <= arm.value()) arms_.resize(arm.value() + 1);
  arms_[arm.value()] = insert(
      database, "session_arms (session, position, arm, engine, engine_version, place)", session_,
      arm.value(), named, description.engine, description.engine_version, description.index);
}

void SessionNumbers::change(const Database& database, const LogBatch::Change& noted,
                            std::int64_t after) {
  const ExperimentChange& change = noted.change;
  const bool of_judgements = change.kind == ExperimentChange::Kind::kJudgements;
  if (of_judgements) {
    add_judgements(database, change.judgements_version);
  } else if (noted.description) {
    add_arm(database, change.arm, *noted.description);
  }
  const auto arm = of_judgements ? std::nullopt : std::optional(arms_[change.arm.value()]);
  const auto qrels = of_judgements ? std::optional(judgements_.back()->qrels) : std::nullopt;
  insert(database, "session_changes (session, after_seq, kind, arm, qrels)", session_, after,
         word_in(kChangeWords, change.kind), arm, qrels);
}

std::optional<std::int64_t> SessionNumbers::topic(const Observation& observation) const {
  if (observation.topic == kUnjudgedTopic) return std::nullopt;
  return judgements_[observation.judgements_version]->topics[observation.topic.value()];
}

std::optional<std::int64_t> SessionNumbers::generation(const Database& database,
                                                       const Observation& observation,
                                                       UtcTime time) {
  const Generation generation{observation.generation, observation.collection_size};
  if (generation == Generation{0, 0}) return std::nullopt;
  const auto known = generations_.find(generation);
  if (known != generations_.end()) return known->second;
  return generations_[generation] =
             insert(database, "generations (session, generation, documents, first_ms)", session_,
                    generation.first, generation.second, time);
}

}  // namespace prescope
