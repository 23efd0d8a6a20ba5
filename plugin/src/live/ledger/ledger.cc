// Arms, epochs, counts, and the totals of pairs.
#include "live/ledger/ledger.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "statistics/paired_tests.h"

namespace prescope {

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

void count_loss(WorstTopics& worst, const PairTotals::Topic& values, TopicIndex topic, Sign sign) {
  sign == Sign::kAdd ? worst.add(values.difference, topic)
                     : worst.take_out(values.difference, topic);
}

double milliseconds_of(const Observation& observation) noexcept {
  return std::max(std::chrono::duration<double, std::milli>(observation.latency).count(), 1e-6);
}

}  // namespace

Ledger::Ledger(const JudgedDocnos& judged, const Scorer& scorer, std::size_t num_arms,
               LedgerOptions options)
    : options_(std::move(options)),
      topics_at_looks_(topics_at_looks(options_.test.plan)),
      margins_(loss_margins(options_.test, scorer.measures(), options_.primary)),
      versions_{&judged},
      scorer_(&scorer),
      num_measures_(scorer.measures().size()),
      overlaps_(options_.overlap, options_.scored_flags),
      completed_scores_(num_measures_),
      before_(no_values()),
      now_(no_values()) {
  if (options_.mode == Mode::kSplit) {
    expectation_.emplace(judged.qrels(), scorer, options_.baseline);
  }
  while (arms_.size() < num_arms) {
    arms_.push_back(new_arm());
    pairs_.push_back(new_pair());
  }
}

Ledger::Track Ledger::new_track() const {
  Track track;
  track.topics = SeenList<TopicState>(seen_topics_);
  track.scores = SeenList<Score>(seen_topics_, num_measures_);
  track.totals = {scorer_->measures().begin(), scorer_->measures().end()};
  return track;
}

Ledger::ArmState Ledger::new_arm() const {
  ArmState arm;
  arm.served = new_track();
  if (options_.mode == Mode::kPaired) arm.compared = new_track();
  return arm;
}

Ledger::PairState Ledger::new_pair() const {
  PairState pair;
  if (pairs_.empty()) return pair;  // of arm 0
  pair.differences = SeenList(seen_topics_, num_measures_, kNoValue);
  if (options_.mode != Mode::kObserve) {
    pair.first_visits = SeenList<FirstVisit>(seen_families_);
    pair.firsts = SeenList(seen_families_, num_measures_, kNoBounds);
  }
  const bool is_searched = options_.mode != Mode::kSplit && !qrels().has_family_map();
  if (is_searched) pair.signatures = SeenList(seen_topics_, 1, AlikeTopics::kNone);
  pair.totals.resize(num_measures_);
  if (options_.mode != Mode::kSplit) pair.worst.resize(num_measures_);
  pair.evidence.resize(num_measures_);
  pair.slices.resize(options_.slices.all().size());
  pair.margins.resize(margins_.size());
  pair.looks.resize(topics_at_looks_.size(), Look(num_measures_));
  return pair;
}

/// Makes room for the topic and its family in all lists, so that writing to them never allocates.
void Ledger::make_room(TopicIndex topic) {
  if (seen_topics_.has_seen(topic.value())) return;
  const std::size_t family = qrels().family(topic).value();
  reserve(topic);
  seen_topics_.make_room(topic.value());
  seen_families_.make_room(family);
  for (std::size_t b = 1; b < pairs_.size(); ++b) {
    PairState& pair = pairs_[b];
    pair.differences.make_room();
    if (!pair.signatures.empty()) pair.signatures.make_room();
    if (pair.first_visits.empty() || seen_families_.has_seen(family)) continue;
    pair.firsts.make_room();
    pair.first_visits.make_room();
  }
  if (expectation_) expectation_->make_room(topic);
  for (ArmState& arm : arms_) {
    for (Track* track : {&arm.compared, &arm.served}) {
      if (track->topics.empty()) continue;
      track->scores.make_room();
      track->topics.make_room();
    }
  }
  if (qrels().finds_topics()) count_observed(topic, qrels().family(topic));
  if (!seen_families_.has_seen(family)) seen_families_.see(family);
  seen_topics_.see(topic.value());
}

