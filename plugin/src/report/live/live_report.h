#pragma once

#include "report/document/document.h"

/// Reports about an experiment: tables, words and JSON documents.
namespace prescope {

/// Returns caveats about the numbers, a sentence each; empty for a healthy run.
[[nodiscard]] std::vector<std::string> oddities(const Summary& summary);
/// Returns what is left out of the scores, comparisons and latencies, a sentence each.
[[nodiscard]] std::vector<std::string> left_out(const Summary& summary);

/// Returns the tables of a finished replay's arms: means over topics, latencies, own times.
[[nodiscard]] std::vector<ReportSection> finished_arms_sections(const Summary& summary,
                                                                const TextLook& look);

// Words of comparisons, shared by tables and JSON.

/// The two arms of a pair.
struct ArmNames {
  const std::string& a;
  const std::string& b;
};
[[nodiscard]] ArmNames names_of(const Summary& summary, const ArmPair& pair);

/// Returns the difference that the live interval is about; without one, the mean difference.
[[nodiscard]] std::optional<double> shown_mean(const MeanDifference& difference);
/// Returns the number of topics that `shown_mean` is over.
[[nodiscard]] std::uint32_t shown_topics(const MeanDifference& difference);
/// Returns half of the confidence sequence around its difference; std::nullopt while it is
/// unbounded.
[[nodiscard]] std::optional<double> live_half_width(const LiveVerdict& live);
/// "collecting (7 of 10 topics)", "no verdict yet (±0.0123)", "bm25 ahead so far", "bm25 leading",
/// "bm25 confirmed better", "described", "vetoed".
[[nodiscard]] std::string live_state_text(const MeanDifference& difference, const ArmNames& names);
/// "1 log cannot be written; 240 observations wait, and are lost unless that ends"; empty if all
/// can.
[[nodiscard]] std::string failing_logs_sentence(const Health& health);
/// "bm25 is better than tfidf by 0.0210 PRES@100.", or the reason why there is no verdict about the
/// difference.
[[nodiscard]] std::string live_sentence(const Summary& summary, const ArmPair& pair,
                                        const MeasureDifference& difference);
/// Returns the figures behind a live verdict, and its permitted use.
[[nodiscard]] std::string live_grounds(const MeasureDifference& difference);
/// "Shadow latency, bm25 over tfidf in 640 visits: 1.183 [1.170, 1.196] (40 blocks of 16 visits);
/// tfidf is faster"; empty without a ratio.
[[nodiscard]] std::string live_latency_words(const Summary& summary, const ArmPair& pair);
/// Returns 1 if B leads or is confirmed better, -1 if A, and 0 without such a verdict.
[[nodiscard]] int live_direction(const MeasureDifference& difference);
/// Returns `live_direction` of the primary measure, or the direction of the pair's planned test if
/// there is one.
[[nodiscard]] int verdict_direction(const Summary& summary, const ArmPair& pair);
/// Returns the difference that the pair's verdict is about, or would be about; std::nullopt with
/// too few topics, with a veto and in Mode::kObserve.
[[nodiscard]] std::optional<double> verdict_mean(const Summary& summary, const ArmPair& pair);
/// "bm25 better (planned test)", "planned test: 1 of 3 looks".
[[nodiscard]] std::string planned_state_text(const PlannedTest& test, const ArmNames& names);
/// "bm25 is better than tfidf by 0.0210 PRES@100 (planned test, look 2 of 3, 300 topics)."
[[nodiscard]] std::string planned_sentence(const Summary& summary, const ArmPair& pair);
/// "If the difference stays as it is, some 420 more topics will show it: about 9 hours at 47 new
/// topics an hour."; empty with a verdict, and while that cannot be foreseen.
[[nodiscard]] std::string outlook_sentence(const Summary& summary, const ArmPair& pair);
/// Returns the figures behind the verdict of a planned test.
[[nodiscard]] std::string planned_grounds(const Summary& summary, const ArmPair& pair);
/// The verdict of a pair, by its planned test or else by the primary measure; then whether the arms
/// are the same, and whether the guardrails hold.
[[nodiscard]] std::string verdict_sentence(const Summary& summary, const ArmPair& pair);
/// "R@100 stays within a loss of 0.02 (-0.0031 over 300 topics)"
[[nodiscard]] std::string guardrail_words(const Summary& summary, const ArmPair& pair,
                                          const GuardrailSummary& guardrail);
/// "the same within 0.02 PRES@100: not shown yet"; empty if nobody asked.
[[nodiscard]] std::string equivalence_words(const Summary& summary, const ArmPair& pair);
/// "section D", "topics without section", "3 small slices of section".
[[nodiscard]] std::string live_slice_name(const SliceSummary& slice);
/// As `live_state_text`, and "too few", "several" of slices that may not speak, "collecting (31 of
/// 50 topics)", "collecting (12 of 20 that differ)".
[[nodiscard]] std::string live_slice_state_text(const SliceSummary& slice, const ArmNames& names);
/// "bm25 is better in source bigquery (157 topics), but tfidf is better in section D (60 topics).";
/// empty without slices, in Mode::kObserve and with a veto.
[[nodiscard]] std::string live_slices_sentence(const Summary& summary, const ArmPair& pair);
/// Returns sentences about the table of slices.
[[nodiscard]] std::vector<std::string> about_live_slices(const Summary& summary,
                                                         const ArmPair& pair);
/// Returns whether the check has found something.
[[nodiscard]] bool is_worth_saying(const Check& check) noexcept;
/// Returns what the check has found: "bm25 failed in 829 of 829 searches (limit 2 %)".
[[nodiscard]] std::string check_words(const Summary& summary, const ArmPair& pair,
                                      const Check& check);
/// "No verdict: bm25 failed in 829 of 829 searches.", for a pair with a veto.
[[nodiscard]] std::string veto_sentence(const Summary& summary, const ArmPair& pair);
/// Returns sentences, without full stops, about families and near-duplicates among the topics.
[[nodiscard]] std::vector<std::string> unit_sentences(const Summary& summary);
/// Returns the number of topics given to each arm in Mode::kSplit; empty in other modes.
[[nodiscard]] std::string sample_ratio_words(const Summary& summary, const ArmPair& pair);

/// "Without judgements, bm25 and tfidf in 640 visits: rank-biased overlap 0.712 [0.690, 0.733],
/// Jaccard@100 0.541 [0.520, 0.562]; 12 % ranked the same."; empty if nobody asked.
[[nodiscard]] std::string overlap_sentence(const Summary& summary, const ArmPair& pair);
/// Returns sentences, without full stops, about the latest visits, and about visits that were not
/// compared.
[[nodiscard]] std::vector<std::string> overlap_remarks(const Summary& summary, const ArmPair& pair);
/// The user's words, or "visit 17".
[[nodiscard]] std::string changed_query_name(const ChangedQuery& query);
/// "tfidf costs 0.30 points of PRES@100 and saves 85 % of the latency."; begins with "So far, " and
/// says what is not shown yet unless both are. Empty if one of them is not known.
[[nodiscard]] std::string trade_off_sentence(const Summary& summary, const ArmPair& pair);

// JSON documents.

/// "observe", "paired", "split".
[[nodiscard]] std::string_view name_of(Mode mode) noexcept;
[[nodiscard]] Json summary_json(const Summary& summary);

/// Names for the positions in a TopicDetail.
struct TopicNames {
  std::span<const ArmId> arms{};        ///< in the order of Summary::arms; as many or more
  std::span<const Measure> measures{};  ///< in the order of Summary::measures
};

/// One object in one line: `docs/http-json.md`, section "A topic".
[[nodiscard]] std::string topic_json(const TopicDetail& topic, const TopicNames& names);

/// PRES, Recall and MAP of the rankings served last, at about `count` cutoffs up to the depth that
/// the deepest arm is known to: one object in one line, `docs/http-json.md`, section "A sweep".
/// `every_topic`: SummaryDetail::kEveryTopic.
[[nodiscard]] std::string sweep_json(const Summary& every_topic, std::size_t count);

}  // namespace prescope
