// Output of `prescope history` for nights written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/nightly/history_report.h"
#include "report/text/tables.h"
#include "serve/site/page.h"
#include "support/report_document.h"

namespace prescope {
namespace {

using nlohmann::json;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::sys_days;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const UtcTime kNightOne = sys_days(std::chrono::year(2026) / 11 / 17) + hours(3) + minutes(10);
const std::vector<std::string> kMeasures = {"PRES@100", "R@100"};

Night night_of(int number, double pres, double recall) {
  return {.number = number,
          .time = kNightOne + days(number - 1),
          .arm = "bm25",
          .source = "replay nightly.toml",
          .qrels = {.hash = "00000000000000ab"},
          .topics = 300,
          .means = {{"PRES@100", {.mean = pres, .topics = 300}},
                    {"R@100", {.mean = recall, .topics = 300}}},
          .p95_ms = 12.0 + number};
}

/// A baseline, a night like it, one that lost, one with other ids.
std::vector<Night> four_nights() {
  std::vector<Night> nights = {night_of(1, 0.4, 0.6), night_of(2, 0.401, 0.6),
                               night_of(3, 0.35, 0.55), night_of(4, 0.0, 0.0)};
  nights[0].pinned_as = {"main"};
  nights[1].outcome = GateOutcome::kPass;
  nights[2].outcome = GateOutcome::kRegression;
  nights[2].reason = "PRES@100 fell.";
  nights[3].outcome = GateOutcome::kBadInput;
  nights[3].reason = "No judged docno is in the index: an id problem.";
  for (int n = 1; n < 4; ++n) nights[std::size_t(n)].baseline_number = 1;
  return nights;
}

std::vector<Pin> first_pin() {
  return {{.name = "main",
           .evaluation = 1,
           .by = "ada",
           .why = "first release",
           .time = kNightOne + minutes(2)}};
}

HistoryReport report_of(const std::vector<Night>& nights, const std::vector<Pin>& pins,
                        const HistoryFilter& filter = {}) {
  return {.store = "data/nights.db",
          .history = history_of(nights, pins, kMeasures, filter),
          .pins = pins,
          .drifts = {}};
}

std::string table_of(const HistoryReport& report) {
  return document_as_text(history_document(report), {});
}

TEST(HistoryReport, TableHasNightsThenSparklinesThenFailures) {
  EXPECT_EQ(table_of(report_of(four_nights(), first_pin())),
            R"(store     data/nights.db
nights    4 nights, 2026-11-17 03:10 to 2026-11-20 03:10 UTC
arm       bm25; 300 topics
baseline  main: night 1, pinned 2026-11-17 03:12 UTC by ada: first release

night  time (UTC)        PRES@100   pinned   before   R@100   pinned   before  p95 ms  verdict
───────────────────────────────────────────────────────────────────────────────────────────────────
    1  2026-11-17 03:10    0.4000        -        -  0.6000        -        -    13.0  pinned: main
    2  2026-11-18 03:10    0.4010  +0.0010  +0.0010  0.6000   0.0000   0.0000    14.0  PASS
    3  2026-11-19 03:10    0.3500  -0.0500  -0.0510  0.5500  -0.0500  -0.0500    15.0  REGRESSION
    4  2026-11-20 03:10    0.0000  -0.4000  -0.3500  0.0000  -0.6000  -0.5500    16.0  BAD INPUT

pinned: change against the baseline that the night was gated against, or, ungated, the one pinned
last by then. before: against the last night of the arm that was no bad input. Neither is given
across a change of the judgements, or of how runs or topics are evaluated. A slow leak shows under
pinned long before it shows under before. A topic that a night did not serve counts as 0 in its
means; the gate leaves out those that its baseline did not serve.

Oldest to newest
  PRES@100    ██▁·  0.3500 to 0.4010, newest 0.3500
  R@100       ██▁·  0.5500 to 0.6000, newest 0.5500
  p95 ms      ▁▅█·  13.0 to 15.0, newest 15.0

Not passed
  night 3, REGRESSION: PRES@100 fell.
  night 4, BAD INPUT: No judged docno is in the index: an id problem.
)");
}

TEST(HistoryReport, SeveralArmsHaveAColumnAndSparklinesOfTheirOwn) {
  std::vector<Night> nights = four_nights();
  nights[1].arm = "tfidf";
  nights[1].topics = 299;
  const std::string table = table_of(report_of(nights, first_pin()));
  EXPECT_THAT(table, HasSubstr("arms      bm25, tfidf\n"));
  EXPECT_THAT(table, HasSubstr("night  time (UTC)        arm    topics  PRES@100 "));
  EXPECT_THAT(table, HasSubstr("    2  2026-11-18 03:10  tfidf     299    0.4010 "));
  EXPECT_THAT(table, HasSubstr("PRES@100  bm25   █▁·"));
  EXPECT_THAT(table, HasSubstr("PRES@100  tfidf  ▄ "));
}

TEST(HistoryReport, StoreWithoutNightsNamesTheCommandsThatAddThem) {
  EXPECT_EQ(table_of(report_of({}, {})),
            "store   data/nights.db\n"
            "nights  none yet; 'prescope pin' and 'prescope gate' store them\n");
  EXPECT_THAT(table_of(report_of(four_nights(), {}, {.arm = "none"})),
              HasSubstr("none of the 4 nights that are stored"));
}

TEST(HistoryReport, OnlyTheNewestOfManyFailuresAreListed) {
  std::vector<Night> nights;
  for (int n = 1; n <= 30; ++n) {
    nights.push_back(night_of(n, 0.4, 0.6));
    nights.back().outcome = GateOutcome::kRegression;
    nights.back().reason = "Fell.";
  }
  const std::string table = table_of(report_of(nights, {}));
  EXPECT_THAT(table, HasSubstr("Not passed\n  20 nights before these"));
  EXPECT_THAT(table, Not(HasSubstr("night 20, REGRESSION")));
  EXPECT_THAT(table, HasSubstr("  night 21, REGRESSION: Fell.\n"));
}

TEST(HistoryReport, CsvAndTsvAreALineANightWithAllDigits) {
  HistoryReport report = report_of(four_nights(), first_pin(), {.last = 2});
  report.history.lines[0].night.reason = "a,b \"c\"\td";
  const std::string csv = history_csv(report);
  EXPECT_THAT(csv, HasSubstr("night,time,arm,source,qrels,topics,verdict,reason,pinned_as,baseline,"
                             "before,p95_ms,PRES@100,PRES@100.from_baseline,PRES@100.from_before,"
                             "R@100,R@100.from_baseline,R@100.from_before\n"));
  EXPECT_THAT(csv, HasSubstr("3,2026-11-19T03:10:00.000Z,bm25,replay nightly.toml,00000000000000ab,"
                             "300,REGRESSION,\"a,b \"\"c\"\"\td\",,1,2,15,0.35,-0.05,-0.051,0.55,"
                             "-0.05,-0.05\n"));
  const std::string tsv = history_tsv(report);
  EXPECT_THAT(tsv, HasSubstr("3\t2026-11-19T03:10:00.000Z\tbm25\treplay nightly.toml\t"
                             "00000000000000ab\t300\tREGRESSION\ta,b \"c\" d\t\t1\t2\t15\t0.35\t"));
}

TEST(HistoryReport, JsonHasEveryNightAndPin) {
  HistoryReport report = report_of(four_nights(), first_pin());
  report.drifts = {
      {.arm = "bm25",
       .night = 3,
       .against = 1,
       .tests = {
           PairedT{.n = 300, .mean = -0.05, .p_value = 0.001, .ci_low = -0.07, .ci_high = -0.03},
           std::nullopt}}};
  const json all = json::parse(history_json(report));
  EXPECT_EQ(all["nights_stored"], 4);
  EXPECT_THAT(all["measures"], ElementsAre("PRES@100", "R@100"));
  ASSERT_EQ(all["nights"].size(), 4U);
  const json& third = all["nights"][2];
  EXPECT_EQ(third["night"], 3);
  EXPECT_EQ(third["time"], "2026-11-19T03:10:00.000Z");
  EXPECT_EQ(third["measures"]["PRES@100"]["from_baseline"], -0.05);
  EXPECT_EQ(third["measures"]["R@100"]["mean"], 0.55);
  EXPECT_EQ(third["baseline"], 1);
  EXPECT_EQ(third["before"], 2);
  EXPECT_EQ(third["verdict"], "REGRESSION");
  EXPECT_EQ(all["nights"][0]["verdict"], nullptr);
  EXPECT_EQ(all["nights"][0]["baseline"], nullptr);
  EXPECT_THAT(all["nights"][0]["pinned_as"], ElementsAre("main"));
  EXPECT_EQ(all["pins"][0]["why"], "first release");
  EXPECT_EQ(all["pins"][0]["replaced"], nullptr);
  EXPECT_EQ(all["newest"][0]["which"], "baseline");
  EXPECT_EQ(all["newest"][0]["tests"]["PRES@100"]["p_value"], 0.001);
  EXPECT_EQ(all["newest"][0]["tests"]["PRES@100"]["difference"], -0.05);
  EXPECT_EQ(all["newest"][0]["tests"]["R@100"], nullptr);
  EXPECT_EQ(all["newest"][0]["words"], "night 1 (pinned)");
  EXPECT_THAT(all["main_measures"], ElementsAre("PRES@100", "R@100"));
  EXPECT_EQ(
      all["words"]["verdict"],
      "1 of 3 gated nights passed. The newest, night 4, is a BAD INPUT: No judged docno is in "
      "the index: an id problem.");
  EXPECT_EQ(all["words"]["subject"][2], json({{"label", "arm"}, {"words", "bm25; 300 topics"}}));
  EXPECT_EQ(all["words"]["nights"].size(), 5U);
}

TEST(HistoryReport, PageCarriesTheJsonDocument) {
  const HistoryReport report = report_of(four_nights(), first_pin());
  const json carried = report_data(serve::history_page(report));
  EXPECT_EQ(carried["kind"], "history");
  EXPECT_EQ(carried["title"], history_title(report));
  EXPECT_EQ(carried["document"], json::parse(history_json(report)));
}

TEST(HistoryReport, NamesCannotBreakOutOfPageTableOrTerminal) {
  std::vector<Night> nights = four_nights();
  for (Night& night : nights) {
    night.arm = "<b>&\"\xFF\x1b[31m\n";
    night.reason = "</td><script>\x1b]0;\n";
  }
  std::vector<Pin> pins = first_pin();
  pins[0].why = "<script>alert(1)</script>\x1b[2J\n";
  pins[0].name = nights[0].pinned_as[0] = "<i>";
  const HistoryReport report = report_of(nights, pins);
  EXPECT_EQ(report_document(serve::history_page(report))["pins"][0]["name"], "<i>");
  const std::string table = table_of(report);
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
  const json document = json::parse(history_json(report));
  EXPECT_EQ(document["nights"].size(), 4U);
  EXPECT_EQ(document["nights"][0]["arm"], "<b>&\"\xEF\xBF\xBD\x1b[31m\n");
  EXPECT_EQ(document["pins"][0]["why"], pins[0].why);
}

TEST(HistoryReport, AThousandNightsOfTwoArmsStayASmallPage) {
  std::vector<Night> nights;
  for (int n = 1; n <= 2000; ++n) {
    nights.push_back(night_of(n, 0.4 + 0.00001 * n, 0.6));
    nights.back().arm = n % 2 == 0 ? "bm25" : "tfidf";
    nights.back().outcome = GateOutcome::kPass;
  }
  const std::string page = serve::history_page(report_of(nights, {}));
  EXPECT_EQ(report_document(page)["nights"].size(), 2000U);
  EXPECT_LT(page.size(), 1'500'000U);
}

TEST(Sparkline, GoesFromTheLowestBlockToTheHighest) {
  using Values = std::vector<std::optional<double>>;
  const struct {
    Values values;
    std::size_t columns;
    const char* line;
  } cases[] = {
      {{}, 10, ""},
      {{0.3}, 10, "▄"},
      {{0.3, 0.3}, 10, "▄▄"},
      {{0.0, 1.0}, 10, "▁█"},
      {{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}, 10, "▁▂▃▄▅▆▇█"},
      {{1.0, std::nullopt, 0.0}, 10, "█·▁"},
      {{std::nullopt}, 10, "·"},
      {{0.0, 2.0, 4.0, 6.0}, 2, "▁█"},  // means 1 and 5
      {{0.0, std::nullopt, std::nullopt, std::nullopt, 7.0, 7.0}, 3, "▁·█"},
  };
  for (const auto& [values, columns, line] : cases) EXPECT_EQ(sparkline(values, columns), line);
}

}  // namespace
}  // namespace prescope
