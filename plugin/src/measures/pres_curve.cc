#include "measures/pres_curve.h"

#include "measures/definitions.h"

namespace prescope {

PresCurve pres_curve(std::uint32_t num_rel, std::uint32_t cutoff, const std::vector<Rank>& ranks) {
  PresCurve curve{.num_rel = num_rel, .cutoff = cutoff};
  FoundRelevant hits;
  for (const Rank rank : ranks) {
    if (rank > cutoff) {
      curve.behind.push_back(rank);
      continue;
    }
    const std::uint64_t before = hits.credit(cutoff);
    hits.add(rank);
    curve.hits.push_back({.rank = rank,
                          .credit = hits.credit(cutoff) - before,
                          .recall = hits.recall(num_rel),
                          .pres = hits.pres(num_rel, cutoff),
                          .average_precision = hits.average_precision(num_rel),
                          .lowest = least_pres(hits.found(), num_rel, cutoff),
                          .highest = most_pres(hits.found(), num_rel)});
  }
  if (curve.hits.empty()) return curve;
  const PresCurve::Hit& last = curve.hits.back();
  curve.recall = last.recall;
  curve.pres = last.pres;
  curve.average_precision = last.average_precision;
  curve.pres_est = hits.pres_estimate(num_rel, cutoff);
  curve.lowest = last.lowest;
  curve.highest = last.highest;
  return curve;
}

double least_pres(std::uint64_t found, std::uint32_t num_rel, std::uint32_t cutoff) noexcept {
  const auto k = static_cast<double>(found);
  return k * k / (static_cast<double>(num_rel) * cutoff);
}

double most_pres(std::uint64_t found, std::uint32_t num_rel) noexcept {
  return static_cast<double>(found) / num_rel;
}

}  // namespace prescope