void Ledger::count_observed(TopicIndex topic, FamilyIndex family) {
  const auto is_first = [](std::vector<bool>& seen, std::size_t i) {
    if (i >= seen.size()) seen.resize(i + 1);
    const bool was_seen = seen[i];
    seen[i] = true;
    return !was_seen;
  };
  if (is_first(was_family_observed_, family.value())) ++observed_.families;
  if (!is_first(was_observed_, topic.value())) return;
  ++observed_.topics;
  observed_.judgements += qrels().topic(topic).judgements().size();
  observed_.with_relevant += qrels().topic(topic).num_rel() > 0 ? 1U : 0U;
}

Ledger::TopicCounts Ledger::topic_counts() const noexcept {
  const Qrels& all = qrels();
  if (all.finds_topics()) return observed_;
  return {.topics = static_cast<std::uint32_t>(all.topics().size()),
          .with_relevant = static_cast<std::uint32_t>(all.topics_with_relevant()),
          .families = static_cast<std::uint32_t>(all.num_families()),
          .judgements = all.num_judgements()};
}

Ledger::Placement Ledger::record(const Observation& observation) {
  ArmState& arm = arms_[observation.arm.value()];
  Placement placement{.visit = observation.visit};
  latest_ = std::max(latest_, observation.time);
  const bool is_judged = observation.topic != kUnjudgedTopic;
  const bool is_left_out = arm.is_removed() || is_late(observation);
  counts_.late_observations += is_judged && is_left_out ? 1U : 0U;
  if (arm.is_removed()) return placement;
  if (is_judged) make_room(observation.topic);
  if (is_inner(observation.stage)) {
    if (is_judged && !is_left_out) add_stage(observation, observation.visit);
    ++epoch_.observations;
    return placement;
  }
  add_latency(arm, observation);
  if (is_judged && !is_left_out) {
    const bool counts = !has_ranking(observation) || answers_ranker(observation);
    Track& track = is_comparison(observation) ? arm.compared : arm.served;
    if (!counts && observation.first_rank == 1) count_unscored(track, observation);
    if (counts && !is_comparison(observation)) {
      placement = take(observation);
    } else if (counts && has_ranking(observation) && observation.first_rank == 1) {
      placement.covered = observation.num_ret;
      placement.is_exhausted = ends_ranking(observation);
    }
    if (counts && has_ranking(observation)) add_stage(observation, placement.visit);
    if (options_.mode == Mode::kPaired) compare(observation, counts);
    if (has_ranking(observation)) add_topic_latency(observation);
  }
  count(arm, observation);
  ++epoch_.observations;
  return placement;
}

/// A visit ends no epoch: its generation only says whether both arms searched one state.
std::vector<VisitOverlap> Ledger::record_unjudged(const Observation& observation,
                                                  const Overlaps::IsActive& is_active) {
  if (observation.visit <= newest_left_out_) {
    ++counts_.late_observations;
    return {};
  }
  const bool is_later_page = has_ranking(observation) && observation.first_rank != 1;
  counts_.shadow_later_pages += is_later_page ? 1U : 0U;
  std::vector<VisitOverlap> done = overlaps_.take(observation, arms_.size(), is_active);
  for (VisitOverlap& visit : done) {
    visit.epoch = epoch_.number;
    overlaps_.add(visit);
  }
  return done;
}

