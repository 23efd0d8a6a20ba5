// Arms that come, pause and go while queries run. Each change is one of the ledger's epochs.
#include <fmt/format.h>

#include <utility>

#include "live/experiment_state.h"
#include "prescope/error.h"

namespace prescope {
namespace {

using Kind = ExperimentChange::Kind;

[[noreturn]] void refuse_change(const std::string& problem) {
  throw Error(ErrorCode::kUsage, problem + "; nothing was changed");
}

/// The name of an arm that can change, for messages.
const std::string& changeable(const ArmTable& arms, ArmIndex arm) {
  if (arm.value() >= arms.size()) {
    refuse_change(fmt::format("arm number {} is not one of the {} arms", arm.value(), arms.size()));
  }
  const std::string& name = arms[arm.value()].text();
  if (arms.status(arm) == ArmStatus::kRemoved) {
    refuse_change(fmt::format("arm '{}' was removed; add it again to use it", name));
  }
  return name;
}

/// Refuses a name that no new arm can have. An arm of that name that was removed is found.
std::optional<ArmIndex> checked_addition(const ArmTable& arms, std::string_view name) {
  if (name.empty()) refuse_change("the new arm has an empty name");
  const std::optional<ArmIndex> known = arms.find(name);
  if (known && arms.status(*known) != ArmStatus::kRemoved) {
    refuse_change(fmt::format("arm '{}' is there already; names must differ", name));
  }
  if (!known && arms.size() == ArmTable::kMost) {
    refuse_change(
        fmt::format("arm '{}' would be the {}th; expected at most {} in the life of an "
                    "experiment, those removed included; give a removed name again",
                    name, ArmTable::kMost + 1, ArmTable::kMost));
  }
  return known;
}

}  // namespace

ArmIndex Experiment::add_arm(std::string_view name, const ArmDescription& description) {
  const auto lock = state_->recorded_so_far();
  ArmTable& arms = state_->arms;
  if (const std::optional<ArmIndex> removed = checked_addition(arms, name)) {
    state_->ledger.restore_arm(*removed);
    arms.set(*removed, ArmStatus::kActive);
    state_->log({.kind = Kind::kArmAdded, .arm = *removed, .description = &description});
    return *removed;
  }
  ArmId id(name);
  state_->ledger.add_arm();
  const ArmIndex added = arms.add(std::move(id));
  state_->log({.kind = Kind::kArmAdded, .arm = added, .description = &description});
  return added;
}

void Experiment::State::change_status(ArmIndex arm, ArmStatus status) {
  const auto lock = recorded_so_far();
  (void)changeable(arms, arm);
  if (arms.status(arm) == status) return;
  ledger.begin_epoch(EpochReason::kArms);
  arms.set(arm, status);
  log({.kind = status == ArmStatus::kPaused ? Kind::kArmPaused : Kind::kArmResumed, .arm = arm});
}

void Experiment::pause_arm(ArmIndex arm) { state_->change_status(arm, ArmStatus::kPaused); }
void Experiment::resume_arm(ArmIndex arm) { state_->change_status(arm, ArmStatus::kActive); }

void Experiment::remove_arm(ArmIndex arm) {
  const auto lock = state_->recorded_so_far();
  const std::string& name = changeable(state_->arms, arm);
  if (arm == ArmIndex(0)) {
    refuse_change(fmt::format(
        "arm '{}' is the first, which the others are compared with; pause it instead", name));
  }
  state_->ledger.remove_arm(arm);
  state_->arms.set(arm, ArmStatus::kRemoved);
  state_->resolved[arm.value()].reset();
  state_->log({.kind = Kind::kArmRemoved, .arm = arm});
}

void Experiment::State::restart(ArmIndex arm, const ArmDescription* now) {
  const auto lock = recorded_so_far();
  (void)changeable(arms, arm);
  ledger.begin_epoch(EpochReason::kArms);
  log({.kind = Kind::kArmRestarted, .arm = arm, .description = now});
}

void Experiment::restart_arm(ArmIndex arm) { state_->restart(arm, nullptr); }
void Experiment::restart_arm(ArmIndex arm, const ArmDescription& now) {
  state_->restart(arm, &now);
}

}  // namespace prescope
