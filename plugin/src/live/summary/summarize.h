#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "live/ledger/ledger.h"
#include "prescope/summary.h"

namespace prescope {

/// What a summary says of an arm beside what the ledger has seen of it.
struct ArmFacts {
  ArmId id{};
  ArmStatus status = ArmStatus::kActive;
  const ResolvedQrels* resolved = nullptr;  ///< of its newest index; null where nobody said
};

/// What a summary says beside what the ledger has seen.
struct SummaryFacts {
  std::string_view experiment{};
  double alpha = 0.05;               ///< as ExperimentOptions has it
  std::span<const ArmFacts> arms{};  ///< those of the ledger
  std::vector<PastEpoch> past_epochs{};
  Health health{};  ///< what the ledger counts is added
};

/// O(topics x arms x measures).
[[nodiscard]] Summary summarize(const Ledger& ledger, SummaryFacts facts, SummaryDetail detail);

/// Of ended epochs, the newest so many are told of.
inline constexpr std::size_t kKeptEpochs = 16;

/// How far the epoch has come that the ledger is in; `alpha` as ExperimentOptions has it.
[[nodiscard]] PastEpoch past_epoch(const Ledger& ledger, double alpha);

/// `with_relevant`: topics of the qrels with relevant documents. O(topics x measures).
[[nodiscard]] ArmSummary summarize_arm(const Ledger& ledger, ArmIndex index, const ArmFacts& facts,
                                       std::uint32_t with_relevant);

/// A topic as every arm last served it; `arms` those of the ledger. O(judged hits x arms).
[[nodiscard]] TopicRow topic_row(const Ledger& ledger, std::span<const ArmFacts> arms,
                                 TopicIndex topic);

/// The topics whose first PRES differs between the rankings that arm 0 and `b` served last, largest
/// difference first; none where the experiment has no PRES, or each topic one arm.
[[nodiscard]] std::vector<TopicMove> topic_moves(const Ledger& ledger, ArmIndex b);

}  // namespace prescope
