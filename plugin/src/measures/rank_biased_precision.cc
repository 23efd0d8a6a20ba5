#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kRankBiasedPrecision{
    .name = "RBP",
    .meaning =
        "Rank-biased precision: the share of relevant documents that a searcher meets who goes on "
        "to the next one with probability p.",
    .formula = "(1 - p) * sum of p^(r_j - 1) over the relevant documents found, at ranks r_j <= N",
    .source =
        "Moffat & Zobel, TOIS 2008, with gain 1 for relevant documents. trec_eval rbp weighs by "
        "grade, which is the same if grades are 0 and 1",
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
