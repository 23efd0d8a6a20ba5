#include "store/sessions/rebuilt_session.h"

#include <algorithm>

#include "base/errors.h"
#include "facts/health_counters.h"
#include "live/arms.h"
#include "nightly/record/evaluation_record.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

using Kind = ExperimentChange::Kind;

constexpr const char* kPlaceholder = "-";

}  // namespace

Qrels stored_qrels(const std::vector<TopicQrels>& topics, DocnoPolicy policy, Grade min_grade,
                   std::shared_ptr<const FamilyMap> families) {
  const bool by_key = policy == DocnoPolicy::kFamily;
  std::vector<Qrels::Line> lines;
  JudgementChanges without;  // topics whose judgements were all withdrawn are still topics
  for (const TopicQrels& topic : topics) {
    for (const Judgement& judgement : topic.judgements()) {
      lines.push_back({topic.id(), by_key ? Docno(judgement.key) : judgement.docno, judgement.grade,
                       judgement.about});
    }
    if (!topic.judgements().empty()) continue;
    lines.push_back({topic.id(), Docno(kPlaceholder), 0});
    without.withdrawn.push_back({topic.id(), Docno(kPlaceholder)});
  }
  Qrels qrels = Qrels::from_lines(lines, {.docno = by_key ? DocnoPolicy::kRaw : policy,
                                          .families = std::move(families),
                                          .min_grade = min_grade});
  return without.withdrawn.empty() ? qrels : qrels.with(without);
}

std::string only_counted(std::uint64_t unjudged) {
  return fmt::format("{} unjudged {} only counted: the arms' counts and latencies are without {}",
                     unjudged, unjudged == 1 ? "query was" : "queries were",
                     unjudged == 1 ? "it" : "them");
}

SessionWords read_session_words(const Database& database, std::int64_t session) {
  Statement row(database,
                "SELECT experiment, alpha, mode, epochs, shadow_latency, measures,"
                " ifnull(primary_measure, ''), ifnull(salt, ''), shares,"
                " ifnull(scored_flags, 0), ifnull(baseline, '[]'), families, stages, limits, rule, "
                "collapse, slices, test, overlap FROM sessions"
                " WHERE number = ?");
  row.bind(session).next();
  SessionWords words;
  row.read(words.experiment, words.alpha, words.mode, words.epochs, words.shadow_latency,
           words.measures, words.primary, words.salt, words.shares, words.scored_flags,
           words.baseline, words.families, words.stages, words.limits, words.rule, words.collapses,
           words.slices, words.test, words.overlap);
  return words;
}

SessionSetUp session_set_up(const SessionWords& words) {
  Scorer scorer(parse_measures(words.measures));
  SessionSetUp set_up{.scorer = std::move(scorer)};
  SummaryFacts& facts = set_up.facts;
  facts.experiment = words.experiment;
  facts.rule = words.rule;
  facts.alpha = words.alpha;
  facts.stages = read_texts(words.stages);
  facts.limits = read_limits(words.limits);
  LedgerOptions& options = set_up.options;
  const auto& measures = set_up.scorer.measures();
  const auto known = std::ranges::find(measures, words.primary, &Measure::name);
  if (known != measures.end()) {
    options.primary = static_cast<std::size_t>(known - measures.begin());
  }
  options.mode = value_in(kModeWords, words.mode, Mode::kObserve);
  if (options.mode == Mode::kSplit) {
    facts.salt = words.salt;
    facts.shares = read_shares(words.shares);
  }
  options.epochs = value_in(kEpochWords, words.epochs, EpochRule::kGeneration);
  options.shadow_latency =
      value_in(kShadowLatencyWords, words.shadow_latency, ShadowOptions::Latency::kBothArms);
  options.scored_flags = words.scored_flags;
  options.baseline = read_baseline(words.baseline);
  options.collapses = words.collapses;
  options.test = read_test(words.test);
  options.overlap = read_overlap(words.overlap);
  static_cast<void>(loss_margins(options.test, measures, options.primary));
  return set_up;
}

