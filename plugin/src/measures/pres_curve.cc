#include "measures/pres_curve.h"

#include "measures/definitions.h"

namespace prescope {

PresCurve pres_curve(std::uint32_t num_rel, std::uint32_t cutoff, const std::vector<Rank>& ranks) {
  PresCurve curve{.num_rel = num_rel, .cutoff = cutoff};
  Pres pres;
  Recall recall;
  AveragePrecision precision;
  std::uint64_t credit = 0;
  for (const Rank rank : ranks) {
    if (rank > cutoff) {
      curve.behind.push_back(rank);
      continue;
    }
    pres.add(rank);
    recall.add(rank);
    precision.add(rank);
    const std::uint64_t found = curve.hits.size() + 1;
    curve.hits.push_back({.rank = rank,
                          .credit = pres.credit(cutoff) - credit,
                          .recall = recall.value(num_rel),
                          .pres = pres.value(num_rel, cutoff),
                          .average_precision = precision.value(num_rel),
                          .low = least_pres(found, num_rel, cutoff),
                          .high = most_pres(found, num_rel)});
    credit = pres.credit(cutoff);
  }
  if (curve.hits.empty()) return curve;
  const PresCurve::Hit& last = curve.hits.back();
  curve.recall = last.recall;
  curve.pres = last.pres;
  curve.average_precision = last.average_precision;
  curve.pres_est = pres.estimate(num_rel, cutoff);
  curve.low = last.low;
  curve.high = last.high;
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
