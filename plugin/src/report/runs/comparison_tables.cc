#include "report/runs/comparison_tables.h"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "report/runs/comparison_words.h"
#include "report/text/tables.h"

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

namespace {

using Align = TextGrid::Align;
using Row = std::vector<TextGrid::Cell>;

Style style_of(double difference) {
  return difference > 0.0 ? Style::kGood : difference < 0.0 ? Style::kBad : Style::kPlain;
}

std::string number(std::uint64_t count) { return grouped_text(count); }

Row totals_row(std::string name, const CitationTotals& totals) {
  return {{std::move(name)},
          {fmt::format("{} → {}", number(totals.found_a), number(totals.found_b))},
          {number(totals.gained)},
          {fmt::format("{} ({})", number(totals.lost), number(totals.lost_from_far))},
          {number(totals.moved_up)},
          {number(totals.moved_down)},
          {number(totals.same_rank)},
          {number(totals.emptied)},
          {number(totals.filled)},
          {p_value_text(totals.emptied_p)},
          {number(totals.fell_far)},
          {number(totals.rose_far)}};
}

std::string_view what_happened(const CitationChange& change) {
  if (change.is_gained()) return "gained";
  if (change.is_lost()) return "lost";
  if (!change.is_moved()) return "same rank";
  return *change.rank_b < *change.rank_a ? "up" : "down";
}

std::string rank_text(const std::optional<Rank>& rank, const Measure& measure) {
  return rank ? fmt::format("{}", *rank)
              : fmt::format("not in {}", measure.cutoff().value_or(Cutoff()).value());
}

Row citation_row(const Measure& measure, const TopicQrels& judged, const TopicChange& topic,
                 const CitationChange& change) {
  const Judgement& judgement = judged.judgements()[change.judgement.value()];
  const double share = static_cast<double>(change.credit) / static_cast<double>(topic.whole);
  return {{judgement.docno.text()},
          {fmt::format("grade {}", judgement.grade)},
          {std::string(what_happened(change))},
          {rank_text(change.rank_a, measure)},
          {"→"},
          {rank_text(change.rank_b, measure)},
          {difference_text(share), style_of(share)}};
}

/// Of the citations that are not shown.
Row rest_row(const TopicChange& topic, std::size_t shown) {
  const auto rest = std::accumulate(
      topic.citations.begin() + static_cast<std::ptrdiff_t>(shown), topic.citations.end(),
      std::int64_t{0},
      [](std::int64_t sum, const CitationChange& change) { return sum + change.credit; });
  const double share = static_cast<double>(rest) / static_cast<double>(topic.whole);
  return {{fmt::format("{} more", topic.citations.size() - shown), Style::kFaint},
          {},
          {},
          {},
          {},
          {},
          {difference_text(share), style_of(share)}};
}

ReportTable moved_table(const ComparisonReport& report, const RunComparison& run,
                        const TopicChange& topic, std::size_t citations) {
  const TopicQrels& judged = report.evaluation.qrels->topic(topic.scores.topic);
  ReportTable table{
      .title = fmt::format("{}  {} → {}  {}  {}", judged.id().text(), score_text(topic.scores.a),
                           score_text(topic.scores.b), difference_text(topic.scores.difference),
                           count_text(judged.num_rel(), "relevant document")),
      .columns = {{"citation", Align::kLeft},
                  {"grade"},
                  {"what", Align::kLeft},
                  {"rank in " + short_name(report, 0)},
                  {"", Align::kLeft},
                  {"rank in " + short_name(report, run.run), Align::kLeft},
                  {"share"}}};
  const Measure& measure = report.comparison.measures[*report.comparison.moving_measure];
  const std::size_t shown = std::min(citations, topic.citations.size());
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back(citation_row(measure, judged, topic, topic.citations[i]));
  }
  if (shown < topic.citations.size()) table.rows.push_back(rest_row(topic, shown));
  return table;
}

}  // namespace

std::vector<ReportTable> citation_tables(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  if (!comparison.moving_measure) return {};
  ReportTable table{
      .title = fmt::format("Citations within rank {}, over all topics",
                           comparison.measures[*comparison.moving_measure].cutoff()->value()),
      .columns = {{"run", Align::kLeft},
                  {"found"},
                  {"gained"},
                  {"lost (far)"},
                  {"up"},
                  {"down"},
                  {"same rank"},
                  {"emptied"},
                  {"filled"},
                  {"p"},
                  {"fell"},
                  {"rose"}}};
  for (const RunComparison& run : comparison.runs) {
    table.rows.push_back(totals_row(short_name(report, run.run), *run.citations));
  }
  return {table};
}

std::vector<ReportTable> moved_tables(const ComparisonReport& report, const RunComparison& run,
                                      const MovedLimits& limits) {
  std::vector<ReportTable> result;
  for (std::size_t i = 0; i < std::min(limits.topics, run.moved.size()); ++i) {
    result.push_back(moved_table(report, run, run.moved[i], limits.citations));
  }
  return result;
}