void set_assignment(const SummaryFacts& facts, const std::vector<ArmFacts>& arms,
                    const Qrels& qrels, LedgerOptions& options) {
  if (facts.salt.empty()) return;
  const auto id_of = [&qrels](TopicIndex topic) { return qrels.topic(topic).id().text(); };
  const auto name = [&arms](std::size_t i) -> const std::string& { return arms[i].id.text(); };
  const auto share = [name, shares = facts.shares](std::size_t i) {
    return share_of(shares, name(i));
  };
  options.assigned = [=, &arms, salt = facts.salt](TopicIndex topic) {
    const auto is_active = [&](std::size_t i) { return arms[i].status == ArmStatus::kActive; };
    return drawn_arm(arms.size(), name, share, is_active, id_of(topic), salt);
  };
  if (facts.shares.empty()) return;
  options.share = [share](ArmIndex arm) { return share(arm.value()); };
  options.second_draw = [id_of, salt = facts.salt](TopicIndex topic) {
    return second_draw(id_of(topic), salt);
  };
}

struct RebuiltSession::Change {
  std::int64_t after = 0;
  Kind kind{};
  ArmIndex arm{};
  ArmId name;  // of the arm
  std::int64_t qrels = 0;
  std::uint64_t newest_visit = 0;
};

RebuiltSession::RebuiltSession(const std::filesystem::path& path, std::int64_t session,
                               const OnObservation& on_observation)
    : reader_(path), session_(session) {
  read_session(session);
  const std::vector<Change> changes = read_changes(session);
  auto next = changes.begin();
  reader_.read({.session = session, .unjudged = ObservationFilter::Unjudged::kRead}, 0,
               [&](const StoredObservation& one) {
                 for (; next != changes.end() && next->after < one.seq; ++next) apply(*next);
                 record(one);
                 if (on_observation) on_observation(*this, one);
               });
  for (; next != changes.end(); ++next) apply(*next);
  read_overlaps(session);
  read_counters(session);
  read_relevant_missing(session);
  read_missing(session);
}

const JudgedDocnos& RebuiltSession::add_version(std::int64_t qrels) {
  const Database& database = reader_.database();
  const auto refuse = [&](std::string_view what) {
    refuse_content(database.path(), fmt::format("version {} of the judgements {}", qrels, what));
  };
  Statement kind(database,
                 "SELECT docno, min_grade, hash, relevant, topics = 0 FROM qrels_versions"
                 " WHERE number = ?");
  if (!kind.bind(qrels).next()) refuse("is not there");
  const DocnoPolicy policy = parse_docno_policy(kind.text(0));
  const auto min_grade = kind.as<Grade>(1);
  // Topics that were found as they came are the session's own, and have no place in a version.
  const bool are_found = are_topics_found_ = kind.integer(4) != 0;
  constexpr std::string_view kTexts =
      " LEFT JOIN judged_topics j ON j.number = v.topic LEFT JOIN topics t ON t.number = j.topic";
  Statement rows(
      database,
      are_found ? fmt::format("SELECT j.number, t.name, j.judgements, v.family FROM found_topics v"
                              "{} WHERE v.session = ? ORDER BY t.name",
                              kTexts)
                : fmt::format("{} SELECT j.number, t.name, j.judgements FROM version v{}"
                              " ORDER BY v.position",
                              kTopicsOfVersion, kTexts));
  std::vector<TopicQrels> topics;
  const auto families_found = std::make_shared<FamilyMap>();
  changed_.clear();
  const auto version = static_cast<std::uint32_t>(versions_.size());
  for (rows.bind(are_found ? session_ : qrels); rows.next();) {
    const TopicIndex topic(static_cast<std::uint32_t>(topics.size()));
    const auto [known, is_new] = places_.try_emplace(rows.integer(0));
    if (is_new || known->second.version + 1 != version) changed_.push_back(topic);
    known->second = {version, topic};
    topics.push_back(stored_topic(rows.as<std::string_view>(1), policy, min_grade, rows.text(2)));
    if (are_found) families_found->add(Docno(topics.back().id().text()), rows.text(3));
  }
  Qrels read = stored_qrels(topics, policy, min_grade,
                            are_found ? families_found : read_families(families_, topics));
  // Hits refer to topics and judgements by position, so all of them must be as they were.
  const auto has_same_places = [](const TopicQrels& a, const TopicQrels& b) {
    return a.id() == b.id() && a.judgements().size() == b.judgements().size();
  };
  const QrelsVersion described = qrels_version(read, policy);
  const bool is_hash_right =
      described.hash == kind.text(2) && std::cmp_equal(described.relevant, kind.integer(3));
  if ((!are_found && !is_hash_right) ||
      !std::ranges::equal(topics, read.topics(), has_same_places)) {
    refuse("is not what its hash says");
  }
  return versions_.empty() ? versions_.emplace_back(std::move(read))
                           : versions_.emplace_back(std::move(read), versions_.back());
}

