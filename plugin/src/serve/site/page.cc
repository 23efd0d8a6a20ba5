#include "serve/site/page.h"

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include "report/study/page.h"

namespace prescope::serve {

std::string report_html(std::string_view title, std::string_view data_json) {
  using boost::algorithm::replace_first;
  // Escapes the data, so that no name in it can end its element.
  const std::string data =
      boost::algorithm::replace_all_copy(std::string(data_json), "<", "\\u003c");
  std::string report(kEmbeddedPage);
  replace_first(report, "<title>prescope</title>",
                page::element("title", "", page::escaped(title)));
  replace_first(report, R"(id="prescope-data">{"kind":"live"}<)",
                fmt::format(R"(id="prescope-data">{}<)", data));
  return report;
}

std::string page_of(const PageData& data) { return report_html(data.title, to_json(data)); }

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

}  // namespace prescope::serve
