#include <fmt/format.h>

#include <utility>

#include "report/comparison_tables.h"
#include "report/comparison_words.h"
#include "report/number_text.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;

std::string percent_words(double share) { return fmt::format("{:g} %", 100.0 * share); }

std::string share_of_draws(std::uint32_t count, std::uint32_t of) {
  return fmt::format("{} ({})", count, percent_words(static_cast<double>(count) / of));
}

/// Without the run's name.
std::vector<TextGrid::Cell> row_of(const MeasureRobustness& measure, const VerdictChanges& changes,
                                   const std::string& verdict) {
  const std::uint32_t samples = changes.samples();
  return {{measure.measure.name()},
          {verdict},
          {share_of_draws(changes.same, samples), Style::kStrong},
          {share_of_draws(changes.lost, samples)},
          {share_of_draws(changes.appeared, samples)},
          {share_of_draws(changes.reversed, samples),
           changes.reversed > 0 ? Style::kBad : Style::kPlain},
          {fmt::format("{} to {}", difference_text(changes.lowest_mean),
                       difference_text(changes.highest_mean))}};
}

}  // namespace

std::vector<ReportTable> robustness_tables(const ComparisonReport& report) {
  std::vector<ReportTable> tables;
  if (!report.robustness) return tables;
  const VerdictRobustness& robustness = *report.robustness;
  for (std::size_t f = 0; f < robustness.options.fractions.size(); ++f) {
    ReportTable& table = tables.emplace_back(
        ReportTable{.title = fmt::format("Were {} of the citations unknown: verdicts over {}",
                                         percent_words(1.0 - robustness.options.fractions[f]),
                                         count_text(robustness.options.samples, "draw")),
                    .columns = {}});
    if (!is_pair(report)) table.columns.push_back({"Run", Align::kLeft});
    for (const char* title : {"Measure", "verdict"}) table.columns.push_back({title, Align::kLeft});
    for (const char* title : {"same", "lost", "appeared", "reversed", "difference"}) {
      table.columns.push_back({title, Align::kRight});
    }
    for (std::size_t r = 0; r < robustness.runs.size(); ++r) {
      const RunComparison& run = report.comparison.runs[r];
      for (std::size_t m = 0; m < robustness.runs[r].size(); ++m) {
        const MeasureRobustness& measure = robustness.runs[r][m];
        if (measure.changes.empty()) continue;
        auto row = row_of(measure, measure.changes[f], verdict_words(report, run, run.measures[m]));
        if (!is_pair(report)) row.insert(row.begin(), {short_name(report, run.run)});
        table.rows.push_back(std::move(row));
      }
    }
  }
  return tables;
}

std::vector<std::string> about_robustness(const ComparisonReport& report) {
  if (!report.robustness) return {};
  return {
      fmt::format("Each draw forgets that share of each topic's relevant documents, found or not "
                  "(at least one stays known; seed {}), scores both runs again and asks the same "
                  "test.",
                  report.robustness->options.seed),
      "Lost: a difference is no longer shown. Appeared: one is shown where there was none. "
      "Reversed: the other run comes out better. The last column is the lowest and the highest "
      "mean difference of the draws."};
}

}  // namespace prescope