void RebuiltSession::read_session(std::int64_t session) {
  LedgerOptions options = read_options(session);
  Statement arms(reader_.database(),
                 "SELECT a.name, sa.position FROM session_arms sa"
                 " LEFT JOIN arms a ON a.number = sa.arm"
                 " WHERE sa.session = ?1 AND sa.number NOT IN"
                 " (SELECT arm FROM session_changes WHERE session = ?1 AND kind = ?2)"
                 " AND sa.number IN (SELECT min(number) FROM session_arms WHERE session = ?1"
                 " GROUP BY position) ORDER BY sa.position");
  for (arms.bind(session, word_in(kChangeWords, Kind::kArmAdded)); arms.next();) {
    facts_.arms.push_back({.id = arms.as<ArmId>(0)});
    if (arms.integer(1) != std::ssize(facts_.arms) - 1) refuse_arm(arms.integer(1));
  }
  if (facts_.arms.empty()) refuse_arm(0);
  const Qrels& qrels = versions_.front().qrels();
  set_assignment(facts_, facts_.arms, qrels, options);
  options.slices = read_followed_slices(slices_, qrels.topics().size());
  options.finds_topics = are_topics_found_;
  ledger_.emplace(versions_.front(), *scorer_, facts_.arms.size(), options);
  ledger_->on_epoch_end = [this](const Ledger& ended) { keep_epoch(ended, facts_); };
}

/// Adds the judgements at the beginning, too.
LedgerOptions RebuiltSession::read_options(std::int64_t session) {
  const Database& database = reader_.database();
  reader_.require_known({.session = session});
  const SessionWords words = read_session_words(database, session);
  if (words.alpha <= 0.0 || words.alpha >= 1.0) {
    refuse_content(database.path(),
                   fmt::format("session {} has an alpha that is no chance", session));
  }
  families_ = words.families;
  slices_ = words.slices;
  SessionSetUp set_up = session_set_up(words);
  facts_ = std::move(set_up.facts);
  scorer_.emplace(std::move(set_up.scorer));
  add_version(
      database.number(fmt::format("SELECT qrels FROM sessions WHERE number = {}", session)));
  return std::move(set_up.options);
}

std::vector<RebuiltSession::Change> RebuiltSession::read_changes(std::int64_t session) const {
  std::vector<Change> changes;
  Statement rows(reader_.database(),
                 "SELECT c.after_seq, c.kind, sa.position, ifnull(a.name, ''), ifnull(c.qrels, 0),"
                 " ifnull(c.newest_visit, 0) FROM session_changes c"
                 " LEFT JOIN session_arms sa ON sa.number = c.arm"
                 " LEFT JOIN arms a ON a.number = sa.arm WHERE c.session = ? ORDER BY c.number");
  for (rows.bind(session); rows.next();) {
    Change& change = changes.emplace_back();
    std::string_view kind;
    std::optional<std::uint32_t> position;
    rows.read(change.after, kind, position, change.name, change.qrels, change.newest_visit);
    change.kind = value_in(kChangeWords, kind, Kind::kArmRestarted);
    if (change.kind != Kind::kJudgements) change.arm = ArmIndex(position.value_or(UINT32_MAX));
  }
  return changes;
}

void RebuiltSession::refuse_arm(std::int64_t position) const {
  refuse_content(reader_.database().path(),
                 fmt::format("arm {} of a session with {} arms is not as it was", position,
                             facts_.arms.size()));
}

