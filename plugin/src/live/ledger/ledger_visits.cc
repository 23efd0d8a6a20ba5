// Visits: the rankings that count, their later pages, and changes of the judgements.
#include <algorithm>

#include "base/hash.h"
#include "live/ledger/ledger.h"

namespace prescope {

/// An observation of a topic, translated to the ledger's judgements from those of any version.
struct Ledger::Visit {
  const Observation& observation;
  std::span<const JudgedHit> hits{};
  std::vector<JudgementIndex> unlocated{};  ///< judgements with an unknown rank
  std::uint32_t judged_depth = 0;           ///< down to here all ranks are known
  std::vector<JudgedHit> translated{};      ///< `hits` refers to them if judgements have changed

  [[nodiscard]] bool is_decided() const noexcept { return unlocated.empty(); }
  [[nodiscard]] std::uint32_t last_rank() const noexcept {
    return observation.first_rank - 1 + observation.num_ret;
  }
  [[nodiscard]] bool ends() const noexcept { return ends_ranking(observation); }

  [[nodiscard]] bool counts(const TopicState& state) const noexcept;
  void make_room(TopicState& state) const;
  void keep(TopicState& state) const noexcept;
};

namespace {

using TopicState = Ledger::TopicState;
using Capture = Ledger::Capture;

/// The judgements of one topic in two versions.
struct Renumbering {
  /// Indexed by the old judgement; std::nullopt for a withdrawn one.
  std::vector<std::optional<JudgementIndex>> now;
  std::vector<JudgementIndex> added;  ///< judged now and not before
  bool has_changes = false;           ///< of documents or grades, on which scores depend

