#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/measure.h"
#include "prescope/types.h"

namespace prescope {

/// Quantiles of one arm's query latency, milliseconds, within 1 % of the true order statistic.
struct LatencySummary {
  std::uint64_t count = 0;
  std::optional<double> p50_ms{}, p95_ms{}, p99_ms{}, max_ms{};
};

/// A measure's macro mean over topics for one arm.
struct MeasureMean {
  Measure measure;
  /// Over the topics that have a value.
  std::optional<double> mean{};
  std::uint32_t topics = 0;
  /// Over all topics with relevant documents, those without a value counted as 0.
  std::optional<double> mean_over_all{};
  /// Topics seen whose ranking did not reach the measure's cutoff and so have no value.
  std::uint32_t too_shallow = 0;
};

struct ArmSummary {
  ArmId id{};
  std::uint64_t judged_queries = 0;
  std::uint64_t unjudged_queries = 0;
  /// Queries, of both kinds, that the engine answered only when asked again. Their latency is not
  /// the arm's and is left out of `latency`, the arms' ratio and the plugin's own time.
  std::uint64_t retried_queries = 0;
  std::uint32_t topics_seen = 0;
  std::vector<MeasureMean> means{};  ///< in the order of Summary::measures
  LatencySummary latency{};
  /// The plugin's own time per judged query, microseconds, median and 99 %.
  std::optional<double> self_p50_us{}, self_p99_us{};
  /// Hits of a judged document that had been served at a better rank already.
  std::uint64_t duplicate_hits = 0;
  /// Judged relevant documents, over all topics, that the arm's index does not carry; they count as
  /// not found. Nothing where no adapter said so.
  std::optional<std::uint64_t> relevant_missing{};
};

/// What a paired comparison says about a measure.
enum class Verdict {
  kTooFewTopics,  ///< fewer than 2 topics have both values
  kIdentical,     ///< every topic has the same value
  kNoDifference,  ///< the interval contains 0
  kBetter,        ///< the whole interval is above 0: the second arm is better
  kWorse,
};
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

/// B - A over the topics where both arms have a value; 95 % paired t interval.
struct MeasureDifference {
  Measure measure;
  std::uint32_t topics = 0;
  std::optional<double> mean{}, ci_low{}, ci_high{}, p_value{};
  std::uint32_t wins = 0, ties = 0, losses = 0;  ///< of B
  Verdict verdict = Verdict::kTooFewTopics;
};

/// One judged relevant document whose part in the score differs between two arms.
struct CitationMove {
  Docno docno{};
  Grade grade = 0;
  std::optional<Rank> rank_a{}, rank_b{};  ///< none: not served within the cutoff
  double share = 0.0;                      ///< its exact part of the topic's PRES difference
};

/// A topic whose PRES differs, with the citations that make the difference; shares sum to it.
struct TopicMove {
  TopicId topic{};
  Measure measure;  ///< PRES at the experiment's first cutoff
  double a = 0.0, b = 0.0, difference = 0.0;
  std::uint32_t num_rel = 0;
  std::vector<CitationMove> citations{};  ///< largest absolute share first
};

struct ArmPair {
  ArmIndex a{}, b{};
  std::vector<MeasureDifference> differences{};  ///< in the order of Summary::measures
  std::vector<TopicMove> moves{};                ///< every topic that moved, largest first
  /// Queries of B over queries of A in the same topic: geometric mean latency ratio, with its 95 %
  /// paired t interval on the log scale.
  std::optional<double> latency_ratio{}, latency_ratio_low{}, latency_ratio_high{};
};

/// One topic as the arms last served it.
struct TopicRow {
  TopicId id{};
  std::uint32_t num_rel = 0;
  struct Arm {
    bool seen = false;
    std::uint64_t visits = 0;
    std::uint32_t num_ret = 0;                    ///< ranks 1..num_ret were served
    bool exhausted = false;                       ///< nothing follows them
    std::uint32_t missing = 0;                    ///< judged documents not in the index
    std::optional<double> latency_ms{};           ///< of the last visit that was timed
    std::vector<Rank> relevant_ranks{};           ///< ascending
    std::vector<std::optional<double>> scores{};  ///< in the order of Summary::measures
  };
  std::vector<Arm> arms{};  ///< in the order of Summary::arms
};

/// What did not go as it should; all zero in a healthy run.
struct Health {
  std::uint64_t pushed = 0, recorded = 0;  ///< once flushed, recorded + recorder_failures = pushed
  std::uint64_t dropped_queue_full = 0;
  std::uint64_t queries_without_scope = 0;  ///< rankings served outside any QueryScope
  std::uint64_t queries_without_ranking = 0;
  std::uint64_t unknown_arm = 0;
  std::uint64_t unmatched_rankings = 0;  ///< docids that came without a resolved table
  std::uint64_t page_gaps = 0;           ///< later pages whose earlier pages were not seen
  std::uint64_t adapter_failures = 0;
  std::uint64_t listener_failures = 0;
  std::uint64_t recorder_failures = 0;  ///< observations lost to a failure while recording
};

/// An immutable picture of an experiment.
struct Summary {
  std::string experiment{};
  std::uint32_t topics = 0;                   ///< topics of the qrels
  std::uint32_t topics_without_relevant = 0;  ///< they have no value and are in no mean
  std::uint64_t judgements = 0;
  std::uint64_t judgements_repeated = 0, judgements_merged = 0;
  std::vector<Measure> measures{};
  std::vector<ArmSummary> arms{};
  std::vector<ArmPair> pairs{};  ///< the first arm with each other arm
  std::vector<TopicRow> rows{};  ///< topics seen by some arm, ascending by id
  Health health{};
};

}  // namespace prescope
