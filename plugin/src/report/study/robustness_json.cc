#include "report/study/robustness_outputs.h"

namespace prescope {
namespace {

Json cell_json(const Robustness& robustness, std::size_t fraction, std::size_t measure) {
  const RobustnessCell& cell = robustness.at(fraction, measure);
  Json taus = Json::array();
  for (const auto& tau : cell.taus) taus.push_back(or_null(tau));
  return {{"fraction", robustness.options.fractions[fraction]},
          {"measure", robustness.measures[measure].name()},
          {"taus", std::move(taus)},
          {"average", or_null(cell.average)},
          {"minimum", or_null(cell.minimum)}};
}

}  // namespace

Json robustness_json(const Robustness& robustness) {
  Json cells = Json::array();
  for (std::size_t f = 0; f < robustness.options.fractions.size(); ++f) {
    for (std::size_t m = 0; m < robustness.measures.size(); ++m) {
      cells.push_back(cell_json(robustness, f, m));
    }
  }
  return {{"options",
           {{"fractions", robustness.options.fractions},
            {"samples", robustness.options.samples},
            {"seed", robustness.options.seed},
            {"rounding", to_string(robustness.options.rounding)}}},
          {"cells", std::move(cells)}};
}

StudyCsv robustness_csv(const Robustness& robustness) {
  StudyCsv csv{.columns = {"fraction", "sample", "measure", "tau_b"}};
  for (std::size_t f = 0; f < robustness.options.fractions.size(); ++f) {
    for (std::size_t m = 0; m < robustness.measures.size(); ++m) {
      const RobustnessCell& cell = robustness.at(f, m);
      for (std::size_t s = 0; s < cell.taus.size(); ++s) {
        csv.rows.push_back({exact_text(robustness.options.fractions[f]), std::to_string(s + 1),
                            robustness.measures[m].name(), exact_text(cell.taus[s])});
      }
    }
  }
  return csv;
}

}  // namespace prescope
