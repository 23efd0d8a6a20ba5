// The query path: from the served hits to a queued observation. No lock, no exception, no system
// call beyond the clock, and no allocation but a thread's first buffer.
#include <algorithm>

#include "base/hash.h"
#include "live/experiment_state.h"
#include "live/query_path/open_scopes.h"

namespace prescope {

using Clock = std::chrono::steady_clock;

/// Documents by the hashes of their keys.
class DocumentSet {
 public:
  void clear() noexcept { hashes_.clear(); }
  /// Returns whether the document is new. Throws std::bad_alloc.
  bool add(std::uint64_t hash) {
    if (hashes_.empty()) slots_.clear(kUsual);
    const auto next = static_cast<std::uint32_t>(hashes_.size());
    const std::uint32_t known =
        slots_.find_or_add(hash, next, [&](std::uint32_t i) { return hashes_[i] == hash; });
    if (known == KeySlots::kNone) hashes_.push_back(hash);
    return known == KeySlots::kNone;
  }

 private:
  static constexpr std::uint32_t kUsual = 1024;
  KeySlots slots_;
  std::vector<std::uint64_t> hashes_;
};

/// The thread's own buffer, in which an observation is built, so that a slow adapter blocks no
/// other thread.
struct ObservationDraft {
  Observation observation;
  std::vector<JudgedHit> hits;
  std::vector<bool> seen;  // by judgement
  std::vector<DocId> docids;
  std::vector<std::uint64_t> keys;
  DocumentSet documents;  // of a collapsed ranking
  std::size_t capture_room = 0;
  bool is_taken = false;

