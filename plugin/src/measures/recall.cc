#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kRecall{
    .name = "R",
    .meaning = "Recall: the share of the known relevant documents found within the N read.",
    .formula = "found / n, with found counting ranks <= N; without N, every rank served",
    .source = "trec_eval recall_N",
    .range = "[0, 1]; at most N / n",
    .example = "n = 4, found at ranks 1 and 98: R@100 = 2 / 4 = 0.5, R@10 = 1 / 4 = 0.25",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return hits_read(measure, ranks).recall(ranks.num_rel);
    }};

}  // namespace prescope