void Ledger::count_unscored(Track& track, const Observation& observation) noexcept {
  ++track.unscored;
  if (track.topics.empty()) return;
  TopicState& topic = track.topics.at(observation.topic.value());
  if (topic.seen() || std::exchange(topic.has_unscored, true)) return;
  ++track.topics_unscored;
  if (options_.mode != Mode::kSplit) return;
  const ArmIndex arm = observation.arm;
  for_each_pair(arm, [&](ArmIndex b) {
    if (!is_compared(observation.topic, arm, arm == b ? ArmIndex(0) : b)) return;
    PairState& pair = pairs_[b.value()];
    const auto count = [&](UnscoredTopics& of) { ++(arm == b ? of.in_b : of.in_a); };
    count(pair.unscored);
    for (const std::uint32_t s : options_.slices.of(observation.topic)) {
      count(pair.slices[s].unscored);
    }
  });
}

void Ledger::add_latency(ArmState& arm, const Observation& observation) {
  ArmState::Latency& latency = is_comparison(observation) ? arm.shadow_latency : arm.latency;
  if (answer_of(observation) == Answer::kFailure) {
    latency.blocks.add_failure();
    latency.all.add_failure();
  } else if (is_timed(observation)) {
    latency.blocks.add(observation.latency);
    latency.all.add(observation.latency);
  }
}

void Ledger::count(ArmState& arm, const Observation& observation) noexcept {
  if (answer_of(observation) == Answer::kUnseen) {
    arm.unseen_visits += is_comparison(observation) ? 0U : 1U;
    return;
  }
  if (!has_ranking(observation)) {
    const bool timed_out = has(observation.flags, RankingFlags::kTimedOut);
    ++(timed_out ? arm.timed_out_queries : arm.failed_queries);
    return;
  }
  const bool judged = observation.topic != kUnjudgedTopic;
  const bool retried = has(observation.flags, RankingFlags::kRetried);
  ++(judged ? arm.judged_queries : arm.unjudged_queries);
  arm.retried_queries += retried ? 1U : 0U;
  arm.partial_queries += judged && has(observation.flags, RankingFlags::kPartial) ? 1U : 0U;
  arm.replaced_rankings += has(observation.flags, RankingFlags::kReplaced) ? 1U : 0U;
  arm.duplicate_hits += observation.duplicates;
  if (!retried) (judged ? arm.self_time : arm.unjudged_self_time).add(observation.self_time);
  counts_.clock_steps += observation.latency.count() < 0 ? 1U : 0U;
}

/// A ranking of earlier judgements says nothing about the present ones.
void Ledger::add_stage(const Observation& observation, std::uint64_t visit) {
  if (observation.judgements_version != judged().version()) return;
  arms_[observation.arm.value()].stages.add(observation, visit, qrels().topic(observation.topic));
}

void Ledger::add_topic_latency(const Observation& observation) noexcept {
  if (!is_timed(observation)) return;
  ArmState& arm = arms_[observation.arm.value()];
  Track& track = is_comparison(observation) ? arm.compared : arm.served;
  if (track.topics.empty()) return;
  track.topics.at(observation.topic.value()).last_latency_ms = milliseconds_of(observation);
}

bool Ledger::is_late(const Observation& observation) {
  return is_of_earlier_state(observation.generation) ||
         (observation.visit != 0 && observation.visit <= newest_left_out_);
}

/// Begins an epoch if the generation is new and the rule says so.
bool Ledger::is_of_earlier_state(std::uint64_t generation) {
  if (generation == 0) return false;
  std::uint64_t& newest = newest_[generation >> 32U];
  if (newest == 0) newest = generation;
  if (generation > newest) {
    if (options_.epochs == EpochRule::kGeneration) {
      begin_epoch(EpochReason::kGeneration);
    } else {
      ++epoch_.index_changes;
    }
    newest = generation;
  }
  return options_.epochs == EpochRule::kGeneration && generation < newest;
}

/// Takes the topic, which is about to change, out of all totals.
void Ledger::unsettle(TopicIndex topic) noexcept {
  if (is_unsettled_[topic.value()]) return;
  count(topic, Sign::kTakeOut);
  is_unsettled_[topic.value()] = true;
  unsettled_.push_back(topic);
}

