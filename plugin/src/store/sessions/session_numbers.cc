#include "store/sessions/session_numbers.h"

#include <fmt/format.h>
#include <ranges>

#include "base/hash.h"
#include "store/nights/evaluation_rows.h"
#include "store/sessions/log_queue.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

using Kind = ExperimentChange::Kind;

std::string measure_list(const Experiment& experiment) {
  const auto names = experiment.measures() | std::views::transform(&Measure::name);
  return fmt::format("{}", fmt::join(names, ","));
}

std::string primary_measure(const Experiment& experiment) {
  const std::string& named = experiment.options().primary;
  return named.empty() ? experiment.measures()[0].name() : Measure::parse(named).name();
}

SharedList<std::int64_t> topics_of(const Database& database, std::int64_t qrels) {
  std::vector<std::int64_t> topics;
  Statement select(database,
                   fmt::format("{} SELECT topic FROM version ORDER BY position", kTopicsOfVersion));
  for (select.bind(qrels); select.next();) topics.push_back(select.integer(0));
  return SharedList<std::int64_t>(std::move(topics));
}

}  // namespace

/// Adds topics of a version of the judgements.
class SessionNumbers::TopicRows {
 public:
  TopicRows(const Database& database, const Qrels& qrels)
      : database_(database), qrels_(qrels), policy_(qrels.docnos().policy()) {}

  /// Returns the number of a topic with its judgements.
  std::int64_t number_of(const TopicQrels& topic) {
    return judged_.number_of(shared_.topics.number_of(topic.id()), to_string(policy_),
                             qrels_.min_grade(), judgements_text(topic, policy_));
  }
  void add(std::int64_t version, std::size_t position, std::int64_t number) {
    add_.bind(version, position, number).run();
  }
  /// Notes that topics without a row of `version` have the rows of `base`.
  void note_base(std::int64_t version, std::int64_t base) {
    Statement(database_, "UPDATE qrels_versions SET changed_from = ? WHERE number = ?")
        .bind(base, version)
        .run();
  }

 private:
  const Database& database_;
  const Qrels& qrels_;
  DocnoPolicy policy_;
  SharedRows shared_{database_};
  NumberedRows judged_{database_, "judged_topics (topic, docno, min_grade, judgements)",
                       "topic = ? AND docno = ? AND min_grade = ? AND judgements = ?"};
  Statement add_{database_,
                 "INSERT OR REPLACE INTO qrels_topics (qrels, position, topic) VALUES (?, ?, ?)"};
};

/// Adds topics that were found as they came. Keeps its statements, because many topics come.
class SessionNumbers::FoundTopicRows {
 public:
  FoundTopicRows(const Database& database, const Qrels& qrels)
      : qrels_(qrels),
        rows_(database, qrels),
        add_(database, "INSERT OR IGNORE INTO found_topics VALUES (?, ?, ?)") {}

  std::int64_t add(std::int64_t session, TopicIndex topic) {
    const std::int64_t number = rows_.number_of(qrels_.topic(topic));
    add_.bind(session, number, qrels_.found_family(topic)).run();
    return number;
  }

 private:
  const Qrels& qrels_;
  TopicRows rows_;
  Statement add_;
};

namespace {

std::int64_t add_session(const Database& database, const Experiment& experiment,
                         const SessionFacts& facts, std::int64_t qrels, std::int64_t after) {
  const ExperimentOptions& options = experiment.options();
  return insert(
      database,
      "sessions (experiment, began_ms, mode, epochs, alpha, shadow_latency, measures,"
      " cutoff, unjudged, qrels, after_seq, primary_measure, salt, shares,"
      " scored_flags, baseline, capture_depth, captured_hits, lost_before, families,"
      " judgements_repeated, judgements_merged, stages, limits, collapse, rule, slices, test,"
      " overlap)",
      options.name, utc_now(), word_in(kModeWords, options.mode),
      word_in(kEpochWords, options.epochs.value()), options.alpha,
      word_in(kShadowLatencyWords, options.shadow.latency), measure_list(experiment),
      facts.cutoff.value(), word_in(kUnjudgedWords, facts.options.unjudged), qrels, after,
      primary_measure(experiment), options.split.salt, shares_text(options.split.shares),
      options.recording.scored_flags, baseline_text(options.split.baseline),
      options.recording.capture_depth, facts.options.captured_hits, facts.lost_before,
      families_text(experiment.qrels()), experiment.qrels().repeated(), experiment.qrels().merged(),
      texts_json(options.stages), limits_text(options.limits), experiment.qrels().collapses(),
      experiment.qrels().rule(), slices_text(FollowedSlices(options.slices, experiment.qrels())),
      test_text(options.test), overlap_text(options.shadow.overlap));
}

}  // namespace

