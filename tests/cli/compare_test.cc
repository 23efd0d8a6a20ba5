#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "support/report_document.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// PRES@4 of A: T1 (4 + 1 - 1) + (4 + 2 - 3) = 7 of 8, T2 4 + 1 - 3 = 2 of 4; of B: 4 of 8, 4 of 4.
void write_small_runs(const Workspace& workspace) {
  workspace.write("qrels.txt", "T1 0 D1 2\nT1 0 D2 1\nT2 0 D3 1\nT3 0 D4 0\n");
  workspace.write("old.run",
                  "T1 Q0 D1 1 9 old\nT1 Q0 X1 2 8 old\nT1 Q0 D2 3 7 old\n"
                  "T2 Q0 X1 1 9 old\nT2 Q0 X2 2 8 old\nT2 Q0 D3 3 7 old\n");
  workspace.write("new.run", "T1 Q0 D2 1 9 new\nT1 Q0 X1 2 8 new\nT2 Q0 D3 1 9 new\n");
}

Outcome compare(const Workspace& workspace, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"compare", "qrels.txt", "old.run",
                                        "new.run", "-m",        "PRES@4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

// By hand: differences -0.375 and 0.5; mean 0.0625, sd 0.4375 sqrt(2), standard error 0.4375, so t
// = 1/7 with one degree of freedom, whose quantiles are tangents: p = 1 - 2 atan(1/7) / pi; the
// interval reaches 0.4375 tan(0.475 pi), the detectable difference is 0.4375 (tan(0.475 pi) +
// tan(0.3 pi)). Sign-flip: all of +-0.375 +-0.5 are as far from 0 as 0.125. Holm over one
// comparison: the same. Needed: (2.80158 * 0.618718 / 0.0625)^2 + 2 = 771.2.
TEST(Compare, PrintsNumbersWorkedOutByHand) {
  const Workspace workspace(write_small_runs);
  const Outcome outcome = compare(workspace);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              StartsWith(R"(qrels     qrels.txt, docno policy raw, relevant from grade 1
A         old (old.run)
B         new (new.run)
ranks by  score, then docno, both descending
topics    3 topics, 2 with relevant documents

B minus A
measure       A       B  difference       95 % interval     p t   p flip    Holm  verdict
───────────────────────────────────────────────────────────────────────────────────────────
PRES@4   0.6875  0.7500     +0.0625  [-5.4965, +5.6215]  0.9097  1.0000*  1.0000  not shown
)"));
  EXPECT_THAT(outcome.out, HasSubstr(R"(
measure  topics  wins/ties/losses      sd  g_z          P(better)  detectable  needed
─────────────────────────────────────────────────────────────────────────────────────
PRES@4        2             1/0/1  0.6187    -  0.50 [0.09, 0.91]      6.1611     772
)"));
  EXPECT_THAT(outcome.out, HasSubstr(R"(
2 topics that moved most, of 2: PRES@4, A → B, and each citation's share
  T2  0.5000 → 1.0000  +0.5000  1 relevant document
    D3  grade 1  up  3  →  1  +0.5000
  T1  0.8750 → 0.5000  -0.3750  2 relevant documents
    D1  grade 2  lost  1  →  not in 4  -0.5000
    D2  grade 1  up    3  →  1         +0.1250
)"));
}

TEST(Compare, JsonHasTheFullNumbers) {
  const Workspace workspace(write_small_runs);
  const Outcome outcome = compare(workspace, {"--format", "json"});
  const json pair = json::parse(outcome.out)["comparison"]["pairs"][0];
  const json& pres = pair["measures"]["PRES@4"];
  EXPECT_EQ(pres["difference"], 0.0625);
  EXPECT_NEAR(pres["t_test"]["p_value"].get<double>(), 1.0 - 2.0 * std::atan(1.0 / 7.0) / M_PI,
              1e-12);
  EXPECT_NEAR(pres["t_test"]["ci_high"].get<double>(), 0.0625 + 0.4375 * std::tan(0.475 * M_PI),
              1e-9);
  EXPECT_EQ(pres["decided_by"], "sign-flip");
  EXPECT_EQ(pair["moved"][1]["citations"][0]["credit"], -4);
  EXPECT_EQ(pair["moved"][1]["whole"], 8);
  EXPECT_EQ(pair["moved"][1]["citations"][0]["rank_b"], nullptr);
  EXPECT_EQ(pres["words"], "not shown");
  EXPECT_EQ(pair["words"]["b"], "B");
  EXPECT_EQ(pair["words"]["verdict"], "new is not shown to differ in PRES@4, compared with old.");
}

TEST(Compare, WritesFilesBesideTheTableAndTheSameToStdout) {
  const Workspace workspace(write_small_runs);
  const Outcome files = compare(workspace, {"--json", "all.json", "--html", "page.html"});
  EXPECT_EQ(files.exit_code, 0) << files.err;
  EXPECT_EQ(files.out, compare(workspace).out);
  EXPECT_EQ(compare(workspace, {"--json", "-"}).out, workspace.read("all.json"));
  EXPECT_EQ(compare(workspace, {"--html", "-"}).out, workspace.read("page.html"));
}

// Names that would break out of a tag, an attribute, a Markdown table.
constexpr const char* kNastyName = "a<b>&\"c|d";

TEST(Compare, PageCarriesTheJsonDocument) {
  const Workspace workspace(write_small_runs);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"old.run", "--test", "wilcoxon"}}) {
    std::vector<std::string> page = more, data = more;
    page.insert(page.end(), {"--html", "-"});
    data.insert(data.end(), {"--json", "-"});
    const json carried = report_data(compare(workspace, page).out);
    EXPECT_EQ(carried["kind"], "compare");
    EXPECT_EQ(carried["title"], more.empty() ? "new against old" : "2 runs against old.run");
    EXPECT_EQ(carried["document"], json::parse(compare(workspace, data).out));
  }
}

