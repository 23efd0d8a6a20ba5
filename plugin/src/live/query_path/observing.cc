// The query path: from the served hits to a queued observation. No lock, no exception, no system
// call beyond the clock, and no allocation but a thread's first buffer.
#include <algorithm>

#include "base/hash.h"
#include "live/experiment_state.h"

namespace prescope {

using Clock = std::chrono::steady_clock;

/// The thread's own buffer, in which an observation is built, so that a slow adapter blocks no
/// other thread.
struct RankingObserver::Draft {
  Observation observation;
  std::vector<JudgedHit> hits;
  std::vector<bool> seen;  // by judgement
  std::vector<DocId> docids;
  std::vector<std::uint64_t> keys;
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
const ResolvedQrels* table_of(const Ranking& ranking, const Experiment::State& state) noexcept {
  if (ranking.kind != HitKind::kDocids || ranking.resolved == nullptr) return nullptr;
  const auto* const judged = &ranking.resolved->judged();
  const auto matches = [&](const JudgementVersion& version) { return &version.judged == judged; };
  return state.find_version(matches) != nullptr ? ranking.resolved : nullptr;
}

constinit thread_local QueryScope* innermost = nullptr;

}  // namespace

QueryScope::QueryScope(Experiment& experiment, TopicIndex topic, std::optional<ArmIndex> arm,
                       RankingFlags flags) noexcept
    : experiment_(&experiment),
      outer_(std::exchange(innermost, this)),
      topic_(topic),
      arm_(arm),
      flags_(flags),
      started_(std::chrono::steady_clock::now()) {}

QueryScope::QueryScope(Experiment& experiment, TopicIndex topic) noexcept
    : QueryScope(experiment, topic, std::nullopt, RankingFlags::kNone) {}

QueryScope::QueryScope(Experiment& experiment, std::string_view topic) noexcept
    : QueryScope(experiment, experiment.qrels().find(topic).value_or(kUnjudgedTopic)) {}

QueryScope::QueryScope(Experiment& experiment, const TopicId& topic, const ArmId& arm) noexcept
    : QueryScope(experiment, experiment.qrels().find(topic.text()).value_or(kUnjudgedTopic),
                 experiment.find_arm(arm.text()), RankingFlags::kNone) {
  if (!arm_) count(experiment.state_->counters.unknown_arm);
}

QueryScope::~QueryScope() {
  innermost = outer_;
  if (!observed_) count(experiment_->state_->counters.queries_without_ranking);
}

QueryScope* QueryScope::current() noexcept { return innermost; }

QueryScope* QueryScope::current_of(const Experiment& experiment) noexcept {
  return innermost != nullptr && innermost->experiment_ == &experiment ? innermost : nullptr;
}

bool QueryScope::is_sampled() noexcept {
  if (has(flags_, RankingFlags::kShadow)) return true;
  Experiment::State& state = *experiment_->state_;
  if (!sampled_) sampled_ = state.sampling.takes_next();
  if (!*sampled_) count(state.counters.sampled_out);
  return *sampled_;
}

RankingObserver::RankingObserver(Experiment& experiment, const Ranking& ranking) noexcept
    : next_rank_(ranking.first_rank), began_(Clock::now()) {
  Experiment::State& state = *experiment.state_;
  QueryScope* const scope = QueryScope::current_of(experiment);
  if (scope == nullptr) {
    count(state.counters.queries_without_scope);
    return;
  }
  const auto started = scope->take_answer() ? scope->started_ : ranking.search_started;
  const Observation facts{.arm = scope->arm().value_or(ranking.arm),
                          .total_hits = ranking.total_hits,
                          .latency = ranking.search_ended.value_or(began_) - started,
                          .first_rank = ranking.first_rank,
                          .requested_depth = ranking.requested_depth,
                          .flags = ranking.flags | scope->flags_};
  const bool is_recorded = state.is_active(facts.arm) && scope->is_sampled();
  if (scope->topic() == kUnjudgedTopic) {
    Observation unjudged{.arm = facts.arm, .latency = facts.latency, .flags = facts.flags};
    if (is_recorded) state.push(unjudged, began_);
    return;
  }
  state_ = &state;
  if (is_recorded) begin(facts, scope->topic(), ranking);
}

void RankingObserver::begin(Observation facts, TopicIndex topic, const Ranking& ranking) noexcept {
  const JudgementVersion& current = state_->current_version();
  std::size_t judgements = 0;
  if (const ResolvedQrels* const table = table_of(ranking, *state_)) {
    facts.generation = table->generation();
    facts.collection_size = table->collection_size();
    if (topic.value() < table->num_topics()) {
      resolved_ = &table->topic(topic);
      judgements = resolved_->judgements;
      facts.judgements_version = table->judgements_version();
    }
  } else if (ranking.kind == HitKind::kDocnos) {
    facts.generation = ranking.generation;
    facts.collection_size = ranking.collection_size;
    if (topic.value() < current.judged.num_topics()) {
      judged_ = &current.judged;
      judgements = current.qrels.topic(topic).judgements().size();
      facts.judgements_version = current.judged.version();
    }
  }
  if (is_matched()) {
    facts.topic = topic;
  } else {
    count(state_->counters.unmatched_rankings);
  }
  static thread_local Draft draft_here;
  const std::size_t most = std::max<std::size_t>(judgements, current.most_judgements);
  if (draft_here.is_taken || !draft_here.reserve(most, state_->options.recording.capture_depth)) {
    count(state_->counters.dropped_queue_full);
    return;
  }
  draft_ = &draft_here;
  draft_->begin(facts, judgements,
                is_matched()
                    ? std::min(ranking.requested_depth, state_->options.recording.capture_depth)
                    : 0);
  if (!ranking.docids.empty()) add(ranking.docids);
  if (!ranking.docnos.empty()) add(ranking.docnos);
}

void RankingObserver::add(std::span<const DocId> docids) noexcept {
  const Rank first = std::exchange(next_rank_, next_rank_ + static_cast<Rank>(docids.size()));
  if (draft_ == nullptr || resolved_ == nullptr) return;
  const auto captured = docids.first(std::min(draft_->room_to_capture(first), docids.size()));
  draft_->docids.insert(draft_->docids.end(), captured.begin(), captured.end());
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const ResolvedQrels::Entry* const judged = resolved_->find(docids[i]);
    if (judged != nullptr) draft_->hit(judged->judgement, first + static_cast<Rank>(i));
  }
}

