#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kGeometricMap{
    .name = "GMAP",
    .meaning =
        "Average precision, whose mean over topics is geometric, so that topics which fail weigh "
        "more. Of a single topic it is AP.",
    .formula = "exp of the mean over topics of ln max(AP, 0.00001)",
    .source = "Robertson, CIKM 2006; trec_eval gm_map",
    .range = "[0, R@N] of a topic; the mean is at least 0.00001",
    .example = "two topics with AP 0.5 and 0.02: GMAP = sqrt(0.5 * 0.02) = 0.1, while MAP is 0.26",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .mean = MeasureDefinition::Mean::kGeometric,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return hits_read(measure, ranks).average_precision(ranks.num_rel);
    }};

}  // namespace prescope
