#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "measures/citation_changes.h"
#include "nightly/gate/gate.h"
#include "nightly/gate/gate_rules.h"
#include "nightly/gate/paired_topics.h"
#include "prescope/measure.h"

namespace prescope {

/// What a gate looks at. Borrows all of it.
struct GateSubject {
  const Baseline& baseline;
  const EvaluationRecord& tonight;
  const GateRules& rules;  ///< as applied
  const std::vector<PairedTopic>& topics;
  std::optional<Measure> moving{};
};

/// All of them, in the order in which they are told.
[[nodiscard]] std::vector<GateVerdict::Rule> input_checks(const GateSubject& subject);

/// Whether both rankings reach the last rank that a rule reads, or stop short of it alike. What was
/// asked of an engine is known; of a run the longest ranking is taken for a limit where a tenth of
/// its topics end there.
[[nodiscard]] GateVerdict::Rule check_depth(const GateSubject& subject);

/// Whether the index has the judged documents, by their ids. Of a run, where no index is known, it
/// fails only if another docno policy explains what is no longer found.
[[nodiscard]] GateVerdict::Rule check_judged_found(const GateSubject& subject);

/// What became of one topic's citations up to the cutoff of the moving measure.
struct ChangedTopic {
  struct Document {
    Docno docno{};
    std::optional<Rank> baseline{}, tonight{};  ///< wherever it was found
    bool must_find = false;
  };

  PairedTopic topic{};
  Cutoff cutoff{};
  double baseline = 0.0, tonight = 0.0;  ///< the moving measure
  double difference = 0.0;               ///< clean
  std::size_t found_baseline = 0, found_tonight = 0;
  std::uint64_t whole = 1;                ///< credits over this are shares of the difference
  std::vector<Document> documents{};      ///< none where nothing changed
  std::vector<CitationChange> changes{};  ///< of documents by their position

  [[nodiscard]] const TopicId& id() const noexcept { return topic.tonight->id; }
  [[nodiscard]] bool is_emptied() const noexcept {
    return found_baseline > 0 && found_tonight == 0;
  }
  [[nodiscard]] bool is_filled() const noexcept { return found_baseline == 0 && found_tonight > 0; }
  [[nodiscard]] bool has_loss() const noexcept;
  /// A citation was lost from the first 80 % of the ranks up to the cutoff.
  [[nodiscard]] bool has_hard_loss() const noexcept;
  /// The baseline found this pinned citation, and tonight has it neither up to the cutoff nor as
  /// early as the baseline.
  [[nodiscard]] bool is_must_find_lost(const Document& document) const noexcept;
  [[nodiscard]] bool has_must_find_lost() const noexcept;
};

/// All topics with relevant documents, ascending by id, also those in which nothing changed. The
/// moving measure must be there. Documents are the same where the docno policy says so; families,
/// whose map is not stored, by their patents.
[[nodiscard]] std::vector<ChangedTopic> changed_topics(const GateSubject& subject);

/// As the verdict shows it, `fails` left empty.
[[nodiscard]] GateVerdict::Topic to_verdict(const ChangedTopic& topic);

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