SessionNumbers::SessionNumbers(const Database& database, const Experiment& experiment,
                               const SessionFacts& facts, std::int64_t after)
    : experiment_(&experiment) {
  add_judgements(database);
  session_ = add_session(database, experiment, facts, judgements_[0]->qrels, after);
  const std::string other_plan = earlier_plan_words(database, session_);
  if (!other_plan.empty()) {
    warn_of_log(facts.options.on_warning,
                fmt::format("{}: {}", database.path().string(), other_plan));
  }
  const ExperimentOptions& options = experiment.options();
  for (std::uint32_t a = 0; a < options.arms.size(); ++a) {
    const auto described = options.descriptions.find(options.arms[a]);
    add_arm(database, ArmIndex(a),
            described != options.descriptions.end() ? described->second : ArmDescription{});
  }
  Statement(database, "UPDATE sessions SET epoch = ? WHERE number = ?")
      .bind(add_epoch(database), session_)
      .run();
}

void SessionNumbers::change(const Database& database, const LogBatch::Change& noted,
                            std::int64_t after) {
  const ExperimentChange& change = noted.change;
  const bool of_judgements = change.kind == Kind::kJudgements;
  if (of_judgements) {
    change_judgements(database, change.judgements_version);
  } else if (noted.description) {
    add_arm(database, change.arm, *noted.description);
  }
  std::optional<std::int64_t> arm{}, qrels{};
  if (of_judgements) {
    qrels = judgements_.back()->qrels;
  } else {
    Arm& changed = arms_[change.arm.value()];
    changed.is_active = change.kind != Kind::kArmPaused && change.kind != Kind::kArmRemoved &&
                        (changed.is_active || change.kind != Kind::kArmRestarted);
    if (change.decision != 0) changed.restart = change.decision;
    arm = changed.number;
  }
  insert(database, "session_changes (session, after_seq, kind, arm, qrels, epoch, newest_visit)",
         session_, after, word_in(kChangeWords, change.kind), arm, qrels, add_epoch(database),
         change.newest_visit);
}

void SessionNumbers::add_arm(const Database& database, ArmIndex arm,
                             const ArmDescription& description) {
  const ArmId& name = experiment_->arms()[arm.value()];
  const std::int64_t named = SharedRows(database).arms.number_of(name, description.config);
  if (arms_.size() <= arm.value()) arms_.resize(arm.value() + 1);
  Arm& added = arms_[arm.value()];
  added.description = std::make_shared<const ArmDescription>(description);
  added.number = insert(
      database, "session_arms (session, position, arm, engine, engine_version, place, index_label)",
      session_, arm.value(), named, description.engine, description.engine_version,
      description.index, description.index_label);
}

/// Stores all topics of the session's first version.
void SessionNumbers::add_judgements(const Database& database) {
  const Qrels& qrels = experiment_->qrels(0);
  const QrelsVersion version = qrels_version(qrels);
  Judgements stored{.qrels = SharedRows(database).number_of(version), .version = version};
  stored.topics = topics_of(database, stored.qrels);
  if (stored.topics.size() != qrels.topics().size()) {
    TopicRows rows(database, qrels);
    std::vector<std::int64_t> topics;
    for (const TopicQrels& topic : qrels.topics()) {
      const std::int64_t number = rows.number_of(topic);
      rows.add(stored.qrels, topics.size(), number);
      topics.push_back(number);
    }
    stored.topics = SharedList<std::int64_t>(std::move(topics));
  }
  if (qrels.finds_topics()) {
    stored.topics = SharedList(std::vector<std::int64_t>(qrels.topic_limit()));
  }
  judgements_.push_back(std::make_shared<const Judgements>(std::move(stored)));
}

