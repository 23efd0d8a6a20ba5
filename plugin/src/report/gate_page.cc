#include <fmt/format.h>

#include "report/gate_tables.h"
#include "report/gate_words.h"
#include "report/page/markup.h"
#include "report/page/page.h"
#include "report/page/plots.h"

namespace prescope {
namespace {

using page::element;
using page::escaped;

constexpr GateTopicLimits kGatePageLimits = {.topics = 100, .citations = 20};

std::string gate_subject_markup(const GateReport& report) {
  std::string items;
  for (const auto& [label, words] : gate_subject(report)) {
    items += element("dt", "", escaped(label)) + element("dd", "", escaped(words));
  }
  return element("dl", "", items) + '\n';
}

Verdict plot_verdict(GateVerdict::Status status) {
  switch (status) {
    case GateVerdict::Status::kPass:
      return Verdict::kBetter;
    case GateVerdict::Status::kFail:
    case GateVerdict::Status::kBadInput:
      return Verdict::kWorse;
    default:
      return Verdict::kNoDifference;
  }
}

page::ForestRow gate_forest_row(const GateVerdict::MeasureResult& result) {
  page::ForestRow row{.label = result.measure.name(),
                      .test = std::nullopt,
                      .verdict = plot_verdict(result.status),
                      .verdict_words = std::string(status_words(result.status)),
                      .limit = -result.margin};
  if (result.difference && result.low && result.high) {
    row.test = PairedT{};
    row.test->mean = *result.difference;
    row.test->ci_low = *result.low;
    row.test->ci_high = *result.high;
  }
  return row;
}

std::string gate_forest(const GateVerdict& verdict) {
  if (verdict.measures.empty()) return {};
  page::ForestPlot plot{
      .words = {.id = "forest",
                .title = "Mean differences of the decision measures",
                .what = "For each measure the mean difference, tonight minus baseline, as a dot "
                        "with its bounds, and the margin as an upright line; the numbers are in "
                        "the table above."},
      .axis = "mean difference, tonight minus baseline, with bounds and margin",
      .rows = {}};
  for (const auto& result : verdict.measures) plot.rows.push_back(gate_forest_row(result));
  return draw(plot);
}

/// Sentences break into lines here, unlike the cells of other tables.
std::string gate_rules_markup(const GateVerdict& verdict) {
  std::string rows;
  for (const auto& row : gate_rule_table(verdict).rows) {
    const std::string_view style = row[1].style == Style::kGood    ? " class=\"left good\""
                                   : row[1].style == Style::kBad   ? " class=\"left bad\""
                                   : row[1].style == Style::kFaint ? " class=\"left faint\""
                                                                   : " class=\"left\"";
    rows += element("tr", "",
                    element("th", " class=\"left\" scope=\"row\"", escaped(row[0].text)) +
                        element("td", style, escaped(row[1].text)) +
                        element("td", " class=\"left words\"", escaped(row[2].text))) +
            '\n';
  }
  return fmt::format("<div class=\"wide\"><table><tbody>\n{}</tbody></table></div>\n", rows);
}

std::string gate_topics_markup(const GateVerdict& verdict) {
  const auto tables = gate_topic_tables(verdict, kGatePageLimits);
  if (tables.empty()) return {};
  return "<h2>Topics</h2>\n" +
         element("p", "", escaped(gate_topics_title(verdict, tables.size()))) + '\n' +
         page::tables_markup(tables);
}

std::string gate_body(const GateReport& report) {
  const GateVerdict& verdict = report.verdict;
  std::string out = element("h1", "", escaped(gate_headline(report)));
  out += '\n' + gate_subject_markup(report);
  out += "<h2>Rules</h2>\n" + gate_rules_markup(verdict);
  const auto measures = gate_measure_tables(verdict);
  if (!measures.empty()) {
    out += "<h2>Measures</h2>\n" + page::tables_markup(measures) +
           page::about_markup(about_gate_measures(verdict)) + gate_forest(verdict);
  }
  const auto latency = gate_latency_tables(verdict);
  if (!latency.empty()) out += "<h2>Latency</h2>\n" + page::tables_markup(latency);
  return out + gate_topics_markup(verdict) + page::footer_markup(report.program);
}

}  // namespace

std::string gate_page(const GateReport& report) {
  return page::html_page(
      fmt::format("{}: {}", to_string(report.verdict.outcome), report.verdict.baseline.name),
      gate_body(report));
}

}  // namespace prescope
