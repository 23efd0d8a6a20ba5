#include <algorithm>
#include <iterator>

#include "live/ledger.h"

namespace prescope {

bool Ledger::is_late(ArmState& arm, std::uint64_t generation) {
  if (options_.epochs == EpochRule::kConfiguration || generation == 0) return false;
  if (arm.generation == 0) arm.generation = moved_on(generation);
  if (generation > arm.generation) move_on(arm.generation, generation);
  return generation < arm.generation;
}

/// What an index of this generation has become, as far as arms that share it have told.
std::uint64_t Ledger::moved_on(std::uint64_t generation) const noexcept {
  for (const Move& move : moves_) {
    if (move.from == generation) generation = move.to;
  }
  return generation;
}

void Ledger::move_on(std::uint64_t from, std::uint64_t to) {
  begin_epoch(EpochReason::kGeneration);
  for (ArmState& arm : arms_) {
    if (arm.generation == from) arm.generation = to;
  }
  if (moves_.size() == kMoves) moves_.erase(moves_.begin());
  moves_.push_back({from, to});
}

void Ledger::next_epoch(EpochReason reason) {
  if (on_epoch_end) on_epoch_end(*this);
  epoch_ = {.number = epoch_.number + 1, .reason = reason};
}

void Ledger::begin_epoch(EpochReason reason) {
  next_epoch(reason);
  for (ArmState& arm : arms_) forget_topics(arm);
  if (expectation_) expectation_->begin_epoch();
  sum_up();
}

/// Keeps their room.
void Ledger::forget_topics(ArmState& arm) noexcept {
  for (TopicState& topic : arm.topics) {
    TopicState fresh;
    fresh.hits = std::move(topic.hits);
    fresh.hits.clear();
    fresh.captured = std::move(topic.captured);
    if (fresh.captured) fresh.captured->clear();
    topic = std::move(fresh);
  }
  std::ranges::fill(arm.scores, Score{});
}

void Ledger::add_arm() {
  push_arm();
  begin_epoch(EpochReason::kArms);
}

void Ledger::remove_arm(ArmIndex arm) {
  ArmState removed;
  removed.measures.resize(num_measures_);
  begin_epoch(EpochReason::kArms);
  arms_[arm.value()] = std::move(removed);
}

void Ledger::restore_arm(ArmIndex arm) {
  ArmState fresh;
  add_topics(fresh);
  arms_[arm.value()] = std::move(fresh);
  begin_epoch(EpochReason::kArms);
}

}  // namespace prescope
