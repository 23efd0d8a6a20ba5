#pragma once

#include "prescope/experiment.h"
#include "store/nights/evaluation_rows.h"
#include "store/sessions/log_queue.h"
#include "store/sessions/observation_schema.h"
#include "store/sqlite/database.h"

namespace prescope {

/// The numbers by which a store names a session's arms, judgements and generations of the index.
/// Restoring a copy undoes a failed transaction.
class SessionNumbers {
 public:
  /// Adds the session, in the caller's transaction.
  SessionNumbers(const Database& database, const Experiment& experiment,
                 StoreLogOptions::Unjudged unjudged, Cutoff cutoff)
      : experiment_(&experiment) {
    add_judgements(database, 0);
    const ExperimentOptions& options = experiment.options();
    session_ =
        insert(database,
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

  /// Takes note of a change that came behind the observation numbered `after`.
  void change(const Database& database, const LogBatch::Change& noted, std::int64_t after) {
    const ExperimentChange& change = noted.change;
    const bool of_judgements = change.kind == ExperimentChange::Kind::kJudgements;
    if (of_judgements) {
      add_judgements(database, change.judgements_version);
    } else if (noted.description) {
      add_arm(database, change.arm, *noted.description);
    }
    std::optional<std::int64_t> arm{}, qrels{};
    if (of_judgements) {
      qrels = judgements_.back()->qrels;
    } else {
      arm = arms_[change.arm.value()];
    }
    insert(database, "session_changes (session, after_seq, kind, arm, qrels)", session_, after,
           word_in(kChangeWords, change.kind), arm, qrels);
  }

  /// Returns its number in `session_arms`.
  [[nodiscard]] std::int64_t arm(ArmIndex arm) const { return arms_[arm.value()]; }
  /// Returns its number in `judged_topics`; std::nullopt for an unjudged query.
  [[nodiscard]] std::optional<std::int64_t> topic(const Observation& observation) const {
    if (observation.topic == kUnjudgedTopic) return std::nullopt;
    return judgements_[observation.judgements_version]->topics[observation.topic.value()];
  }
  /// Returns its number in `generations`, adding it if needed; std::nullopt if the engine reports
  /// none.
  [[nodiscard]] std::optional<std::int64_t> generation(const Database& database,
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

 private:
  using Generation = std::pair<std::uint64_t, std::uint64_t>;  // and live documents
  /// A version of the judgements.
  struct Judgements {
    std::int64_t qrels = 0;              // its number
    std::vector<std::int64_t> topics{};  // numbers of its judged topics, by TopicIndex
  };

  [[nodiscard]] static std::string measure_list(const Experiment& experiment) {
    std::string list;
    for (const Measure& measure : experiment.measures()) {
      list += (list.empty() ? "" : ",") + measure.name();
    }
    return list;
  }

  [[nodiscard]] static std::vector<std::int64_t> topics_of(const Database& database,
                                                           std::int64_t qrels) {
    std::vector<std::int64_t> topics;
    Statement select(database, "SELECT topic FROM qrels_topics WHERE qrels = ? ORDER BY position");
    for (select.bind(qrels); select.next();) topics.push_back(select.integer(0));
    return topics;
  }

  void add_arm(const Database& database, ArmIndex arm, const ArmDescription& description) {
    const ArmId& name = experiment_->arms()[arm.value()];
    const std::int64_t named = SharedRows(database).arms.number_of(name, description.config);
    if (arms_.size() <= arm.value()) arms_.resize(arm.value() + 1);
    arms_[arm.value()] = insert(
        database, "session_arms (session, position, arm, engine, engine_version, place)", session_,
        arm.value(), named, description.engine, description.engine_version, description.index);
  }

  void add_judgements(const Database& database, std::uint32_t version) {
    const Qrels& qrels = experiment_->qrels(version);
    const DocnoPolicy policy = qrels.docnos().policy();
    SharedRows shared(database);
    Judgements stored{.qrels = shared.number_of(qrels_version(qrels))};
    stored.topics = topics_of(database, stored.qrels);
    if (stored.topics.size() != qrels.topics().size()) {
      stored.topics.clear();
      NumberedRows judged(database, "judged_topics (topic, docno, min_grade, judgements)",
                          "topic = ? AND docno = ? AND min_grade = ? AND judgements = ?");
      Statement add(
          database,
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

  const Experiment* experiment_;
  std::int64_t session_ = 0;
  std::vector<std::int64_t> arms_;
  std::vector<std::shared_ptr<const Judgements>> judgements_;  // by version
  std::map<Generation, std::int64_t> generations_;
};

}  // namespace prescope
