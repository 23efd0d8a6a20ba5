// A verdict in each of its formats: the same facts, also with hostile names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/text/visible_text.h"
#include "serve/site/page.h"
#include "support/gate_verdict.h"
#include "support/report_document.h"

namespace prescope::testing {
namespace {

using boost::property_tree::ptree;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ptree parsed_xml(const std::string& text) {
  std::istringstream in(text);
  ptree tree;
  boost::property_tree::read_xml(in, tree);
  return tree;
}

/// Returns true if there are control characters other than line feeds.
bool has_controls(const std::string& text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20U && c != '\n') || byte == 0x7FU;
  });
}

std::string gate_table(const GateReport& report, const TextLook& look = {},
                       std::size_t topics_shown = kGateTopicsShown) {
  return document_as_text(gate_document(report, topics_shown), look);
}

std::string gate_markdown(const GateReport& report) {
  return document_as_markdown(gate_document(report));
}

TEST(GateTable, BeginsWithTheVerdictAndBrokenRules) {
  const std::string table = gate_table(regression_report());
  EXPECT_THAT(
      table,
      StartsWith(
          R"(REGRESSION: night 13 is worse than baseline 'main' allows (5 rules: 1 failed, 1 not shown, 1 warned, 1 held, 1 skipped)

  not shown  margin.PRES@10
    PRES@10 may have fallen by as much as 4.0364; at most 0.01 is accepted
  FAILS  catastrophe.must_find
    1 of 1 pinned citations was lost: T1 B
  warning  catastrophe.emptied
    no topic was emptied, few could have been

baseline       main: bm25, replay nightly.toml on indexes/one, 2026-11-20 03:10 UTC, depth 10
pinned         2026-11-20 09:00 UTC by ada: first release
tonight        bm25, replay nightly.toml on indexes/one, 2026-11-22 03:10 UTC, depth 10
qrels          2 topics, 3 relevant documents, docno policy patent, relevant from grade 1
must find      1 pinned citation
index before   toy 1, 1,234 documents, 3 of 3 relevant judgements found in it
index tonight  toy 1, 1,234 documents, 3 of 3 relevant judgements found in it
store          nights.db, night 13
)"));
}

TEST(GateTable, ShowsMeasuresLatencyAndTheCitationsOfTopics) {
  const std::string table = gate_table(regression_report());
  EXPECT_THAT(table,
              HasSubstr("PRES@10  not shown       2    0.4250   0.6500     +0.2250  "
                        "[-4.0364, +4.4864]    0.01   0.4053     0.7952             1/0/1\n"));
  // The ratio of the two columns, and the one that the rule judges.
  EXPECT_THAT(table, ::testing::ContainsRegex(" 10\\.0 +12\\.0 +1\\.200 .* 1\\.200 +- +1\\.200\n"));
  EXPECT_THAT(table, HasSubstr(R"(
2 topics of 2 that changed: PRES@10, baseline → tonight, and each citation's share
  T1  0.8500 → 0.4000  -0.4500  2 relevant documents  lost a citation that must be found
    B  lost  5  →  not in 10  -0.3500  must find
    A  down  1  →  3          -0.1000
  T2  0.0000 → 0.9000  +0.9000  1 relevant document
    C  gained  not in 10  →  2  +0.9000
)"));
  EXPECT_THAT(table, HasSubstr("\nRules that hold, or were skipped\n  holds  input.qrels\n"));
}

TEST(GateTable, ListsTheGivenNumberOfTopics) {
  const std::string one = gate_table(regression_report(), {}, 1);
  EXPECT_THAT(one, AllOf(HasSubstr("1 topic of 2 that changed"), Not(HasSubstr("  T2 "))));
  EXPECT_THAT(gate_table(regression_report(), {}, 0), Not(HasSubstr("that changed")));
}

TEST(GateTable, ColoursTheVerdictIfAsked) {
  EXPECT_THAT(gate_table(regression_report(), TableOptions::Color::kAlways),
              StartsWith("\x1b[31mREGRESSION: "));
  EXPECT_FALSE(has_controls(gate_table(regression_report())));
}

TEST(GateTable, BadInputSaysNothingAboutTheRanking) {
  const std::string table = gate_table(bad_input_report());
  EXPECT_THAT(table, StartsWith("BAD INPUT: tonight cannot be compared with baseline "
                                "'main'; nothing is said about the ranking"));
  EXPECT_THAT(table, HasSubstr("an id problem, not a ranking regression"));
  EXPECT_THAT(table, HasSubstr("0 of 3 relevant judgements found in it\n"));
  EXPECT_THAT(table, HasSubstr("store          nights.db, nothing stored\n"));
  EXPECT_THAT(table, Not(HasSubstr("Measures")));
}

TEST(GateTable, NamesEveryOutcome) {
  GateReport report = regression_report();
  report.verdict.outcome = GateOutcome::kPass;
  EXPECT_THAT(gate_table(report), StartsWith("PASS: night 13 holds against baseline 'main'"));
  report.verdict.outcome = GateOutcome::kInconclusive;
  EXPECT_THAT(gate_table(report),
              StartsWith("INCONCLUSIVE: night 13 is not shown to hold against baseline "
                         "'main', nor to be worse"));
}

TEST(GateTable, ReplacesControlCharactersInNames) {
  const std::string table = gate_table(hostile_report());
  EXPECT_FALSE(has_controls(table));
  EXPECT_THAT(table, Not(HasSubstr("\x9b")));
  EXPECT_THAT(table, HasSubstr("line one line two | <b>"));
  EXPECT_THAT(table, HasSubstr("</td><script>alert(1)</script>|D]]>  | x"));
}

TEST(GateSlices, AreInTheTableAndInMarkdown) {
  const std::string table = gate_table(sliced_report());
  EXPECT_THAT(table, HasSubstr("FAILS  slice.section.A\n    A lost more than the margin\n"));
  EXPECT_THAT(table, HasSubstr("\nPRES@10 by section, tonight minus baseline\n"));
  EXPECT_THAT(table, ContainsRegex("\nA +FAILS +60 .* 0\\.0123 +0\\.0012 "));
  EXPECT_THAT(table, ContainsRegex("\n.none. +holds +50 .* 0\\.7500 +0\\.5000 "));
  EXPECT_THAT(table, Not(ContainsRegex("\nB "))) << "fewer than 10 topics";
  const std::string markdown = gate_markdown(sliced_report());
  EXPECT_THAT(markdown, HasSubstr("| A | **FAILS** | 60 |"));
  EXPECT_THAT(markdown, HasSubstr("Of 3 slices by section, 2 have a rule."));
  EXPECT_THAT(gate_table(regression_report()), Not(HasSubstr("p beyond")));
}

TEST(GateSlices, AreAllInTheJson) {
  const json result = json::parse(gate_json(sliced_report()));
  ASSERT_EQ(result["slices"].size(), 3U);
  const json& a = result["slices"][0];
  EXPECT_EQ(a["dimension"], "section");
  EXPECT_EQ(a["slice"], "A");
  EXPECT_EQ(a["status"], "fail");
  EXPECT_EQ(a["words"], "FAILS");
  EXPECT_EQ(a["p_beyond"], 0.0123);
  EXPECT_EQ(a["difference"], 0.225);
  const json& b = result["slices"][1];
  EXPECT_EQ(b["may_speak"], false);
  EXPECT_EQ(b["words"], "too few");
  EXPECT_EQ(b["p_beyond"], nullptr);
  EXPECT_EQ(result["applied"]["slices"]["by"], json::array({"section"}));
  EXPECT_EQ(result["words"]["slices"][0], "Of 3 slices by section, 2 have a rule.");
  EXPECT_EQ(json::parse(gate_result_json(sliced_report().verdict))["slices"], result["slices"]);
}

TEST(GateSlices, AreCasesOfJUnit) {
  const std::string junit = gate_junit(sliced_report());
  EXPECT_THAT(junit, ContainsRegex("<testcase name=\"slice.section.A\"[^\n]*<failure message="));
  EXPECT_THAT(junit, HasSubstr("pass slices: Of 3 slices by section, 2 have a rule."));
}

TEST(GateJson, HasTheVerdictAndItsParts) {
  const json result = json::parse(gate_json(regression_report()));
  EXPECT_EQ(result["outcome"], "REGRESSION");
  EXPECT_EQ(result["exit_code"], 1);
  EXPECT_EQ(result["evaluation"], 13);
  EXPECT_EQ(result["rules"][2], json({{"id", "catastrophe.must_find"},
                                      {"status", "fail"},
                                      {"reason", "1 of 1 pinned citations was lost: T1 B"}}));
  EXPECT_EQ(result["measures"][0]["low"], -4.0364);
  EXPECT_EQ(result["topics"][0]["citations"][0], json({{"docno", "B"},
                                                       {"what", "lost"},
                                                       {"rank_baseline", 5},
                                                       {"rank_tonight", nullptr},
                                                       {"share", -0.35},
                                                       {"must_find", true}}));
  EXPECT_EQ(result["latency"]["ratio_low"], nullptr);
  EXPECT_EQ(result["tonight"]["time"], "2026-11-22T03:10:00.000Z");
  // (0.85 + 0) / 2 of the stored facts.
  EXPECT_EQ(result["baseline"]["evaluation"]["means"]["PRES@10"],
            json({{"mean", 0.425}, {"topics", 2}}));
  EXPECT_EQ(result["applied"]["latency"]["ratio"], 1.2);
  EXPECT_EQ(result["words"]["outcome"], "night 13 is worse than baseline 'main' allows");
  EXPECT_EQ(result["words"]["statuses"]["fail"], "FAILS");
  EXPECT_EQ(result["words"]["after"], "tonight");
  EXPECT_EQ(json::parse(gate_json(bad_input_report()))["tonight"]["docno_hint"]["would_match"], 3);
}

TEST(GateJson, KeepsHostileNames) {
  GateReport report = hostile_report();
  const json result = json::parse(gate_json(report));
  EXPECT_EQ(result["topics"][0]["citations"][0]["docno"], kHostileDocno);
  EXPECT_EQ(result["tonight"]["arm"], "a\nb\x01\xEF\xBF\xBD");
}

TEST(GateJunit, HasACaseForEachRuleAndEachFailingTopic) {
  const ptree suites = parsed_xml(gate_junit(regression_report())).get_child("testsuites");
  std::vector<std::string> names;
  for (const auto& [kind, suite] : suites) {
    for (const auto& [element, one] : suite) {
      if (element == "testcase") names.push_back(one.get<std::string>("<xmlattr>.name"));
    }
  }
  EXPECT_THAT(names, ElementsAre("input.qrels", "margin.PRES@10", "catastrophe.must_find",
                                 "catastrophe.emptied", "latency.ratio", "T1"));
  const ptree& rules = suites.front().second;
  EXPECT_EQ(rules.get<int>("<xmlattr>.tests"), 5);
  EXPECT_EQ(rules.get<int>("<xmlattr>.failures"), 1);
  EXPECT_EQ(rules.get<int>("<xmlattr>.errors"), 1);
  EXPECT_EQ(rules.get<int>("<xmlattr>.skipped"), 1);
  EXPECT_EQ(rules.get<std::string>("<xmlattr>.timestamp"), "2026-11-22T03:10:00");
  EXPECT_THAT(rules.get<std::string>("system-out"),
              HasSubstr("warning catastrophe.emptied: no topic was emptied"));
  const ptree& topics = suites.back().second;
  EXPECT_EQ(topics.get<int>("<xmlattr>.failures"), 1);
  EXPECT_THAT(topics.get<std::string>("testcase.failure"), HasSubstr("B  lost"));
}

TEST(GateJunit, PassWithoutFailingTopicsHasOneSuite) {
  GateReport report = regression_report();
  report.verdict.topics.clear();
  EXPECT_EQ(parsed_xml(gate_junit(report)).get_child("testsuites").size(), 1);
}

TEST(GateJunit, BadInputIsAnError) {
  const ptree suite = parsed_xml(gate_junit(bad_input_report())).get_child("testsuites.testsuite");
  EXPECT_EQ(suite.get<int>("<xmlattr>.failures"), 0);
  EXPECT_EQ(suite.get<int>("<xmlattr>.errors"), 1);
}

TEST(GateJunit, KeepsHostileNames) {
  const ptree suites = parsed_xml(gate_junit(hostile_report())).get_child("testsuites");
  const ptree& topics = suites.back().second;
  EXPECT_EQ(topics.get<std::string>("testcase.<xmlattr>.name"), visible_text(kHostileTopic));
  EXPECT_THAT(topics.get<std::string>("testcase.failure"),
              HasSubstr("</td><script>alert(1)</script>|D]]>  | x"));
}

TEST(GateMarkdown, BeginsWithTheVerdictAndFoldsTheTopics) {
  const std::string markdown = gate_markdown(regression_report());
  EXPECT_THAT(markdown, StartsWith("## REGRESSION: night 13 is worse than baseline 'main' "));
  EXPECT_THAT(markdown, HasSubstr("### Rules to look at, of 5\n"));
  EXPECT_THAT(markdown, HasSubstr("| catastrophe.must\\_find | **FAILS** | 1 of 1 "));
  EXPECT_THAT(markdown, HasSubstr("<details>\n<summary>2 topics of 2 that changed: PRES@10"));
  EXPECT_THAT(markdown, HasSubstr("| B | lost | 5 | → | not in 10 | **-0.3500** | must find |\n"));
}

/// Bars that part cells.
std::ptrdiff_t bars(const std::string& line) {
  std::ptrdiff_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++count;
    }
  }
  return count;
}

