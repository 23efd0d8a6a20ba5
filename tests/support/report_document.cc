#include "support/report_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/site/page.h"

namespace prescope {
namespace {

std::size_t times(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

nlohmann::json report_data(const std::string& html) {
  constexpr std::string_view kBegin = R"(<script type="application/json" id="prescope-data">)";
  constexpr std::string_view kEnd = "</script>";
  const std::string_view page = serve::kEmbeddedPage;
  EXPECT_EQ(times(html, kBegin), 1U);
  // Every tag of the page, and no other: names are text in strings and in the title.
  for (const std::string_view tag : {"<script", "</script", "<style", "<link", "<img", "<title"}) {
    EXPECT_EQ(times(html, tag), times(page, tag)) << tag;
  }
  const std::size_t begin = html.find(kBegin) + kBegin.size();
  const std::string data = html.substr(begin, html.find(kEnd, begin) - begin);
  EXPECT_EQ(data.find('<'), std::string::npos);
  nlohmann::json json;
  EXPECT_NO_THROW(json = nlohmann::json::parse(data)) << data;
  return json;
}

nlohmann::json report_document(const std::string& html) { return report_data(html)["document"]; }

}  // namespace prescope
