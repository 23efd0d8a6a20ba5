#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kJudgedShare{
    .name = "Judged",
    .meaning =
        "The share of the N documents read that somebody judged; how far the other measures can "
        "be trusted.",
    .formula = "judged / min(N, served), with judged counting grades >= 0 at ranks <= N",
    .source =
        "Sakai & Kando, Information Retrieval 2008; trec_eval unj_N is 1 - Judged@N if at least "
        "N documents were served",
    .range = "[0, 1]; no value if nothing was served or grades are not known",
    .example = "of the documents at ranks 1 to 5, those at 1, 2 and 4 are judged: Judged@5 = 0.6",
    .depends_on_min_grade = false,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const Rank depth = std::min(last_rank(measure), ranks.num_ret);
      if (ranks.grades.empty() || depth == 0) return std::nullopt;
      const auto judged = std::ranges::count_if(ranks.judged, [depth](const GradedRank& document) {
        return document.rank <= depth && document.grade >= 0;
      });
      return static_cast<double>(judged) / static_cast<double>(depth);
    }};

}  // namespace prescope
