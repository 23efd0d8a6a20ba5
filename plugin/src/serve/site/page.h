#pragma once

#include "report/nightly/gate_report.h"
#include "report/nightly/history_report.h"
#include "report/runs/comparison_report.h"
#include "serve/http/handler.h"

namespace prescope::serve {

/// The data of a stand-alone page; `docs/http.md` describes it. The documents are JSON as the
/// commands write it; empty: none.
struct PageData {
  std::string_view kind;      ///< "replay", "compare", "gate", "history"
  std::string_view title;     ///< any text; invalid UTF-8 is replaced
  std::string_view document;  ///< the same as with --json
  std::string_view sweep{};   ///< only for a replay: measures against the cutoff
  std::string_view topics{};  ///< only for a replay: an array of topics with their citations
};

/// The whole page, one HTML file without data; from a server it requests the paths below /api.
/// web/build.mjs makes it, with the elements `<title>prescope</title>`, #prescope-data with
/// `{"kind":"live"}`, and #prescope-measures and #prescope-counters with `{}`. If the library was
/// built without the page, a page that says so.
extern const std::string_view kEmbeddedPage;

/// The Content-Security-Policy to send with it: only its own script and style run, and it can fetch
/// from the same server only.
extern const std::string_view kEmbeddedPolicy;

/// Returns the page that a server sends: it holds the meanings of all measures and counters.
[[nodiscard]] std::string live_page();
/// Returns it with its policy, as a server's answer.
[[nodiscard]] Response live_page_response();

/// Returns the page with documents inside, which needs no server and can be opened from disk. The
/// data is JSON in one line, with each "<" written as \u003c.
[[nodiscard]] std::string page_of(const PageData& data);

// Reports for a browser: the page with the command's --json document. docs/decisions/0029 explains
// why they carry a script.
[[nodiscard]] std::string comparison_page(const ComparisonReport& report);
[[nodiscard]] std::string gate_page(const GateReport& report);
[[nodiscard]] std::string history_page(const HistoryReport& report);

}  // namespace prescope::serve
