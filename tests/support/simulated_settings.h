#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/simulated_world.h"

namespace prescope::simulation {

/// Plays one visit of a user. Each experiment has a copy, so that it may have a state.
using PlayVisit = std::function<void(World& world, const Topic& topic)>;

/// A kind of traffic, and the statements about it that would be wrong, or that are true.
struct Setting {
  std::string name{};
  std::string simulates{};       ///< a sentence
  Claims wrong = Claims::kNone;  ///< claims that are wrong or unfounded
  Claims truth = Claims::kNone;  ///< instead: the claim that a powerful comparison shows
  double bar = 0.05;             ///< largest share of wrong claims, or smallest share of true ones
  WorldOptions world{};
  std::uint32_t visits = 300, looks = 20;
  PlayVisit play{};

  [[nodiscard]] bool is_power() const noexcept { return truth != Claims::kNone; }
};

/// Arm B has no ranking, or a part of one, in topics that were not chosen at random. Split and
/// paired.
[[nodiscard]] std::vector<Setting> missing_settings();
/// Other traffic on two arms that rank alike, or whose better one is known.
[[nodiscard]] std::vector<Setting> split_settings();
[[nodiscard]] std::vector<Setting> paired_settings();
/// Settings about which arm is faster.
[[nodiscard]] std::vector<Setting> latency_settings();
/// Settings with a true difference on ordinary traffic.
[[nodiscard]] std::vector<Setting> power_settings();
/// All of them.
[[nodiscard]] std::vector<Setting> all_settings();

/// Returns true if the setting's wrong claim, or its true one, was shown at any look. Stops there.
[[nodiscard]] bool shows_claim(const Setting& setting, std::uint64_t seed);

/// Returns the number of experiments with the seeds `first` to `first + experiments - 1` that show
/// it.
[[nodiscard]] std::uint32_t count_shown(const Setting& setting, std::uint32_t experiments,
                                        std::uint64_t first = 1);

}  // namespace prescope::simulation
