#include "serve/site/page.h"

#include <boost/algorithm/string/replace.hpp>

#include "report/study/page.h"
#include "report/text/page_data.h"

namespace prescope::serve {

namespace {

constexpr std::string_view kTitle = "<title>prescope</title>";
constexpr std::string_view kData =
    R"(<script type="application/json" id="prescope-data">{"kind":"live"}</script>)";
constexpr std::string_view kDataBegin = R"(<script type="application/json" id="prescope-data">)";

/// No name in the data can end the element that holds it.
std::string without_tags(std::string_view json) {
  return boost::algorithm::replace_all_copy(std::string(json), "<", "\\u003c");
}

std::string page_of(const PageData& data) { return report_html(data.title, to_json(data)); }

}  // namespace

std::string report_html(std::string_view title, std::string_view data_json) {
  const std::string_view page = kEmbeddedPage;
  const auto title_at = page.find(kTitle);
  const auto data_at = page.find(kData, title_at);
  std::string report(page.substr(0, title_at));
  report += page::element("title", "", page::escaped(title));
  report += page.substr(title_at + kTitle.size(), data_at - title_at - kTitle.size());
  report.append(kDataBegin).append(without_tags(data_json)).append("</script>");
  report += page.substr(data_at + kData.size());
  return report;
}

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
