#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nightly/gate/gate.h"
#include "prescope/report.h"

namespace prescope {

/// What `prescope gate` found out, whichever way it is told.
struct GateReport {
  std::string program{};                     ///< its version
  std::string store{};                       ///< path, as given
  std::optional<std::int64_t> evaluation{};  ///< tonight's number there; nothing: not stored
  GateVerdict verdict{};
};

struct GateTableOptions {
  TableOptions::Color color = TableOptions::Color::kNever;
  /// Topics that changed, listed with their citations: those that fail a rule by themselves first.
  std::size_t topics = 10;
};

/// `docs/gate.md` describes each of them. All are UTF-8, end with a newline, are independent of the
/// locale, and say the same verdict. Names from files can neither leave their place in them nor
/// mean anything to who reads them.
[[nodiscard]] std::string gate_table(const GateReport& report,
                                     const GateTableOptions& options = {});
[[nodiscard]] std::string gate_markdown(const GateReport& report,
                                        const GateTableOptions& options = {});
/// One object; `docs/gate-json.md` names every key.
[[nodiscard]] std::string gate_json(const GateReport& report);
/// JUnit XML: a case for each rule, and one for each topic that fails a rule by itself.
[[nodiscard]] std::string gate_junit(const GateReport& report);
/// "REGRESSION: main".
[[nodiscard]] std::string gate_title(const GateReport& report);

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