  /// Reserves room for the largest observation, once for each thread; rounded up, so that a few
  /// more judgements need no other. Returns false without memory.
  [[nodiscard]] bool reserve(std::size_t judgements, std::size_t captured) noexcept {
    judgements = std::bit_ceil(judgements);
    try {
      hits.reserve(judgements);
      seen.reserve(judgements);
      docids.reserve(captured);
      keys.reserve(captured);
      return true;
    } catch (...) {
      return false;
    }
  }
  void begin(const Observation& facts, std::size_t judgements, std::size_t captured) noexcept {
    is_taken = true;
    documents.clear();
    observation = facts;
    hits.clear();
    seen.assign(judgements, false);
    docids.clear();
    keys.clear();
    capture_room = captured;
  }
  /// A judged document counts once, at its first rank, also if it has several docids or repeats.
  void hit(JudgementIndex judgement, Rank rank) {
    if (seen[judgement.value()]) {
      ++observation.duplicates;
    } else {
      seen[judgement.value()] = true;
      hits.push_back({rank, judgement});
    }
  }
  /// Returns the number of hits still to be captured if `next` is the rank of the first.
  [[nodiscard]] std::size_t room_to_capture(Rank next) const noexcept {
    // Hits behind a gap have no known ranks.
    const std::size_t captured = docids.size() + keys.size();
    return observation.first_rank + captured == next ? capture_room - captured : 0;
  }
};

namespace {

/// Returns the table for the docids of a ranking; null for docnos, and for a table that was not
/// resolved for this experiment.
const ResolvedQrels* table_of(const Ranking& ranking, const ExperimentState& state) noexcept {
  if (ranking.kind != HitKind::kDocids || ranking.resolved == nullptr) return nullptr;
  return state.is_own(*ranking.resolved) ? ranking.resolved : nullptr;
}

/// Returns a buffer of this thread that no observer uses, or null if all are used or memory is
/// short.
ObservationDraft* free_draft(std::size_t judgements, std::size_t captured) noexcept {
  static thread_local std::array<ObservationDraft, 4> drafts;
  const auto draft = std::ranges::find(drafts, false, &ObservationDraft::is_taken);
  return draft != drafts.end() && draft->reserve(judgements, captured) ? &*draft : nullptr;
}

}  // namespace

RankingObserver::RankingObserver(ExperimentTraffic& experiment, const Ranking& ranking) noexcept
    : state_(experiment.state_), next_rank_(ranking.first_rank), began_(Clock::now()) {
  if (OpenScope* const scope = innermost_scope_of(*state_)) {
    search_ = scope->search;
    observe(scope->take(state_->stage_of(ranking)), ranking);
  } else {
    std::exchange(state_, nullptr)->counters.count(&Health::queries_without_scope);
  }
}

RankingObserver::RankingObserver(ExperimentTraffic& experiment, const Visit& visit,
                                 const Ranking& ranking) noexcept
    : state_(experiment.state_), next_rank_(ranking.first_rank), began_(Clock::now()) {
  observe({.visit = visit}, ranking);
}

RankingObserver::RankingObserver(ExperimentTraffic& experiment, const ObservedVisit& of,
                                 const Ranking& ranking) noexcept
    : state_(experiment.state_), next_rank_(ranking.first_rank), began_(Clock::now()) {
  observe(of, ranking);
}

void RankingObserver::observe(const ObservedVisit& of, const Ranking& ranking) noexcept {
  began_ -= of.own_time;
  Observation facts = state_->facts(of, ranking.arm, ranking.flags);
  facts.total_hits = ranking.total_hits;
  facts.first_rank = ranking.first_rank;
  facts.depth = ranking.requested_depth;
  facts.stage = state_->stage_of(ranking);
  if (ranking.latency) {
    facts.latency = *ranking.latency;
  } else {
    const auto ended = ranking.search_ended.value_or(began_ + of.own_time);
    state_->set_latency(facts, of, ranking.search_started, ended);
  }
  outcome_ = state_->admitted(of, facts.arm);
  if (outcome_ == Outcome::kRecorded) begin(facts, of.visit.topic, ranking);
  if (of.visit.topic != kUnjudgedTopic) return;
  if (outcome_ == Outcome::kUnjudged && of.compared_arms > 0) {
    if (!is_inner(facts.stage)) begin_unjudged(facts, ranking);
    return;
  }
  if (outcome_ == Outcome::kUnjudged && !is_inner(facts.stage)) {
    outcome_ = state_->push({.arm = facts.arm,
                             .time = facts.time,
                             .request_id = facts.request_id,
                             .latency = facts.latency,
                             .self_time = Clock::now() - began_,
                             .flags = facts.flags});
  }
  state_ = nullptr;
}

void RankingObserver::begin(Observation facts, TopicIndex topic, const Ranking& ranking) noexcept {
  const JudgementVersion& current = state_->current_version();
  std::size_t judgements = 0;
  if (const ResolvedQrels* const table = table_of(ranking, *state_)) {
    facts.generation = table->generation();
    facts.documents = table->collection_size();
    if (topic.value() < table->num_topics()) {
      resolved_ = &table->topic(topic);
      judgements = resolved_->judgements;
      facts.judgements_version = table->judged().version();
      if (resolved_->has_several_docnos) facts.flags = facts.flags | RankingFlags::kSeveralDocnos;
    }
  } else if (ranking.kind == HitKind::kDocnos) {
    facts.generation = ranking.generation;
    facts.documents = ranking.collection_size;
    if (current.judged.qrels().has(topic)) {
      judged_ = &current.judged;
      judgements = current.judged.qrels().topic(topic).judgements().size();
      facts.judgements_version = current.judged.version();
    }
  }
  if (is_matched()) {
    facts.topic = topic;
  } else {
    outcome_ = Outcome::kUnmatched;
  }
  const std::size_t captured =
      is_matched() && !is_inner(facts.stage)
          ? std::min(ranking.requested_depth, state_->options.recording.capture_depth)
          : 0;
  take_draft(facts, judgements, captured, ranking);
}

void RankingObserver::begin_unjudged(Observation facts, const Ranking& ranking) noexcept {
  named_by_ = &state_->current_version().judged;
  const ResolvedQrels* const table = table_of(ranking, *state_);
  facts.generation = ranking.kind == HitKind::kDocnos ? ranking.generation
                     : table != nullptr               ? table->generation()
                                                      : 0;
  outcome_ = Outcome::kRecorded;
  take_draft(facts, 0, state_->options.shadow.overlap.depth, ranking);
}

void RankingObserver::take_draft(const Observation& facts, std::size_t judgements,
                                 std::size_t captured, const Ranking& ranking) noexcept {
  const std::size_t most =
      std::max<std::size_t>(judgements, state_->current_version().most_judgements);
  draft_ = free_draft(most, most_captured(state_->options));
  if (draft_ == nullptr) {
    outcome_ = Outcome::kNoRoom;
    state_->counters.count(&Health::dropped_queue_full);
    return;
  }
  draft_->begin(facts, judgements, captured);
  if (ranking.kind == HitKind::kDocids) {
    add(ranking.docids);
  } else {
    add(ranking.docnos);
  }
}

void RankingObserver::add(std::span<const DocId> docids) noexcept {
  const Rank first = std::exchange(next_rank_, next_rank_ + static_cast<Rank>(docids.size()));
  if (draft_ == nullptr || !is_matched()) return;
  const auto captured = docids.first(std::min(draft_->room_to_capture(first), docids.size()));
  draft_->docids.insert(draft_->docids.end(), captured.begin(), captured.end());
  if (resolved_ == nullptr) return;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const ResolvedQrels::Entry* const judged = resolved_->find(docids[i]);
    if (judged != nullptr) draft_->hit(judged->judgement, first + static_cast<Rank>(i));
  }
}

