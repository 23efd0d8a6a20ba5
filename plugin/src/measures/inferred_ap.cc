#include "measures/definitions.h"

namespace prescope {

double inferred_ap(const JudgedRanks& ranks) {
  constexpr double kSmoothing = 1e-5;
  double relevant = 0.0, not_relevant = 0.0, unjudged = 0.0;  // above
  double sum = 0.0;
  for (const GradedRank& document : ranks.judged) {
    switch (judged_as(document.grade, ranks.min_grade)) {
      case JudgedAs::kNotRelevant:
        not_relevant += 1.0;
        break;
      case JudgedAs::kUnjudged:
        unjudged += 1.0;
        break;
      case JudgedAs::kRelevant: {
        // The document itself, and the documents above it: in the pool with the frequency seen, and
        // then relevant with the (smoothed) frequency seen among the judged ones. The terms are in
        // trec_eval's order, so that both round alike.
        const double above = static_cast<double>(document.rank) - 1.0;
        sum += document.rank == 1
                   ? 1.0
                   : 1.0 / (above + 1.0) +
                         (above / (above + 1.0)) * ((relevant + not_relevant + unjudged) / above) *
                             ((relevant + kSmoothing) / (relevant + not_relevant + 2 * kSmoothing));
        relevant += 1.0;
      }
    }
  }
  return ranks.num_rel == 0 ? 0.0 : sum / static_cast<double>(ranks.num_rel);
}

constexpr MeasureDefinition kInferredAp{
    .name = "infAP",
    .meaning =
        "Average precision estimated if only a sample of the pool was judged; a negative grade "
        "marks a pooled document that was not.",
    .formula =
        "mean over the n relevant documents of 1/r + (r-1)/r * d/(r-1) * (x+e)/(x+y+2e), 0 where "
        "not found; above rank r there are d pooled documents, x of them relevant, y not; e = "
        "0.00001",
    .source = "Yilmaz & Aslam, CIKM 2006; trec_eval infAP",
    .range = "[0, 1]; no value if grades are not known",
    .example =
        "n = 2; rank 1 unpooled, 2 relevant, 3 judged not relevant, 4 relevant: "
        "(1/2 + 0 + 1/4 + 3/4 * 2/3 * 1/2) / 2 = 0.5",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = [](const Measure&, const JudgedRanks& ranks) -> std::optional<double> {
      if (ranks.grades.empty()) return std::nullopt;
      return inferred_ap(ranks);
    }};

}  // namespace prescope
