#pragma once

#include <optional>
#include <span>
#include <vector>

#include "nightly/evaluation_record.h"
#include "nightly/gate/gate.h"
#include "nightly/gate/gate_rules.h"
#include "prescope/measure.h"

namespace prescope {

/// One topic at the baseline and tonight.
struct PairedTopic {
  const EvaluationRecord::Topic* baseline = nullptr;
  const EvaluationRecord::Topic* tonight = nullptr;
};

/// Ascending by id, whatever order the records have them in: the topics of both. The records must
/// outlive the answer.
[[nodiscard]] std::vector<PairedTopic> paired_topics(const EvaluationRecord& baseline,
                                                     const EvaluationRecord& tonight);

/// What a gate looks at. Borrows all of it.
struct GateSubject {
  const Baseline& baseline;
  const EvaluationRecord& tonight;
  const GateRules& rules;  ///< as applied
  const std::vector<PairedTopic>& topics;
  std::optional<Measure> moving{};
};

/// The checks of judgements, topics, depth, documents, docnos and duplicates, in this order.
[[nodiscard]] std::vector<GateVerdict::Rule> input_checks(const GateSubject& subject);

/// What became of one topic's citations up to the cutoff of the moving measure.
struct ChangedTopic {
  GateVerdict::Topic shown{};  ///< as the verdict shows it, `fails` left empty
  bool is_emptied = false;     ///< it had some citation, and has none
  bool is_filled = false;      ///< the other way round
  bool has_loss = false;
  bool has_hard_loss = false;  ///< from the first 80 % of the ranks up to the cutoff
  /// A pinned citation that the baseline found is neither up to the cutoff nor as early as there.
  bool has_must_find_lost = false;
  bool has_changes = false;  ///< some citation was lost, gained or moved
};

/// All topics with relevant documents, ascending by id, also those in which nothing changed. The
/// moving measure must be there. Documents are the same if the docno policy says so; families,
/// whose map is not stored, by their patents.
[[nodiscard]] std::vector<ChangedTopic> changed_topics(const GateSubject& subject);

/// A rule about single topics, and the topics by which it fails.
struct CatastropheRule {
  GateVerdict::Rule rule{};
  std::vector<const ChangedTopic*> failing{};  ///< ascending by id; none where it holds
};

/// In the order in which they are told. Where no measure moves, all of them are skipped.
[[nodiscard]] std::vector<CatastropheRule> find_catastrophes(const GateSubject& subject,
                                                             std::span<const ChangedTopic> topics);

/// Nothing where there are no topics.
[[nodiscard]] std::optional<GateVerdict::Emptied> count_emptied(
    std::span<const ChangedTopic> topics);

struct LatencyResult {
  GateVerdict::Latency latency{};
  GateVerdict::Rule rule{};
};

/// The 95 % quantile of the queries' latency, tonight over baseline. Its bounds are those of both
/// quantiles, by order statistics, the one over the other: at least as sure as the confidence asked
/// for, each by itself. Fails where the lower bound is above the limit; is inconclusive where only
/// the ratio is. Skipped where nobody timed, or too few queries bound the quantile.
[[nodiscard]] LatencyResult compare_latency(const GateSubject& subject);

/// Each deciding measure: whether it may have got worse by its margin or more.
[[nodiscard]] std::vector<GateVerdict::MeasureResult> compare_with_margins(
    const GateSubject& subject);

/// What a result says of the margin, in a sentence.
[[nodiscard]] GateVerdict::Rule margin_rule(const GateVerdict::MeasureResult& result,
                                            double confidence);

}  // namespace prescope
