#include "support/simulated_settings.h"

#include <iterator>

namespace prescope::simulation {

std::vector<Setting> all_settings() {
  std::vector<Setting> all;
  for (const auto settings :
       {missing_settings, split_settings, paired_settings, latency_settings, power_settings}) {
    std::vector<Setting> more = settings();
    all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  return all;
}

bool shows_claim(const Setting& setting, std::uint64_t seed) {
  World world(setting.world, seed);
  const PlayVisit play = setting.play;
  const std::vector<Topic>& topics = world.topics();
  const std::uint32_t visits_to_a_look = setting.visits / setting.looks;
  for (std::uint32_t visit = 0; visit < setting.visits; ++visit) {
    play(world, topics[visit % topics.size()]);
    if ((visit + 1) % visits_to_a_look != 0) continue;
    if (have_common(world.look(), setting.is_power() ? setting.truth : setting.wrong)) return true;
  }
  return false;
}

std::uint32_t count_shown(const Setting& setting, std::uint32_t experiments, std::uint64_t first) {
  std::uint32_t shown = 0;
  for (std::uint64_t seed = first; seed < first + experiments; ++seed) {
    shown += shows_claim(setting, seed) ? 1 : 0;
  }
  return shown;
}

}  // namespace prescope::simulation