/// A document has the rank of its first hit, and the next document the next rank.
void RankingObserver::add_collapsed(std::span<const std::string_view> docnos) {
  const Qrels& qrels = judged_->qrels();
  const TopicQrels& topic = qrels.topic(draft_->observation.topic);
  DocnoBuffer buffer;
  for (const std::string_view docno : docnos) {
    const std::string_view key = qrels.docnos().key(docno, buffer);
    const std::uint64_t hash = key_hash(key);
    const bool is_new = draft_->documents.add(hash);
    if (is_new && draft_->room_to_capture(next_rank_) > 0) draft_->keys.push_back(hash);
    next_rank_ += is_new ? 1U : 0U;
    collapsed_ += is_new ? 0U : 1U;
    const std::optional<JudgementIndex> judgement = is_new ? topic.find(key) : std::nullopt;
    if (judgement) draft_->hit(*judgement, next_rank_ - 1);
  }
}

void RankingObserver::capture(std::span<const std::string_view> docnos) noexcept {
  const Rank first = std::exchange(next_rank_, next_rank_ + static_cast<Rank>(docnos.size()));
  if (draft_ == nullptr) return;
  DocnoBuffer buffer;
  for (const std::string_view docno :
       docnos.first(std::min(draft_->room_to_capture(first), docnos.size()))) {
    draft_->keys.push_back(key_hash(named_by_->docnos().key(docno, buffer)));
  }
}

void RankingObserver::add(std::span<const std::string_view> docnos) noexcept {
  if (named_by_ != nullptr) return capture(docnos);
  if (draft_ != nullptr && judged_ != nullptr && judged_->qrels().collapses()) {
    try {
      return add_collapsed(docnos);
    } catch (const std::bad_alloc&) {
      return abandon();
    }
  }
  const Rank first = std::exchange(next_rank_, next_rank_ + static_cast<Rank>(docnos.size()));
  if (draft_ == nullptr || judged_ == nullptr) return;
  const std::size_t captured = std::min(draft_->room_to_capture(first), docnos.size());
  const TopicQrels& topic = judged_->qrels().topic(draft_->observation.topic);
  const bool has_all_keys = !judged_->qrels().finds_topics();
  DocnoBuffer buffer;
  for (std::size_t i = 0; i < docnos.size(); ++i) {
    const std::string_view key = judged_->docnos().key(docnos[i], buffer);
    if (i < captured) draft_->keys.push_back(key_hash(key));
    // Quicker than asking the topic.
    if (has_all_keys && judged_->find(key) == JudgedDocnos::kNotJudged) continue;
    const std::optional<JudgementIndex> judgement = topic.find(key);
    if (judgement) draft_->hit(*judgement, first + static_cast<Rank>(i));
  }
}

