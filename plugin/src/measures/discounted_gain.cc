#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kNormalizedDiscountedGain{
    .name = "nDCG",
    .meaning =
        "How near the ranking comes to one with the highest grades first; a document is worth its "
        "grade, less the later it comes.",
    .formula =
        "DCG / ideal DCG of the ranks <= N, where DCG = sum of grade / log2(rank + 1) and the "
        "ideal ranking has all judged documents, highest grade first; negative grades count 0",
    .source =
        "Jarvelin & Kekalainen, TOIS 2002, with the discount of trec_eval ndcg and ndcg_cut_N. "
        "Grades count as they are, whatever the min grade",
    .range = "[0, 1]; no value where grades are not known",
    .example =
        "grades 3, 2, 1 judged; grade 2 at rank 1, grade 3 at rank 3: "
        "(2 / 1 + 3 / 2) / (3 / 1 + 2 / 1.585 + 1 / 2) = 3.5 / 4.762, nDCG = 0.735",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      if (ranks.grades.empty()) return std::nullopt;
      const Rank last = last_rank(measure);
      DiscountedGain served, ideal;
      for (const GradedRank& document : ranks.judged) {
        if (document.rank <= last && document.grade > 0) served.add(document.grade, document.rank);
      }
      Rank rank = 0;
      for (const Grade grade : ranks.grades) {
        if (grade <= 0 || rank == last) break;
        ideal.add(grade, ++rank);
      }
      return ideal.value() > 0.0 ? served.value() / ideal.value() : 0.0;
    }};

constexpr MeasureDefinition kRankBiasedPrecision{
    .name = "RBP",
    .meaning =
        "Rank-biased precision: the share of relevant documents that a searcher meets who goes on "
        "to the next one with probability p.",
    .formula = "(1 - p) * sum of p^(r_j - 1) over the relevant documents found, at ranks r_j <= N",
    .source =
        "Moffat & Zobel, TOIS 2008, with gain 1 for relevant documents. trec_eval rbp weighs by "
        "grade, which is the same where grades are 0 and 1",
    .range = "[0, 1)",
    .example = "found at ranks 1 and 3: RBP0.8 = 0.2 * (1 + 0.8^2) = 0.328",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .parameter = MeasureParameter{.word = "persistence",
                                  .range = "(0, 1)",
                                  .example = "0.8",
                                  .allows = [](double p) { return p > 0.0 && p < 1.0; }},
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const double p = measure.parameter();
      double sum = 0.0;
      for (const Rank rank : read_ranks(measure, ranks)) {
        sum += std::pow(p, static_cast<double>(rank) - 1.0);
      }
      return (1.0 - p) * sum;
    }};

}  // namespace prescope
