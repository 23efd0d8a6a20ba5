#include "live/last_score.h"

#include "core/measures/definitions.h"

namespace prescope {

std::optional<std::size_t> moving_measure(std::span<const Measure> measures) {
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].definition().name == kPres.name) return m;
  }
  return std::nullopt;
}

std::optional<double> last_score(const Ledger& ledger, ArmIndex arm, TopicIndex topic,
                                 std::size_t measure) {
  const Ledger::Score& score = ledger.score(arm, topic, measure);
  const Cutoff cutoff = ledger.scorer().measures()[measure].cutoff().value();
  if (score.visits == 0 || !ledger.arm(arm).topics[topic.value()].reaches(cutoff)) {
    return std::nullopt;
  }
  return score.last;
}

}  // namespace prescope
