#pragma once

#include <vector>

#include "live/ledger/ledger.h"
#include "prescope/summary.h"

namespace prescope {

/// The arms that are compared with arm 0: all that are not removed.
[[nodiscard]] std::vector<ArmIndex> arms_compared(const Ledger& ledger);

/// The chance of ever being wrong, parted among the statements of an epoch.
struct AlphaShares {
  double measure = 0.05;  ///< of one measure of one pair: verdicts of all of them share alpha
  double latency = 0.05;  ///< of the latency ratio of one pair: ratios share another alpha

  [[nodiscard]] static AlphaShares of(const Ledger& ledger, double alpha);
};

/// Arm `b` less arm 0 in each measure of the scorer. O(topics x measures).
[[nodiscard]] std::vector<MeasureDifference> measure_differences(const Ledger& ledger, ArmIndex b,
                                                                 const AlphaShares& shares);

/// Arm `b` against arm 0, without `ArmPair::moves`. O(topics x measures).
[[nodiscard]] ArmPair compare_arms(const Ledger& ledger, ArmIndex b, const AlphaShares& shares);

}  // namespace prescope