void RebuiltSession::apply(const Change& change) {
  const std::size_t end = facts_.arms.size() + (change.kind == Kind::kArmAdded ? 1 : 0);
  const bool removes_first = change.kind == Kind::kArmRemoved && change.arm == ArmIndex(0);
  if (change.arm.value() >= end || removes_first) refuse_arm(change.arm.value());
  const auto set = [&](ArmStatus status) { facts_.arms[change.arm.value()].status = status; };
  if (change.kind != Kind::kJudgements) ledger_->leave_out_visits_up_to(change.newest_visit);
  switch (change.kind) {
    case Kind::kArmAdded:
      if (change.arm.value() < facts_.arms.size()) {
        ledger_->restore_arm(change.arm);
        return set(ArmStatus::kActive);
      }
      ledger_->add_arm();
      facts_.arms.push_back({.id = change.name});
      return;
    case Kind::kArmPaused:
      ledger_->begin_epoch(EpochReason::kArms);
      return set(ArmStatus::kPaused);
    case Kind::kArmResumed:
      ledger_->begin_epoch(EpochReason::kArms);
      return set(ArmStatus::kActive);
    case Kind::kArmRemoved:
      ledger_->remove_arm(change.arm);
      return set(ArmStatus::kRemoved);
    case Kind::kArmRestarted:
      return ledger_->begin_epoch(EpochReason::kArms);
    case Kind::kJudgements:
      const JudgedDocnos& now = add_version(change.qrels);
      ledger_->rejudge(now, changed_);
      return;
  }
}

void RebuiltSession::record(const StoredObservation& one) {
  Observation observation = one.observation;
  const auto arm = observation.arm.value();
  if (arm >= facts_.arms.size() || facts_.arms[arm].id.text() != one.arm) refuse_arm(arm);
  if (one.judged_topic) {
    const auto place = places_.find(*one.judged_topic);
    if (place == places_.end()) {
      refuse_content(
          reader_.database().path(),
          fmt::format("observation {} is of a topic that its session does not judge", one.seq));
    }
    observation.topic = place->second.topic;
    observation.judgements_version = place->second.version;
  }
  has_captured_docids_ = has_captured_docids_ || !observation.captured_docids.empty();
  ledger_->record(observation);
  ++facts_.health.pushed;
  ++facts_.health.recorded;
}

std::optional<TopicDetail> RebuiltSession::topic(const TopicId& id) const {
  return topic_detail(*ledger_, facts_.arms, id);
}

void RebuiltSession::read_counters(std::int64_t session) {
  Statement rows(reader_.database(), "SELECT name, value FROM counters WHERE session = ?");
  for (rows.bind(session); rows.next();) {
    std::string_view name;
    std::uint64_t value = 0;
    rows.read(name, value);
    const auto known = std::ranges::find(health_counters(), name, &HealthCounter::name);
    if (known != health_counters().end()) counters_.*known->member = value;
  }
}

/// Adds the visits of the last epoch. Those of earlier ones are kept, and are in no summary.
void RebuiltSession::read_overlaps(std::int64_t session) {
  const auto refuse = [&](std::int64_t number) {
    refuse_content(reader_.database().path(), fmt::format("overlap {} makes no sense", number));
  };
  Statement rows(reader_.database(),
                 "SELECT o.number, o.time_ms, o.visit, o.request_id, o.query, sa.position,"
                 " o.outcome, o.jaccard, o.rbo, o.identical, o.failed_first, o.failed,"
                 " o.known_depth FROM overlaps o LEFT JOIN session_arms sa ON sa.number = o.arm"
                 " WHERE o.session = ? AND o.epoch = ? ORDER BY o.number");
  for (rows.bind(session, ledger_->epoch().number); rows.next();) {
    std::int64_t number = 0;
    std::optional<std::uint32_t> position;
    std::string_view outcome;
    std::optional<double> jaccard, rbo;
    VisitOverlap visit;
    PairOverlap pair;
    rows.read(number, visit.time, visit.visit, visit.request_id, visit.query, position, outcome,
              jaccard, rbo, pair.is_identical, pair.has_failed_a, pair.has_failed_b, pair.depth);
    if (!position || *position == 0 || *position >= facts_.arms.size()) refuse(number);
    pair.b = ArmIndex(*position);
    pair.state = value_in(kOverlapWords, outcome, PairOverlap::State::kIncomplete);
    pair.jaccard = jaccard.value_or(0.0);
    pair.rbo = rbo.value_or(0.0);
    const auto is_share = [](double value) { return value >= 0.0 && value <= 1.0; };
    if (!is_share(pair.jaccard) || !is_share(pair.rbo)) refuse(number);
    visit.pairs = {pair};
    ledger_->add(visit);
  }
}

