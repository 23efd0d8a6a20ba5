// Changed judgements: what was served is scored anew, as far as the ranks are known.
#include <algorithm>

#include "base/hash.h"
#include "live/ledger/ledger.h"

namespace prescope {

namespace {

using CapturedVisit = Ledger::CapturedVisit;
using Capture = Ledger::Capture;

bool can_locate(const CapturedVisit& facts, const ResolvedQrels& table) {
  return facts.awaiting && !facts.captured->docids.empty() &&
         facts.generation == table.generation();
}

bool is_carried(const ResolvedQrels::Topic& topic, JudgementIndex judgement) {
  return std::ranges::find(topic.entries, judgement, &ResolvedQrels::Entry::judgement) !=
         topic.entries.end();
}

/// Matches the captured docids anew, as a query would be: a document that carries several judged
/// docnos counts once. Hits behind the captured ones are kept.
void match_captured(CapturedVisit& facts, const ResolvedQrels::Topic& topic) {
  const std::vector<DocId>& docids = facts.captured->docids;
  std::vector<JudgedHit> hits;
  const auto is_known = [&](JudgementIndex judgement) {
    return std::ranges::find(hits, judgement, &JudgedHit::judgement) != hits.end();
  };
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const ResolvedQrels::Entry* const entry = topic.find(docids[i]);
    if (entry == nullptr || is_known(entry->judgement)) continue;
    hits.push_back({static_cast<Rank>(i) + 1, entry->judgement});
  }
  for (const JudgedHit& hit : facts.ranking.hits) {
    if (hit.rank > docids.size() && !is_known(hit.judgement)) hits.push_back(hit);
  }
  facts.ranking.hits = std::move(hits);
}

/// Removes the documents that the table locates or rules out from `unlocated`.
void locate_by_docid(CapturedVisit& facts, const ResolvedQrels::Topic& topic) {
  match_captured(facts, topic);
  Capture& captured = *facts.captured;
  const bool whole = captured.depth() >= facts.ranking.num_ret;
  std::erase_if(captured.unlocated, [&](JudgementIndex judgement) {
    const auto& hits = facts.ranking.hits;
    const bool is_found = std::ranges::find(hits, judgement, &JudgedHit::judgement) != hits.end();
    return is_found || whole || !is_carried(topic, judgement);
  });
  facts.judged_depth = captured.depth();
  facts.awaiting = !captured.unlocated.empty();
}

void add_topic(Rejudged& result, bool is_awaiting) {
  ++result.topics;
  ++(is_awaiting ? result.awaiting : result.rescored);
}

bool are_equal(const TopicQrels& a, const TopicQrels& b) {
  const auto is_same = [](const Judgement& one, const Judgement& other) {
    return one.key == other.key && one.grade == other.grade;
  };
  return std::ranges::equal(a.judgements(), b.judgements(), is_same);
}

/// The numbers of a topic's judgements in two versions; both ascend by key.
struct Renumbering {
  std::vector<std::optional<JudgementIndex>> now;  // by the old number; none for a withdrawn one
  std::vector<JudgementIndex> added;               // judged now and not before

  Renumbering(const TopicQrels& before, const TopicQrels& after) {
    const std::span<const Judgement> current = after.judgements();
    std::uint32_t j = 0;
    for (const Judgement& old : before.judgements()) {
      for (; j < current.size() && current[j].key < old.key; ++j) added.emplace_back(j);
      const bool stays = j < current.size() && current[j].key == old.key;
      now.push_back(stays ? std::optional(JudgementIndex(j++)) : std::nullopt);
    }
    for (; j < current.size(); ++j) added.emplace_back(j);
  }
};

/// Returns the judgements that are not among the hits.
std::vector<JudgementIndex> not_found(std::span<const JudgedHit> hits, const TopicQrels& topic) {
  std::vector<JudgementIndex> judgements;
  for (std::uint32_t i = 0; i < topic.judgements().size(); ++i) {
    const auto found = std::ranges::find(hits, JudgementIndex(i), &JudgedHit::judgement);
    if (found == hits.end()) judgements.emplace_back(i);
  }
  return judgements;
}

}  // namespace

