#include "measures/definitions.h"

namespace prescope {

namespace {

std::optional<double> score_f_ap_recall(const Measure& measure, const JudgedRanks& ranks) {
  if (ranks.num_rel == 0) return std::nullopt;
  AveragePrecision average;
  Recall recall;
  for (const Rank rank : read_ranks(measure, ranks)) {
    average.add(rank);
    recall.add(rank);
  }
  return f_measure(measure.parameter(), average.value(ranks.num_rel), recall.value(ranks.num_rel));
}

}  // namespace

constexpr MeasureDefinition kFApRecall{
    .name = "Fap",
    .meaning = "F': average precision and recall in one number; recall counts b^2 times as much.",
    .formula = "(1 + b^2) AP R / (b^2 AP + R) of AP@N and R@N; 0 where both are 0",
    .source = "Magdy & Jones, SIGIR 2010, eq. 1 (there with b = 1 and b = 4)",
    .range = "[0, 1]",
    .example =
        "n = 4 found at ranks 1, 98, 99, 100: AP = 0.2727, R = 1, "
        "Fap4@100 = 17 * 0.2727 * 1 / (16 * 0.2727 + 1) = 0.864",
    .parameter = kBeta,
    .score = score_f_ap_recall};

}  // namespace prescope
