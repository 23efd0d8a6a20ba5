#include "report/comparison_tables.h"

#include <fmt/format.h>

#include <functional>

#include "report/comparison_words.h"
#include "report/number_text.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;
using Cell = TextGrid::Cell;
using Row = std::vector<Cell>;
/// The cells of one comparison behind its row's name.
using Cells =
    std::function<Row(const ComparisonReport&, const RunComparison&, const MeasureComparison&)>;

Row row_of(std::string name, Row cells) {
  cells.insert(cells.begin(), Cell{std::move(name)});
  return cells;
}

std::string interval_text(double low, double high) {
  return fmt::format("[{}, {}]", difference_text(low), difference_text(high));
}

Style style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return Style::kGood;
    case Verdict::kWorse:
      return Style::kBad;
    case Verdict::kTooFewTopics:
    case Verdict::kIdentical:
    case Verdict::kNoDifference:
      break;
  }
  return Style::kPlain;
}

std::string sign_flip_text(const ComparisonReport& report, const MeasureComparison& measure) {
  if (!measure.sign_flip) return p_value_text({});
  const bool is_fallback = report.comparison.options.test == PairedTest::kT &&
                           measure.decided_by == PairedTest::kSignFlip;
  return p_value_text(measure.sign_flip->p_value) + (is_fallback ? "*" : "");
}

Row difference_cells(const ComparisonReport& report, const RunComparison& run,
                     const MeasureComparison& measure) {
  Row row;
  if (is_pair(report)) row.push_back({score_text(measure.mean_a)});
  row.push_back({score_text(measure.mean_b)});
  const auto& t = measure.t;
  row.push_back({difference_text(t ? std::optional(t->mean) : std::nullopt)});
  row.push_back({t ? interval_text(t->ci_low, t->ci_high) : "-"});
  row.push_back({p_value_text(t ? std::optional(t->p_value) : std::nullopt)});
  row.push_back({sign_flip_text(report, measure)});
  if (report.comparison.options.test == PairedTest::kWilcoxon) {
    const auto p_of = [](const std::optional<Wilcoxon>& test) {
      return p_value_text(test ? std::optional(test->p_value) : std::nullopt);
    };
    row.push_back({p_of(measure.wilcoxon)});
    row.push_back({p_of(measure.wilcoxon_pratt)});
  }
  if (report.comparison.options.correction != Correction::kNone) {
    row.push_back({p_value_text(measure.corrected)});
  }
  row.push_back({verdict_words(report, run, measure), style_of(measure.verdict)});
  return row;
}

std::vector<ReportTable::Column> difference_columns(const ComparisonReport& report) {
  const CompareOptions& options = report.comparison.options;
  std::vector<ReportTable::Column> columns;
  const auto add = [&](std::string title) { columns.push_back({std::move(title)}); };
  if (is_pair(report)) add("A");
  add(is_pair(report) ? "B" : "mean");
  add("difference");
  add(confidence_words(options.confidence) + " interval");
  add("p t");
  add("p flip");
  if (options.test == PairedTest::kWilcoxon) {
    add("p Wilcoxon");
    add("(Pratt)");
  }
  if (options.correction == Correction::kHolm) add("Holm");
  if (options.correction == Correction::kBh) add("BH");
  columns.push_back({"verdict", Align::kLeft});
  return columns;
}

std::string proportion_text(const EffectSize& effect) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", effect.superiority, effect.superiority_interval.low,
                     effect.superiority_interval.high);
}

std::string signed_text(const std::optional<double>& value) {
  return value ? fmt::format("{:+.3f}", *value) : "-";
}

Row effect_cells(const ComparisonReport&, const RunComparison&, const MeasureComparison& measure) {
  const DifferenceCounts& counts = measure.counts;
  const auto& effect = measure.effect;
  return {{fmt::format("{}", measure.topics.size())},
          {fmt::format("{}/{}/{}", counts.wins, counts.ties, counts.losses)},
          {score_text(measure.t ? std::optional(measure.t->sd) : std::nullopt)},
          {signed_text(effect ? effect->g_z : std::nullopt)},
          {effect ? proportion_text(*effect) : "-"},
          {score_text(measure.detectable)},
          {measure.topics_needed ? grouped_text(*measure.topics_needed) : "-"}};
}

std::vector<ReportTable::Column> effect_columns() {
  return {{"topics"},    {"wins/ties/losses"}, {"sd"},    {"g_z"},
          {"P(better)"}, {"detectable"},       {"needed"}};
}

/// A row for each measure of the only run compared.
ReportTable table_of_measures(const ComparisonReport& report, const Cells& cells) {
  ReportTable table{.title = "B minus A"};
  for (const MeasureComparison& measure : report.comparison.runs.front().measures) {
    table.rows.push_back(
        row_of(measure.measure.name(), cells(report, report.comparison.runs.front(), measure)));
  }
  return table;
}

/// A row for each run but the baseline.
ReportTable table_of_runs(const ComparisonReport& report, std::size_t measure, const Cells& cells) {
  ReportTable table{.title = report.comparison.measures[measure].name()};
  for (const RunComparison& run : report.comparison.runs) {
    table.rows.push_back(
        row_of(short_name(report, run.run), cells(report, run, run.measures[measure])));
  }
  return table;
}

std::vector<ReportTable> tables(const ComparisonReport& report, const Cells& cells,
                                const std::vector<ReportTable::Column>& columns) {
  std::vector<ReportTable> result;
  if (is_pair(report)) {
    result.push_back(table_of_measures(report, cells));
  } else {
    for (std::size_t m = 0; m < report.comparison.measures.size(); ++m) {
      result.push_back(table_of_runs(report, m, cells));
    }
  }
  for (ReportTable& table : result) {
    table.columns = {{is_pair(report) ? "measure" : "run", Align::kLeft}};
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  }
  return result;
}

}  // namespace

std::string short_name(const ComparisonReport& report, std::size_t run) {
  if (is_pair(report)) return run == 0 ? "A" : "B";
  return report.evaluation.runs[run].name;
}

std::vector<ReportTable> difference_tables(const ComparisonReport& report) {
  std::vector<ReportTable> result = tables(report, difference_cells, difference_columns(report));
  if (is_pair(report)) return result;
  for (std::size_t m = 0; m < result.size(); ++m) {
    const EvaluatedRun& baseline = report.evaluation.runs.front();
    result[m].rows.insert(result[m].rows.begin(), Row{{short_name(report, 0), Style::kFaint},
                                                      {score_text(baseline.evaluation.means[m])},
                                                      {"baseline", Style::kFaint}});
  }
  return result;
}

std::vector<ReportTable> effect_tables(const ComparisonReport& report) {
  std::vector<ReportTable> result = tables(report, effect_cells, effect_columns());
  for (ReportTable& table : result) table.title += ": how large, and what these topics can show";
  return result;
}

}  // namespace prescope
