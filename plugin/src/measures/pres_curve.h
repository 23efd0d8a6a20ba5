#pragma once

#include <vector>

#include "prescope/types.h"

namespace prescope {

/// PRES of one topic step by step, with its bounds (Magdy & Jones, SIGIR 2010, section 5).
struct PresCurve {
  /// The j-th relevant document found: its credit, and the scores with it.
  struct Hit {
    Rank rank = 0;
    std::uint64_t credit = 0;  ///< N + j - r_j
    double recall = 0.0, pres = 0.0, average_precision = 0.0;
    double lowest = 0.0, highest = 0.0;  ///< n R^2 / N and R, for the recall of j documents
  };

  std::uint32_t num_rel = 0;   ///< n, at least 1
  std::uint32_t cutoff = 0;    ///< N, at least 1
  std::vector<Rank> behind{};  ///< ranks behind N: missing documents to PRES
  std::vector<Hit> hits{};     ///< by rank
  double recall = 0.0, pres = 0.0, average_precision = 0.0;
  double pres_est = 0.0;               ///< PRES / min(1, N/n)
  double lowest = 0.0, highest = 0.0;  ///< bounds of PRES for this recall
};

/// `ranks` ascend strictly, from 1, at most `num_rel` of them; `num_rel` and `cutoff` at least 1.
[[nodiscard]] PresCurve pres_curve(std::uint32_t num_rel, std::uint32_t cutoff,
                                   const std::vector<Rank>& ranks);

/// Returns PRES if all of `found` documents are just before the cutoff N, or if all are on top.
/// `found` <= num_rel and <= cutoff.
[[nodiscard]] double least_pres(std::uint64_t found, std::uint32_t num_rel,
                                std::uint32_t cutoff) noexcept;
[[nodiscard]] double most_pres(std::uint64_t found, std::uint32_t num_rel) noexcept;

}  // namespace prescope
