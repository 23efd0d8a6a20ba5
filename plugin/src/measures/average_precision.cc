#include "measures/definitions.h"

namespace prescope {

namespace {

std::optional<double> average_precision(const Measure& measure, const JudgedRanks& ranks) {
  return hits_read(measure, ranks).average_precision(ranks.num_rel);
}

}  // namespace

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

constexpr MeasureDefinition kGeometricMap{
    .name = "GMAP",
    .meaning =
        "Average precision, whose mean over topics is geometric, so that topics which fail weigh "
        "more. Of a single topic it is AP.",
    .formula = "exp of the mean over topics of ln max(AP, 0.00001)",
    .source = "Robertson, CIKM 2006; trec_eval gm_map",
    .range = "[0, R@N] of a topic; the mean is at least 0.00001",
    .example = "two topics with AP 0.5 and 0.02: GMAP = sqrt(0.5 * 0.02) = 0.1, where MAP is 0.26",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .mean = MeasureDefinition::Mean::kGeometric,
    .score = average_precision};

}  // namespace prescope
