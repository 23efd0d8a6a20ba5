#include <fmt/format.h>

#include "support/simulated_settings.h"

namespace prescope::simulation {
namespace {

using Outcome = Answer::Outcome;

/// The largest loss of power that is allowed, from the shares of 400 experiments (seeds 1 to 400)
/// that the last version found before missing values were bounded, 8fb5a8d6.
constexpr double kMostLost = 0.05;

Setting power(std::string name, double found_before, Claims truth, PlayVisit play) {
  return {.name = "power: " + std::move(name),
          .simulates = fmt::format("A true difference, found before in {:.1f} % of experiments.",
                                   100.0 * found_before),
          .truth = truth,
          .bar = found_before - kMostLost,
          .play = std::move(play)};
}

/// `missing` is the share of searches that fail, of either arm, by chance.
PlayVisit compared(double shift, double missing, double units = 1.0) {
  return [=](World& world, const Topic& topic) {
    Answer a = world.answer(topic, kArmA), b = world.answer(topic, kArmB, shift);
    b.ms *= units;
    for (Answer* const answer : {&a, &b}) {
      if (world.happens(missing)) answer->outcome = Outcome::kFailed;
    }
    Answer served = a;
    served.outcome = Outcome::kRanking;
    world.compare(topic, {.served = served, .searched = {a, b}});
  };
}

/// `missing` is the share of visits of either arm that fail, and of those that end early.
PlayVisit split(double shift, double missing) {
  return [=](World& world, const Topic& topic) {
    const ArmIndex arm = world.arm_for(topic);
    Answer answer = world.answer(topic, arm, arm == kArmA ? 0.0 : shift);
    if (world.happens(missing)) answer.outcome = Outcome::kFailed;
    if (world.happens(missing)) answer.requested = 20;
    world.serve(topic, arm, answer);
  };
}

std::vector<Setting> split_power() {
  std::vector<Setting> settings = {
      power("split", 0.835, Claims::kBBetter, split(-0.35, 0.0)),
      power("split with a baseline", 0.6325, Claims::kBBetter, split(-0.12, 0.0)),
      power("split, 1 % fail and 1 % end early", 0.92, Claims::kBBetter, split(-0.38, 0.01))};
  for (Setting& setting : settings) {
    setting.world.mode = Mode::kSplit;
    setting.world.topics = setting.visits = 1000;
  }
  settings[1].world.has_baseline = true;
  return settings;
}

std::vector<Setting> latency_power() {
  using Latency = ShadowOptions::Latency;
  std::vector<Setting> settings = {
      power("B is 20 % faster, searched twice", 1.0, Claims::kBFaster,
            compared(0.0, 0.0, 1.0 / 1.2)),
      power("B is 20 % slower, searched twice", 1.0, Claims::kAFaster, compared(0.0, 0.0, 1.2)),
      power("B is 20 % slower, in like state", 1.0, Claims::kAFaster, compared(0.0, 0.0, 1.2))};
  settings[0].world.latency = settings[1].world.latency = Latency::kBothArmsTwice;
  settings[2].world.latency = Latency::kBothArmsAlike;
  for (Setting& setting : settings) {
    setting.world.is_timed = true;
    setting.visits = 1500;
  }
  return settings;
}

}  // namespace

std::vector<Setting> power_settings() {
  std::vector<Setting> settings = {
      power("paired", 0.6725, Claims::kBBetter, compared(-0.1, 0.0)),
      power("paired, B is worse", 0.645, Claims::kABetter, compared(0.1, 0.0)),
      power("paired, 1 % of searches fail", 0.665, Claims::kBBetter, compared(-0.13, 0.01))};
  for (const auto more : {split_power, latency_power}) {
    for (Setting& setting : more()) settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace prescope::simulation
