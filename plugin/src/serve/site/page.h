#pragma once

#include "report/nightly/gate_report.h"
#include "report/nightly/history_report.h"
#include "report/runs/comparison_report.h"
#include "report/text/page_data.h"

namespace prescope::serve {

/// The whole page, one HTML file that holds no data; from a server it asks the paths below /api.
/// web/build.mjs makes it, with the element `<title>prescope</title>` and, after it, the element
/// #prescope-data with `{"kind":"live"}`. If the library was built without it, a page that says so.
extern const std::string_view kEmbeddedPage;

/// The Content-Security-Policy to send with it: exactly its own script and style run, and nothing
/// is fetched but from the same server.
extern const std::string_view kEmbeddedPolicy;

/// The page with a document of its own, which needs no server and can be opened from disk.
/// `data_json` is a JSON object, UTF-8, that says by its "kind" what it is; "<" may only stand in
/// its strings and is written as \u003c. `title` is any text.
[[nodiscard]] std::string report_html(std::string_view title, std::string_view data_json);

// Reports for a browser: the page with the document that the command writes with --json.
// docs/decisions/0029 says why they carry a script.
[[nodiscard]] std::string comparison_page(const ComparisonReport& report);
[[nodiscard]] std::string gate_page(const GateReport& report);
[[nodiscard]] std::string history_page(const HistoryReport& report);

[[nodiscard]] std::string page_of(const PageData& data);

}  // namespace prescope::serve
