#include "live/ledger/overlaps.h"

#include <algorithm>
#include <tuple>

#include "facts/observation_rules.h"

namespace prescope {

namespace {

using State = PairOverlap::State;

/// The most changed query first. Visits are distinct, so no two are alike.
bool has_changed_more(const ChangedQuery& a, const ChangedQuery& b) {
  return std::tuple(a.rbo, a.jaccard, a.visit) < std::tuple(b.rbo, b.jaccard, b.visit);
}

/// Returns true if the names of documents mean the same in both: docnos always, docids in one state
/// of one index. As for judged visits, docnos of two states of one index are not compared.
template <class Ranked>
bool share_names(const Ranked& a, const Ranked& b) {
  if (a.has_docids != b.has_docids) return false;
  if (a.has_docids) return a.generation == b.generation && a.generation != 0;
  const bool is_one_index = a.generation >> 32U == b.generation >> 32U;
  return !is_one_index || a.generation == b.generation || a.generation == 0 || b.generation == 0;
}

}  // namespace

void MostChangedQueries::add(const ChangedQuery& visit) {
  const auto same = visit.query.empty()
                        ? queries_.end()
                        : std::ranges::find(queries_, visit.query, &ChangedQuery::query);
  if (same != queries_.end()) {
    if (!has_changed_more(visit, *same)) return;
    queries_.erase(same);
  }
  const auto place = std::ranges::upper_bound(queries_, visit, has_changed_more);
  if (place == queries_.end() && queries_.size() == kMostChanged) return;
  queries_.insert(place, visit);
  if (queries_.size() > kMostChanged) queries_.pop_back();
}

std::vector<VisitOverlap> Overlaps::take(const Observation& observation, std::size_t num_arms,
                                         const IsActive& is_active) {
  std::vector<VisitOverlap> done;
  Visit* visit = visits_.find(observation.visit);
  if (visit == nullptr) {
    Visit* const forgotten = visits_.oldest_if_full();
    if (forgotten != nullptr && !forgotten->is_done) {
      done.push_back(finish(*forgotten, num_arms, is_active));
    }
    visit = &visits_.set(observation.visit, {.overlap = {.time = observation.time,
                                                         .visit = observation.visit,
                                                         .request_id = observation.request_id}});
    ++waiting_;
  }
  if (visit->is_done) return done;
  visit->expected = std::max(visit->expected, observation.compared_arms);
  if (visit->overlap.query.empty()) visit->overlap.query = observation.query;
  const bool is_given_up = has(observation.flags, RankingFlags::kGivenUp);
  if (!is_given_up && std::ranges::count(visit->ranked, observation.arm, &Ranked::arm) == 0) {
    visit->ranked.push_back(ranked_by(observation));
  }
  if (is_given_up || visit->ranked.size() >= visit->expected) {
    done.push_back(finish(*visit, num_arms, is_active));
  }
  return done;
}

Overlaps::Ranked Overlaps::ranked_by(const Observation& observation) const {
  Ranked ranked{.arm = observation.arm,
                .is_from_rank_1 = observation.first_rank == 1,
                .has_failed = answer_of(observation) == Answer::kFailure,
                .is_left_out = has_ranking(observation) &&
                               shaped_by(observation, scored_flags_) != RankingFlags::kNone,
                .has_docids = !observation.captured_docids.empty(),
                .generation = observation.generation};
  const auto depth = [&](const auto& hits) {
    return hits.first(std::min<std::size_t>(hits.size(), options_.depth));
  };
  for (const DocId docid : depth(observation.captured_docids)) {
    ranked.documents.push_back(docid.value());
  }
  const auto keys = depth(observation.captured_keys);
  ranked.documents.insert(ranked.documents.end(), keys.begin(), keys.end());
  // An answer that was cut short counts as it was served.
  const bool is_whole = ends_ranking(observation) || has(observation.flags, RankingFlags::kPartial);
  ranked.has_ended =
      ranked.has_failed || (is_whole && ranked.documents.size() == observation.num_ret);
  return ranked;
}

/// The visit is kept, empty, so that what still comes for it is not taken for another one.
VisitOverlap Overlaps::finish(Visit& visit, std::size_t num_arms, const IsActive& is_active) {
  const auto ranking_of = [&](ArmIndex arm) -> const Ranked* {
    const auto found = std::ranges::find(visit.ranked, arm, &Ranked::arm);
    return found == visit.ranked.end() ? nullptr : &*found;
  };
  VisitOverlap overlap = visit.overlap;
  const Ranked* const a = ranking_of(ArmIndex(0));
  for (std::uint32_t arm = 1; arm < num_arms; ++arm) {
    const Ranked* const b = ranking_of(ArmIndex(arm));
    if (b == nullptr && !is_active(ArmIndex(arm))) continue;
    overlap.pairs.push_back(compare(a, b));
    overlap.pairs.back().b = ArmIndex(arm);
  }
  visit = {.is_done = true};
  --waiting_;
  return overlap;
}

PairOverlap Overlaps::compare(const Ranked* a, const Ranked* b) const {
  PairOverlap pair;
  if (a == nullptr || b == nullptr || !a->is_from_rank_1 || !b->is_from_rank_1) return pair;
  pair.has_failed_a = a->has_failed;
  pair.has_failed_b = b->has_failed;
  const auto become = [&](State state) {
    pair.state = state;
    return pair;
  };
  if (a->is_left_out || b->is_left_out) return become(State::kLeftOut);
  const auto is_known = [&](const Ranked& one) {
    return one.has_ended || one.documents.size() >= options_.depth;
  };
  const bool has_hits = !a->documents.empty() && !b->documents.empty();
  if (has_hits && !share_names(*a, *b)) return become(State::kOtherIndex);
  if (!is_known(*a) || !is_known(*b)) {
    const auto known_down_to = [&](const Ranked& one) {
      return one.has_ended ? options_.depth : static_cast<std::uint32_t>(one.documents.size());
    };
    pair.depth = std::min(known_down_to(*a), known_down_to(*b));
    return become(State::kShallow);
  }
  const auto overlap = ranking_overlap(a->documents, b->documents, options_.persistence);
  if (!overlap) return become(State::kEmpty);
  pair.jaccard = overlap->jaccard;
  pair.rbo = overlap->rbo;
  pair.is_identical = overlap->is_identical;
  return become(State::kCompared);
}

void Overlaps::add(const VisitOverlap& visit) {
  for (const PairOverlap& pair : visit.pairs) {
    if (pair.b.value() >= pairs_.size()) pairs_.resize(pair.b.value() + 1);
    OverlapState& to = pairs_[pair.b.value()];
    switch (pair.state) {
      case State::kCompared:
        break;
      case State::kEmpty:
        ++to.empty;
        continue;
      case State::kShallow:
        ++to.shallow;
        to.shallow_depth = std::max(to.shallow_depth, pair.depth);
        continue;
      case State::kOtherIndex:
        ++to.other_index;
        continue;
      case State::kLeftOut:
        ++to.left_out;
        continue;
      case State::kIncomplete:
        ++to.incomplete;
        continue;
    }
    to.failed_a += pair.has_failed_a ? 1U : 0U;
    to.failed_b += pair.has_failed_b ? 1U : 0U;
    to.identical += pair.is_identical ? 1U : 0U;
    to.jaccard.add(pair.jaccard);
    to.rbo.add(pair.rbo);
    to.latest_jaccard.add(pair.jaccard);
    to.latest_rbo.add(pair.rbo);
    if (pair.is_identical) continue;
    to.most_changed.add({.query = visit.query,
                         .visit = visit.visit,
                         .request_id = visit.request_id,
                         .time = visit.time,
                         .jaccard = pair.jaccard,
                         .rbo = pair.rbo});
  }
}

void Overlaps::begin_epoch() {
  visits_.clear();
  waiting_ = 0;
  pairs_.clear();
}

const OverlapState& Overlaps::pair(ArmIndex b) const noexcept {
  static const OverlapState none;
  return b.value() < pairs_.size() ? pairs_[b.value()] : none;
}

}  // namespace prescope
