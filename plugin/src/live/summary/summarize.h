#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "live/ledger/ledger.h"
#include "prescope/measure.h"
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

/// The measure by which topics are said to have moved: the first PRES of the experiment.
[[nodiscard]] std::optional<std::size_t> moving_measure(std::span<const Measure> measures);

/// Of the ranking that was served last, where it reaches the measure's cutoff; the measure has one,
/// the arm is not removed.
[[nodiscard]] std::optional<double> last_score(const Ledger& ledger, ArmIndex arm, TopicIndex topic,
                                               std::size_t measure);

/// Nothing for a topic that the qrels do not have; `arms` those of the ledger. No differences
/// without a PRES among the measures, and in Mode::kSplit, where each topic is of one arm.
/// O(judgements of the topic x pairs of arms).
[[nodiscard]] std::optional<TopicDetail> topic_detail(const Ledger& ledger,
                                                      std::span<const ArmFacts> arms,
                                                      const TopicId& id);

}  // namespace prescope