TEST(Compare, HostileNamesDoNotBreakThePage) {
  const Workspace workspace;
  const std::string topic = "</script><script>alert(1)</script>";
  workspace.write("qrels.txt", topic + " 0 " + kNastyName + " 1\nT2 0 D\x01\xC3\xA9 1\n");
  workspace.write("a.run", topic + " Q0 X 1 1 <!--\nT2 Q0 D\x01\xC3\xA9 1 2 <!--\n");
  workspace.write("b&c\xFF.run", topic + " Q0 " + kNastyName + " 1 1 t\nT2 Q0 X 1 2 t\n");
  for (const std::vector<std::string>& runs :
       {std::vector<std::string>{"a.run", "b&c\xFF.run"}, {"a.run", "b&c\xFF.run", "a.run"}}) {
    std::vector<std::string> arguments = {"compare", "qrels.txt", "--html", "-"};
    arguments.insert(arguments.end(), runs.begin(), runs.end());
    const Outcome outcome = workspace.run(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json document = report_document(outcome.out);
    const json& moved = document["comparison"]["pairs"][0]["moved"];
    EXPECT_TRUE(std::ranges::any_of(moved, [&](const json& at) { return at["topic"] == topic; }));
    EXPECT_EQ(outcome.out.find('\xFF'), std::string::npos);
    EXPECT_EQ(outcome.out.find('\x01'), std::string::npos);
  }
}

TEST(Compare, MarkdownTablesHaveAsManyCellsAsTitles) {
  const Workspace workspace;
  workspace.write("qrels.txt", std::string("T1 0 ") + kNastyName + " 1\nT2 0 D1 1\n");
  workspace.write("a.run", "T1 Q0 X 1 1 t\nT2 Q0 D1 1 1 t\n");
  workspace.write("b.run", std::string("T1 Q0 ") + kNastyName + " 1 1 t\nT2 Q0 X 1 1 t\n");
  const Outcome outcome =
      workspace.run({"compare", "qrels.txt", "a.run", "b.run", "--format", "markdown"});
  std::istringstream lines(outcome.out);
  std::size_t cells = 0, rows = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
    }
    if (!line.starts_with('|')) {
      cells = 0;
    } else if (cells == 0) {
      cells = bars;
    } else {
      EXPECT_EQ(bars, cells) << line;
      ++rows;
    }
  }
  EXPECT_GT(rows, 10U);
}

TEST(Compare, ManyRunsHaveATableForEachMeasureAndTopicsIfAskedFor) {
  const Workspace workspace(write_small_runs);
  const std::vector<std::string> arguments = {"compare", "qrels.txt", "old.run",  "new.run",
                                              "old.run", "-m",        "PRES@4,AP"};
  const Outcome outcome = workspace.run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\nPRES@4\nrun "), HasSubstr("\nAP\nrun "),
                                 HasSubstr("Holm over 4 comparisons"), HasSubstr("identical"),
                                 HasSubstr("--top N lists"), Not(HasSubstr("grade 2  lost"))));
  std::vector<std::string> with_topics = arguments;
  with_topics.insert(with_topics.end(), {"--top", "3"});
  EXPECT_THAT(workspace.run(with_topics).out, HasSubstr("grade 2  lost"));
}

TEST(Compare, SaysTheZeroRuleOfWilcoxon) {
  const Workspace workspace(write_small_runs);
  const Outcome outcome = compare(workspace, {"--test", "wilcoxon", "--correction", "bh"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("differences of 0 dropped"), HasSubstr("p Wilcoxon"),
                                 HasSubstr("(Pratt)"), HasSubstr("Benjamini-Hochberg")));
}

