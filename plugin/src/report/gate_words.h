#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/gate_report.h"

/// Sentences of a verdict that its table, Markdown, page and JUnit file have in common.
namespace prescope {

/// "PASS: evaluation 13 holds against baseline 'main' (14 rules: 12 held, 2 skipped)".
[[nodiscard]] std::string gate_headline(const GateReport& report);

/// What was compared with what: a label and its words.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> gate_subject(
    const GateReport& report);

/// For people: "holds", "skipped", "warning", "not shown", "FAILS", "BAD INPUT".
[[nodiscard]] std::string_view status_words(GateVerdict::Status status) noexcept;
/// Whether people must hear of the rule: everything but what holds or was skipped.
[[nodiscard]] bool is_worth_telling(GateVerdict::Status status) noexcept;

/// How to read the measures' columns; nothing where none was compared.
[[nodiscard]] std::vector<std::string> about_gate_measures(const GateVerdict& verdict);
/// "5 topics of 17 that changed: PRES@100, baseline → tonight, and each citation's share".
[[nodiscard]] std::string gate_topics_title(const GateVerdict& verdict, std::size_t shown);
/// "T1  0.5000 → 0.2500  -0.2500  4 relevant documents  fails catastrophe.must_find".
[[nodiscard]] std::string gate_topic_title(const GateVerdict::Topic& topic);
/// "lost", "gained", "up", "down", "same rank".
[[nodiscard]] std::string_view citation_words(const GateVerdict::Citation& citation) noexcept;

}  // namespace prescope
