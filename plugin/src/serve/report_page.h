#pragma once

#include <string>
#include <string_view>

#include "report/comparison_report.h"
#include "report/gate_report.h"
#include "report/history_report.h"

/// Reports for a browser: one HTML file each, made of the served page and of the document that the
/// command writes with --json. It opens from disk, asks for nothing, and prints.
/// docs/decisions/0029 says why they carry a script.
namespace prescope::serve {

[[nodiscard]] std::string comparison_page(const ComparisonReport& report);
[[nodiscard]] std::string gate_page(const GateReport& report);
[[nodiscard]] std::string history_page(const HistoryReport& report);

/// A finished replay; each document is JSON as docs/http.md has it.
struct ReplayDocuments {
  std::string_view title;
  std::string_view replay;  ///< what `prescope replay --json` writes
  std::string_view sweep;   ///< as of /api/sweep
  std::string_view topics;  ///< an array, each as of /api/topic
};
[[nodiscard]] std::string replay_page(const ReplayDocuments& documents);

}  // namespace prescope::serve
