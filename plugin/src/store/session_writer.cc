#include "store/session_writer.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/utc_time.h"
#include "store/observation_words.h"
#include "store/shared_rows.h"
#include "store/statement.h"

namespace prescope {
namespace {

std::int64_t milliseconds_of(UtcTime time) { return time.time_since_epoch().count(); }

std::string measure_list(const Experiment& experiment) {
  std::string list;
  for (const Measure& measure : experiment.measures()) {
    list += (list.empty() ? "" : ",") + measure.name();
  }
  return list;
}

}  // namespace

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
      .bind(options.name, milliseconds_of(utc_now()), word_of(options.mode),
            word_of(options.epochs), options.alpha, word_of(options.shadow.latency),
            measure_list(*experiment_), cutoff.value(), word_of(unjudged), judgements_[0]->qrels)
      .run();
  session_ = database.last_row();
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
  arms_[arm.value()] = database.last_row();
}

void SessionNumbers::add_judgements(Database& database, std::uint32_t version) {
  judgements_.push_back(std::make_shared<const StoredJudgements>(
      store_judgements(database, experiment_->qrels(version))));
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
      .bind(session_, after, word_of(change.kind), arm, qrels)
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
  return generations_[generation] = database.last_row();
}

}  // namespace prescope
