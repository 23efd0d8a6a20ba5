#include "measures/definitions.h"

namespace prescope {

namespace {

std::optional<double> score_inferred_ap(const Measure&, const JudgedRanks& ranks) {
  if (!has_grades(ranks)) return std::nullopt;
  InferredAp average;
  for (const GradedRank& document : ranks.judged) {
    switch (judged_as(document.grade, ranks.min_grade)) {
      case JudgedAs::kRelevant:
        average.add_relevant(document.rank);
        break;
      case JudgedAs::kNotRelevant:
        average.add_not_relevant();
        break;
      case JudgedAs::kUnjudged:
        average.add_unjudged();
        break;
    }
  }
  return average.value(ranks.num_rel);
}

}  // namespace

constexpr MeasureDefinition kInferredAp{
    .name = "infAP",
    .meaning =
        "Average precision estimated where only a sample of the pool was judged; a negative grade "
        "marks a pooled document that was not.",
    .formula =
        "mean over the n relevant documents of 1/r + (r-1)/r * d/(r-1) * (x+e)/(x+y+2e), 0 where "
        "not found; above rank r there are d pooled documents, x of them relevant, y not; e = "
        "0.00001",
    .source = "Yilmaz & Aslam, CIKM 2006; trec_eval infAP",
    .range = "[0, 1]; no value where grades are not known",
    .example =
        "n = 2; rank 1 unpooled, 2 relevant, 3 judged not relevant, 4 relevant: "
        "(1/2 + 0 + 1/4 + 3/4 * 2/3 * 1/2) / 2 = 0.5",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = score_inferred_ap};

}  // namespace prescope