/// Puts a visit that was seen from `first_rank` on into the judgements `now`. Newly judged
/// documents are found by their captured keys. If a document has several docnos, and the one that
/// it was found by is withdrawn, another one takes its place, and nobody knows which: those that
/// were not found are then unlocated.
void Ledger::judge_anew(CapturedVisit& visit, Rank first_rank, const TopicQrels& before,
                        const TopicQrels& now) {
  const Renumbering renumbering(before, now);
  Capture captured = visit.captured ? std::move(*visit.captured) : Capture();
  std::vector<JudgedHit> hits;
  for (const JudgedHit& hit : visit.ranking.hits) {
    const auto judgement = renumbering.now[hit.judgement.value()];
    if (judgement) hits.push_back({hit.rank, *judgement});
  }
  const bool may_hide_others = visit.has_several_docnos && hits.size() < visit.ranking.hits.size();
  std::vector<JudgementIndex> unlocated =
      may_hide_others ? not_found(hits, now) : renumbering.added;
  for (const JudgementIndex one : captured.unlocated) {
    const auto judgement = renumbering.now[one.value()];
    if (judgement && !may_hide_others) unlocated.push_back(*judgement);
  }
  const std::span<const std::uint64_t> keys = captured.keys;
  // A table that was made for the old judgements says nothing about the new ones.
  const bool is_as_before = visit.awaiting && renumbering.added.empty() && !may_hide_others;
  if (!is_as_before) visit.judged_depth = static_cast<std::uint32_t>(keys.size());
  const bool is_whole = first_rank - 1 + keys.size() >= visit.ranking.num_ret;
  std::erase_if(unlocated, [&](JudgementIndex one) {
    const auto found = std::ranges::find(keys, key_hash(now.judgements()[one.value()].key));
    if (found == keys.end()) return is_whole;
    hits.push_back({first_rank + static_cast<Rank>(found - keys.begin()), one});
    return true;
  });
  std::ranges::sort(hits, {}, &JudgedHit::rank);
  visit.ranking.hits = std::move(hits);
  visit.awaiting = !unlocated.empty();
  captured.unlocated = std::move(unlocated);
  visit.captured = std::make_unique<Capture>(std::move(captured));
}

/// A topic's last visit of an arm, after judgements have changed.
struct Ledger::Rejudging {
  Track* track = nullptr;
  TopicIndex topic{};
  CapturedVisit visit{};
};

void Ledger::add_rejudging(const TopicQrels& now, TopicIndex topic,
                           std::vector<Rejudging>& changes) {
  const TopicQrels& before = qrels().topic(topic);
  for (ArmState& arm : arms_) {
    for (Track* track : {&arm.served, &arm.compared}) {
      if (track->topics.empty() || !track->topics[topic.value()].seen()) continue;
      const CapturedVisit& last = track->topics[topic.value()].last;
      CapturedVisit visit{static_cast<const VisitFacts&>(last),
                          last.captured ? std::make_unique<Capture>(*last.captured) : nullptr};
      judge_anew(visit, 1, before, now);
      changes.push_back({track, topic, std::move(visit)});
    }
  }
}

Rejudged Ledger::rejudge(const JudgedDocnos& now, std::span<const TopicIndex> changed) {
  if (versions_.size() == versions_.capacity()) versions_.reserve(2 * versions_.size());
  std::vector<Rejudging> changes;
  std::vector<TopicIndex> topics;
  for (const TopicIndex topic : changed) {
    const TopicQrels& judged = now.qrels().topic(topic);
    if (are_equal(qrels().topic(topic), judged)) continue;
    topics.push_back(topic);
    reserve(judged);
    add_rejudging(judged, topic, changes);
  }
  const Epoch before = epoch_;
  next_epoch(EpochReason::kJudgements);
  epoch_.compared_visits = before.compared_visits;  // most of them are kept
  epoch_.incomplete_visits = before.incomplete_visits;
  versions_.push_back(&now);
  // The hits of their open visits refer to the old judgements.
  const auto is_changed = [&](const auto& visit) {
    return std::ranges::binary_search(topics, visit.topic);
  };
  keyed_.erase_if(is_changed);
  unkeyed_.erase_if(is_changed);
  comparisons_.for_each([&](Comparison& visit) {
    if (is_changed(visit)) abandon(visit);
  });
  for (ArmState& arm : arms_) {
    for (const TopicIndex topic : topics) arm.stages.forget(topic);
  }
  Rejudged result;
  for (std::uint32_t a = 0; a < arms_.size(); ++a) {
    for (const Rejudging& change : changes) {
      if (change.track == &track(ArmIndex(a))) add_topic(result, change.visit.awaiting);
    }
  }
  for (auto& [track, topic, visit] : changes) {
    CapturedVisit& last = track->topics.at(topic.value()).last;
    track->topics_awaiting -= last.awaiting ? 1U : 0U;
    track->topics_awaiting += visit.awaiting ? 1U : 0U;
    last = std::move(visit);
  }
  for (const TopicIndex topic : topics) restart(topic);
  return result;
}

