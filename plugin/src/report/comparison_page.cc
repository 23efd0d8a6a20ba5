#include <fmt/format.h>

#include "report/comparison_tables.h"
#include "report/comparison_words.h"
#include "report/number_text.h"
#include "report/page/markup.h"
#include "report/page/page.h"
#include "report/page/plots.h"

namespace prescope {
namespace {

using page::about_markup;
using page::element;
using page::escaped;
using page::tables_markup;

constexpr MovedLimits kMovedLimits = {.topics = SIZE_MAX, .citations = 20};

std::string page_title(const ComparisonReport& report) {
  const auto& runs = report.evaluation.runs;
  if (is_pair(report)) return fmt::format("{} against {}", runs[1].name, runs[0].name);
  return fmt::format("{} against {}", count_text(runs.size() - 1, "run"), runs[0].name);
}

std::string subject_markup(const ComparisonReport& report) {
  std::string items;
  for (const LabelledLine& line : comparison_subject(report)) {
    items += element("dt", "", escaped(line.label)) + element("dd", "", escaped(line.words));
  }
  return element("dl", "", items) + '\n';
}

page::ForestRow forest_row(const ComparisonReport& report, const RunComparison& run,
                           const MeasureComparison& measure) {
  return {.label = is_pair(report) ? measure.measure.name() : short_name(report, run.run),
          .test = measure.t,
          .verdict = measure.verdict,
          .verdict_words = verdict_words(report, run, measure)};
}

page::ForestPlot forest_of(const ComparisonReport& report, std::string_view what,
                           std::string_view id) {
  const std::string of = is_pair(report) ? "B minus A" : "run minus baseline";
  const std::string interval = confidence_words(report.comparison.options.confidence);
  return {.words = {.id = std::string(id),
                    .title = fmt::format("Mean differences of {}", what),
                    .what = fmt::format("For each row the mean difference, {}, as a dot with its "
                                        "{} interval; the numbers are in the table above.",
                                        of, interval)},
          .axis = fmt::format("mean difference, {}, with {} interval", of, interval),
          .rows = {}};
}

std::string forests_markup(const ComparisonReport& report) {
  std::string out;
  if (is_pair(report)) {
    const RunComparison& run = report.comparison.runs.front();
    page::ForestPlot plot = forest_of(report, "all measures", "forest");
    for (const auto& measure : run.measures) plot.rows.push_back(forest_row(report, run, measure));
    return draw(plot);
  }
  for (std::size_t m = 0; m < report.comparison.measures.size(); ++m) {
    const std::string name = report.comparison.measures[m].name();
    page::ForestPlot plot = forest_of(report, name, fmt::format("forest-{}", m));
    for (const RunComparison& run : report.comparison.runs) {
      plot.rows.push_back(forest_row(report, run, run.measures[m]));
    }
    out += element("h3", "", escaped(name)) + draw(plot);
  }
  return out;
}

/// By the measure whose citations are told, else the first.
std::string plots_markup(const ComparisonReport& report, const RunComparison& run) {
  const std::size_t m = report.comparison.moving_measure.value_or(0);
  page::TopicPlot plot{.words = {},
                       .a = short_name(report, 0),
                       .b = short_name(report, run.run),
                       .comparison = &run.measures[m],
                       .qrels = report.evaluation.qrels};
  const std::string name = run.measures[m].measure.name();
  const DifferenceCounts& counts = run.measures[m].counts;
  plot.words = {.id = fmt::format("waterfall-{}", run.run),
                .title = fmt::format("{} of each topic, {} minus {}", name, plot.b, plot.a),
                .what = fmt::format("Bars from the lowest difference to the highest: {} topics "
                                    "lower in {}, {} the same, {} higher.",
                                    counts.losses, plot.b, counts.ties, counts.wins)};
  std::string out = draw_waterfall(plot);
  plot.words = {.id = fmt::format("scatter-{}", run.run),
                .title = fmt::format("{} of each topic in {} over {}", name, plot.b, plot.a),
                .what = fmt::format("A dot for each topic, larger where several coincide; above "
                                    "the diagonal {} is higher.",
                                    plot.b)};
  return element("div", " class=\"plots\"", '\n' + out + draw_scatter(plot)) + '\n';
}

std::string run_markup(const ComparisonReport& report, const RunComparison& run) {
  std::string content = plots_markup(report, run);
  const auto tables = moved_tables(report, run, kMovedLimits);
  if (!tables.empty()) {
    content += element("h3", "", escaped(moved_title(report, run, tables.size()))) + '\n' +
               tables_markup(tables);
  }
  if (is_pair(report)) return content;
  return fmt::format("<details open=\"open\"><summary>{}</summary>\n{}</details>\n",
                     escaped(short_name(report, run.run)), content);
}

std::string body_markup(const ComparisonReport& report) {
  std::string out = element("h1", "", escaped(page_title(report))) + '\n' + subject_markup(report);
  out += "<h2>Differences</h2>\n" + tables_markup(difference_tables(report)) +
         about_markup(about_differences(report)) + forests_markup(report);
  out += "<h2>Effects</h2>\n" + tables_markup(effect_tables(report)) +
         about_markup(about_effects(report));
  out += "<h2>Citations</h2>\n" + tables_markup(citation_tables(report)) +
         about_markup(about_citations(report));
  out += "<h2>Topics</h2>\n";
  for (const RunComparison& run : report.comparison.runs) out += run_markup(report, run);
  return out + page::list_markup("Worth knowing", evaluation_notes(report.evaluation)) +
         page::footer_markup(report.evaluation.program);
}

}  // namespace

std::string comparison_page(const ComparisonReport& report) {
  return page::html_page(page_title(report), body_markup(report));
}

}  // namespace prescope
