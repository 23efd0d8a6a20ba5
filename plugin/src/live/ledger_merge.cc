// Two servers, one experiment.
#include <algorithm>
#include <limits>
#include <span>

#include "live/ledger.h"

namespace prescope {
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
