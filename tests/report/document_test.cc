// The writers of a document made by hand, with a section of each layout.

#include "report/document/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Layout = ReportSection::Layout;
using Formats = ReportSection::Formats;

ReportTable means() {
  ReportTable table{.title = "Means"};
  table.add_row().left("run", "a|b").right("PRES", {"0.5000", Style::kGood});
  return table;
}

ReportTable citations() {
  ReportTable table{.title = "T1  0.5000 → 0.2500"};
  table.add_row().left("citation", "EP1").right("rank", "7");
  return table;
}

ReportTable rules() {
  ReportTable table{.title = "Rules"};
  table.add_row().left("rule", "margin").left("verdict", "FAILS").left("why", "It fell.");
  return table;
}

ReportDocument example() {
  return {.title = "A report",
          .subject = {{"qrels", "q.txt"}},
          .sections = {{.heading = "Scores", .tables = {means()}, .about = {"One.", "Two."}},
                       {.heading = "Moved", .tables = {citations()}, .layout = Layout::kNested},
                       {.heading = "Folded", .tables = {citations()}, .layout = Layout::kFolded},
                       {.tables = {rules()}, .layout = Layout::kEntries},
                       {.heading = "Not judged", .about = {"a night"}, .layout = Layout::kList},
                       {.words = {"for a terminal"}, .formats = Formats::kText},
                       {.words = {"for a page"}, .formats = Formats::kMarkdown},
                       {.heading = "Empty"}},
          .notes = {"a note"}};
}

TEST(Document, TextHasTablesNestedRowsEntriesAndLists) {
  EXPECT_EQ(document_as_text(example(), {}), R"(qrels  q.txt

Means
run    PRES
───────────
a|b  0.5000

One. Two.

Moved
  T1  0.5000 → 0.2500
    EP1  7

Folded
  T1  0.5000 → 0.2500
    EP1  7

  FAILS  margin
    It fell.

Not judged
  a night

for a terminal

Worth knowing
  a note
)");
}

TEST(Document, MarkdownHasTheSameAsHeadingsTablesAndLists) {
  EXPECT_EQ(document_as_markdown(example()), R"(# A report

- **qrels**: q.txt

## Scores

### Means

| run | PRES |
|:---|---:|
| a\|b | **0.5000** |

- One.
- Two.

## Moved

### T1  0.5000 → 0.2500

| citation | rank |
|:---|---:|
| EP1 | 7 |

<details>
<summary>Folded</summary>

### T1  0.5000 → 0.2500

| citation | rank |
|:---|---:|
| EP1 | 7 |

</details>

## Rules

| rule | verdict | why |
|:---|:---|:---|
| margin | FAILS | It fell. |

## Not judged

- a night

for a page

## Worth knowing

- a note
)");
}

TEST(Document, HeadlineStandsInPlaceOfTheTitleAtTheLevelOfTheDocument) {
  ReportDocument document = example();
  document.headline = {"PASS", Style::kGood};
  document.markdown_level = 2;
  EXPECT_THAT(document_as_text(document, {}), ::testing::StartsWith("PASS\n\nqrels"));
  EXPECT_THAT(document_as_text(document, TableOptions::Color::kAlways),
              ::testing::StartsWith("\x1b[32mPASS\x1b[0m\n"));
  const std::string markdown = document_as_markdown(document);
  EXPECT_THAT(markdown, ::testing::StartsWith("## PASS\n\n- **qrels**"));
  EXPECT_THAT(markdown, HasSubstr("\n### Scores\n\n#### Means\n"));
}

TEST(Document, HtmlHasWhatAllFormatsHave) {
  const std::string page = document_as_html(example());
  for (const char* part : {"<h1>A report</h1>", "<h2>Scores</h2>", "<caption>Means</caption>",
                           "<p class=\"about\">One. Two.</p>", "<h2>Not judged</h2>",
                           "<li>a night</li>", "<h2>Worth knowing</h2>", "<li>a note</li>"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  for (const char* absent : {"for a terminal", "for a page", "Empty"}) {
    EXPECT_THAT(page, Not(HasSubstr(absent)));
  }
}

TEST(Document, HtmlHasTheHeadlineAndBreaksEntriesIntoLines) {
  ReportDocument document = example();
  document.headline = {"Found <x>", Style::kBad};
  document.sections.push_back({.heading = "Questions",
                               .tables = {table_of("", {"question", "answer", "why"})},
                               .layout = ReportSection::Layout::kEntries});
  document.sections.back().tables[0].rows.push_back({"One", "FOUND", "a long sentence"});
  const std::string page = document_as_html(document);
  EXPECT_THAT(page, HasSubstr("</h1>\n<p class=\"headline bad\">Found &lt;x&gt;</p>\n"));
  EXPECT_THAT(page, HasSubstr("<div class=\"wide entries\"><table><caption></caption>"));
  EXPECT_THAT(page, HasSubstr("<div class=\"wide\"><table><caption>Means</caption>"));
}

TEST(Document, JsonAndCsvHaveTheNumbers) {
  ReportDocument document = example();
  document.result["mean"] = 0.5;
  document.csv.columns = {"run", "mean", "topics"};
  document.csv.add({{"mean", 0.5}, {"run", "a,b"}});
  const Json json = Json::parse(document_as_json(document));
  EXPECT_EQ(json["mean"], 0.5);
  EXPECT_EQ(json["notes"], Json({"a note"}));
  EXPECT_EQ(document_as_csv(document), "run,mean,topics\n\"a,b\",0.5,\n");
}

}  // namespace
}  // namespace prescope::testing
