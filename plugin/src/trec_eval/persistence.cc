#include <algorithm>

#include "trec_eval/families.h"

namespace prescope::trec_eval {

namespace {

// Gains beyond [0, 1] are brought into it, by the levels of the topic alone.
double rbp(const JudgedRanks& ranks, const GainScale& gains, Powers& powers) {
  const double least = gains.least(), span = gains.most() - least;
  const bool within = least >= 0.0 && gains.most() <= 1.0;
  double sum = 0.0;
  for (const GradedRank& document : ranks.judged) {
    if (document.grade < 0) continue;
    const double gain = gains.gain(document.grade);
    sum += (within ? gain : (gain - least) / span) * powers.of(document.rank - 1);
  }
  return (1.0 - powers.base()) * sum;
}

double rbp_resid(const JudgedRanks& ranks, const GainScale&, Powers& powers) {
  const std::span<const double> known = powers.first(ranks.num_ret);
  double sum = 0.0;
  // Adds what the ranks behind `above` and before `below` are worth.
  const auto add_between = [&](Rank above, Rank below) {
    for (std::size_t i = above; i + 1 < below; ++i) {
      const double before = sum;
      sum += known[std::min(i, known.size() - 1)];
      if (sum == before) break;  // and all that follow are as little
    }
  };
  Rank last = 0, judged = 0;
  for (const GradedRank& document : ranks.judged) {
    if (document.grade < 0) continue;
    add_between(last, document.rank);
    last = document.rank;
    ++judged;
  }
  add_between(last, ranks.num_ret + 1);
  if (judged == ranks.num_ret) return 0.0;
  return powers.of(ranks.num_ret) + (1.0 - powers.base()) * sum;
}

}  // namespace

constexpr Family kRbp{
    .name = "rbp",
    .meaning = "Rank-biased precision with persistence p (0.9), weighed by grade.",
    .score = rbp};

constexpr Family kRbpResid{
    .name = "rbp_resid",
    .meaning = "How much rbp could rise if every document that nobody judged were relevant.",
    .score = rbp_resid,
    .missing = Family::Missing::kZero};

}  // namespace prescope::trec_eval