namespace {

using Align = TextGrid::Align;

std::string share_words(double share) { return fmt::format("{:g} %", 100.0 * share); }

std::string share_of_draws(std::uint32_t count, std::uint32_t of) {
  return fmt::format("{} ({})", count, share_words(static_cast<double>(count) / of));
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
                                         share_words(1.0 - robustness.options.fractions[f]),
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

namespace {

using Color = TableOptions::Color;

constexpr std::string_view kWhereTopicsAre =
    "--top N lists the topics that moved most in each run; --html FILE has them with plots.";

std::string paragraph(const std::vector<std::string>& sentences, Color color) {
  std::string text;
  for (const std::string& sentence : sentences) {
    if (!text.empty()) text += ' ';
    text += sentence;
  }
  return paint(wrapped(text, 0), Style::kFaint, color);
}

std::string subject_text(const ComparisonReport& report, Color color) {
  TextGrid grid({TextGrid::Align::kLeft, TextGrid::Align::kLeft});
  for (LabelledLine& line : comparison_subject(report)) {
    grid.add({{std::move(line.label), Style::kFaint}, {std::move(line.words)}});
  }
  return grid.to_string(color);
}

std::string moved_text(const ComparisonReport& report, const RunComparison& run,
                       const ComparisonTableOptions& options) {
  const auto tables = moved_tables(report, run, {.topics = options.moved});
  if (tables.empty()) return {};
  constexpr std::size_t kIndent = 4;
  std::string out =
      paint(moved_title(report, run, tables.size()), Style::kStrong, options.color) + '\n';
  for (const ReportTable& table : tables) {
    out += fmt::format("  {}\n{}", paint(table.title, Style::kStrong, options.color),
                       grid_of(table).to_string(options.color, kIndent));
  }
  return out + '\n';
}

std::string notes_text(const ComparisonReport& report, Color color) {
  const std::vector<std::string> notes = evaluation_notes(report.evaluation);
  if (notes.empty()) return {};
  std::string out = paint("Worth knowing", Style::kStrong, color) + '\n';
  for (const std::string& note : notes) out += wrapped(note, 2);
  return out;
}

}  // namespace

std::string comparison_table(const ComparisonReport& report,
                             const ComparisonTableOptions& options) {
  const Color color = options.color;
  std::string out = subject_text(report, color) + '\n';
  out += tables_text(difference_tables(report), color);
  out += paragraph(about_differences(report), color) + '\n';
  out += tables_text(effect_tables(report), color);
  out += paragraph(about_effects(report), color) + '\n';
  out += tables_text(citation_tables(report), color);
  out += paragraph(about_citations(report), color) + '\n';
  if (report.robustness) {
    out += tables_text(robustness_tables(report), color);
    out += paragraph(about_robustness(report), color) + '\n';
  }
  for (const RunComparison& run : report.comparison.runs) out += moved_text(report, run, options);
  if (options.moved == 0 && report.comparison.moving_measure) {
    out += paint(kWhereTopicsAre, Style::kFaint, color) + "\n\n";
  }
  out += notes_text(report, color);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

namespace {

std::string subject_text(const ComparisonReport& report) {
  std::string out;
  for (const LabelledLine& line : comparison_subject(report)) {
    out +=
        fmt::format("- **{}**: {}\n", escaped_markdown(line.label), escaped_markdown(line.words));
  }
  return out + '\n';
}

std::string moved_markdown(const ComparisonReport& report, const RunComparison& run,
                           const ComparisonTableOptions& options) {
  const auto tables = moved_tables(report, run, {.topics = options.moved});
  if (tables.empty()) return {};
  return fmt::format("## {}\n\n", escaped_markdown(moved_title(report, run, tables.size()))) +
         markdown_tables(tables, "###");
}

}  // namespace

std::string comparison_markdown(const ComparisonReport& report,
                                const ComparisonTableOptions& options) {
  std::string out = "# prescope compare\n\n" + subject_text(report);
  out += "## Differences\n\n" + markdown_tables(difference_tables(report), "###") +
         markdown_list(about_differences(report));
  out += "## Effects\n\n" + markdown_tables(effect_tables(report), "###") +
         markdown_list(about_effects(report));
  out += markdown_tables(citation_tables(report), "##") + markdown_list(about_citations(report));
  out += markdown_tables(robustness_tables(report), "##") + markdown_list(about_robustness(report));
  for (const RunComparison& run : report.comparison.runs)
    out += moved_markdown(report, run, options);
  const std::vector<std::string> notes = evaluation_notes(report.evaluation);
  if (!notes.empty()) out += "## Worth knowing\n\n" + markdown_list(notes);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

}  // namespace prescope
