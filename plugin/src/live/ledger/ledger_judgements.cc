// Changed judgements: what was served is scored anew, as far as the ranks are known.
#include <algorithm>

#include "live/ledger/judged_anew.h"
#include "live/ledger/ledger.h"

namespace prescope {

namespace {

using VisitFacts = Ledger::VisitFacts;
using Capture = Ledger::Capture;

bool can_locate(const VisitFacts& facts, const ResolvedQrels& table) {
  return facts.awaiting && !facts.captured->docids.empty() &&
         facts.generation == table.generation();
}

bool is_carried(const ResolvedQrels::Topic& topic, JudgementIndex judgement) {
  return std::ranges::find(topic.entries, judgement, &ResolvedQrels::Entry::judgement) !=
         topic.entries.end();
}

/// Matches the captured docids anew, as a query would be: a document that carries several judged
/// docnos counts once. Hits behind the captured ones are kept.
void match_captured(VisitFacts& facts, const ResolvedQrels::Topic& topic) {
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
void locate_by_docid(VisitFacts& facts, const ResolvedQrels::Topic& topic) {
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

}  // namespace

/// A topic's last visit of an arm, after judgements have changed.
struct Ledger::Rejudging {
  ArmIndex arm{};
  TopicIndex topic{};
  bool in_compared = false;  // else in the track of users' visits
  std::vector<JudgedHit> hits{};
  std::unique_ptr<Capture> captured{};
  std::uint32_t judged_depth = 0;
};

std::vector<Ledger::Rejudging> Ledger::rejudging(const Qrels& now) const {
  std::vector<Rejudging> changes;
  for (std::uint32_t t = 0; t < now.topics().size(); ++t) {
    if (now.topics()[t].is_shared_with(qrels().topics()[t])) continue;
    const Renumbering renumbering(qrels().topics()[t], now.topics()[t]);
    if (!renumbering.has_changes) continue;
    for (std::uint32_t a = 0; a < arms_.size(); ++a) {
      for (const Track* track : {&arms_[a].served, &arms_[a].compared}) {
        if (track->topics.empty() || !track->topics[t].seen()) continue;
        const VisitFacts& last = track->topics[t].last;
        Capture captured = last.captured ? *last.captured : Capture{};
        KnownRanks known = judged_anew({.hits = last.ranking.hits,
                                        .unlocated = captured.unlocated,
                                        .keys = captured.keys,
                                        .num_ret = last.ranking.num_ret},
                                       renumbering, now.topics()[t]);
        captured.unlocated = std::move(known.unlocated);
        // A table that was made for the old judgements says nothing about the new ones.
        const bool is_as_before = last.awaiting && renumbering.added.empty();
        const auto num_keys = static_cast<std::uint32_t>(captured.keys.size());
        changes.push_back({.arm = ArmIndex(a),
                           .topic = TopicIndex(t),
                           .in_compared = track == &arms_[a].compared,
                           .hits = std::move(known.hits),
                           .captured = std::make_unique<Capture>(std::move(captured)),
                           .judged_depth = is_as_before ? last.judged_depth : num_keys});
      }
    }
  }
  return changes;
}

void Ledger::apply(Rejudging& change) {
  ArmState& arm = arms_[change.arm.value()];
  Track& track = change.in_compared ? arm.compared : arm.served;
  VisitFacts& last = track.topics[change.topic.value()].last;
  track.topics_awaiting -= last.awaiting ? 1U : 0U;
  last.ranking.hits = std::move(change.hits);
  last.captured = std::move(change.captured);
  last.judged_depth = change.judged_depth;
  last.awaiting = !last.captured->unlocated.empty();
  track.topics_awaiting += last.awaiting ? 1U : 0U;
}

Rejudged Ledger::rejudge(const JudgedDocnos& now) {
  versions_.reserve(versions_.size() + 1);
  ranks_.reserve(now.qrels());
  std::vector<Rejudging> changes = rejudging(now.qrels());
  const Epoch before = epoch_;
  next_epoch(EpochReason::kJudgements);
  epoch_.compared_visits = before.compared_visits;  // most of them are kept
  epoch_.incomplete_visits = before.incomplete_visits;
  versions_.push_back(&now);
  Rejudged result;
  const bool is_paired = options_.mode == Mode::kPaired;
  for (Rejudging& change : changes) {
    const bool is_counted = change.in_compared == is_paired;
    result.topics += is_counted ? 1U : 0U;
    const bool is_awaiting = !change.captured->unlocated.empty();
    (is_awaiting ? result.awaiting : result.rescored) += is_counted ? 1U : 0U;
    apply(change);
  }
  std::optional<TopicIndex> restarted;
  for (const Rejudging& change : changes) {  // ascending by topic
    if (restarted != change.topic) restart(change.topic);
    restarted = change.topic;
  }
  return result;
}

/// The last visit becomes the first of the epoch.
void Ledger::restart(Track& track, TopicIndex topic, const Values& now) noexcept {
  TopicState& state = track.topics[topic.value()];
  if (!state.seen()) return;
  state.visits = state.last.place = 1;
  for (std::size_t m = 0; m < num_measures_; ++m) {
    Score& score = track.scores[first_score(topic) + m];
    track.totals[m].take_out(score);
    score = Score();
    if (now.scores[m]) score.add(*now.scores[m], 1);
    score.shallow_visits = now.is_shallow[m] ? 1U : 0U;
    track.totals[m].add(score, topic);
  }
}

void Ledger::restart(TopicIndex topic) {
  const std::vector<Values> compared =
      options_.mode == Mode::kPaired ? last_compared(topic) : std::vector<Values>();
  take_out_of_pairs(ArmIndex(0), topic);
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].is_removed()) continue;
    Track& served = arms_[a].served;
    if (served.topics[topic.value()].seen()) {
      score(topic, served.topics[topic.value()].last, now_);
      expect(topic);
      restart(served, topic, now_);
    }
    if (!compared.empty()) restart(arms_[a].compared, topic, compared[a]);
  }
  add_to_pairs(ArmIndex(0), topic);
  for_each_pair(ArmIndex(0), [&](ArmIndex b) { renew_evidence(b, topic, true); });
}

