#include "measures/definitions.h"

namespace prescope {

namespace {

std::optional<double> score_recall(const Measure& measure, const JudgedRanks& ranks) {
  if (ranks.num_rel == 0) return std::nullopt;
  Recall recall;
  for (const Rank rank : read_ranks(measure, ranks)) recall.add(rank);
  return recall.value(ranks.num_rel);
}

}  // namespace

constexpr MeasureDefinition kRecall{
    .name = "R",
    .meaning = "Recall: the share of the known relevant documents found within the N read.",
    .formula = "found / n, where found counts ranks <= N; without N, every rank served",
    .source = "trec_eval recall_N",
    .range = "[0, 1]; at most N / n",
    .example = "n = 4, found at ranks 1 and 98: R@100 = 2 / 4 = 0.5, R@10 = 1 / 4 = 0.25",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .score = score_recall};

}  // namespace prescope