TEST(Compare, ConfidenceAndAlphaFollowEachOther) {
  const Workspace workspace(write_small_runs);
  EXPECT_THAT(compare(workspace, {"--alpha", "0.01"}).out,
              AllOf(HasSubstr("99 % interval"), HasSubstr("at alpha 0.01")));
  const json options = json::parse(
      compare(workspace, {"--confidence", "0.9", "--json", "-"}).out)["comparison"]["options"];
  EXPECT_EQ(options["alpha"], 0.1);
  EXPECT_THAT(compare(workspace, {"--confidence", "0.9", "--alpha", "0.05"}).out,
              AllOf(HasSubstr("90 % interval"), HasSubstr("at alpha 0.05")));
}

TEST(Compare, RefusesInvalidOptions) {
  const Workspace workspace(write_small_runs);
  workspace.write("other.run", "X1 Q0 D 1 1 t\n");
  const struct {
    std::vector<std::string> more;
    const char* message;
  } cases[] = {
      {{"--test", "wilcoxen"}, "did you mean 'wilcoxon'?"},
      {{"--correction", "hol"}, "did you mean 'holm'?"},
      {{"--format", "tabel"}, "did you mean 'table'?"},
      {{"--alpha", "1"}, "--alpha"},
      {{"--confidence", "95"}, "--confidence: 95 is not between 0 and 1"},
      {{"--power", "nan"}, "--power: nan is not between 0 and 1"},
      {{"--power", "0.025"}, "--power: 0.025 is not above 0.025, half of alpha"},
      {{"--power", "0.01", "--confidence", "0.9"},
       "--power: 0.01 is not above 0.05, half of alpha"},
      {{"--target-difference", "0"}, "--target-difference: 0 is not a difference above 0"},
      {{"--flips", "0"}, "--flips: '0' is not a whole number from 1 to 10000000"},
      {{"--json", "-", "--html", "-"}, "cannot both be standard output"},
      {{"--html", "no/such/folder.html"}, "no/such/folder.html"},
      {{"--htm", "x"}, "did you mean '--html'?"},
      {{"other.run"}, "other.run: no topic in common with qrels.txt"},
      {{"missing.run"}, "missing.run"},
  };
  for (const auto& c : cases) {
    const Outcome outcome = compare(workspace, c.more);
    EXPECT_EQ(outcome.exit_code, 2) << c.message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(c.message));
  }
  const Outcome alone = workspace.run({"compare", "qrels.txt", "old.run"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("at least two runs"));
}

const std::filesystem::path kClefip2011 = std::filesystem::path(PRESCOPE_TEST_DATA) / "clefip2011";

class CompareClefip2011 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kClefip2011)) GTEST_SKIP() << kClefip2011 << " is not there";
  }
  [[nodiscard]] std::string run(const char* system) const {
    return (kClefip2011 / "runs" / (std::string(system) + ".res.gz")).string();
  }
  const std::string qrels_ = (kClefip2011 / "qrels.reconstructed.txt").string();
  const Workspace workspace_;
};

