#include "measures/definitions.h"

namespace prescope {

// The i-th document that was not served adds as much to the sum of ranks as N - n documents above
// it, so it earns nothing: the rest is the credit of PRES with N - n in place of the cutoff.
constexpr MeasureDefinition kRNorm{
    .name = "Rnorm",
    .meaning =
        "Normalised recall: how near the ranking of the whole collection comes to one with all "
        "relevant documents first.",
    .formula =
        "1 - (sum of r_i - n (n + 1) / 2) / (n (N - n)), with N the size of the collection; "
        "documents that were not served take its last ranks",
    .source =
        "Rocchio 1964; Magdy & Jones, SIGIR 2010, eq. 2. The place of documents that were not "
        "served is our choice, the worst case",
    .range =
        "[0, 1]; no value if N is unknown, N <= n, or a relevant document was served among the "
        "ranks left for those that were not",
    .example =
        "N = 100, n = 4, three found at ranks 1, 2, 3, the fourth so at 100: "
        "1 - (106 - 10) / (4 * 96) = 0.75",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const std::uint64_t num_rel = ranks.num_rel;
      if (ranks.collection_size <= num_rel) return std::nullopt;
      const std::uint64_t not_served = num_rel - ranks.relevant.size();
      if (!ranks.relevant.empty() && ranks.relevant.back() > ranks.collection_size - not_served) {
        return std::nullopt;
      }
      return hits_read(measure, ranks).pres(ranks.num_rel, ranks.collection_size - num_rel);
    }};

}  // namespace prescope
