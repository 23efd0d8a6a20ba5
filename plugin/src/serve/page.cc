#include "serve/page.h"

#include "report/page/markup.h"
#include "serve/embedded_page.h"

namespace prescope::serve {
namespace {

constexpr std::string_view kTitle = "<title>prescope</title>";
constexpr std::string_view kData =
    R"(<script type="application/json" id="prescope-data">{"kind":"live"}</script>)";
constexpr std::string_view kDataBegin = R"(<script type="application/json" id="prescope-data">)";

/// No name in the data can end the element that holds it.
std::string without_tags(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string_view page_html() noexcept { return kEmbeddedPage; }

std::string_view page_content_security_policy() noexcept { return kEmbeddedPolicy; }

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

}  // namespace prescope::serve
