#include <algorithm>
#include <cmath>

#include "core/trec_eval/families.h"

namespace prescope::trec_eval {
namespace {

/// Interpolated precision at shares of recall: the highest precision there or behind, given to
/// `take(i, precision)` for the last share first. A share not reached is not given. Shares that do
/// not ascend hold up those before them until the top of the ranking, as in trec_eval.
template <class Take>
void interpolate(const JudgedRanks& ranks, std::span<const double> shares, const Take& take) {
  const auto wanted = [&](std::size_t i) { return std::lround(shares[i - 1] * ranks.num_rel); };
  auto found = static_cast<long>(ranks.relevant.size());
  std::size_t left = shares.size();
  while (left > 0 && wanted(left) > found) --left;
  double highest = 0.0;
  for (; found > 0; --found) {
    const Rank rank = ranks.relevant[static_cast<std::size_t>(found) - 1];
    highest = std::max(highest, static_cast<double>(found) / static_cast<double>(rank));
    for (; left > 0 && wanted(left) == found; --left) take(left - 1, highest);
  }
  for (; left > 0; --left) take(left - 1, highest);
}

void iprec_at_recall(const JudgedRanks& ranks, std::span<const double> shares,
                     std::span<double> values) {
  std::ranges::fill(values, 0.0);
  interpolate(ranks, shares, [&](std::size_t i, double precision) { values[i] = precision; });
}

double average_of_interpolated(const JudgedRanks& ranks, std::span<const double> shares) {
  double sum = 0.0;
  interpolate(ranks, shares, [&](std::size_t, double precision) { sum += precision; });
  return sum / static_cast<double>(shares.size());
}

}  // namespace

constexpr Family kIprecAtRecall{
    .name = "iprec_at_recall",
    .meaning = "Interpolated precision at recall: the highest at that recall or a higher one.",
    .score = iprec_at_recall,
    .defaults = kElevenShares};

constexpr Family kElevenPointAverage{
    .name = "11pt_avg",
    .meaning = "Mean of the interpolated precisions at the recall points.",
    .score = average_of_interpolated,
    .defaults = kElevenShares,
    .count = Family::Count::kAny};

}  // namespace prescope::trec_eval