TEST(GateMarkdown, HostileNamesDoNotBreakTables) {
  const std::string markdown = gate_markdown(hostile_report());
  EXPECT_FALSE(has_controls(markdown));
  EXPECT_THAT(markdown, Not(ContainsRegex("[^\\\\]<script")));
  std::istringstream lines(markdown);
  std::ptrdiff_t expected = 0;
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) {
      expected = 0;
      continue;
    }
    if (expected == 0) expected = bars(line);
    EXPECT_EQ(bars(line), expected) << line;
    ++rows;
  }
  EXPECT_GT(rows, 10);
}

TEST(GatePage, CarriesTheJsonDocument) {
  for (const GateReport& report : {regression_report(), bad_input_report(), hostile_report()}) {
    const json carried = report_data(serve::gate_page(report));
    EXPECT_EQ(carried["kind"], "gate");
    EXPECT_EQ(carried["document"], json::parse(gate_json(report)));
  }
}

TEST(GatePage, HasTheOutcomeInItsTitle) {
  EXPECT_THAT(serve::gate_page(regression_report()), HasSubstr("<title>REGRESSION: main</title>"));
}

TEST(VisibleText, ReplacesInvalidCharacters) {
  EXPECT_EQ(visible_text("a\xffz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(visible_text("\x01\t\n\r "), "\\u0001\t\n\r ");
  EXPECT_EQ(visible_text("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // an overlong NUL
  EXPECT_EQ(visible_text("\xEF\xBF\xBE\xEF\xBF\xBF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(visible_text("größer €"), "größer €");
}

TEST(VisibleText, MakesOneLineWithoutControlCharacters) {
  EXPECT_EQ(one_line("a\nb\tc\rd"), "a b c d");
  EXPECT_EQ(one_line("\x1b[31m\x7f\xC2\x9B"), R"(\u001B[31m\u007F\u009B)");
  EXPECT_EQ(one_line("EP 0 971 €"), "EP 0 971 €");
}

TEST(VisibleText, ShowsWhatChangesTheDirectionOfText) {
  struct Case {
    const char *text, *shown;
  };
  for (const auto& [text, shown] : {Case{"\u061C", R"(\u061C)"},
                                    {"\u200E\u200F", R"(\u200E\u200F)"},
                                    {"\u2028\u2029", R"(\u2028\u2029)"},
                                    {"a\u202Eb\u202A", R"(a\u202Eb\u202A)"},
                                    {"\u2066x\u2069", R"(\u2066x\u2069)"},
                                    {"\u200B\u2027\u202F\u2065", "\u200B\u2027\u202F\u2065"},
                                    {"\u05D0\u0627", "\u05D0\u0627"}}) {
    EXPECT_EQ(visible_text(text), shown);
    EXPECT_EQ(one_line(text), shown);
  }
  EXPECT_EQ(visible_text("a\n\tb\x1b"), "a\n\tb\\u001B");
}

}  // namespace
}  // namespace prescope::testing
