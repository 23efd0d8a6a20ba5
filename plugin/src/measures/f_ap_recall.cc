#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kFApRecall{
    .name = "Fap",
    .meaning = "F': average precision and recall in one number; recall counts b^2 times as much.",
    .formula = "(1 + b^2) AP R / (b^2 AP + R) of AP@N and R@N; 0 if both are 0",
    .source = "Magdy & Jones, SIGIR 2010, eq. 1 (there with b = 1 and b = 4)",
    .range = "[0, 1]",
    .example =
        "n = 4 found at ranks 1, 98, 99, 100: AP = 0.2727, R = 1, "
        "Fap4@100 = 17 * 0.2727 * 1 / (16 * 0.2727 + 1) = 0.864",
    .parameter = kBeta,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const FoundRelevant hits = hits_read(measure, ranks);
      return f_measure(measure.parameter(), hits.average_precision(ranks.num_rel),
                       hits.recall(ranks.num_rel));
    }};

}  // namespace prescope
