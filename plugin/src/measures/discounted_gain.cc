#include "measures/definitions.h"

namespace prescope {

std::optional<double> normalized_gain(Rank last, const JudgedRanks& ranks,
                                      double (*gain)(Grade grade, Grade highest)) {
  if (ranks.grades.empty()) return std::nullopt;
  double served = 0.0, ideal = 0.0;
  for (const GradedRank& document : ranks.judged) {
    if (document.rank <= last && document.grade > 0) {
      served += discounted(gain(document.grade, ranks.grades.front()), document.rank);
    }
  }
  Rank rank = 0;
  for (const Grade grade : ranks.grades) {
    if (grade <= 0 || rank == last) break;
    ideal += discounted(gain(grade, ranks.grades.front()), ++rank);
  }
  return ideal > 0.0 ? served / ideal : 0.0;
}

constexpr MeasureDefinition kNormalizedDiscountedGain{
    .name = "nDCG",
    .meaning =
        "How near the ranking comes to one with the highest grades first; a document is worth its "
        "grade, less the later it comes.",
    .formula =
        "DCG / ideal DCG of the ranks <= N, with DCG = sum of grade / log2(rank + 1) and the "
        "ideal ranking has all judged documents, highest grade first; negative grades count 0",
    .source =
        "Jarvelin & Kekalainen, TOIS 2002, with the discount of trec_eval ndcg and ndcg_cut_N. "
        "Grades count as they are, whatever the min grade",
    .range = "[0, 1]; no value if grades are not known",
    .example =
        "grades 3, 2, 1 judged; grade 2 at rank 1, grade 3 at rank 3: "
        "(2 / 1 + 3 / 2) / (3 / 1 + 2 / 1.585 + 1 / 2) = 3.5 / 4.762, nDCG = 0.735",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .depends_on_min_grade = false,
    .score = [](const Measure& measure, const JudgedRanks& ranks) {
      return normalized_gain(last_rank(measure), ranks,
                             [](Grade grade, Grade) -> double { return grade; });
    }};

}  // namespace prescope