/// Costs what one topic costs, though the judgements are copied: their lists are shared.
std::int64_t SessionNumbers::found_topic(const Database& database, const Observation& observation) {
  if (found_rows_ == nullptr) {
    found_rows_ = std::make_shared<FoundTopicRows>(database, experiment_->qrels());
  }
  const std::int64_t number = found_rows_->add(session_, observation.topic);
  std::shared_ptr<const Judgements>& judgements = judgements_[observation.judgements_version];
  Judgements changed = *judgements;
  changed.topics.set(observation.topic.value(), number);
  judgements = std::make_shared<const Judgements>(std::move(changed));
  return number;
}

/// Stores the topics that the version changes, unless the store has the version already.
/// O(topics / 64 + what changed), but O(topics) for a version that the store has.
void SessionNumbers::change_judgements(const Database& database, std::uint32_t version) {
  const Qrels &qrels = experiment_->qrels(version), &before = experiment_->qrels(version - 1);
  Judgements stored = *judgements_.back();
  stored.version = changed_qrels_version(qrels, before, stored.version);
  const std::int64_t base =
      std::exchange(stored.qrels, SharedRows(database).number_of(stored.version));
  // A version that is there may spell the docnos otherwise.
  if (const auto known = topics_of(database, stored.qrels); !known.empty()) {
    stored.topics = known;
  } else {
    TopicRows rows(database, qrels);
    rows.note_base(stored.qrels, base);
    qrels.topics().for_each_unshared(before.topics(), [&](std::size_t i) {
      if (qrels.topics()[i].is_shared_with(before.topics()[i])) return;
      const std::int64_t number = rows.number_of(qrels.topics()[i]);
      rows.add(stored.qrels, i, number);
      stored.topics.set(i, number);
    });
  }
  judgements_.push_back(std::make_shared<const Judgements>(std::move(stored)));
}

/// Returns the key of the present state, which `epochs` spells out.
std::int64_t SessionNumbers::add_epoch(const Database& database) const {
  const std::string text = epoch_text(database);
  const auto key = static_cast<std::int64_t>(fnv_1a(text));
  Statement(database, "INSERT OR IGNORE INTO epochs (key, text) VALUES (?, ?)")
      .bind(key, text)
      .run();
  return key;
}

/// Returns all that scores of this state depend on, as two servers with the same state write it;
/// `docs/formats.md` has its form. States of the index have numbers that mean nothing in another
/// process. So if new states of an index end the epochs of a session, other sessions share these
/// epochs only if the host has labelled the indexes of all arms.
std::string SessionNumbers::epoch_text(const Database& database) const {
  const ExperimentOptions& options = experiment_->options();
  const Qrels& qrels = experiment_->qrels();
  std::string text = R"({"experiment":)";
  const auto add = [&](std::string_view before, std::string_view value) {
    text += before;
    append_name(text, value);
  };
  append_name(text, options.name);
  if (options.mode == Mode::kSplit) {
    add(R"(,"salt":)", options.split.salt);
    if (!options.split.shares.empty()) {
      text += R"(,"shares":)" + shares_text(options.split.shares);
    }
  }
  text += R"(,"arms":[)";
  const bool is_by_index = options.epochs == EpochRule::kGeneration;
  bool are_labelled = true;
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (!arms_[a].is_active) continue;
    const ArmDescription& arm = *arms_[a].description;
    add(text.back() == '[' ? "[" : ",[", experiment_->arms()[a].text());
    for (const std::string* value : {&arm.config, &arm.engine, &arm.engine_version}) {
      add(",", *value);
    }
    are_labelled = are_labelled && !arm.index_label.empty();
    if (is_by_index && !arm.index_label.empty()) add(",", arm.index_label);
    if (arms_[a].restart != 0) text += fmt::format(",{}", arms_[a].restart);
    text += ']';
  }
  add(R"(],"docno":)", to_string(qrels.docnos().policy()));
  text += fmt::format(R"(,"min_grade":{})", qrels.min_grade());
  add(R"(,"judgements":)", judgements_.back()->version.hash);
  if (qrels.collapses()) text += kCollapsedEpoch;
  const std::string families = judged_families_hash(qrels);
  if (!families.empty()) add(R"(,"families":)", families);
  if (qrels.has_family_map()) {
    add(R"(,"topic_families":)", fmt::format("{:016x}", fnv_1a(families_text(qrels))));
  }
  if (is_by_index && !are_labelled) {
    const std::int64_t spool = database.number("SELECT spool FROM log_state");
    text += fmt::format(R"(,"spool":{},"session":{})", spool, session_);
  }
  return text + '}';
}

}  // namespace prescope
