#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kRPrecision{
    .name = "Rprec",
    .meaning = "Precision at rank n, at which it equals recall: n is the topic's own cutoff.",
    .formula = "found / n, with found counting ranks <= n",
    .source = "trec_eval Rprec; Buckley & Voorhees in TREC, MIT Press 2005, chapter 3",
    .range = "[0, 1]",
    .example = "n = 4, found at ranks 1, 3 and 5: Rprec = 2 / 4 = 0.5",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = [](const Measure&, const JudgedRanks& ranks) -> std::optional<double> {
      return static_cast<double>(count_until(ranks.relevant, ranks.num_rel)) /
             static_cast<double>(ranks.num_rel);
    }};

}  // namespace prescope
