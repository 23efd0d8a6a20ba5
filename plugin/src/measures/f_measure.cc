#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kFMeasure{
    .name = "F",
    .meaning = "Precision and recall in one number; recall counts b^2 times as much.",
    .formula = "(1 + b^2) P R / (b^2 P + R) of P@N and R@N; 0 if both are 0",
    .source = "van Rijsbergen, Information Retrieval, 1979, chapter 7",
    .range = "[0, 1]",
    .example =
        "n = 4, found at rank 1, N = 100: P = 0.01, R = 0.25, "
        "F1@100 = 2 * 0.01 * 0.25 / (0.01 + 0.25) = 0.0192",
    .parameter = kBeta,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const auto found = static_cast<double>(read_ranks(measure, ranks).size());
      return f_measure(measure.parameter(), found / static_cast<double>(last_rank(measure)),
                       found / static_cast<double>(ranks.num_rel));
    }};

}  // namespace prescope
