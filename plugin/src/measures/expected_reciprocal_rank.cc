#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kExpectedReciprocalRank{
    .name = "ERR",
    .meaning =
        "Expected reciprocal rank: 1 / rank of the document at which a searcher stops, who is "
        "content with each one the more likely, the higher its grade.",
    .formula =
        "sum of 1/r * c_r * product of (1 - c_i) over the ranks i < r, r <= N, with "
        "c = (2^grade - 1) / 2^4; grades above 4 count as 4, those below 0 as 0",
    .source = "Chapelle, Metzler, Zhang & Grinspan, CIKM 2009; TREC's gdeval, whose top grade is 4",
    .range = "[0, 1); no value if grades are not known",
    .example = "grade 2 at rank 1, grade 1 at rank 3: 3/16 + 1/3 * 1/16 * (1 - 3/16) = 0.2044",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .depends_on_min_grade = false,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      constexpr Grade kTopGrade = 4;
      if (ranks.grades.empty()) return std::nullopt;
      double sum = 0.0, goes_on = 1.0;
      for (const GradedRank& document : ranks.judged) {
        if (document.rank > last_rank(measure)) break;
        const double grade = std::clamp(document.grade, 0, kTopGrade);
        const double content = (std::exp2(grade) - 1.0) / std::exp2(kTopGrade);
        sum += goes_on * content / static_cast<double>(document.rank);
        goes_on *= 1.0 - content;
      }
      return sum;
    }};

}  // namespace prescope
