#pragma once

#include <functional>

#include "nightly/gate/gate_rules.h"
#include "nightly/record/evaluation_record.h"
#include "prescope/gate.h"
#include "prescope/slices.h"

namespace prescope {

/// 0, 1, 3, 2.
[[nodiscard]] int exit_code(GateOutcome outcome) noexcept;

/// The one value that is printed, written in every format, and returned as exit code.
struct GateVerdict : GateResult {
  /// A is the baseline, B is tonight. Grades are not stored. A pinned citation lost from behind the
  /// cutoff has its rank.
  struct Citation : CitationMove {
    bool must_find = false;
  };
  /// A is the baseline, B is tonight, by the measure that has credits: see `moving`.
  struct Topic : TopicDifference {
    std::uint32_t num_rel = 0;
    std::vector<std::string> fails{};   ///< ids of the rules that this topic fails by itself
    std::vector<Citation> citations{};  ///< lost, gained and moved, largest share first
  };
  /// Latency of the topics' queries, tonight over baseline.
  struct Latency {
    std::optional<double> baseline_p95_ms{}, tonight_p95_ms{};
    std::uint32_t pairs = 0;   ///< queries that both searched in turn, if `ratio` is of those
    std::uint32_t nights = 0;  ///< earlier nights, if `ratio` is over their mean
    std::optional<double> ratio{};
    std::optional<double> ratio_low{}, ratio_high{};  ///< one-sided bounds by the pairs
    std::optional<double> bound{};       ///< the largest ratio that nights like these explain
    std::optional<double> finds_from{};  ///< ratio that is found on four nights in five
  };
  /// Topics that went from some citation to none, and the other way round.
  struct Emptied {
    std::uint32_t emptied = 0, filled = 0;
    std::optional<double> p_value{};  ///< one-sided McNemar, exact
    double rate_high = 0.0;           ///< 95 % Clopper-Pearson upper bound of the rate emptied
  };

  bool identical = false;  ///< every topic has the same relevant documents at the same ranks
  std::optional<Measure> moving{};  ///< the first PRES, or R, among the measures
  std::vector<Topic> topics{};  ///< changed topics, failing ones first, then by size of the fall
  std::optional<Emptied> emptied{};
  Latency latency{};
  GateRules applied{};  ///< the rules as applied, with every default filled in
  Baseline baseline{};
  EvaluationRecord tonight{};
};

/// Searches of the same queries in turn, tonight's arm and the baseline's.
struct LatencyPairs {
  std::vector<double> log_ratios{};  ///< ln(tonight / baseline), in the order of time
  std::string why_none{};            ///< a sentence, if there are none
};

/// Facts beside the two evaluations: earlier latencies, the clock, and slices.
struct GateEvidence {
  /// Runs the pairs. Called once at most: if the input is not bad and the rules judge latency.
  std::function<LatencyPairs()> run_pairs{};
  /// 95 % quantiles of the nights that were accepted since the baseline, with its own; oldest first
  std::vector<double> past_p95_ms{};
  /// Of tonight's that is not stored yet: the latest time of a stored night.
  std::optional<UtcTime> latest_night{};
  /// The slices that the rules name, of `gate_slices`. None: no rule about slices.
  TopicSlices slices{};
};

/// Reads the slices that the rules name, if any. Throws as `read_slices`. A TopicIndex is a place
/// among the topics of the baseline.
[[nodiscard]] TopicSlices gate_slices(const GateRules& rules, const EvaluationRecord& baseline);

/// Compares tonight with the baseline. If an input check fails, outcome is kBadInput and no rule
/// about the ranking is looked at; they are listed as skipped. Depends on its arguments alone, and
/// not on the order of topics. Throws Error(kUsage): a value of the rules out of its range; a
/// measure that the baseline was not made for, or that has no value from ranks of relevant
/// documents alone; other docno policies; no topic in common. Thread-safe; some milliseconds for
/// 500 topics.
[[nodiscard]] GateVerdict gate(const Baseline& baseline, const EvaluationRecord& tonight,
                               const GateRules& rules, const GateEvidence& evidence = {});

/// Id of the rule that counts the slices, and the beginning of the ids of the slices' own rules:
/// "slice.section.D".
inline constexpr const char* kSlicesRule = "slices";
inline constexpr const char* kSliceRules = "slice.";

/// Id of the rule that the scores of a run order its lines. A store that has its result keeps bad
/// input bad: see `EvaluationRecord::scores_fault`.
inline constexpr const char* kScoresRule = "input.scores";

/// Looks at an evaluation by itself, before it becomes a baseline: topics served, judged documents
/// found, the order of a run's scores, duplicates. A check with Status::kBadInput means that every
/// later night would be compared with broken input.
[[nodiscard]] std::vector<GateVerdict::Rule> pin_checks(const EvaluationRecord& record);

/// 0.998 as "99.8 %"; more digits next to, but not at, 0 and 100 %.
[[nodiscard]] std::string percent_words(double share);
/// "1 topic", "3 topics".
[[nodiscard]] std::string counted_words(std::uint64_t count, std::string_view singular);
/// "T1, T2, T3 and 5 more".
[[nodiscard]] std::string listed_names(std::span<const std::string> names);

}  // namespace prescope