/// The last visit becomes the first of the epoch.
void Ledger::restart(Track& track, TopicIndex topic, const Values& now) noexcept {
  if (!track.topics[topic.value()].seen()) return;
  TopicState& state = track.topics.at(topic.value());
  unsettle(topic);
  track.visits -= 1;
  track.bounded -= state.last.is_bounded ? 1U : 0U;
  count_answer(track, state.last.answer, Sign::kTakeOut);
  count_value(track, topic, Sign::kTakeOut);
  std::ranges::fill(track.scores.row_at(topic.value()), Score());
  state.visits = 0;
  --track.topics_seen;
  begin_visit(track, topic, std::move(state.last), now);
}

void Ledger::restart(TopicIndex topic) {
  const std::vector<Values> compared =
      options_.mode == Mode::kPaired ? last_compared(topic) : std::vector<Values>();
  // The last visit of the arm that came first is the first one now.
  const std::uint64_t last =
      compared.empty() ? 1 : arms_[0].compared.topics[topic.value()].last.number;
  for (PairState& pair : pairs_) {
    const std::size_t family = qrels().family(topic).value();
    if (pair.first_visits.empty() || !seen_families_.has_seen(family)) continue;
    FirstVisit& first = pair.first_visits.at(family);
    if (first.visit != 0 && first.topic == topic) first.visit = last;
  }
  for (std::uint32_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].is_removed()) continue;
    Track& served = arms_[a].served;
    if (served.topics[topic.value()].seen()) {
      score(topic, served.topics[topic.value()].last, now_);
      expect(topic);
      restart(served, topic, now_);
      renew_first_served(ArmIndex(a), topic, 1, now_);
      check_coin(ArmIndex(a));
    }
    if (!compared.empty()) restart(arms_[a].compared, topic, compared[a]);
  }
  if (compared.empty()) return;
  renew_first_compared({.topic = topic, .visit = last},
                       [&](ArmIndex arm) { return &compared[arm.value()]; });
}

void Ledger::locate_served(ArmIndex arm, TopicIndex topic, const ResolvedQrels& table) {
  Track& track = arms_[arm.value()].served;
  CapturedVisit& last = track.topics.at(topic.value()).last;
  score(topic, last, before_);
  locate_by_docid(last, table.topic(topic));
  score(topic, last, now_);
  track.topics_awaiting -= last.awaiting ? 0U : 1U;
  expect(topic);
  revise_visit(track, topic, last.place, before_, now_);
  renew_first_served(arm, topic, last.place, now_);
  check_coin(arm);
}

void Ledger::locate_compared(ArmIndex arm, TopicIndex topic, const ResolvedQrels& table) {
  Track& track = arms_[arm.value()].compared;
  CapturedVisit& last = track.topics.at(topic.value()).last;
  const std::vector<Values> before = last_compared(topic);
  locate_by_docid(last, table.topic(topic));
  track.topics_awaiting -= last.awaiting ? 0U : 1U;
  const std::vector<Values> now = last_compared(topic);
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].is_removed()) continue;
    Track& compared = arms_[a].compared;
    revise_visit(compared, topic, compared.topics[topic.value()].last.place, before[a], now[a]);
  }
  renew_first_compared({.topic = topic, .visit = last.number},
                       [&](ArmIndex one) { return &now[one.value()]; });
}

Rejudged Ledger::locate(ArmIndex arm, const ResolvedQrels& table) {
  Rejudged result;
  if (table.judged().version() != judged().version()) return result;
  const ArmState& state = arms_[arm.value()];
  for (const Track* track : {&state.served, &state.compared}) {
    if (track->topics_awaiting == 0) continue;
    const bool is_compared = track == &state.compared;
    for_each_topic([&](TopicIndex topic) {
      const CapturedVisit& last = track->topics[topic.value()].last;
      if (!can_locate(last, table)) return;
      is_compared ? locate_compared(arm, topic, table) : locate_served(arm, topic, table);
      if (is_compared == (options_.mode == Mode::kPaired)) add_topic(result, last.awaiting);
    });
  }
  return result;
}

}  // namespace prescope
