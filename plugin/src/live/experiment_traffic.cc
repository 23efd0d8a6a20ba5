// Which arm serves (Mode::kSplit), and what is searched again in the answer's shadow
// (Mode::kPaired).
#include <random>
#include <utility>

#include "live/assignment.h"
#include "live/experiment_state.h"
#include "prescope/experiment.h"

namespace prescope {
namespace {

bool takes_part(const Experiment& experiment, ArmIndex arm) noexcept {
  return experiment.status(arm) == ArmStatus::kActive;
}

TopicIndex topic_index(const Experiment& experiment, const TopicId& topic) noexcept {
  return experiment.qrels().find(topic.text()).value_or(kUnjudgedTopic);
}

}  // namespace

ArmIndex Experiment::arm_for(std::string_view unit) const noexcept {
  if (state_->options.mode != Mode::kSplit) return ArmIndex(0);
  ArmDraw draw(state_->options.split.salt, unit);
  const std::span<const ArmId> all = arms();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (takes_part(*this, ArmIndex(i))) draw.enter(ArmIndex(i), all[i].text());
  }
  return draw.winner().value_or(ArmIndex(0));
}

bool Experiment::wants_shadow(const TopicId& topic) const noexcept {
  return state_->shadows && state_->shadows->wants(topic_index(*this, topic));
}

bool Experiment::shadow(const TopicId& topic, ArmIndex served,
                        std::function<void(ArmIndex arm)> search) noexcept {
  return state_->shadows &&
         state_->shadows->offer({topic_index(*this, topic), served, std::move(search)});
}

std::unique_ptr<ShadowPool> Experiment::State::new_shadows(Experiment& experiment) const {
  if (options.mode != Mode::kPaired) return nullptr;
  std::random_device random;
  const std::uint64_t seed = std::uint64_t{random()} << 32U | random();
  return std::make_unique<ShadowPool>(experiment, options.shadow, takes_part, seed);
}

void Experiment::State::count_shadows(Health& health) const noexcept {
  if (!shadows) return;
  const ShadowCounts counts = shadows->counts();
  health.shadow_unjudged = counts.unjudged;
  health.shadow_unpaired = counts.unpaired;
  health.shadow_sampled_out = counts.sampled_out;
  health.shadow_queue_full = counts.queue_full;
  health.shadow_expired = counts.expired;
  health.shadow_run = counts.run;
  health.shadow_failed = counts.failed;
}

}  // namespace prescope
