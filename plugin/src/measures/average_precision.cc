#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kAveragePrecision{
    .name = "AP",
    .meaning =
        "Average precision: precision at each relevant document found, averaged over all n; its "
        "mean over topics is MAP.",
    .formula =
        "sum of (j / r_j) / n over the relevant documents found, j = 1, 2, ... in rank order, at "
        "ranks r_j <= N; without N, at every rank served",
    .source = "trec_eval map and map_cut_N: the divisor is n, also if N is smaller",
    .range = "[0, R@N]",
    .example =
        "n = 4 found at ranks 1, 98, 99, 100: "
        "AP@100 = (1/1 + 2/98 + 3/99 + 4/100) / 4 = 1.0907 / 4 = 0.2727",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return hits_read(measure, ranks).average_precision(ranks.num_rel);
    }};

}  // namespace prescope