  /// O(judgements).
  Renumbering(const TopicQrels& before, const TopicQrels& after) : now(before.judgements().size()) {
    const std::span<const Judgement> old = before.judgements(), current = after.judgements();
    std::uint32_t i = 0, j = 0;
    while (i < old.size() || j < current.size()) {
      if (j == current.size() || (i < old.size() && old[i].key < current[j].key)) {
        ++i;
        has_changes = true;
      } else if (i == old.size() || current[j].key < old[i].key) {
        added.emplace_back(j++);
        has_changes = true;
      } else {
        has_changes = has_changes || old[i].grade != current[j].grade ||
                      before.is_relevant(JudgementIndex(i)) != after.is_relevant(JudgementIndex(j));
        now[i++] = JudgementIndex(j++);
      }
    }
  }
};

/// The judged documents of a ranking, as far as their ranks are known.
struct Known {
  std::vector<JudgedHit> hits;            ///< ascending by rank
  std::vector<JudgementIndex> unlocated;  ///< judgements with an unknown rank
};

/// A ranking that is judged again.
struct Served {
  std::span<const JudgedHit> hits{};
  std::span<const JudgementIndex> unlocated{};
  std::span<const std::uint64_t> keys{};  ///< captured hashes of keys, from `first_rank` on
  Rank first_rank = 1;
  std::uint32_t num_ret = 0;
};

/// Newly judged documents are found by their keys.
Known judged_anew(const Served& ranking, const Renumbering& renumbering, const TopicQrels& topic) {
  Known known{.hits = {}, .unlocated = renumbering.added};
  for (const JudgedHit& hit : ranking.hits) {
    const auto judgement = renumbering.now[hit.judgement.value()];
    if (judgement) known.hits.push_back({hit.rank, *judgement});
  }
  for (const JudgementIndex before : ranking.unlocated) {
    if (const auto now = renumbering.now[before.value()]) known.unlocated.push_back(*now);
  }
  const bool is_whole = ranking.keys.size() >= ranking.num_ret;
  std::erase_if(known.unlocated, [&](JudgementIndex judgement) {
    const auto found =
        std::ranges::find(ranking.keys, key_hash(topic.judgements()[judgement.value()].key));
    if (found == ranking.keys.end()) return is_whole;
    const auto rank = ranking.first_rank + static_cast<Rank>(found - ranking.keys.begin());
    known.hits.push_back({rank, judgement});
    return true;
  });
  std::ranges::sort(known.hits, {}, &JudgedHit::rank);
  return known;
}

/// Returns the first of a document's docids in the ranking.
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

/// Removes the documents that the table locates or rules out from `unlocated`; `hits` has room for
/// them.
void locate_by_docid(TopicState& state, const ResolvedQrels::Topic& topic) {
  Capture& captured = *state.captured;
  const bool whole = captured.depth() >= state.ranking.num_ret;
  std::erase_if(captured.unlocated, [&](JudgementIndex judgement) {
    const std::optional<Rank> rank = rank_of(topic, judgement, captured.docids);
    if (rank) state.ranking.hits.push_back({*rank, judgement});
    return rank || whole || !is_carried(topic, judgement);
  });
  std::ranges::sort(state.ranking.hits, {}, &JudgedHit::rank);
  state.judged_depth = captured.depth();
  state.awaiting = !captured.unlocated.empty();
}

bool are_known_to_differ(std::uint64_t a, std::uint64_t b) { return a != 0 && b != 0 && a != b; }

bool is_awaited(const TopicState& state, JudgementIndex judgement) {
  return state.awaiting &&
         std::ranges::find(state.captured->unlocated, judgement) != state.captured->unlocated.end();
}

/// Appends hits behind the known ranking, each document once: an awaited one may stand on an
/// earlier page too. Throws before anything is changed.
void append_hits(TopicState& state, std::span<const JudgedHit> hits) {
  const std::size_t known = state.ranking.hits.size();
  state.ranking.hits.reserve(known + hits.size());
  for (const JudgedHit& hit : hits) {
    const auto end = state.ranking.hits.begin() + static_cast<std::ptrdiff_t>(known);
    const bool seen = std::find_if(state.ranking.hits.begin(), end, [&](const JudgedHit& earlier) {
                        return earlier.judgement == hit.judgement;
                      }) != end;
    if (hit.rank > state.ranking.num_ret && !seen && !is_awaited(state, hit.judgement)) {
      state.ranking.hits.push_back(hit);
    }
  }
}

/// Appends the part of a later page that lies behind `known`; page[0] stands at `first_rank`.
template <class Hit>
void append_captured(std::vector<Hit>& known, std::span<const Hit> page, Rank first_rank) {
  const std::size_t again = known.size() + 1 - first_rank;
  if (again >= page.size()) return;
  known.insert(known.end(), page.begin() + static_cast<std::ptrdiff_t>(again), page.end());
}

/// Does so only if the ranking was captured to its end so far: a gap would be found too late.
void append_capture(TopicState& state, const Observation& page) {
  if (!state.captured || state.captured->depth() != state.ranking.num_ret) return;
  Capture& captured = *state.captured;
  if (!captured.docids.empty() && captured.generation == page.generation) {
    append_captured(captured.docids, page.captured_docids, page.first_rank);
  }
  if (!captured.keys.empty()) {
    append_captured(captured.keys, page.captured_keys, page.first_rank);
  }
}

}  // namespace

bool Ledger::Visit::counts(const TopicState& state) const noexcept {
  const std::uint64_t generation = observation.generation;
  const bool newer =
      are_known_to_differ(generation, state.generation) && generation > state.generation;
  if (!state.seen || newer || (is_decided() && ends())) return true;
  if (state.exhausted && !state.awaiting) return false;
  const std::uint32_t known = state.awaiting ? state.judged_depth : state.ranking.num_ret;
  return (is_decided() ? last_rank() : judged_depth) >= known;
}

/// Reserves memory for the data that `keep` will store.
void Ledger::Visit::make_room(TopicState& state) const {
  state.ranking.hits.reserve(hits.size());
  if (observation.captured_docids.empty() && observation.captured_keys.empty()) return;
  if (!state.captured) state.captured = std::make_unique<Capture>();
  state.captured->docids.reserve(observation.captured_docids.size());
  state.captured->keys.reserve(observation.captured_keys.size());
  state.captured->unlocated.reserve(unlocated.size());
}

void Ledger::Visit::keep(TopicState& state) const noexcept {
  state.ranking.hits.assign(hits.begin(), hits.end());
  state.ranking.num_ret = last_rank();
  state.generation = observation.generation;
  state.collection_size = observation.collection_size;
  state.exhausted = ends();
  state.seen = true;
  state.awaiting = !is_decided();
  state.judged_depth = judged_depth;
  if (!state.captured) return;
  Capture& captured = *state.captured;
  captured.generation = observation.generation;
  captured.docids.assign(observation.captured_docids.begin(), observation.captured_docids.end());
  captured.keys.assign(observation.captured_keys.begin(), observation.captured_keys.end());
  captured.unlocated.assign(unlocated.begin(), unlocated.end());
}

bool Ledger::take(const Observation& observation) {
  const std::optional<Visit> visit = in_current_judgements(observation);
  if (!visit) return false;
  TopicState& state = arms_[observation.arm.value()].topics[observation.topic.value()];
  if (observation.first_rank == 1) {
    if (visit->counts(state)) replace(state, *visit);
    ++state.visits;
  } else {
    take_page(state, *visit);
  }
  return true;
}

void Ledger::take_page(TopicState& state, const Visit& visit) {
  const Observation& page = visit.observation;
  const bool follows = state.seen && !are_known_to_differ(page.generation, state.generation) &&
                       (page.first_rank <= state.ranking.num_ret + 1 || state.exhausted);
  if (!follows) {
    ++page_gaps_;
  } else if (page.first_rank > state.ranking.num_ret + 1) {
    // Nothing can be missing behind the end of a ranking.
  } else if (visit.last_rank() > state.ranking.num_ret || visit.ends()) {
    extend(state, visit);
  }
}

void Ledger::replace(TopicState& state, const Visit& visit) {
  const Observation& observation = visit.observation;
  visit.make_room(state);
  visit.keep(state);
  if (expectation_) expectation_->fix(observation.topic);
  Score* const scores = &arms_[observation.arm.value()].scores[first_score(observation.topic)];
  for (std::size_t m = 0; m < num_measures_; ++m) scores[m].of_last_visit = false;
  enter_values(observation.arm, observation.topic);
}

void Ledger::extend(TopicState& state, const Visit& visit) {
  const Observation& page = visit.observation;
  append_capture(state, page);
  append_hits(state, visit.hits);
  if (state.generation == 0) state.generation = page.generation;
  state.ranking.num_ret = std::max(state.ranking.num_ret, visit.last_rank());
  state.exhausted = visit.ends();
  enter_values(page.arm, page.topic);
}

/// Scores a new visit, or one that a page has extended.
void Ledger::enter_values(ArmIndex arm, TopicIndex topic) noexcept {
  const std::span<const std::optional<double>> now = values(arm, topic);
  for (std::size_t m = 0; m < num_measures_; ++m) {
    if (!now[m]) continue;
    Score& score = arms_[arm.value()].scores[first_score(topic) + m];
    if (expectation_ && score.visits == 0) expectation_->saw(topic, m, *now[m]);
    const double before = score.of_last_visit ? score.last : score.mean;
    score.visits += score.of_last_visit ? 0U : 1U;
    score.mean += (*now[m] - before) / score.visits;
    score.last = *now[m];
    score.of_last_visit = true;
  }
}

std::span<const std::optional<double>> Ledger::values(ArmIndex arm, TopicIndex topic) noexcept {
  const TopicState& state = arms_[arm.value()].topics[topic.value()];
  scorer_->score(
      ranks_.of(qrels().topic(topic), qrels().min_grade(), state.ranking, state.collection_size),
      values_);
  for (std::size_t m = 0; m < num_measures_; ++m) {
    if (!is_reached(state, m)) values_[m].reset();
  }
  return values_;
}

std::optional<Ledger::Visit> Ledger::in_current_judgements(const Observation& observation) const {
  Visit visit{.observation = observation, .hits = observation.hits};
  const std::uint32_t version = observation.judgements_version;
  if (version == judged().version()) return visit;
  const auto before = std::ranges::find(versions_, version, &JudgedDocnos::version);
  if (before == versions_.end()) return std::nullopt;
  const TopicQrels& topic = qrels().topic(observation.topic);
  const std::span<const std::uint64_t> keys = observation.captured_keys;
  Known known = judged_anew({.hits = observation.hits,
                             .keys = keys,
                             .first_rank = observation.first_rank,
                             .num_ret = observation.num_ret},
                            {(*before)->qrels().topic(observation.topic), topic}, topic);
  visit.translated = std::move(known.hits);
  visit.hits = visit.translated;
  visit.unlocated = std::move(known.unlocated);
  if (visit.is_decided()) return visit;
  // Keeps the visit on record if the new one might never be decided.
  const TopicState& state = arms_[observation.arm.value()].topics[observation.topic.value()];
  const bool captured = !keys.empty() || !observation.captured_docids.empty();
  const bool better_than_nothing = !state.seen || state.awaiting;
  if (!captured || !better_than_nothing || observation.first_rank != 1) return std::nullopt;
  visit.judged_depth = static_cast<std::uint32_t>(keys.size());
  return visit;
}

/// The new state of one topic of one arm after judgements have changed.
struct Ledger::Rejudging {
  ArmIndex arm{};
  TopicIndex topic{};
  std::vector<JudgedHit> hits{};
  std::unique_ptr<Capture> captured{};
  std::uint32_t judged_depth = 0;
};

std::vector<Ledger::Rejudging> Ledger::rejudging(const Qrels& now) const {
  std::vector<Rejudging> changes;
  for (std::uint32_t t = 0; t < now.topics().size(); ++t) {
    const Renumbering renumbering(qrels().topics()[t], now.topics()[t]);
    if (!renumbering.has_changes) continue;
    for (std::uint32_t a = 0; a < arms_.size(); ++a) {
      if (arms_[a].is_removed() || !arms_[a].topics[t].seen) continue;
      const TopicState& state = arms_[a].topics[t];
      Capture captured = state.captured ? *state.captured : Capture{};
      Known known = judged_anew({.hits = state.ranking.hits,
                                 .unlocated = captured.unlocated,
                                 .keys = captured.keys,
                                 .num_ret = state.ranking.num_ret},
                                renumbering, now.topics()[t]);
      captured.unlocated = std::move(known.unlocated);
      // A table that was made for the old judgements says nothing about the new ones.
      const bool is_as_before = state.awaiting && renumbering.added.empty();
      const auto num_keys = static_cast<std::uint32_t>(captured.keys.size());
      changes.push_back({.arm = ArmIndex(a),
                         .topic = TopicIndex(t),
                         .hits = std::move(known.hits),
                         .captured = std::make_unique<Capture>(std::move(captured)),
                         .judged_depth = is_as_before ? state.judged_depth : num_keys});
    }
  }
  return changes;
}

Rejudged Ledger::rejudge(const JudgedDocnos& now) {
  versions_.reserve(versions_.size() + 1);
  ranks_.reserve(now.qrels());
  std::vector<Rejudging> changes = rejudging(now.qrels());
  next_epoch(EpochReason::kJudgements);
  versions_.push_back(&now);
  Rejudged result;
  for (Rejudging& change : changes) {
    TopicState& state = arms_[change.arm.value()].topics[change.topic.value()];
    state.ranking.hits = std::move(change.hits);
    state.captured = std::move(change.captured);
    state.judged_depth = change.judged_depth;
    state.awaiting = !state.captured->unlocated.empty();
    rescore(change.arm, change.topic);
    ++result.topics;
    ++(state.awaiting ? result.awaiting : result.rescored);
  }
  return result;
}

/// The last visit becomes the first of the epoch.
void Ledger::rescore(ArmIndex arm, TopicIndex topic) noexcept {
  std::fill_n(&arms_[arm.value()].scores[first_score(topic)], num_measures_, Score{});
  enter_values(arm, topic);
}

Rejudged Ledger::locate(ArmIndex arm, const ResolvedQrels& table) {
  Rejudged result;
  if (table.judged().version() != judged().version()) return result;
  ArmState& state = arms_[arm.value()];
  for (TopicState& topic : state.topics) {
    if (can_locate(topic, table)) {
      topic.ranking.hits.reserve(topic.ranking.hits.size() + topic.captured->unlocated.size());
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
  return result;
}

}  // namespace prescope
