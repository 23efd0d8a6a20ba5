#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kExponentialGain{
    .name = "nDCGexp",
    .meaning =
        "nDCG in which a document is worth 2^grade - 1, so that one of the highest grade outweighs "
        "several others.",
    .formula =
        "DCG / ideal DCG of the ranks <= N, with DCG = sum of (2^grade - 1) / log2(rank + 1); "
        "negative grades count 0",
    .source =
        "Burges et al., ICML 2005; nDCG(dcg='exp-log2') of ir_measures, ndcg of TREC's gdeval",
    .range = "[0, 1]; no value if grades are not known",
    .example =
        "grades 3, 2, 1 judged; grade 2 at rank 1, grade 3 at rank 3: "
        "(3 / 1 + 7 / 2) / (7 / 1 + 3 / 1.585 + 1 / 2) = 6.5 / 9.393, nDCGexp = 0.692",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .depends_on_min_grade = false,
    .score = [](const Measure& measure, const JudgedRanks& ranks) {
      // (2^grade - 1) / 2^highest, because 2^grade may be too large for a double.
      return normalized_gain(last_rank(measure), ranks, [](Grade grade, Grade highest) {
        return std::exp2(grade - highest) - std::exp2(-highest);
      });
    }};

}  // namespace prescope
