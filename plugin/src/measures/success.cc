#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kSuccess{
    .name = "Success",
    .meaning = "1 if a relevant document is among the N read, else 0.",
    .formula = "1 if some r_j <= N, else 0",
    .source = "trec_eval success_N",
    .range = "0 or 1; its mean is the share of topics that succeed",
    .example = "found at ranks 4 and 9: Success@5 = 1, Success@3 = 0",
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return read_ranks(measure, ranks).empty() ? 0.0 : 1.0;
    }};

}  // namespace prescope
