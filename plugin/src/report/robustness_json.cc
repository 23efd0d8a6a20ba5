#include "report/robustness_json.h"

namespace prescope {
namespace {

Json changes_json(const MeasureRobustness& measure) {
  Json changes = Json::array();
  for (const VerdictChanges& each : measure.changes) {
    changes.push_back({{"fraction", each.fraction},
                       {"samples", each.samples()},
                       {"same", each.same},
                       {"lost", each.lost},
                       {"appeared", each.appeared},
                       {"reversed", each.reversed},
                       {"lowest_difference", each.lowest_mean},
                       {"highest_difference", each.highest_mean}});
  }
  return changes;
}

}  // namespace

Json robustness_json(const VerdictRobustness& robustness, std::span<const std::string> names) {
  Json pairs = Json::array();
  for (std::size_t r = 0; r < robustness.runs.size(); ++r) {
    Json measures = Json::object();
    for (const MeasureRobustness& measure : robustness.runs[r]) {
      measures[measure.measure.name()] = {{"verdict", to_string(measure.verdict)},
                                          {"changes", changes_json(measure)}};
    }
    pairs.push_back({{"a", names[0]}, {"b", names[r + 1]}, {"measures", std::move(measures)}});
  }
  return {{"options",
           {{"fractions", robustness.options.fractions},
            {"samples", robustness.options.samples},
            {"seed", robustness.options.seed}}},
          {"pairs", std::move(pairs)}};
}

}  // namespace prescope
