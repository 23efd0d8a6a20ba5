#include "serve/report_page.h"

#include "report/page_data.h"
#include "serve/page.h"

namespace prescope::serve {
namespace {

std::string page_of(const PageData& data) { return report_html(data.title, to_json(data)); }

}  // namespace

std::string comparison_page(const ComparisonReport& report) {
  return page_of(
      {.kind = "compare", .title = comparison_title(report), .document = comparison_json(report)});
}

std::string gate_page(const GateReport& report) {
  return page_of({.kind = "gate", .title = gate_title(report), .document = gate_json(report)});
}

std::string history_page(const HistoryReport& report) {
  std::string document;
  write_history_json(report, [&](std::string_view piece) { document += piece; });
  return page_of({.kind = "history", .title = history_title(report), .document = document});
}

std::string replay_page(const ReplayDocuments& documents) {
  return page_of({.kind = "replay",
                  .title = documents.title,
                  .document = documents.replay,
                  .sweep = documents.sweep,
                  .topics = documents.topics});
}

}  // namespace prescope::serve
