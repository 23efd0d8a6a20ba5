#pragma once

#include <string>
#include <vector>

#include "report/history_report.h"
#include "report/report_table.h"

/// Sentences and tables of a history that its text and its page have in common.
namespace prescope {

/// Store, nights, arms, baselines: label and words.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> history_subject(
    const HistoryReport& report);
/// A line a night; with a column for the arm where there are several.
[[nodiscard]] ReportTable nights_table(const HistoryReport& report);
/// "night 4, REGRESSION: 3 topics lost ...", of every night shown that did not pass.
[[nodiscard]] std::vector<std::string> nights_not_passed(const HistoryReport& report);
/// The newest night of each arm against its baseline and the night accepted last.
[[nodiscard]] ReportTable drift_table(const HistoryReport& report);
/// How to read the columns.
[[nodiscard]] std::vector<std::string> about_nights(const HistoryReport& report);
[[nodiscard]] std::vector<std::string> about_drift(const HistoryReport& report);

/// "PASS", "REGRESSION", ..., "-" where the night was not gated.
[[nodiscard]] std::string verdict_text(const Night& night);
/// "PASS, pinned: main".
[[nodiscard]] std::string verdict_and_pins_text(const Night& night);

}  // namespace prescope
