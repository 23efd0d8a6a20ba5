#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/statistics/differences.h"
#include "core/statistics/sign_flip.h"
#include "prescope/summary.h"

namespace prescope {

enum class PairedTest { kT, kSignFlip, kWilcoxon };

inline constexpr std::uint32_t kTopicsForT = 30, kNonZeroForT = 20;

/// What decides where `asked_for` is: kT gives way to sign-flip where there are fewer than
/// kTopicsForT differences, or fewer than kNonZeroForT that are not 0.
[[nodiscard]] PairedTest deciding_test(const DifferenceCounts& counts,
                                       PairedTest asked_for) noexcept;

/// What the test that decides says of paired differences, and nothing else: for many pairs.
struct TestedDifference {
  PairedTest decided_by = PairedTest::kT;
  DifferenceCounts counts{};
  double mean = 0.0;
  double p_value = 1.0;
  /// Above 0 where the second of the pair is better: that of the mean, with kWilcoxon of the ranks.
  double direction = 0.0;
};

/// `differences` are clean. Nothing for fewer than two.
[[nodiscard]] std::optional<TestedDifference> tested_difference(
    std::span<const double> differences, PairedTest test, const SignFlipOptions& sign_flip = {});

/// kBetter, kWorse: the corrected p is at most alpha.
[[nodiscard]] Verdict verdict_of(const TestedDifference& tested, double corrected,
                                 double alpha) noexcept;

}  // namespace prescope
