// The page inside the library, and reports made from it. tests/browser tests them in a browser.
#include "serve/site/page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "prescope/measure.h"

namespace prescope::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kMostBytes = 300 * 1024;

std::size_t times(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Page, IsOneFileOfAtMost300Kilobytes) {
  EXPECT_LE(kEmbeddedPage.size(), kMostBytes);
  EXPECT_THAT(std::string(kEmbeddedPage), HasSubstr("<!doctype html>"));
  for (const char* link : {" src=\"http", " src=\"/", "href=\"http", "@import", "url(http"}) {
    EXPECT_THAT(std::string(kEmbeddedPage), Not(HasSubstr(link)));
  }
}

TEST(Page, HoldsTheMeaningOfEachMeasure) {
  if (times(kEmbeddedPage, "<script") == 1) GTEST_SKIP() << "built without the page";
  for (const std::string& page : {live_page(), report_html("t", "{}")}) {
    EXPECT_THAT(page, HasSubstr(R"("AP":{"mean":"MAP","meaning":"Average precision:)"));
    for (const MeasureDefinition* each : measure_table()) {
      EXPECT_EQ(times(page, fmt::format(R"("meaning":"{}"}})", each->meaning)), 1u) << each->name;
    }
  }
}

TEST(Page, PolicyAllowsOnlyTheEmbeddedScriptAndStyle) {
  const std::string policy(kEmbeddedPolicy);
  for (const char* part :
       {"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"}) {
    EXPECT_THAT(policy, HasSubstr(part));
  }
  for (const char* part : {"unsafe", "http:", "https:", "*"}) {
    EXPECT_THAT(policy, Not(HasSubstr(part)));
  }
}

TEST(Report, HoldsItsTitleAndDocumentOnceInThePage) {
  const std::string report = report_html("Night 7", R"({"kind":"gate","document":{}})");
  EXPECT_EQ(times(report, "<title>Night 7</title>"), 1u);
  EXPECT_EQ(times(report, R"(id="prescope-data">{"kind":"gate","document":{}}</script>)"), 1u);
  EXPECT_EQ(times(report, R"({"kind":"live"}</script>)"), 0u);
  EXPECT_GT(report.size(), kEmbeddedPage.size());
}

TEST(Report, HostileTitleAndDataAreEscaped) {
  const std::string report = report_html("</title><script>alert(1)</script>",
                                         R"json({"arm":"</script><script>alert(2)"})json");
  EXPECT_EQ(times(report, "alert(1)"), 1u);
  EXPECT_EQ(times(report, "<script>alert"), 0u);
  EXPECT_THAT(report, HasSubstr(R"json({"arm":"\u003c/script>\u003cscript>alert(2)"})json"));
  EXPECT_THAT(report, HasSubstr("&lt;/title&gt;"));
}

}  // namespace
}  // namespace prescope::serve
