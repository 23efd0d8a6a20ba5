#pragma once

#include "live/ledger/ledger.h"
#include "prescope/observation_log.h"

namespace prescope {

/// Facts of an arm that the ledger does not have.
struct ArmFacts {
  ArmId id{};
  ArmStatus status = ArmStatus::kActive;
  const ResolvedQrels* resolved = nullptr;          ///< of its newest index; null if unknown
  std::optional<std::uint64_t> relevant_missing{};  ///< see ArmSummary; as `resolved` has it
  std::span<const std::string> missing_series{};    ///< see ArmSummary
};

/// Facts of an experiment that the ledger does not have.
struct SummaryFacts {
  std::string experiment{};
  std::string rule{};  ///< see Qrels::rule
  std::string salt{};  ///< Mode::kSplit
  ArmShares shares{};  ///< likewise
  // See ExperimentOptions:
  std::vector<std::string> stages{};
  double alpha = 0.05;
  VerdictLimits limits{};
  std::vector<ArmFacts> arms{};          ///< in the order of the ledger's arms
  std::vector<PastEpoch> past_epochs{};  ///< see keep_epoch
  Health health{};                       ///< the ledger's counts are added
};

/// Returns `own` with each counter raised until it reaches, together with the ledger's count, the
/// counter that a process has `stored`. Stored counters never fall, and also count observations
/// that were not stored.
[[nodiscard]] Health raised_to(const Health& stored, Health own, const Ledger& ledger) noexcept;
/// Adds what a log says of itself.
void count_progress(const LogProgress& progress, Health& health) noexcept;

/// Settles the ledger. O(arms x measures), and a look at each difference of each topic; O(topics x
/// arms x measures) for SummaryDetail::kEveryTopic.
[[nodiscard]] Summary summarize(Ledger& ledger, const SummaryFacts& facts, SummaryDetail detail);

/// Returns the results of the epoch so far, with the arms of that epoch in `facts`; the ledger must
/// be settled.
[[nodiscard]] PastEpoch past_epoch(const Ledger& ledger, const SummaryFacts& facts);
/// Adds the results of an epoch that ends to `facts.past_epochs`, which has the last 16.
void keep_epoch(const Ledger& ended, SummaryFacts& facts);

/// Compares each arm that is not removed with arm 0; the pairs share `facts.alpha`. In Mode::kSplit
/// a pair has no topics unless both arms are active and have served some. A pair has no verdict if
/// one of its checks is a veto.
[[nodiscard]] std::vector<ArmPair> compare_arms(const Ledger& ledger, const SummaryFacts& facts,
                                                SummaryDetail detail);

/// Returns the score of the last ranking, if it reaches the measure's cutoff.
[[nodiscard]] std::optional<double> last_score(const Ledger& ledger, ArmIndex arm, TopicIndex topic,
                                               std::size_t measure);

/// Returns a topic with the last ranking of every arm; `arms` in the order of the ledger's arms.
/// O(judged hits x arms).
[[nodiscard]] TopicRow topic_row(const Ledger& ledger, std::span<const ArmFacts> arms,
                                 TopicIndex topic);

/// Returns std::nullopt for an unknown topic; `arms` in the order of the ledger's arms. There are
/// no differences without a PRES among the measures, and in Mode::kSplit. O(judgements of the topic
/// x pairs of arms).
[[nodiscard]] std::optional<TopicDetail> topic_detail(const Ledger& ledger,
                                                      std::span<const ArmFacts> arms,
                                                      const TopicId& id);

}  // namespace prescope
