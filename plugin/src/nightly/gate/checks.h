#pragma once

#include "nightly/gate/gate.h"
#include "nightly/gate/gate_rules.h"
#include "nightly/record/evaluation_record.h"
#include "runs/paired_scores.h"
#include "statistics/evidence.h"

namespace prescope {

/// One topic at the baseline and tonight.
struct PairedTopic {
  const EvaluationRecord::Topic* baseline = nullptr;
  const EvaluationRecord::Topic* tonight = nullptr;
};

/// Returns the topics of both, ascending by id, for any order of the records. The records must
/// outlive the answer.
[[nodiscard]] std::vector<PairedTopic> paired_topics(const EvaluationRecord& baseline,
                                                     const EvaluationRecord& tonight);

/// Returns the scores of the topics that have one in the baseline, A, and tonight, B. A topic's
/// family is that of tonight.
[[nodiscard]] PairedScores paired_scores(const std::vector<PairedTopic>& topics,
                                         const Measure& measure);

/// Returns which docnos are one document. Of a stored night, whose family map is not known, those
/// of one patent are.
[[nodiscard]] DocnoNormalizer docnos_of(const EvaluationRecord& record);

/// Returns whether the evaluation is of a run file, and not of a replay.
[[nodiscard]] inline bool is_run(const EvaluationRecord& record) noexcept {
  return record.config.empty() && record.index.engine.empty();
}

/// The input of a gate. Borrows all of it.
struct GateSubject {
  const Baseline& baseline;
  const EvaluationRecord& tonight;
  const GateRules& rules;                  ///< as applied
  const std::vector<PairedTopic>& topics;  ///< that the baseline served
  const GateEvidence& evidence;
  std::optional<Measure> moving{};
};

/// The result of a rule, and a sentence with the figures.
struct Finding {
  GateVerdict::Status status = GateVerdict::Status::kPass;
  std::string reason{};

  [[nodiscard]] GateVerdict::Rule as_rule(std::string id) const {
    return {.id = std::move(id), .status = status, .reason = reason};
  }
};

/// The reason of a rule that is switched off.
inline constexpr const char* kSwitchedOff = "Not looked at, as the rules say.";

/// Compares the conditions under which the two evaluations were made.
[[nodiscard]] Finding check_conditions(const GateSubject& subject);
/// Compares arm and engine. Never bad input, because another arm may be what is gated; but it is
/// said before a drop is read.
[[nodiscard]] Finding check_arm(const GateSubject& subject);
/// Compares what the two indexes hold.
[[nodiscard]] Finding check_passport(const GateSubject& subject);

/// Says what the index honours only in part of the arm of an evaluation.
[[nodiscard]] Finding check_arm_on_index(const EvaluationRecord& record);

/// The checks of judgements, topics, conditions, index, depth, documents, docnos and duplicates.
[[nodiscard]] std::vector<GateVerdict::Rule> input_checks(const GateSubject& subject);

/// The clock may not have gone back since the baseline, or since the latest night.
[[nodiscard]] Finding check_clock(const GateSubject& subject);
/// What the checks of run files found, but for the order of scores, which has a rule of its own.
[[nodiscard]] Finding check_run_file(const EvaluationRecord& record);

/// Looks at each topic's citations up to the cutoff of the moving measure, and adds to the verdict
/// the rules about catastrophes, the number of emptied topics, and the topics that changed. If no
/// measure moves, the rules are skipped. Documents are the same if `docnos_of` tonight says so.
void judge_topics(const GateSubject& subject, GateVerdict& verdict);

/// Adds the rule about latency, tonight over baseline. With pairs, it fails if the lower t bound of
/// the mean ln ratio over 20 blocks of pairs is above the limit. Without, it compares tonight's 95
/// % quantile with those of the last 10 to 30 accepted nights, and fails above their prediction
/// bound (99 %), above all of them, and above the limit. It warns if a ratio above the limit does
/// not fail, and is skipped if there is too little to judge by.
void judge_latency(const GateSubject& subject, GateVerdict& verdict);

/// Returns the figures of a measure with these scores, and its status by its margin. Bounds are at
/// `confidence`, one-sided.
[[nodiscard]] GateVerdict::MeasureResult measure_result(const PairedScores& scores, bool by_family,
                                                        const GateRules::Decision& decision,
                                                        double confidence);
/// Returns whether tonight's topics have families, which then are the units of tests.
[[nodiscard]] bool has_families(const std::vector<PairedTopic>& topics) noexcept;
/// "PRES@100 went from 0.4388 to 0.4301 over 400 topics: -0.0087, with ..."; the result has bounds.
[[nodiscard]] std::string figures_words(const GateVerdict::MeasureResult& result,
                                        double confidence);
/// " (with differences like these about 900 topics would)", or nothing if there are as many.
[[nodiscard]] std::string topics_needed_words(const GateVerdict::MeasureResult& result,
                                              double confidence);

/// Adds each deciding measure, and the rule that it has not fallen by its margin or more.
void judge_margins(const GateSubject& subject, GateVerdict& verdict);

/// Adds the slices by the first deciding measure, a rule for each that may speak, and a rule that
/// counts and names the others. A slice fails if its loss is shown to be beyond the margin: by a
/// one-sided t test, corrected by Holm over all slices that may speak, and by bets that won
/// tenfold. It warns if it is shown to be worse at all in the same way.
void judge_slices(const GateSubject& subject, GateVerdict& verdict);

/// "p = 0.031", "p < 0.0001".
[[nodiscard]] std::string p_words(double p);

}  // namespace prescope
