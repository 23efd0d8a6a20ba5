#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kReciprocalRank{
    .name = "RR",
    .meaning = "How early the first relevant document arrives.",
    .formula = "1 / r_1; 0 if none is found (within N, if a cutoff is given)",
    .source = "trec_eval recip_rank; Voorhees, TREC-8 question answering track, 1999",
    .range = "[0, 1]",
    .example = "found at ranks 4, 7 and 9: RR = 1 / 4 = 0.25, RR@3 = 0",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const std::span<const Rank> read = read_ranks(measure, ranks);
      return read.empty() ? 0.0 : 1.0 / static_cast<double>(read.front());
    }};

}  // namespace prescope
