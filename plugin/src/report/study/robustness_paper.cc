#include <fmt/format.h>

#include "report/study/robustness_outputs.h"

namespace prescope {
namespace {

/// The averages that the paper's table 1 prints, N_max 100 and 1000.
struct PaperRow {
  double fraction;
  double map[2], recall[2], pres[2];
};
constexpr PaperRow kPaper[] = {{0.2, {.60, .65}, {.90, .92}, {.92, .91}},
                               {0.4, {.79, .82}, {.92, .95}, {.93, .94}},
                               {0.6, {.66, .85}, {.95, .98}, {.97, .97}},
                               {0.8, {.83, .91}, {.97, .98}, {.98, .98}}};

std::optional<double> paper_value(const Measure& measure, double fraction) {
  const auto cutoff = measure.cutoff();
  if (!cutoff || (cutoff->value() != 100 && cutoff->value() != 1000)) return std::nullopt;
  const std::size_t column = cutoff->value() == 100 ? 0 : 1;
  const std::string_view family = measure.definition().name;
  for (const PaperRow& row : kPaper) {
    if (row.fraction != fraction) continue;
    if (family == "AP") return row.map[column];
    if (family == "R") return row.recall[column];
    if (family == "PRES") return row.pres[column];
  }
  return std::nullopt;
}

}  // namespace

std::optional<ReportTable> paper_table(const Robustness& robustness) {
  ReportTable table{
      .title = "Averages beside the paper's (its 48 runs of CLEF-IP 2009, another collection)",
      .columns = {{"judgements kept"}}};
  std::vector<std::size_t> measures;
  for (std::size_t m = 0; m < robustness.measures.size(); ++m) {
    if (!paper_value(robustness.measures[m], 0.2)) continue;
    measures.push_back(m);
    table.columns.push_back({robustness.measures[m].name()});
    table.columns.push_back({"paper"});
  }
  for (std::size_t f = 0; f < robustness.options.fractions.size() && !measures.empty(); ++f) {
    const double fraction = robustness.options.fractions[f];
    if (!paper_value(robustness.measures[measures.front()], fraction)) continue;
    std::vector<TextGrid::Cell> row = {{percent_of(fraction)}};
    for (const std::size_t m : measures) {
      row.push_back({tau_text(robustness.at(f, m).average)});
      row.push_back(
          {fmt::format("{:.2f}", *paper_value(robustness.measures[m], fraction)), Style::kFaint});
    }
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? std::nullopt : std::optional(std::move(table));
}

}  // namespace prescope