void RebuiltSession::read_relevant_missing(std::int64_t session) {
  relevant_missing_.resize(facts_.arms.size());
  missing_series_.resize(facts_.arms.size());
  // The last row of an arm is the present one.
  Statement rows(reader_.database(),
                 "SELECT position, relevant_missing, missing_series FROM session_arms"
                 " WHERE session = ?"
                 " ORDER BY number");
  for (rows.bind(session); rows.next();) {
    std::size_t position = 0;
    std::optional<std::uint64_t> missing;
    std::string_view series;
    rows.read(position, missing, series);
    if (position >= relevant_missing_.size()) continue;
    relevant_missing_[position] = missing;
    missing_series_[position] = read_texts(series);
  }
  Statement judgements(
      reader_.database(),
      "SELECT judgements_repeated, judgements_merged FROM sessions WHERE number = ?");
  judgements.bind(session).next();
  judgements.read(repeated_, merged_);
}

void RebuiltSession::read_missing(std::int64_t session) {
  Statement row(reader_.database(),
                "SELECT s.epoch IS NULL, ifnull(s.lost_before, 0) AS lost_before, s.ended_ms,"
                " (SELECT max(time_ms) FROM counters WHERE session = s.number),"
                " ifnull(s.after_seq + 1 < (SELECT ifnull(min(seq), l.rolled_up_to + 1)"
                " FROM observations) AND l.rolled_up_to > s.after_seq, 0),"
                " ifnull(s.capture_depth > s.captured_hits, 0), (SELECT ifnull(sum(h.unjudged), 0)"
                " FROM hourly h JOIN session_arms sa ON sa.number = h.arm"
                " WHERE sa.session = s.number AND s.unjudged = ?2) AS unjudged"
                " FROM sessions s LEFT JOIN log_state l WHERE s.number = ?1");
  row.bind(session, word_in(kUnjudgedWords, StoreLogOptions::Unjudged::kCounted)).next();
  bool is_of_older_prescope = false, is_pruned = false, is_cut = false;
  std::uint64_t lost_before = 0, unjudged = 0;
  std::optional<UtcTime> ended, counted;  // the time of the counters
  row.read(is_of_older_prescope, lost_before, ended, counted, is_pruned, is_cut, unjudged);
  const auto add = [&](bool is_so, std::string sentence) {
    if (is_so) missing_.push_back(std::move(sentence));
  };
  add(is_of_older_prescope,
      "an older prescope wrote the session: which rankings belong to one visit is not known");
  add(!is_of_older_prescope && !ended && !counted,
      "the session has not ended, or was killed: its counters are not stored yet");
  add(!ended && counted,
      fmt::format("the session has not ended, or was killed: its counters are those of {}",
                  utc_text(counted.value_or(UtcTime()))));
  add(lost_before > 0,
      fmt::format("{} earlier observations were in a file that was removed, moved or replaced",
                  lost_before));
  add(is_pruned, "observations were removed by 'prescope prune'");
  const std::string other_plan = earlier_plan_words(reader_.database(), session);
  add(!other_plan.empty(), other_plan);
  const std::uint64_t lost = counters_.log_queue_full + counters_.log_write_failures;
  add(lost > 0, fmt::format("{} recorded observations could not be stored", lost));
  add(unjudged > 0, only_counted(unjudged));
  const auto is_any_missing = [](const auto& missing) { return missing.value_or(0) > 0; };
  add(std::ranges::any_of(relevant_missing_, is_any_missing),
      "which of the judged documents are not in the index is not stored, only how many");
  const bool has_new_judgements = versions_.size() > 1;
  add(has_new_judgements && is_cut,
      "documents judged later were looked up in hits that are not stored, because the host's log "
      "does not keep them (captured_hits)");
  add(has_new_judgements && has_captured_docids_,
      "documents judged later cannot be looked up in captured docids without the index");
}

Summary RebuiltSession::summary(SummaryDetail detail) const {
  SummaryFacts facts = facts_;
  facts.health = raised_to(counters_, facts.health, *ledger_);
  // Known once the session has been read to its end.
  for (std::size_t a = 0; a < relevant_missing_.size(); ++a) {
    facts.arms[a].relevant_missing = relevant_missing_[a];
    facts.arms[a].missing_series = missing_series_[a];
  }
  Summary summary = summarize(*ledger_, facts, detail);
  summary.judgements_repeated = repeated_;
  summary.judgements_merged = merged_;
  summary.missing = missing_;
  return summary;
}

}  // namespace prescope