void Ledger::settle() noexcept {
  for (const TopicIndex topic : unsettled_) {
    count(topic, Sign::kAdd);
    is_unsettled_[topic.value()] = false;
  }
  unsettled_.clear();
  for (PairState& pair : pairs_) {
    for (std::size_t m = 0; m < pair.worst.size(); ++m) {
      WorstTopics& worst = pair.worst[m];
      if (!worst.is_short()) continue;
      worst.clear();
      for_each_topic(
          [&](TopicIndex topic) { worst.add(pair.differences.row(topic.value())[m], topic); });
    }
  }
}

void Ledger::count(TopicIndex topic, Sign sign) noexcept {
  for (ArmState& arm : arms_) {
    for (Track* track : {&arm.served, &arm.compared}) {
      for (std::size_t m = 0; m < track->totals.size(); ++m) {
        track->totals[m].count(track->scores.row(topic.value())[m], sign);
      }
    }
  }
  for_each_pair(ArmIndex(0), [&](ArmIndex b) {
    PairState& pair = pairs_[b.value()];
    for (std::size_t m = 0; m < num_measures_; ++m) {
      const auto values = difference(b, topic, m);
      if (values) pair.totals[m].count(*values, sign);
      if (values && !pair.worst.empty()) count_loss(pair.worst[m], *values, topic, sign);
      pair.differences.row_at(topic.value())[m] = values ? values->difference : kNoValue;
      if (!values || m != options_.primary) continue;
      for (const std::uint32_t slice : options_.slices.of(topic)) {
        pair.slices[slice].totals.count(*values, sign);
      }
    }
    count_alike(b, topic, sign);
  });
}

/// Without memory the topic is left out.
void Ledger::count_alike(ArmIndex b, TopicIndex topic, Sign sign) noexcept {
  constexpr ArmIndex a(0);
  PairState& pair = pairs_[b.value()];
  if (pair.signatures.empty()) return;
  std::uint64_t& signature = pair.signatures.at(topic.value());
  if (sign == Sign::kTakeOut) return pair.alike.remove(signature);
  signature = AlikeTopics::kNone;
  if (!track(a).topics[topic.value()].seen() || !track(b).topics[topic.value()].seen()) return;
  const TopicQrels& judged = qrels().topic(topic);
  const auto relevant_ranks = [&](ArmIndex arm) {
    return track(arm).topics[topic.value()].last.ranking.hits |
           std::views::filter(
               [&](const JudgedHit& hit) { return judged.is_relevant(hit.judgement); }) |
           std::views::transform(&JudgedHit::rank);
  };
  try {
    const auto now = AlikeTopics::signature(relevant_ranks(a), relevant_ranks(b));
    pair.alike.add(now);
    signature = now;
  } catch (const std::bad_alloc&) {
  }
}

void Ledger::next_epoch(EpochReason reason) {
  settle();
  if (on_epoch_end) on_epoch_end(*this);
  overlaps_.begin_epoch();
  epoch_ = {.number = epoch_.number + 1, .reason = reason};
}

void Ledger::begin_epoch(EpochReason reason) {
  // New lists are made before anything is dropped, so that without memory nothing changes.
  std::vector<Track> tracks;
  for (const ArmState& arm : arms_) {
    for (const Track* track : {&arm.served, &arm.compared}) {
      tracks.push_back(track->topics.empty() ? Track() : new_track());
    }
  }
  std::vector<PairState> pairs(1);
  while (pairs.size() < pairs_.size()) pairs.push_back(new_pair());
  next_epoch(reason);
  keyed_.clear();
  unkeyed_.clear();
  comparisons_.clear();
  auto track = tracks.begin();
  for (ArmState& arm : arms_) {
    arm.stages.clear();
    arm.served = std::move(*track++);
    arm.compared = std::move(*track++);
  }
  pairs_ = std::move(pairs);
  seen_topics_.clear();
  seen_families_.clear();
  if (expectation_) expectation_->begin_epoch();
}

