#include "measures/definitions.h"

namespace prescope {

std::optional<double> average_precision(const Measure& measure, const JudgedRanks& ranks) {
  if (ranks.num_rel == 0) return std::nullopt;
  AveragePrecision average;
  for (const Rank rank : read_ranks(measure, ranks)) average.add(rank);
  return average.value(ranks.num_rel);
}

constexpr MeasureDefinition kAveragePrecision{
    .name = "AP",
    .meaning =
        "Average precision: precision at each relevant document found, averaged over all n; its "
        "mean over topics is MAP.",
    .formula =
        "sum of (j / r_j) / n over the relevant documents found, j = 1, 2, ... in rank order, at "
        "ranks r_j <= N; without N, at every rank served",
    .source = "trec_eval map and map_cut_N: the divisor is n, also where N is smaller",
    .range = "[0, R@N]",
    .example =
        "n = 4 found at ranks 1, 98, 99, 100: "
        "AP@100 = (1/1 + 2/98 + 3/99 + 4/100) / 4 = 1.0907 / 4 = 0.2727",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .score = average_precision};

}  // namespace prescope
