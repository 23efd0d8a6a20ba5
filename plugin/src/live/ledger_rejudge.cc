// Judgements that change while rankings are on record, or on their way.
#include <algorithm>
#include <utility>

#include "live/ledger.h"

namespace prescope {

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

}  // namespace prescope
