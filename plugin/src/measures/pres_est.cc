#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kPresEst{
    .name = "PRESest",
    .meaning =
        "PRES as a share of the best that N allows, for topics with more relevant documents than "
        "N.",
    .formula = "PRES@N / min(1, N / n)",
    .source = "Magdy & Jones, SIGIR 2010, eq. 5",
    .range = "[0, 1]; PRES@N if n <= N",
    .example =
        "n = 20, N = 10, found at ranks 1 and 2: PRES@10 = (10 + 10) / (20 * 10) = 0.1, "
        "PRESest@10 = 0.1 / (10 / 20) = 0.2",
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return hits_read(measure, ranks).pres_estimate(ranks.num_rel, last_rank(measure));
    }};

}  // namespace prescope