void RankingObserver::add(std::span<const std::string_view> docnos) noexcept {
  const Rank first = std::exchange(next_rank_, next_rank_ + static_cast<Rank>(docnos.size()));
  if (draft_ == nullptr || judged_ == nullptr) return;
  const std::size_t captured = std::min(draft_->room_to_capture(first), docnos.size());
  DocnoBuffer buffer;
  for (std::size_t i = 0; i < docnos.size(); ++i) {
    const std::string_view key = judged_->docnos().key(docnos[i], buffer);
    if (i < captured) draft_->keys.push_back(key_hash(key));
    const std::uint32_t found = judged_->find(key);
    if (found == JudgedDocnos::kNotJudged) continue;
    for (const JudgedDocnos::Use& use : judged_->uses(found)) {
      if (use.topic != draft_->observation.topic) continue;
      draft_->hit(use.judgement, first + static_cast<Rank>(i));
    }
  }
}

void RankingObserver::abandon() noexcept {
  if (state_ == nullptr) return;
  count(state_->counters.adapter_failures);
  if (draft_ != nullptr) std::exchange(draft_, nullptr)->is_taken = false;
}

RankingObserver::~RankingObserver() {
  if (draft_ == nullptr) return;
  Observation& observation = draft_->observation;
  observation.num_ret = next_rank_ - observation.first_rank;
  observation.hits = draft_->hits;
  observation.captured_docids = draft_->docids;
  observation.captured_keys = draft_->keys;
  state_->push(observation, began_);
  draft_->is_taken = false;
}

void Experiment::observe(const Ranking& ranking) noexcept {
  const RankingObserver records_when_it_ends(*this, ranking);
}

void Experiment::observe_failure(ArmIndex arm, SearchFailure failure) noexcept {
  const Clock::time_point began = Clock::now();
  QueryScope* const scope = QueryScope::current_of(*this);
  const bool is_first = scope != nullptr && scope->take_answer();
  Observation observation{.arm = arm,
                          .flags = failure == SearchFailure::kTimedOut ? RankingFlags::kTimedOut
                                                                       : RankingFlags::kFailed};
  if (scope != nullptr) {
    observation.topic = scope->topic();
    observation.arm = scope->arm().value_or(arm);
    observation.flags = observation.flags | scope->flags_;
    observation.judgements_version = judged().version();
    if (is_first) observation.latency = began - scope->started_;
  }
  if (!state_->is_active(observation.arm)) return;
  if (scope != nullptr ? scope->is_sampled() : state_->is_sampled()) {
    state_->push(observation, began);
  }
}

bool Experiment::State::is_active(ArmIndex arm) noexcept {
  if (arms.status(arm) == ArmStatus::kActive) return true;
  count(arm.value() < arms.size() ? counters.inactive_arm : counters.unknown_arm);
  return false;
}

bool Experiment::State::is_sampled() noexcept {
  if (sampling.takes_next()) return true;
  count(counters.sampled_out);
  return false;
}

void Experiment::State::push(Observation& observation, Clock::time_point began) noexcept {
  observation.self_time = Clock::now() - began;
  count(ring.push(observation) ? counters.pushed : counters.dropped_queue_full);
}

}  // namespace prescope
