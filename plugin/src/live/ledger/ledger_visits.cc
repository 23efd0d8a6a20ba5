// Visits that users made: first pages, later pages, and the values that they give to measures.
#include <algorithm>

#include "base/split_mix.h"
#include "live/ledger/ledger.h"

namespace prescope {

namespace {

using VisitFacts = Ledger::VisitFacts;
using CapturedVisit = Ledger::CapturedVisit;

bool are_known_to_differ(std::uint64_t a, std::uint64_t b) { return a != 0 && b != 0 && a != b; }

std::uint32_t last_rank(const Observation& page) noexcept {
  return page.first_rank - 1 + page.num_ret;
}

/// Open visits of different arms and topics never meet, also if a host uses one key for all.
std::uint64_t open_key(const Observation& observation) noexcept {
  const std::uint64_t visit =
      observation.visit_key != 0 ? observation.visit_key : observation.visit;
  return SplitMix(SplitMix(visit).next() ^ std::uint64_t{observation.arm.value()} << 32U ^
                  observation.topic.value())
      .next();
}

/// Appends hits behind the known ranking, each document once.
void append_hits(VisitFacts& facts, std::span<const JudgedHit> hits) {
  const std::size_t known = facts.ranking.hits.size();
  facts.ranking.hits.reserve(known + hits.size());
  for (const JudgedHit& hit : hits) {
    const auto earlier = std::span(facts.ranking.hits).first(known);
    const bool seen =
        std::ranges::find(earlier, hit.judgement, &JudgedHit::judgement) != earlier.end();
    if (hit.rank > facts.ranking.num_ret && !seen) facts.ranking.hits.push_back(hit);
  }
}

/// Appends the part of a later page that lies behind `known`; page[0] stands at `first_rank`.
template <class Hit>
void append_captured(std::vector<Hit>& known, std::span<const Hit> page, Rank first_rank) {
  const std::size_t again = known.size() + 1 - first_rank;
  if (known.empty() || again >= page.size()) return;
  known.insert(known.end(), page.begin() + static_cast<std::ptrdiff_t>(again), page.end());
}

/// Does so only if the ranking was captured to its end so far: a gap would be found too late.
void append_capture(CapturedVisit& facts, const Observation& page) {
  if (!facts.captured || facts.captured->depth() != facts.ranking.num_ret) return;
  if (facts.generation == page.generation) {
    append_captured(facts.captured->docids, page.captured_docids, page.first_rank);
  }
  append_captured(facts.captured->keys, page.captured_keys, page.first_rank);
}

void append_page(VisitFacts& facts, std::span<const JudgedHit> hits, const Observation& page) {
  append_hits(facts, hits);
  facts.ends_with_failure = false;
  if (facts.generation == 0) facts.generation = page.generation;
  facts.ranking.num_ret = std::max(facts.ranking.num_ret, last_rank(page));
  facts.exhausted = facts.exhausted || ends_ranking(page);
  facts.partial_depth = std::max(facts.partial_depth, partial_depth_of(page));
  facts.has_several_docnos =
      facts.has_several_docnos || has(page.flags, RankingFlags::kSeveralDocnos);
}

}  // namespace

/// Returns whether a ranking shows how well its arm ranks. If not, counts the flag that says so.
bool Ledger::answers_ranker(const Observation& observation) noexcept {
  ArmState& arm = arms_[observation.arm.value()];
  const RankingFlags shaped = shaped_by(observation, options_.scored_flags);
  arm.sorted_queries += shaped == RankingFlags::kSorted ? 1U : 0U;
  arm.filtered_queries += shaped == RankingFlags::kFiltered ? 1U : 0U;
  arm.collapsed_queries += shaped == RankingFlags::kCollapsed ? 1U : 0U;
  return shaped == RankingFlags::kNone;
}

Ledger::Values Ledger::no_values() const {
  return {.scores = std::vector<std::optional<double>>(num_measures_),
          .is_shallow = std::vector<bool>(num_measures_),
          .bounds = std::vector<std::optional<Bounds>>(num_measures_)};
}

/// Reserves room, so that scoring a topic with these judgements does not allocate.
void Ledger::reserve(const TopicQrels& judged) {
  ranks_.reserve(judged);
  completed_.hits.reserve(judged.judgements().size());
  is_found_.reserve(judged.judgements().size());
}

/// Reserves room for whatever happens to the topic.
void Ledger::reserve(TopicIndex topic) {
  reserve(qrels().topic(topic));
  if (topic.value() >= is_unsettled_.size()) is_unsettled_.resize(topic.value() + 1);
  const std::size_t seen = seen_topics_.next() + std::size_t{1};
  if (seen > unsettled_.capacity()) unsettled_.reserve(2 * seen);
}

/// Topics without a relevant document have no scores, and their visits are not shallow.
void Ledger::score(TopicIndex topic, const VisitFacts& facts, Values& values) noexcept {
  scorer_->score(
      ranks_.of(qrels().topic(topic), qrels().min_grade(), facts.ranking, facts.collection_size),
      values.scores);
  const bool may_be_shallow = qrels().topic(topic).num_rel() > 0 && !facts.awaiting;
  bool is_any_shallow = false;
  for (std::size_t m = 0; m < num_measures_; ++m) {
    const bool is_known = facts.reaches(scorer_->measures()[m].cutoff());
    values.is_shallow[m] = may_be_shallow && !is_known;
    is_any_shallow = is_any_shallow || values.is_shallow[m];
    values.bounds[m].reset();
    if (is_known && values.scores[m]) values.bounds[m] = {*values.scores[m], *values.scores[m]};
    if (values.is_shallow[m]) values.bounds[m] = {values.scores[m].value_or(0.0), 0.0};
    if (!is_known) values.scores[m].reset();
  }
  if (is_any_shallow) bound(topic, facts, values);
}

/// Sets the upper bounds of the measures whose cutoff a ranking does not reach. The lower ones are
/// what it scores if nothing more is found.
void Ledger::bound(TopicIndex topic, const VisitFacts& facts, Values& values) noexcept {
  const JudgedRanking& best = completed(topic, facts.ranking);
  scorer_->score(ranks_.of(qrels().topic(topic), qrels().min_grade(), best, facts.collection_size),
                 completed_scores_);
  for (std::size_t m = 0; m < num_measures_; ++m) {
    if (!values.is_shallow[m]) continue;
    Bounds& bounds = *values.bounds[m];
    bounds.high = std::max(bounds.low, completed_scores_[m].value_or(1.0));
  }
}

/// Returns the best that a ranking can become: all other judged documents come next, those with the
/// highest grades first. Valid until the next call.
const JudgedRanking& Ledger::completed(TopicIndex topic, const JudgedRanking& ranking) noexcept {
  const std::span<const Judgement> judgements = qrels().topic(topic).judgements();
  std::vector<JudgedHit>& hits = completed_.hits;
  hits.assign(ranking.hits.begin(), ranking.hits.end());
  is_found_.assign(judgements.size(), false);
  for (const JudgedHit& hit : ranking.hits) is_found_[hit.judgement.value()] = true;
  for (std::uint32_t j = 0; j < judgements.size(); ++j) {
    if (!is_found_[j]) hits.push_back({0, JudgementIndex(j)});
  }
  const auto rest = std::span(hits).subspan(ranking.hits.size());
  std::ranges::sort(rest, std::greater{},
                    [&](const JudgedHit& hit) { return judgements[hit.judgement.value()].grade; });
  completed_.num_ret = ranking.num_ret;
  for (JudgedHit& hit : rest) hit.rank = ++completed_.num_ret;
  return completed_;
}

bool Ledger::is_bounded(const Values& values) const noexcept {
  const std::optional<Bounds>& bounds = values.bounds[options_.primary];
  return bounds && !bounds->is_known();
}

/// Fills `facts` with what the observation says in the ledger's judgements. Returns false if they
/// cannot be told: of judgements that are forgotten, or of documents judged since whose ranks
/// nobody will ever know.
bool Ledger::translate(const Observation& observation, CapturedVisit& facts) const {
  facts.number = observation.visit;
  facts.generation = observation.generation;
  facts.collection_size = observation.documents;
  facts.stage = observation.stage;
  facts.ranking.num_ret = last_rank(observation);
  facts.exhausted = ends_ranking(observation);
  facts.partial_depth = partial_depth_of(observation);
  facts.has_several_docnos = has(observation.flags, RankingFlags::kSeveralDocnos);
  facts.answer = answer_of(observation);
  const bool is_captured =
      !observation.captured_docids.empty() || !observation.captured_keys.empty();
  if (is_captured) {
    facts.captured = std::make_unique<Capture>();
    facts.captured->docids.assign(observation.captured_docids.begin(),
                                  observation.captured_docids.end());
    facts.captured->keys.assign(observation.captured_keys.begin(), observation.captured_keys.end());
  }
  facts.ranking.hits.assign(observation.hits.begin(), observation.hits.end());
  if (observation.judgements_version == judged().version()) return true;
  const auto before =
      std::ranges::find(versions_, observation.judgements_version, &JudgedDocnos::version);
  if (before == versions_.end()) return false;
  judge_anew(facts, observation.first_rank, (*before)->qrels().topic(observation.topic),
             qrels().topic(observation.topic));
  return !facts.awaiting || (is_captured && observation.first_rank == 1);
}

Ledger::Placement Ledger::take(const Observation& observation) {
  CapturedVisit facts;
  const Placement nowhere{.visit = observation.visit};
  if (options_.collapses && observation.first_rank > 1) return ++counts_.page_gaps, nowhere;
  if (!translate(observation, facts)) return ++counts_.late_observations, nowhere;
  OpenVisit* const open = open_visits(observation).find(open_key(observation));
  // A request that ranks from rank 1 on begins a visit, unless it has begun this one already.
  const bool has_begun =
      open != nullptr && observation.visit != 0 && open->facts.number == observation.visit;
  if (!has_ranking(observation) && open != nullptr) {
    // A request for a further page that failed ends the visit. An answer that is there stays.
    const bool is_further_page = !has_begun && open->facts.answer == Answer::kRanking;
    if (is_further_page && facts.answer == Answer::kFailure) end_visit(*open);
    return nowhere;
  }
  if (observation.first_rank == 1 && !has_begun) {
    return begin(observation, std::move(facts));
  }
  // The page may hold documents that an older table did not look for.
  if (facts.awaiting) return ++counts_.late_observations, nowhere;
  if (open != nullptr) return go_on(*open, observation, std::move(facts));
  ++(observation.visit_key == 0 ? counts_.pages_without_key : counts_.page_gaps);
  return nowhere;
}

/// Returns whether the visit that the observation began, or belongs to, has no ranking.
bool Ledger::is_unanswered(const Observation& observation) noexcept {
  const OpenVisit* const open = open_visits(observation).find(open_key(observation));
  return open != nullptr && open->facts.number == observation.visit &&
         open->facts.answer != Answer::kRanking;
}

/// Fixes what is expected of the topic, then takes the values `now_` into account.
void Ledger::expect(TopicIndex topic) noexcept {
  if (!expectation_) return;
  expectation_->fix(topic);
  for (std::size_t m = 0; m < num_measures_; ++m) {
    if (now_.scores[m]) expectation_->saw(topic, m, *now_.scores[m]);
  }
}

Ledger::Placement Ledger::begin(const Observation& observation, CapturedVisit facts) {
  const Placement placement{.visit = observation.visit,
                            .covered = facts.ranking.num_ret,
                            .is_exhausted = facts.exhausted};
  Track& track = arms_[observation.arm.value()].served;
  facts.place = track.topics[observation.topic.value()].visits + 1;
  if (observation.visit_key != 0 || observation.visit != 0) {
    open_visits(observation)
        .set(open_key(observation), {.arm = observation.arm,
                                     .topic = observation.topic,
                                     .facts = static_cast<const VisitFacts&>(facts)});
  }
  score(observation.topic, facts, now_);
  expect(observation.topic);
  const std::uint32_t number = facts.place;
  if (number == 1) check_assignment(observation.arm, observation.topic);
  begin_visit(track, observation.topic, std::move(facts), now_);
  renew_first_served(observation.arm, observation.topic, number, now_);
  check_coin(observation.arm);
  return placement;
}

Ledger::Placement Ledger::go_on(OpenVisit& visit, const Observation& observation,
                                CapturedVisit page) {
  const VisitFacts& known = visit.facts;
  const auto placement = [&] {
    return Placement{
        .visit = known.number, .covered = known.ranking.num_ret, .is_exhausted = known.exhausted};
  };
  if (!known.awaiting && observation.first_rank == 1) {
    if (known.answer == Answer::kRanking) count_replaced(visit);
    if (!may_replace(observation, known.stage)) return {.visit = known.number};
    replace(visit, std::move(page));
    return placement();
  }
  const bool is_next = observation.first_rank <= known.ranking.num_ret + 1 || known.exhausted;
  if (!is_next || known.awaiting || are_known_to_differ(observation.generation, known.generation)) {
    return ++counts_.page_gaps, Placement{.visit = observation.visit};
  }
  // No page can be missing behind the end of a ranking.
  const bool is_behind_the_end = observation.first_rank > known.ranking.num_ret + 1;
  // A page that ends before the known hits do says nothing about what is behind them.
  const bool is_more =
      last_rank(observation) >= known.ranking.num_ret || page.partial_depth > known.partial_depth;
  if (!is_behind_the_end && is_more) extend(visit, page, observation);
  return placement();
}

/// Calls `change` with the topic's last visit if this one is it, else with null, and takes the
/// difference of the values into account.
template <class Change>
void Ledger::revise(const OpenVisit& visit, Change change) {
  Track& track = arms_[visit.arm.value()].served;
  CapturedVisit& last = track.topics.at(visit.topic.value()).last;
  const bool is_last = last.place == visit.facts.place;
  const VisitFacts& scored = is_last ? last : visit.facts;
  score(visit.topic, scored, before_);
  count_answer(track, visit.facts.answer, Sign::kTakeOut);
  change(is_last ? &last : nullptr);
  count_answer(track, visit.facts.answer, Sign::kAdd);
  score(visit.topic, scored, now_);
  expect(visit.topic);
  revise_visit(track, visit.topic, visit.facts.place, before_, now_);
  renew_first_served(visit.arm, visit.topic, visit.facts.place, now_);
  check_coin(visit.arm);
}

/// Counts a visit once, whatever its request searched for.
void Ledger::count_replaced(OpenVisit& visit) noexcept {
  if (!std::exchange(visit.has_several, true)) ++arms_[visit.arm.value()].replaced_rankings;
}

/// Replaces a request's earlier ranking with the one that it was served in the end.
void Ledger::replace(OpenVisit& visit, CapturedVisit now) {
  arms_[visit.arm.value()].unseen_visits -= visit.facts.answer == Answer::kUnseen ? 1U : 0U;
  revise(visit, [&](CapturedVisit* last) {
    now.take_the_place_of(visit.facts);
    visit.facts = static_cast<const VisitFacts&>(now);
    if (last != nullptr) *last = std::move(now);
  });
}

/// Nothing follows what was served of the visit, unless the page is asked for again.
void Ledger::end_visit(OpenVisit& visit) {
  revise(visit, [&](CapturedVisit* last) {
    visit.facts.ends_with_failure = true;
    if (last != nullptr) last->ends_with_failure = true;
  });
}

void Ledger::extend(OpenVisit& visit, const VisitFacts& page, const Observation& observation) {
  revise(visit, [&](CapturedVisit* last) {
    append_page(visit.facts, page.ranking.hits, observation);
    if (last == nullptr) return;
    append_capture(*last, observation);
    append_page(*last, page.ranking.hits, observation);
  });
}

void Ledger::count_answer(Track& track, Answer answer, Sign sign) noexcept {
  const auto one = static_cast<std::uint64_t>(sign);  // wraps around when one is taken out
  track.failed += answer == Answer::kFailure ? one : 0U;
  track.unseen += answer == Answer::kUnseen ? one : 0U;
}

/// Counts the topic if it has a value of the primary measure.
void Ledger::count_value(Track& track, TopicIndex topic, Sign sign) const noexcept {
  if (track.scores.row(topic.value())[options_.primary].visits == 0) return;
  track.topics_valued += static_cast<std::uint32_t>(sign);
}

void Ledger::begin_visit(Track& track, TopicIndex topic, CapturedVisit facts,
                         const Values& now) noexcept {
  unsettle(topic);
  TopicState& state = track.topics.at(topic.value());
  track.topics_seen += state.seen() ? 0U : 1U;
  track.topics_awaiting -= state.last.awaiting ? 1U : 0U;
  track.topics_awaiting += facts.awaiting ? 1U : 0U;
  facts.place = ++state.visits;
  facts.is_bounded = is_bounded(now);
  ++track.visits;
  track.bounded += facts.is_bounded ? 1U : 0U;
  count_answer(track, facts.answer, Sign::kAdd);
  count_value(track, topic, Sign::kTakeOut);
  const std::span<Score> scores = track.scores.row_at(topic.value());
  for (std::size_t m = 0; m < num_measures_; ++m) {
    Score& score = scores[m];
    if (now.scores[m]) score.add(*now.scores[m], facts.place);
    score.shallow_visits += now.is_shallow[m] ? 1U : 0U;
    track.totals[m].saw_change(score, topic);
  }
  count_value(track, topic, Sign::kAdd);
  state.last = std::move(facts);
  count_found(track, topic);
}

void Ledger::count_found(Track& track, TopicIndex topic) noexcept {
  TopicState& state = track.topics.at(topic.value());
  if (state.has_found || state.last.ranking.hits.empty()) return;
  state.has_found = true;
  ++track.topics_found;
}

/// Changes the values of a visit of which more has become known, or another ranking counts.
void Ledger::revise_visit(Track& track, TopicIndex topic, std::uint32_t place, const Values& before,
                          const Values& now) noexcept {
  unsettle(topic);
  track.bounded += is_bounded(now) ? 1U : 0U;
  track.bounded -= is_bounded(before) ? 1U : 0U;
  VisitFacts& last = track.topics.at(topic.value()).last;
  if (last.place == place) last.is_bounded = is_bounded(now);
  count_found(track, topic);
  count_value(track, topic, Sign::kTakeOut);
  const std::span<Score> scores = track.scores.row_at(topic.value());
  for (std::size_t m = 0; m < num_measures_; ++m) {
    Score& score = scores[m];
    if (now.scores[m] && before.scores[m]) {
      score.revise(*before.scores[m], *now.scores[m], place);
    } else if (now.scores[m]) {
      score.add(*now.scores[m], place);
    } else if (before.scores[m]) {
      score.remove(*before.scores[m], place);
    }
    score.shallow_visits += now.is_shallow[m] ? 1U : 0U;
    score.shallow_visits -= before.is_shallow[m] ? 1U : 0U;
    track.totals[m].saw_change(score, topic);
  }
  count_value(track, topic, Sign::kAdd);
}

}  // namespace prescope