void Ledger::locate_served(ArmIndex arm, TopicIndex topic, const ResolvedQrels& table) {
  Track& track = arms_[arm.value()].served;
  VisitFacts& last = track.topics[topic.value()].last;
  score(topic, last, before_);
  locate_by_docid(last, table.topic(topic));
  score(topic, last, now_);
  track.topics_awaiting -= last.awaiting ? 0U : 1U;
  before_change(arm, topic);
  revise_visit(track, topic, last.place, before_, now_);
  after_change(arm, topic);
}

void Ledger::locate_compared(ArmIndex arm, TopicIndex topic, const ResolvedQrels& table) {
  Track& track = arms_[arm.value()].compared;
  VisitFacts& last = track.topics[topic.value()].last;
  const std::vector<Values> before = last_compared(topic);
  locate_by_docid(last, table.topic(topic));
  track.topics_awaiting -= last.awaiting ? 0U : 1U;
  const std::vector<Values> now = last_compared(topic);
  take_out_of_pairs(ArmIndex(0), topic);
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].is_removed()) continue;
    Track& compared = arms_[a].compared;
    revise_visit(compared, topic, compared.topics[topic.value()].last.place, before[a], now[a]);
  }
  add_to_pairs(ArmIndex(0), topic);
  for_each_pair(ArmIndex(0), [&](ArmIndex b) { renew_evidence(b, topic, false); });
}

Rejudged Ledger::locate(ArmIndex arm, const ResolvedQrels& table) {
  Rejudged result;
  if (table.judged().version() != judged().version()) return result;
  const ArmState& state = arms_[arm.value()];
  const bool is_paired = options_.mode == Mode::kPaired;
  for (std::uint32_t t = 0; t < state.served.topics.size(); ++t) {
    const TopicIndex topic(t);
    if (can_locate(state.served.topics[t].last, table)) {
      locate_served(arm, topic, table);
      if (is_paired) continue;
      ++result.topics;
      ++(state.served.topics[t].last.awaiting ? result.awaiting : result.rescored);
    }
  }
  for (std::uint32_t t = 0; t < state.compared.topics.size(); ++t) {
    if (!can_locate(state.compared.topics[t].last, table)) continue;
    locate_compared(arm, TopicIndex(t), table);
    ++result.topics;
    ++(state.compared.topics[t].last.awaiting ? result.awaiting : result.rescored);
  }
  return result;
}

}  // namespace prescope
