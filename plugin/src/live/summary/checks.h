#pragma once

#include "live/summary/summarize.h"

namespace prescope {

/// Returns how the topics were given to arm 0 and to `b`; nothing unless Mode::kSplit gives topics
/// to both.
[[nodiscard]] std::optional<SampleRatio> sample_ratio(const Ledger& ledger, ArmIndex b,
                                                      const SummaryFacts& facts);

/// Returns the checks of a pair, whose `sample_ratio` is set, in the order of CheckKind. Those that
/// the mode cannot fail are left out.
[[nodiscard]] std::vector<Check> checks_of(const Ledger& ledger, const ArmPair& pair,
                                           const SummaryFacts& facts);

[[nodiscard]] bool is_vetoed(std::span<const Check> checks) noexcept;

/// The limits by their names.
inline constexpr std::pair<std::string_view, double VerdictLimits::*> kVerdictLimits[] = {
    {"failures", &VerdictLimits::failures},
    {"unseen", &VerdictLimits::unseen},
    {"shallow", &VerdictLimits::shallow},
    {"unscored", &VerdictLimits::unscored},
    {"not_in_index", &VerdictLimits::not_in_index},
    {"incomplete", &VerdictLimits::incomplete},
    {"lost_comparisons", &VerdictLimits::lost_comparisons},
    {"misassigned", &VerdictLimits::misassigned},
    {"drops", &VerdictLimits::drops}};

}  // namespace prescope
