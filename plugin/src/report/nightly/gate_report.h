#pragma once

#include "nightly/history.h"
#include "report/document/document.h"

namespace prescope {

/// The result of `prescope gate`, for all its formats.
struct GateReport {
  std::string store{};                       ///< path, as given
  std::optional<std::int64_t> evaluation{};  ///< tonight's number there, if it is stored
  GateVerdict verdict{};
  std::string not_stored{};  ///< why tonight could not be stored; empty if it was, or was not to be
  std::vector<std::string> not_written{};  ///< why a report or the table could not be written
  /// Two chosen nights: words name them instead of a baseline and tonight.
  bool compares_nights = false;
};

/// Returns the verdict's exit code, but 2 instead of 0 if the verdict could not be stored or
/// reported: nothing that went wrong ends with 0.
[[nodiscard]] int exit_code(const GateReport& report) noexcept;

/// A gate without a verdict: it was refused, or has not finished. Reports say so, so that nobody
/// takes another night's report for tonight's.
struct GateRefusal {
  std::string store{};  ///< path, as given
  Attempt attempt{};
};
[[nodiscard]] std::string refusal_json(const GateRefusal& refusal);
[[nodiscard]] std::string refusal_junit(const GateRefusal& refusal);
[[nodiscard]] ReportDocument refusal_document(const GateRefusal& refusal);
[[nodiscard]] std::string refusal_html(const GateRefusal& refusal);

/// Topics that changed, listed with their citations: those that fail a rule by themselves first.
inline constexpr std::size_t kGateTopicsShown = 10;

/// The report for people, in text and Markdown. `docs/gate.md` describes each format; all have the
/// same verdict. Names from files are escaped: they can neither break a format nor control a
/// terminal.
[[nodiscard]] ReportDocument gate_document(const GateReport& report,
                                           std::size_t topics_shown = kGateTopicsShown);
/// One object; `docs/gate-json.md` names every key.
[[nodiscard]] std::string gate_json(const GateReport& report);
/// The same members of a gate without a store.
[[nodiscard]] std::string gate_result_json(const GateResult& result);
/// JUnit XML: a case for each rule, and one for each topic that fails a rule by itself.
[[nodiscard]] std::string gate_junit(const GateReport& report);
/// "REGRESSION: main".
[[nodiscard]] std::string gate_title(const GateReport& report);

/// Names of the two evaluations: "baseline" and "tonight", or "night 3" and "night 5".
struct GateNames {
  std::string before, after;
};
[[nodiscard]] GateNames gate_names(const GateReport& report);
/// "night 13 holds against baseline 'main'".
[[nodiscard]] std::string outcome_words(const GateReport& report);
/// "14 rules: 12 held, 2 skipped".
[[nodiscard]] std::string rules_tally(const GateVerdict& verdict);
/// "PASS: night 13 holds against baseline 'main' (14 rules: 12 held, 2 skipped)".
[[nodiscard]] std::string gate_headline(const GateReport& report);
/// The two evaluations, their qrels and their indexes.
[[nodiscard]] LabelledLines gate_subject(const GateReport& report);

/// Returns the ratio of the two 95 % quantiles; std::nullopt if one of them is not known.
[[nodiscard]] std::optional<double> ratio_of_p95(const GateVerdict::Latency& latency) noexcept;
/// Says what the judged ratio is about: "240 queries searched in turn", "p95 over the mean of 12
/// nights"; empty without one.
[[nodiscard]] std::string latency_basis(const GateVerdict::Latency& latency);
/// For people: "holds", "skipped", "warning", "not shown", "FAILS", "BAD INPUT".
[[nodiscard]] std::string_view status_words(GateVerdict::Status status) noexcept;
/// Explains the measures' columns; empty if none was compared.
[[nodiscard]] std::vector<std::string> about_gate_measures(const GateReport& report);
/// Returns a slice's verdict: the word of its status, or "too few" or "too few differ".
[[nodiscard]] std::string_view gate_slice_words(const GateVerdict::SliceResult& slice) noexcept;
/// Counts the slices, and explains their columns; empty without slices.
[[nodiscard]] std::vector<std::string> about_gate_slices(const GateReport& report);
/// "PRES@100, baseline → tonight, and each citation's share".
[[nodiscard]] std::string gate_topics_words(const GateReport& report);
/// "T1  0.5000 → 0.2500  -0.2500  4 relevant documents  fell far".
[[nodiscard]] std::string gate_topic_title(const GateVerdict::Topic& topic);
/// The rules that the topic fails by itself, in words: "lost a citation that must be found".
[[nodiscard]] std::vector<std::string> failure_words(const GateVerdict::Topic& topic);
/// The citations of a topic that changed, at most `most` of them and the sum of the others. Names
/// are lines without control characters.
[[nodiscard]] ReportTable gate_topic_table(const GateVerdict& verdict,
                                           const GateVerdict::Topic& topic, std::size_t most);

/// All pins, oldest first; the newest of each name is marked. UTF-8, ends with a newline.
[[nodiscard]] std::string pin_table(const std::vector<Pin>& pins, const TextLook& look);
/// What is to be pinned: the evaluation, its means, and what its checks found. A line each.
[[nodiscard]] std::string pin_look(const EvaluationRecord& record,
                                   const std::vector<GateVerdict::Rule>& checks,
                                   const TextLook& look);
/// "main: night 3 pinned by ada, with 12 citations that must be found; it replaces night 1". Says
/// so if the replaced pin had such citations and this one has none.
[[nodiscard]] std::string pin_sentence(const Pin& pin);

}  // namespace prescope
