#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "live/ledger/ledger.h"

namespace prescope {

// Judgements that change while rankings are on record, or on their way.

/// What becomes of one topic of one arm.
struct Ledger::Rejudging {
  ArmIndex arm{};
  TopicIndex topic{};
  std::vector<JudgedHit> hits{};
  std::unique_ptr<Capture> captured{};  ///< where documents were not located
  std::uint32_t judged_depth = 0;
};

namespace {

using TopicState = Ledger::TopicState;

/// How far down the documents in `keys` are known, whatever comes to be judged.
bool is_whole(std::span<const std::uint64_t> keys, std::uint32_t served) {
  return keys.size() >= served;
}

/// The first of a document's docids, as ranked.
std::optional<Rank> rank_of(const ResolvedQrels::Topic& topic, JudgementIndex judgement,
                            std::span<const DocId> ranked) {
  auto first = ranked.end();
  for (const ResolvedQrels::Entry& entry : topic.entries) {
    if (entry.judgement == judgement) first = std::find(ranked.begin(), first, entry.docid);
  }
  if (first == ranked.end()) return std::nullopt;
  return static_cast<Rank>(first - ranked.begin()) + 1;
}

bool is_carried(const ResolvedQrels::Topic& topic, JudgementIndex judgement) {
  return std::ranges::find(topic.entries, judgement, &ResolvedQrels::Entry::judgement) !=
         topic.entries.end();
}

bool can_locate(const TopicState& state, const ResolvedQrels& table) {
  return state.awaiting && !state.captured->docids.empty() &&
         state.captured->generation == table.generation();
}

/// Takes out of `unlocated` what the table decides; `hits` has room for them.
void locate_by_docid(TopicState& state, const ResolvedQrels::Topic& topic) {
  Capture& captured = *state.captured;
  const bool whole = captured.depth() >= state.covered;
  std::erase_if(captured.unlocated, [&](JudgementIndex judgement) {
    const std::optional<Rank> rank = rank_of(topic, judgement, captured.docids);
    if (rank) state.hits.push_back({*rank, judgement});
    return rank || whole || !is_carried(topic, judgement);
  });
  std::ranges::sort(state.hits, {}, &JudgedHit::rank);
  state.judged_depth = captured.depth();
  state.awaiting = !captured.unlocated.empty();
}

}  // namespace

std::optional<Visit> Ledger::in_current_judgements(const Observation& observation) {
  Visit visit{.observation = &observation, .hits = observation.hits};
  const std::uint32_t version = observation.judgements_version;
  if (version == judged().version()) return visit;
  const auto before = std::ranges::find(versions_, version, &JudgedDocnos::version);
  if (before == versions_.end()) return std::nullopt;
  const TopicQrels& topic = qrels().topic(observation.topic);
  renumbering_.between((*before)->qrels().topic(observation.topic), topic);
  renumbering_.renumber(observation.hits, hits_);
  unlocated_.assign(renumbering_.added().begin(), renumbering_.added().end());
  const std::span<const std::uint64_t> keys = observation.captured_keys;
  locate_by_key(topic, keys, observation.first_rank, unlocated_, hits_);
  visit.hits = hits_;
  if (unlocated_.empty() || is_whole(keys, observation.num_ret)) return visit;
  // What is on record is worth more than a visit that may never be known.
  const TopicState& state = arms_[observation.arm.value()].topics[observation.topic.value()];
  const bool captured = !keys.empty() || !observation.captured_docids.empty();
  const bool better_than_nothing = !state.seen || state.awaiting;
  if (!captured || !better_than_nothing || observation.first_rank != 1) return std::nullopt;
  visit.unlocated = unlocated_;
  visit.judged_depth = static_cast<std::uint32_t>(keys.size());
  return visit;
}

std::vector<Ledger::Rejudging> Ledger::rejudging(const Qrels& now) const {
  std::vector<Rejudging> changes;
  Renumbering renumbering;
  for (std::uint32_t t = 0; t < now.topics().size(); ++t) {
    const TopicQrels& topic = now.topics()[t];
    renumbering.between(qrels().topics()[t], topic);
    if (!renumbering.has_changes()) continue;
    for (std::uint32_t a = 0; a < arms_.size(); ++a) {
      if (arms_[a].is_removed() || !arms_[a].topics[t].seen) continue;
      changes.push_back({.arm = ArmIndex(a), .topic = TopicIndex(t)});
      rejudge_topic(arms_[a].topics[t], topic, renumbering, changes.back());
    }
  }
  return changes;
}

void Ledger::rejudge_topic(const TopicState& state, const TopicQrels& topic,
                           const Renumbering& renumbering, Rejudging& change) {
  renumbering.renumber(state.hits, change.hits);
  change.captured =
      state.captured ? std::make_unique<Capture>(*state.captured) : std::make_unique<Capture>();
  Capture& captured = *change.captured;
  std::vector<JudgementIndex>& unlocated = captured.unlocated;
  std::erase_if(unlocated, [&](JudgementIndex& judgement) {
    const std::optional<JudgementIndex> now = renumbering.now(judgement);
    judgement = now.value_or(judgement);
    return !now;
  });
  const std::span<const JudgementIndex> added = renumbering.added();
  unlocated.insert(unlocated.end(), added.begin(), added.end());
  locate_by_key(topic, captured.keys, 1, unlocated, change.hits);
  if (is_whole(captured.keys, state.covered)) unlocated.clear();
  change.judged_depth = static_cast<std::uint32_t>(captured.keys.size());
  // A table that located what was judged before says nothing of what is judged now.
  if (state.awaiting && added.empty()) change.judged_depth = state.judged_depth;
}

Rejudged Ledger::rejudge(const JudgedDocnos& now) {
  versions_.reserve(versions_.size() + 1);
  VisitScorer scorer(now.qrels(), *scorer_);
  std::vector<Rejudging> changes = rejudging(now.qrels());
  next_epoch(EpochReason::kJudgements);
  versions_.push_back(&now);
  visit_scorer_ = std::move(scorer);
  Rejudged result;
  for (Rejudging& change : changes) {
    TopicState& state = arms_[change.arm.value()].topics[change.topic.value()];
    state.hits = std::move(change.hits);
    state.captured = std::move(change.captured);
    state.judged_depth = change.judged_depth;
    state.awaiting = !state.captured->unlocated.empty();
    rescore(change.arm, change.topic);
    ++result.topics;
    ++(state.awaiting ? result.awaiting : result.rescored);
  }
  sum_up();
  return result;
}

/// The last visit becomes the first of the epoch. Leaves the sums to the caller.
void Ledger::rescore(ArmIndex arm, TopicIndex topic) noexcept {
  const std::span<const std::optional<double>> now = values(arm, topic);
  Score* const scores = &arms_[arm.value()].scores[first_score(topic)];
  for (std::size_t m = 0; m < num_measures_; ++m) {
    if (expectation_ && now[m]) expectation_->saw(topic, m, *now[m]);
    scores[m] = Score{};
    if (now[m]) scores[m] = {.mean = *now[m], .last = *now[m], .visits = 1, .of_last_visit = true};
  }
}

Rejudged Ledger::locate(ArmIndex arm, const ResolvedQrels& table) {
  Rejudged result;
  if (table.judged().version() != judged().version()) return result;
  ArmState& state = arms_[arm.value()];
  for (TopicState& topic : state.topics) {
    if (can_locate(topic, table)) {
      topic.hits.reserve(topic.hits.size() + topic.captured->unlocated.size());
    }
  }
  for (std::uint32_t t = 0; t < state.topics.size(); ++t) {
    TopicState& topic = state.topics[t];
    if (!can_locate(topic, table)) continue;
    locate_by_docid(topic, table.topic(TopicIndex(t)));
    rescore(arm, TopicIndex(t));
    ++result.topics;
    ++(topic.awaiting ? result.awaiting : result.rescored);
  }
  if (result.topics > 0) sum_up();
  return result;
}

// Two servers, one experiment.

namespace {

using Score = Ledger::Score;
using TopicState = Ledger::TopicState;
using ArmState = Ledger::ArmState;

/// Generations are numbered by each server for itself: no later page and no table is of this one.
constexpr std::uint64_t kOfAnotherServer = std::numeric_limits<std::uint64_t>::max();

/// Whose is described.
enum class LastVisit { kOurs, kTheirs };

LastVisit last_visit(const TopicState& ours, const TopicState& theirs) noexcept {
  const bool know_more = theirs.seen && (!ours.seen || (ours.awaiting && !theirs.awaiting));
  return know_more ? LastVisit::kTheirs : LastVisit::kOurs;
}

void make_room(TopicState& ours, const TopicState& theirs) {
  if (last_visit(ours, theirs) == LastVisit::kOurs) return;
  ours.hits.reserve(theirs.hits.size());
  if (!theirs.captured) return;
  if (!ours.captured) ours.captured = std::make_unique<Capture>();
  ours.captured->keys.reserve(theirs.captured->keys.size());
  ours.captured->unlocated.reserve(theirs.captured->unlocated.size());
}

void take_last_visit(TopicState& ours, const TopicState& theirs) noexcept {
  ours.generation = kOfAnotherServer;
  ours.collection_size = theirs.collection_size;
  ours.covered = theirs.covered;
  ours.seen = true;
  ours.exhausted = theirs.exhausted;
  ours.awaiting = theirs.awaiting;
  ours.judged_depth = theirs.judged_depth;
  ours.hits.assign(theirs.hits.begin(), theirs.hits.end());
  if (ours.captured) ours.captured->clear();
  if (!theirs.captured) return;
  ours.captured->keys.assign(theirs.captured->keys.begin(), theirs.captured->keys.end());
  ours.captured->unlocated.assign(theirs.captured->unlocated.begin(),
                                  theirs.captured->unlocated.end());
}

void merge_topic(TopicState& ours, const TopicState& theirs, LastVisit last) noexcept {
  if (last == LastVisit::kTheirs) take_last_visit(ours, theirs);
  ours.visits += theirs.visits;
  ours.timed_visits += theirs.timed_visits;
  ours.sum_log_latency += theirs.sum_log_latency;
  if (!ours.last_latency_ms) ours.last_latency_ms = theirs.last_latency_ms;
}

void merge_score(Score& ours, const Score& theirs) noexcept {
  if (theirs.visits == 0) return;
  if (ours.visits == 0) ours.last = theirs.last;
  ours.visits += theirs.visits;
  ours.mean += (theirs.mean - ours.mean) * (double(theirs.visits) / double(ours.visits));
}

void merge_scores(std::span<Score> ours, std::span<const Score> theirs, LastVisit last) noexcept {
  for (std::size_t m = 0; m < ours.size(); ++m) {
    merge_score(ours[m], theirs[m]);
    if (last == LastVisit::kOurs) continue;
    ours[m].last = theirs[m].visits > 0 ? theirs[m].last : ours[m].last;
    ours[m].of_last_visit = theirs[m].of_last_visit;
  }
}

void merge_counts(ArmState& ours, const ArmState& theirs) noexcept {
  ours.judged_queries += theirs.judged_queries;
  ours.unjudged_queries += theirs.unjudged_queries;
  ours.retried_queries += theirs.retried_queries;
  ours.failed_queries += theirs.failed_queries;
  ours.timed_out_queries += theirs.timed_out_queries;
  ours.duplicate_hits += theirs.duplicate_hits;
  ours.latency.merge(theirs.latency);
  ours.shadow_latency.merge(theirs.shadow_latency);
  ours.self_time.merge(theirs.self_time);
  ours.unjudged_self_time.merge(theirs.unjudged_self_time);
}

void merge_arm(ArmState& ours, const ArmState& theirs) noexcept {
  const std::size_t measures = ours.measures.size();
  for (std::size_t t = 0; t < ours.topics.size(); ++t) {
    const LastVisit last = last_visit(ours.topics[t], theirs.topics[t]);
    merge_topic(ours.topics[t], theirs.topics[t], last);
    merge_scores(std::span(ours.scores).subspan(t * measures, measures),
                 std::span(theirs.scores).subspan(t * measures, measures), last);
  }
  merge_counts(ours, theirs);
}

}  // namespace

void Ledger::merge(const Ledger& other) {
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (other.arms_[a].is_removed()) continue;  // and where ours is, it has no topics
    for (std::size_t t = 0; t < arms_[a].topics.size(); ++t) {
      make_room(arms_[a].topics[t], other.arms_[a].topics[t]);
    }
  }
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].is_removed() || other.arms_[a].is_removed()) continue;
    merge_arm(arms_[a], other.arms_[a]);
  }
  if (expectation_) expectation_->merge(*other.expectation_);
  epoch_.observations += other.epoch_.observations;
  page_gaps_ += other.page_gaps_;
  late_observations_ += other.late_observations_;
  clock_steps_ += other.clock_steps_;
  sum_up();
}

}  // namespace prescope