void RankingObserver::abandon() noexcept {
  if (draft_ == nullptr) return;
  outcome_ = Outcome::kAbandoned;
  state_->counters.count(&Health::adapter_failures);
  std::exchange(draft_, nullptr)->is_taken = false;
}

Outcome RankingObserver::end() noexcept {
  if (draft_ == nullptr) return outcome_;
  Observation& observation = draft_->observation;
  // Ranks behind the last one begin again at 0.
  const Rank last_rank = next_rank_ - 1;
  if (observation.first_rank == 0 || last_rank < observation.first_rank - 1) {
    abandon();
    return outcome_;
  }
  observation.num_ret = next_rank_ - observation.first_rank;
  // A depth in documents, as ranks are.
  observation.depth -= std::min(observation.depth, collapsed_);
  observation.hits = draft_->hits;
  observation.captured_docids = draft_->docids;
  observation.captured_keys = draft_->keys;
  observation.self_time = Clock::now() - began_;
  ObservationDraft& draft = *std::exchange(draft_, nullptr);
  if (search_ != nullptr && !is_inner(observation.stage)) {
    search_->take(draft);
  } else {
    const bool is_pushed = search_ == nullptr || search_->is_recorded();
    if (is_pushed && state_->push(observation) == Outcome::kNoRoom) outcome_ = Outcome::kNoRoom;
    draft.is_taken = false;
  }
  if (outcome_ == Outcome::kUnmatched) state_->counters.count(&Health::unmatched_rankings);
  return outcome_;
}

void ComparedSearch::take(ObservationDraft& ranking) noexcept {
  const bool counts =
      ranking_ == nullptr || may_replace(ranking.observation, ranking_->observation.stage);
  ObservationDraft* const dropped = counts ? std::exchange(ranking_, &ranking) : &ranking;
  if (dropped == nullptr) return;
  RankingFlags& flags = ranking_->observation.flags;
  if (dropped->observation.first_rank == 1) flags = flags | RankingFlags::kReplaced;
  dropped->is_taken = false;
}

bool ComparedSearch::record(ExperimentState& experiment, const ObservedVisit& of,
                            bool has_thrown) noexcept {
  const bool has_failed = has_thrown || (ranking_ == nullptr && failure_);
  if (has_failed) {
    experiment.push_failure(of, ArmIndex(0), failure_.value_or(Experiment::SearchFailure::kFailed));
  } else if (ranking_ != nullptr && is_recorded()) {
    experiment.push(ranking_->observation);
  }
  return !has_failed;
}

ComparedSearch::~ComparedSearch() {
  if (ranking_ != nullptr) ranking_->is_taken = false;
}

Outcome ExperimentTraffic::observe(const Ranking& ranking) noexcept {
  return RankingObserver(*this, ranking).end();
}

Outcome ExperimentTraffic::observe(const Visit& visit, const Ranking& ranking) noexcept {
  return RankingObserver(*this, visit, ranking).end();
}

Outcome ExperimentTraffic::observe_comparison(const Visit& visit, ArmIndex served,
                                              std::span<const Ranking> rankings,
                                              std::string_view query) noexcept {
  OpenComparison comparison = begin_comparison(visit, served, query);
  if (comparison.arms == 0) return Outcome::kNotCompared;
  Outcome outcome = Outcome::kRecorded;
  for (const Ranking& ranking : rankings) {
    const Outcome one = observe(comparison, ranking);
    if (outcome == Outcome::kRecorded) outcome = one;
  }
  end_comparison(comparison);
  return outcome;
}

OpenComparison ExperimentTraffic::begin_comparison(const Visit& visit,
                                                   std::optional<ArmIndex> served,
                                                   std::string_view query) noexcept {
  const std::uint32_t arms = state_->shadows ? state_->shadows->begin_own(visit, served) : 0;
  return {.visit = visit, .served = served, .arms = arms, .query = QueryText(query)};
}

