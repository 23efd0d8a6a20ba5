// The page inside the library, and reports made from it. tests/browser tests them in a browser.
#include "serve/site/page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "facts/health_counters.h"
#include "prescope/measure.h"
#include "support/report_document.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
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

TEST(Page, HoldsTheMeaningOfEachMeasureAndCounter) {
  if (times(kEmbeddedPage, "<script") == 1) GTEST_SKIP() << "built without the page";
  for (const std::string& page :
       {live_page(), page_of({.kind = "gate", .title = "t", .document = "{}"})}) {
    EXPECT_THAT(page, HasSubstr(R"("AP":{"mean":"MAP","meaning":"Average precision:)"));
    for (const MeasureDefinition* each : measure_table()) {
      EXPECT_EQ(times(page, fmt::format(R"("meaning":"{}"}})", each->meaning)), 1u) << each->name;
    }
    for (const HealthCounter& each : health_counters()) {
      EXPECT_EQ(times(page, fmt::format(R"("{}":{{"group":"{}","line":"{}"}})", each.name,
                                        each.group, sentence(each))),
                1u);
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

json data_of(const PageData& data) { return report_data(page_of(data)); }

TEST(Report, HoldsItsTitleAndDocumentsOnceInThePage) {
  const std::string report =
      page_of({.kind = "gate", .title = "Night 7", .document = "{\"a\": 1}"});
  EXPECT_EQ(times(report, "<title>Night 7</title>"), 1u);
  EXPECT_EQ(times(report, R"(id="prescope-data">{"kind":"gate","title":"Night 7",)"
                          R"("document":{"a": 1}}</script>)"),
            1u);
  EXPECT_EQ(times(report, R"({"kind":"live"}</script>)"), 0u);
  EXPECT_GT(report.size(), kEmbeddedPage.size());
  EXPECT_EQ(
      data_of({.kind = "replay", .title = "", .document = "{}", .sweep = "[1]", .topics = "[]"}),
      json::parse(R"({"kind":"replay","title":"","document":{},"sweep":[1],"topics":[]})"));
}

TEST(Report, HoldsItsDataInOneLine) {
  const json document = {{"text", "two\nlines  \"quoted\"   \\n and \t tabs"},
                         {"nested", {{"list", {1, 2.5, nullptr}}, {"empty", json::object()}}}};
  const auto lines = std::ranges::count(live_page(), '\n');
  for (const int indent : {-1, 1, 4}) {
    const std::string text = document.dump(indent);
    const PageData data{.kind = "compare", .title = "b\nagainst a", .document = text};
    EXPECT_EQ(std::ranges::count(page_of(data), '\n'), lines + 1) << "one is in the title";
    EXPECT_EQ(data_of(data)["document"], document);
    EXPECT_EQ(data_of(data)["title"], "b\nagainst a");
  }
}

TEST(Report, HostileTitleAndDataAreEscaped) {
  constexpr std::string_view kScript = "</title><script>alert(1)</script>";
  const std::string title = std::string(kScript) + "\xFF";
  const std::string report =
      page_of({.kind = "gate",
               .title = title,
               .document = R"json({"arm":"</script><script>alert(2)"})json"});
  EXPECT_EQ(times(report, "<script>alert"), 0u);
  EXPECT_THAT(report, HasSubstr(R"json({"arm":"\u003c/script>\u003cscript>alert(2)"})json"));
  EXPECT_THAT(report, HasSubstr("&lt;/title&gt;"));
  EXPECT_EQ(report_data(report)["title"], std::string(kScript) + "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace prescope::serve
