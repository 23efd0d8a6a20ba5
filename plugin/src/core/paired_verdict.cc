#include "core/paired_verdict.h"

#include "core/statistics/paired_t.h"
#include "core/statistics/wilcoxon.h"

namespace prescope {

PairedTest deciding_test(const DifferenceCounts& counts, PairedTest asked_for) noexcept {
  const bool is_few = counts.total() < kTopicsForT || counts.non_zero() < kNonZeroForT;
  return asked_for == PairedTest::kT && is_few ? PairedTest::kSignFlip : asked_for;
}

std::optional<TestedDifference> tested_difference(std::span<const double> differences,
                                                  PairedTest test,
                                                  const SignFlipOptions& sign_flip_options) {
  const std::optional<PairedT> t = paired_t(differences);
  if (!t) return std::nullopt;
  TestedDifference tested{.counts = count_differences(differences), .mean = t->mean};
  tested.decided_by = deciding_test(tested.counts, test);
  tested.direction = t->mean;
  switch (tested.decided_by) {
    case PairedTest::kT:
      tested.p_value = t->p_value;
      break;
    case PairedTest::kSignFlip:
      tested.p_value = sign_flip(differences, sign_flip_options).p_value;
      break;
    case PairedTest::kWilcoxon: {
      const Wilcoxon ranks = wilcoxon(differences);
      tested.p_value = ranks.p_value;
      tested.direction = ranks.z;
      break;
    }
  }
  return tested;
}

Verdict verdict_of(const TestedDifference& tested, double corrected, double alpha) noexcept {
  if (tested.counts.non_zero() == 0) return Verdict::kIdentical;
  if (corrected > alpha) return Verdict::kNoDifference;
  return tested.direction > 0.0 ? Verdict::kBetter : Verdict::kWorse;
}

}  // namespace prescope
