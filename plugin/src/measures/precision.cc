#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kPrecision{
    .name = "P",
    .meaning = "Precision: the share of the N documents read that is known to be relevant.",
    .formula = "found / N, with found counting ranks <= N",
    .source = "trec_eval P_N: the divisor is N, also if fewer documents were served",
    .range = "[0, 1]; at most n / N",
    .example = "found at ranks 1, 3 and 12: P@10 = 2 / 10 = 0.2",
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return static_cast<double>(read_ranks(measure, ranks).size()) /
             static_cast<double>(last_rank(measure));
    }};

}  // namespace prescope