// From the per-topic values that PRESeval itself printed for the two systems
// (preseval_expected.tsv), by scipy 1.10: ttest_1samp, t.interval, wilcoxon; the others by their
// formulas in Python.
TEST_F(CompareClefip2011, AgreesWithScipyOnTheValuesOfPreseval) {
  const Outcome outcome = workspace_.run(
      {"compare", qrels_, run("CORI"), run("GMs_linear_regression"), "--order", "file", "-m",
       "PRES@1000,AP@1000,R@1000", "--test", "wilcoxon", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  const json& measures = all["comparison"]["pairs"][0]["measures"];
  const struct {
    const char* measure;
    double mean, low, high, t, p, wilcoxon, pratt, g_z, detectable;
    int needed, wins, ties, losses;
  } expected[] = {
      {"PRES@1000", 0.050329392285916666, 0.0322204219384096, 0.06843836263342373,
       5.469372493567504, 9.549421863839243e-08, 7.977920298736469e-08, 2.940861708925631e-06,
       0.3149815184926303, 0.02586468118602804, 81, 134, 79, 87},
      {"AP@1000", -0.02778635146970667, -0.0385704551507004, -0.017002247788712937,
       -5.070573046203768, 6.968179916785861e-07, 3.5871647751558498e-06, 0.00017902233508716248,
       -0.29201463231832314, 0.015402720211774615, 94, 95, 80, 125},
      {"R@1000", 0.05539894656152333, 0.03659261697024607, 0.07420527615280059, 5.797049873248759,
       1.7132762852701135e-08, 6.035338151397819e-09, 2.3818982924922935e-11, 0.3338524801521397,
       0.026860705485925836, 73, 111, 159, 30}};
  for (const auto& e : expected) {
    SCOPED_TRACE(e.measure);
    const json& found = measures[e.measure];
    const auto expect_close = [](const json& value, double wanted) {
      EXPECT_NEAR(value.get<double>(), wanted, 1e-9 * std::abs(wanted));
    };
    expect_close(found["difference"], e.mean);
    expect_close(found["t_test"]["ci_low"], e.low);
    expect_close(found["t_test"]["ci_high"], e.high);
    expect_close(found["t_test"]["t"], e.t);
    expect_close(found["t_test"]["p_value"], e.p);
    expect_close(found["wilcoxon"]["p_value"], e.wilcoxon);
    expect_close(found["wilcoxon_pratt"]["p_value"], e.pratt);
    expect_close(found["effect"]["g_z"], e.g_z);
    expect_close(found["detectable"], e.detectable);
    EXPECT_EQ(found["topics_needed"], e.needed);
    EXPECT_EQ(found["wins"], e.wins);
    EXPECT_EQ(found["ties"], e.ties);
    EXPECT_EQ(found["losses"], e.losses);
  }
}

TEST_F(CompareClefip2011, SharesOfEveryTopicAddUpToItsDifference) {
  const Outcome outcome = workspace_.run({"compare", qrels_, run("CORI"), run("SAFE_3"), "-m",
                                          "PRES@100", "--top", "1000", "--json", "-"});
  const json pair = json::parse(outcome.out)["comparison"]["pairs"][0];
  EXPECT_EQ(pair["moved"].size(), pair["citations"]["topics_changed"]);
  for (const json& topic : pair["moved"]) {
    std::int64_t credit = 0;
    for (const json& citation : topic["citations"])
      credit += citation["credit"].get<std::int64_t>();
    EXPECT_NEAR(static_cast<double>(credit) / topic["whole"].get<double>(),
                topic["difference"].get<double>(), 1e-12)
        << topic["topic"];
  }
  const json& totals = pair["citations"];
  EXPECT_EQ(totals["found_a"].get<int>() - totals["lost"].get<int>() + totals["gained"].get<int>(),
            totals["found_b"].get<int>());
}

TEST_F(CompareClefip2011, PrintsTheSameBytesForAnyThreadsAndLocale) {
  const std::vector<std::string> arguments = {"compare",     qrels_,  run("CORI"), run("GMs_dnn"),
                                              run("SAFE_3"), "--top", "2"};
  for (const char* output : {"--format=table", "--format=markdown", "--json=-", "--html=-"}) {
    std::vector<std::string> one = arguments, two = arguments;
    one.emplace_back(output);
    two.insert(two.end(), {output, "--threads", "2"});
    const Outcome plain = workspace_.run(one);
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_EQ(plain.out, workspace_.run(two).out) << output;
    EXPECT_EQ(plain.out, workspace_.run(one, {{"LC_ALL", "de_DE.UTF-8"}}).out) << output;
  }
}

void collect_comparison_keys(const json& value, std::set<std::string>& keys,
                             bool names_are_chosen = false) {
  if (value.is_array()) {
    for (const json& item : value) collect_comparison_keys(item, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    if (!names_are_chosen) keys.insert(key);
    collect_comparison_keys(member, keys, key == "measures");
  }
}

TEST(CompareDocumentation, JsonPageNamesEveryKey) {
  const Workspace workspace(write_small_runs);
  const Outcome outcome =
      compare(workspace, {"--json", "-", "--test", "wilcoxon", "--robustness", "0.5"});
  json all = json::parse(outcome.out);
  all.erase("evaluation");  // printed and documented by `prescope evaluate`
  std::set<std::string> keys;
  collect_comparison_keys(all, keys);
  EXPECT_GT(keys.size(), 70U);
  const std::string page =
      content_of(std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs/compare-json.md");
  for (const std::string& key : keys) {
    EXPECT_THAT(page, AnyOf(HasSubstr("`" + key + "`"), HasSubstr("." + key + "`"))) << key;
  }
}

TEST(CompareDocumentation, PageNamesEveryFlag) {
  const std::string page =
      content_of(std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs/compare.md");
  for (const char* flag : {"--test", "--correction", "--confidence", "--alpha", "--power",
                           "--target-difference", "--seed", "--flips", "--robustness",
                           "--robustness-samples", "--top", "--format", "--json", "--html"}) {
    EXPECT_THAT(page, HasSubstr("`" + std::string(flag)));
    EXPECT_THAT(run_program({.arguments = {"compare", "--help"}, .environment = {}}).out,
                HasSubstr(flag));
  }
}

}  // namespace
}  // namespace prescope::testing