Outcome ExperimentTraffic::observe(OpenComparison& comparison, const Ranking& ranking) noexcept {
  if (comparison.arms == 0) return Outcome::kNotCompared;
  ObservedVisit of{.visit = comparison.visit, .compared_arms = comparison.arms, .is_first = false};
  if (of.visit.topic == kUnjudgedTopic) of.query = comparison.query.view();
  of.visit.arm = ranking.arm;
  of.flags = RankingFlags::kShadow | state_->shadows->repeats(ranking.arm, comparison.served);
  const bool timed_out = has(ranking.flags, RankingFlags::kTimedOut);
  if (timed_out || has(ranking.flags, RankingFlags::kFailed)) {
    const auto failure = timed_out ? SearchFailure::kTimedOut : SearchFailure::kFailed;
    ++comparison.failed;
    return state_->push_failure(of, ranking.arm, failure);
  }
  // The call comes after the search, so its time says nothing about it.
  const bool is_timed = ranking.latency || ranking.search_ended;
  if (!is_timed) of.flags = of.flags | RankingFlags::kUntimed;
  comparison.ranked += ranking.first_rank == 1 ? 1U : 0U;
  return RankingObserver(*this, of, ranking).end();
}

void ExperimentTraffic::end_comparison(const OpenComparison& comparison) noexcept {
  if (comparison.arms > 0) state_->shadows->end_own(comparison);
}

Outcome ExperimentTraffic::observe_failure(ArmIndex arm, SearchFailure failure) noexcept {
  OpenScope* const scope = innermost_scope_of(*state_);
  if (scope == nullptr) {
    return state_->push_failure({.visit = visit(kUnjudgedTopic)}, arm, failure);
  }
  const ObservedVisit of = scope->take();
  if (scope->search == nullptr) return state_->push_failure(of, arm, failure);
  scope->search->take(failure);
  return Outcome::kRecorded;
}

Outcome ExperimentTraffic::observe_failure(const Visit& visit, ArmIndex arm,
                                           SearchFailure failure) noexcept {
  return state_->push_failure({.visit = visit}, arm, failure);
}

Outcome ExperimentState::push_failure(const ObservedVisit& of, ArmIndex arm,
                                      Experiment::SearchFailure failure) noexcept {
  const Clock::time_point began = Clock::now();
  Observation observation =
      facts(of, arm,
            failure == Experiment::SearchFailure::kTimedOut ? RankingFlags::kTimedOut
                                                            : RankingFlags::kFailed);
  if (is_judged(of.visit.topic)) observation.topic = of.visit.topic;
  observation.judgements_version = current_version().judged.version();
  if (of.is_first && of.visit.started != Clock::time_point()) {
    observation.latency = began - of.visit.started;
  } else {
    observation.flags = observation.flags | RankingFlags::kUntimed;
  }
  observation.self_time = Clock::now() - began + of.own_time;
  Outcome outcome = admitted(of, observation.arm);
  if (outcome != Outcome::kRecorded && outcome != Outcome::kUnjudged) return outcome;
  outcome = push(observation);
  if (shadows && of.compared_arms == 0) shadows->announce(of.visit, observation.arm);
  return outcome;
}

void ExperimentState::push_unseen(const Visit& visit) noexcept {
  const JudgedDocnos& judged = current_version().judged;
  if (!judged.qrels().has(visit.topic)) return;
  answered(visit.topic, visit.number);
  std::optional<ArmIndex> arm = visit.arm;
  if (!arm && options.mode == Mode::kSplit) {
    arm = arms.drawn_for(judged.qrels().topic(visit.topic).id().text(), options.split.salt);
  }
  const ObservedVisit of{.visit = visit};
  if (shadows) shadows->announce(visit, arm);
  if (!arm || admitted(of, *arm) != Outcome::kRecorded) return;
  Observation observation = facts(of, *arm, RankingFlags::kUnseen | RankingFlags::kUntimed);
  observation.topic = visit.topic;
  observation.judgements_version = judged.version();
  push(observation);
}

