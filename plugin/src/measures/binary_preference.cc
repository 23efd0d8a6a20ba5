#include "measures/definitions.h"

namespace prescope {

namespace {

std::optional<double> score_binary_preference(const Measure&, const JudgedRanks& ranks) {
  if (!has_grades(ranks)) return std::nullopt;
  BinaryPreference preference(ranks.num_rel, count_not_relevant(ranks));
  for (const GradedRank& document : ranks.judged) {
    const JudgedAs judged = judged_as(document.grade, ranks.min_grade);
    if (judged == JudgedAs::kRelevant) preference.add_relevant();
    if (judged == JudgedAs::kNotRelevant) preference.add_not_relevant();
  }
  return preference.value();
}

}  // namespace

constexpr MeasureDefinition kBinaryPreference{
    .name = "bpref",
    .meaning =
        "How seldom a document judged not relevant stands above a relevant one; documents that "
        "nobody judged do not count.",
    .formula =
        "sum of 1 - min(a, R) / min(N, R) over the relevant documents found, divided by R = n; a "
        "counts the documents judged not relevant above it, N all of them",
    .source = "Buckley & Voorhees, SIGIR 2004, as corrected in trec_eval 8; trec_eval bpref",
    .range = "[0, R]; no value where grades are not known",
    .example =
        "n = 3, N = 2; relevant at ranks 1 and 5, judged not relevant at 2: "
        "(1 + (1 - 1 / 2)) / 3 = 0.5",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = score_binary_preference};

}  // namespace prescope
