// The data inside a stand-alone page.
#include "serve/site/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace prescope::serve {
namespace {

using nlohmann::json;

TEST(PageData, HoldsTheGivenDocuments) {
  EXPECT_EQ(to_json({.kind = "gate", .title = "PASS: main", .document = "{\"a\": 1}"}),
            R"({"kind":"gate","title":"PASS: main","document":{"a": 1}})");
  EXPECT_EQ(
      to_json({.kind = "replay", .title = "", .document = "{}", .sweep = "[1]", .topics = "[]"}),
      R"({"kind":"replay","title":"","document":{},"sweep":[1],"topics":[]})");
}

TEST(PageData, IsOneLineWithEqualContent) {
  const json document = {{"text", "two\nlines  \"quoted\"   \\n and \t tabs"},
                         {"nested", {{"list", {1, 2.5, nullptr}}, {"empty", json::object()}}}};
  for (const int indent : {-1, 1, 4}) {
    const std::string data =
        to_json({.kind = "compare", .title = "b\nagainst a", .document = document.dump(indent)});
    EXPECT_EQ(data.find('\n'), std::string::npos);
    EXPECT_EQ(json::parse(data)["document"], document);
    EXPECT_EQ(json::parse(data)["title"], "b\nagainst a");
  }
}

TEST(PageData, ReplacesInvalidUtf8InItsTitle) {
  EXPECT_EQ(json::parse(to_json({.kind = "gate", .title = "a\xFF", .document = "{}"}))["title"],
            "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace prescope::serve
