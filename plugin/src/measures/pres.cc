#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kPres{
    .name = "PRES",
    .meaning = "How early the known relevant documents arrive within the N documents read.",
    .formula =
        "sum of (N + j - r_j) / (n N) over the relevant documents found, j = 1, 2, ... in rank "
        "order, at ranks r_j <= N",
    .source =
        "Magdy & Jones, SIGIR 2010, eq. 3 (patent retrieval evaluation score); a missing document "
        "sits just behind N",
    .range = "[0, R@N]; at least n R^2 / N",
    .example =
        "n = 4 found at ranks 1, 98, 99, 100 and N = 100: "
        "100 + 4 + 4 + 4 = 112, PRES@100 = 112 / (4 * 100) = 0.28",
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return hits_read(measure, ranks).pres(ranks.num_rel, last_rank(measure));
    }};

}  // namespace prescope
