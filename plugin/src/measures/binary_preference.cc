#include "measures/definitions.h"

namespace prescope {

double binary_preference(const JudgedRanks& ranks) {
  const auto not_relevant =
      static_cast<std::uint32_t>(std::ranges::count_if(ranks.grades, [&](Grade grade) {
        return judged_as(grade, ranks.min_grade) == JudgedAs::kNotRelevant;
      }));
  const auto most_above = static_cast<double>(std::min(ranks.num_rel, not_relevant));
  std::uint32_t above = 0;  // judged not relevant
  double sum = 0.0;
  for (const GradedRank& document : ranks.judged) {
    const JudgedAs judged = judged_as(document.grade, ranks.min_grade);
    if (judged == JudgedAs::kNotRelevant) ++above;
    if (judged != JudgedAs::kRelevant) continue;
    sum +=
        above == 0 ? 1.0 : 1.0 - static_cast<double>(std::min(above, ranks.num_rel)) / most_above;
  }
  return ranks.num_rel == 0 ? 0.0 : sum / static_cast<double>(ranks.num_rel);
}

constexpr MeasureDefinition kBinaryPreference{
    .name = "bpref",
    .meaning =
        "How seldom a document judged not relevant stands above a relevant one; documents that "
        "nobody judged do not count.",
    .formula =
        "sum of 1 - min(a, R) / min(N, R) over the relevant documents found, divided by R = n; a "
        "counts the documents judged not relevant above it, N all of them",
    .source = "Buckley & Voorhees, SIGIR 2004, as corrected in trec_eval 8; trec_eval bpref",
    .range = "[0, R]; no value if grades are not known",
    .example =
        "n = 3, N = 2; relevant at ranks 1 and 5, judged not relevant at 2: "
        "(1 + (1 - 1 / 2)) / 3 = 0.5",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = [](const Measure&, const JudgedRanks& ranks) -> std::optional<double> {
      if (ranks.grades.empty()) return std::nullopt;
      return binary_preference(ranks);
    }};

}  // namespace prescope