void Ledger::add_arm() {
  begin_epoch(EpochReason::kArms);
  arms_.push_back(new_arm());
  pairs_.push_back(new_pair());
}

void Ledger::remove_arm(ArmIndex arm) {
  begin_epoch(EpochReason::kArms);
  arms_[arm.value()] = ArmState();
}

void Ledger::restore_arm(ArmIndex arm) {
  begin_epoch(EpochReason::kArms);
  arms_[arm.value()] = new_arm();
}

std::optional<PairTotals::Topic> Ledger::difference(ArmIndex b, TopicIndex topic,
                                                    std::size_t measure) const noexcept {
  const Score &in_a = score(ArmIndex(0), topic, measure), &in_b = score(b, topic, measure);
  if (options_.share && !is_compared_by(topic, in_a.visits > 0 ? ArmIndex(0) : b, b)) {
    return std::nullopt;
  }
  PairTotals::Topic found{.a = in_a.mean, .b = in_b.mean};
  if (in_a.visits > 0 && in_b.visits > 0) {
    found.difference = clean_difference(in_b.mean, in_a.mean) / scale();
    return found;
  }
  if (!expectation_ || (in_a.visits == 0 && in_b.visits == 0)) return std::nullopt;
  const double expected = expectation_->of(topic, measure).value();
  found.difference = in_b.visits > 0 ? clean_difference(in_b.mean, expected)
                                     : clean_difference(expected, in_a.mean);
  return found;
}

bool Ledger::is_compared(TopicIndex topic, ArmIndex own, ArmIndex other) const {
  if (!options_.share) return true;
  const double ratio = options_.share(other) / options_.share(own);
  return ratio >= 1.0 || options_.second_draw(topic) < ratio;
}

/// The topic belongs to the arm that the hash gives it to, or to the one that has `served` it if
/// the hash gives it to a third arm, or nobody knows.
bool Ledger::is_compared_by(TopicIndex topic, ArmIndex served, ArmIndex b) const {
  ArmIndex own = options_.assigned ? options_.assigned(topic).value_or(served) : served;
  if (own != ArmIndex(0) && own != b) own = served;
  return is_compared(topic, own, own == b ? ArmIndex(0) : b);
}

double Ledger::share_of(ArmIndex b) const {
  if (!options_.share) return 0.5;
  const double in_b = options_.share(b);
  return in_b / (options_.share(ArmIndex(0)) + in_b);
}

/// Tests the coin whenever the number of topics changes, so that an alarm does not depend on when
/// somebody looked.
void Ledger::check_coin(ArmIndex arm) noexcept {
  if (options_.mode != Mode::kSplit) return;
  for_each_pair(arm, [&](ArmIndex b) {
    const Track &in_a = arms_[0].served, &in_b = arms_[b.value()].served;
    const double share = share_of(b);
    const double log_e =
        std::max(sample_ratio_log_e(in_a.topics_seen, in_b.topics_seen, share),
                 sample_ratio_log_e(in_a.topics_valued, in_b.topics_valued, share));
    bool& has_alarm = pairs_[b.value()].has_ratio_alarm;
    has_alarm = has_alarm || log_e >= kSampleRatioAlarm;
  });
}

/// Counts a topic that its arm serves for the first time, although it is another one's, for both.
void Ledger::check_assignment(ArmIndex arm, TopicIndex topic) {
  if (options_.mode != Mode::kSplit || !options_.assigned) return;
  const std::optional<ArmIndex> assigned = options_.assigned(topic);
  if (!assigned || *assigned == arm) return;
  ++arms_[arm.value()].served.topics_misassigned;
  ++arms_[assigned->value()].served.topics_elsewhere;
}

}  // namespace prescope