void ExperimentState::push_announcement(const Visit& visit, ArmIndex served, std::uint32_t num_arms,
                                        RankingFlags more) noexcept {
  const JudgedDocnos& judged = current_version().judged;
  if (!judged.qrels().has(visit.topic)) return;
  Observation observation =
      facts({.visit = visit, .compared_arms = num_arms}, served,
            RankingFlags::kUnseen | RankingFlags::kUntimed | RankingFlags::kShadow | more);
  observation.topic = visit.topic;
  observation.request_id = 0;  // of a ranking only
  observation.judgements_version = judged.version();
  push(observation);
}

void ExperimentState::push_given_up(const Visit& visit, std::uint32_t num_arms) noexcept {
  push(facts({.visit = visit, .compared_arms = num_arms}, ArmIndex(0),
             RankingFlags::kUnseen | RankingFlags::kUntimed | RankingFlags::kShadow |
                 RankingFlags::kGivenUp));
}

Observation ExperimentState::facts(const ObservedVisit& of, ArmIndex arm,
                                   RankingFlags flags) const noexcept {
  return {.arm = of.visit.arm.value_or(arm),
          .time = of.visit.served.value_or(UtcTime()),
          .visit = of.visit.number,
          .visit_key = of.visit.key,
          .request_id = of.visit.request_id,
          .compared_arms = of.compared_arms,
          .flags = flags | of.flags,
          .query = of.query};
}

Stage ExperimentState::stage_of(const Ranking& ranking) const noexcept {
  const Stage stage = ranking.stage == Stage::kUnnamed ? stage_of_thread() : ranking.stage;
  return stage_name(stage, options.stages).empty() ? Stage::kUnnamed : stage;
}

void ExperimentState::set_latency(Observation& facts, const ObservedVisit& of,
                                  Clock::time_point search_started,
                                  Clock::time_point ended) noexcept {
  constexpr Clock::time_point kUnknown{};
  const bool begins_with_visit = of.is_first && of.visit.started != kUnknown;
  const Clock::time_point started = begins_with_visit ? of.visit.started : search_started;
  if (started != kUnknown) {
    facts.latency = ended - started;
  } else if (!has(facts.flags, RankingFlags::kUntimed)) {
    facts.flags = facts.flags | RankingFlags::kUntimed;
    counters.count(&Health::unknown_start);
  }
}

Outcome ExperimentState::admitted(const ObservedVisit& of, ArmIndex arm) noexcept {
  if (arms.status(arm) != ArmStatus::kActive) {
    counters.count(arm.value() < arms.size() ? &Health::inactive_arm : &Health::unknown_arm);
    return Outcome::kInactiveArm;
  }
  if (of.compared_arms == 0 && !sampling.takes(of.visit)) {
    counters.count(&Health::sampled_out);
    return Outcome::kSampledOut;
  }
  return of.visit.topic == kUnjudgedTopic ? Outcome::kUnjudged : Outcome::kRecorded;
}

void ExperimentState::announce(const Visit& visit) noexcept {
  if (options.mode == Mode::kObserve || !is_judged(visit.topic) || !sampling.takes(visit)) return;
  announced.announce(visit);
}

void ExperimentState::answered(TopicIndex topic, std::uint64_t visit) noexcept {
  if (options.mode == Mode::kObserve) return;
  // A late answer is in no score, so it is no answer to the topic's first visit of the epoch.
  if (visit != 0 && visit <= arms_changed_by) return;
  if (const auto unanswered = announced.answered(topic, visit)) push_unseen(*unanswered);
}

void ExperimentState::push_unanswered(AnnouncedVisits::Which which) noexcept {
  announced.take_unanswered(which, qrels().num_topics(),
                            [this](const Visit& visit) { push_unseen(visit); });
}

Outcome ExperimentState::push(const Observation& observation) noexcept {
  const bool answers_visit = observation.topic != kUnjudgedTopic && !is_comparison(observation) &&
                             !is_inner(observation.stage);
  if (answers_visit) answered(observation.topic, observation.visit);
  if (!ring.push(observation)) {
    counters.count(&Health::dropped_queue_full);
    return Outcome::kNoRoom;
  }
  counters.count(&Health::pushed);
  return observation.topic == kUnjudgedTopic ? Outcome::kUnjudged : Outcome::kRecorded;
}

}  // namespace prescope
