#include <numeric>
#include <ranges>

#include "report/runs/comparison_report.h"
#include "report/text/moved_citations.h"
#include "runs/slice_words.h"
#include "runs/topic_units.h"

namespace prescope {

namespace {

Style style_of(Verdict verdict) {
  if (verdict == Verdict::kBetter) return Style::kGood;
  return verdict == Verdict::kWorse ? Style::kBad : Style::kPlain;
}

/// The p-value of the sign-flip test, marked if it decides instead of the t test.
std::string sign_flip_text(const ComparisonReport& report, const MeasureComparison& measure) {
  if (!measure.sign_flip) return p_value_text({});
  const bool is_fallback = report.comparison.options.test == PairedTest::kT &&
                           measure.decided_by == PairedTest::kSignFlip;
  return p_value_text(measure.sign_flip->p_value) + (is_fallback ? "*" : "");
}

/// A pair has one table with a row for each measure; more runs have a table for each measure with
/// a row for each run but the baseline. `add_cells` makes those behind the first one.
template <class AddCells>
std::vector<ReportTable> compared_tables(const ComparisonReport& report,
                                         const AddCells& add_cells) {
  const Comparison& comparison = report.comparison;
  std::vector<ReportTable> tables;
  if (is_pair(report)) {
    ReportTable& table = tables.emplace_back();
    table.title = minus_words(report);
    const RunComparison& run = comparison.runs.front();
    for (const MeasureComparison& measure : run.measures) {
      add_cells(table.add_row().left("measure", measure.measure.name()), run, measure);
    }
    return tables;
  }
  for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
    ReportTable& table = tables.emplace_back();
    table.title = comparison.measures[m].name();
    for (const RunComparison& run : comparison.runs) {
      add_cells(table.add_row().left("run", short_name(report, run.run)), run, run.measures[m]);
    }
  }
  return tables;
}

void add_differences(ReportTable& table, const ComparisonReport& report, const RunComparison& run,
                     const MeasureComparison& it) {
  const CompareOptions& options = report.comparison.options;
  if (is_pair(report)) table.right(short_name(report, 0), score_text(it.mean_a));
  table.right(is_pair(report) ? short_name(report, run.run) : "mean", score_text(it.mean_b))
      .right("difference", difference_text(value_of(it.t, &PairedT::mean)))
      .right(plain_percent_text(options.confidence) + " interval",
             interval_text(value_of(it.t, &PairedT::ci_low), value_of(it.t, &PairedT::ci_high)))
      .right("p t", p_value_text(value_of(it.t, &PairedT::p_value)))
      .right("p flip", sign_flip_text(report, it));
  if (options.test == PairedTest::kWilcoxon) {
    table.right("p Wilcoxon", p_value_text(value_of(it.wilcoxon, &Wilcoxon::p_value)))
        .right("(Pratt)", p_value_text(value_of(it.wilcoxon_pratt, &Wilcoxon::p_value)));
  }
  if (options.correction != Correction::kNone) {
    table.right(options.correction == Correction::kHolm ? "Holm" : "BH",
                p_value_text(it.corrected));
  }
  table.left("verdict", {verdict_words(report, run, it), style_of(it.verdict)});
}

std::string effect_size_text(const std::optional<EffectSize>& effect) {
  return effect && effect->g_z ? fmt::format("{:+.3f}", *effect->g_z) : "-";
}

std::string superiority_text(const std::optional<EffectSize>& effect) {
  if (!effect) return "-";
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", effect->superiority,
                     effect->superiority_interval.low, effect->superiority_interval.high);
}

std::vector<ReportTable> difference_tables(const ComparisonReport& report) {
  std::vector<ReportTable> tables =
      compared_tables(report, [&](ReportTable& table, auto& run, auto& measure) {
        add_differences(table, report, run, measure);
      });
  if (is_pair(report)) return tables;
  const EvaluatedRun& baseline = report.evaluation.runs.front();
  for (std::size_t m = 0; m < tables.size(); ++m) {
    const std::vector<Cell> row = {Cell(baseline.name, Style::kFaint),
                                   score_text(baseline_mean(report, m)),
                                   Cell("baseline", Style::kFaint)};
    tables[m].rows.insert(tables[m].rows.begin(), row);
  }
  return tables;
}

std::vector<ReportTable> effect_tables(const ComparisonReport& report) {
  std::vector<ReportTable> tables = compared_tables(
      report, [&](ReportTable& table, const RunComparison&, const MeasureComparison& it) {
        table
            .right(std::string(units_word(report.comparison.has_family_map)),
                   std::to_string(it.counts.total()))
            .right("wins/ties/losses", outcomes_text(it.counts))
            .right("sd", score_text(value_of(it.t, &PairedT::sd)))
            .right("g_z", effect_size_text(it.effect))
            .right("P(better)", superiority_text(it.effect))
            .right("detectable", score_text(it.detectable))
            .right("needed", it.topics_needed ? grouped_text(*it.topics_needed) : "-");
      });
  for (ReportTable& table : tables) table.title += ": how large, and what these topics can show";
  return tables;
}

/// Citations gained, lost and moved over all topics, and topics that changed a lot; a row for each
/// run. Empty if no measure has credits.
std::vector<ReportTable> citation_tables(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  if (!comparison.moving_measure) return {};
  ReportTable table =
      table_of(fmt::format("Citations within rank {}, over all topics",
                           comparison.measures[*comparison.moving_measure].cutoff()->value()),
               {"run"},
               {"found", "gained", "lost (far)", "up", "down", "same rank", "emptied", "filled",
                "p", "fell", "rose"});
  for (const RunComparison& run : comparison.runs) {
    const CitationTotals& it = *run.citations;
    table.rows.push_back(
        {short_name(report, run.run),
         fmt::format("{} → {}", grouped_text(it.found_a), grouped_text(it.found_b)),
         grouped_text(it.gained),
         fmt::format("{} ({})", grouped_text(it.lost), grouped_text(it.lost_from_far)),
         grouped_text(it.moved_up), grouped_text(it.moved_down), grouped_text(it.same_rank),
         grouped_text(it.emptied), grouped_text(it.filled), p_value_text(it.emptied_p),
         grouped_text(it.fell_far), grouped_text(it.rose_far)});
  }
  return {table};
}

ReportTable topic_table(const ComparisonReport& report, const RunComparison& run,
                        const TopicChange& topic) {
  const TopicQrels& judged = report.evaluation.qrels->topic(topic.scores.topic);
  const auto cutoff = report.comparison.measures[*report.comparison.moving_measure].cutoff();
  const std::vector<CitationMove> moves = citation_moves(judged, topic.citations);
  ReportTable table =
      table_of(fmt::format("{}  {} → {}  {}  {}", judged.id().text(), score_text(topic.scores.a),
                           score_text(topic.scores.b), difference_text(topic.scores.difference),
                           count_text(judged.num_rel(), "relevant document")),
               {"citation"}, {"grade"}, {"what"});
  table.columns.insert(table.columns.end(),
                       {{"rank in " + short_name(report, 0)},
                        {"", Align::kLeft},
                        {"rank in " + short_name(report, run.run), Align::kLeft},
                        {"share"}});
  for (const CitationMove& it : moves | std::views::take(kCitationsShown)) {
    table.rows.push_back({citation_name(it), fmt::format("grade {}", it.grade), moved_words(it),
                          rank_text(it.rank_a, cutoff), "→", rank_text(it.rank_b, cutoff),
                          change_cell(it.share)});
  }
  add_other_shares(table, moves, 6);
  return table;
}

std::vector<ReportTable> moved_tables(const ComparisonReport& report, const RunComparison& run) {
  return list_of(run.moved | std::views::take(report.moved_listed),
                 [&](const TopicChange& topic) { return topic_table(report, run, topic); });
}

/// "7 (70 %)", of the draws.
std::string draws_text(const VerdictChanges& changes, std::uint32_t count) {
  return fmt::format("{} ({})", count,
                     plain_percent_text(static_cast<double>(count) / changes.samples()));
}

std::vector<Cell> robustness_row(const ComparisonReport& report, const RunComparison& run,
                                 const MeasureComparison& measure, const VerdictChanges& it) {
  return {measure.measure.name(),
          verdict_words(report, run, measure),
          Cell(draws_text(it, it.same), Style::kStrong),
          draws_text(it, it.lost),
          draws_text(it, it.appeared),
          Cell(draws_text(it, it.reversed), it.reversed > 0 ? Style::kBad : Style::kPlain),
          fmt::format("{} to {}", difference_text(it.lowest_difference),
                      difference_text(it.highest_difference))};
}

/// Returns counts of verdicts that stay, are lost, appear and reverse if a part of the citations is
/// unknown: a table for each share; empty if they were not asked for.
std::vector<ReportTable> robustness_tables(const ComparisonReport& report) {
  std::vector<ReportTable> tables;
  if (!report.robustness) return tables;
  const auto& runs = report.robustness->runs;
  const RobustnessOptions& options = report.robustness->options.draws;
  const bool has_runs = !is_pair(report);
  for (std::size_t f = 0; f < options.fractions.size(); ++f) {
    ReportTable& table = tables.emplace_back(
        table_of(fmt::format("Were {} of the citations unknown: verdicts over {}",
                             plain_percent_text(1.0 - options.fractions[f]),
                             count_text(options.samples, "draw")),
                 {"Measure", "verdict"}, {"same", "lost", "appeared", "reversed", "difference"}));
    if (has_runs) table.columns.insert(table.columns.begin(), {"Run", Align::kLeft});
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const RunComparison& run = report.comparison.runs[r];
      for (std::size_t m = 0; m < runs[r].size(); ++m) {
        if (runs[r][m].changes.empty()) continue;
        auto& row = table.rows.emplace_back(
            robustness_row(report, run, run.measures[m], runs[r][m].changes[f]));
        if (has_runs) row.insert(row.begin(), short_name(report, run.run));
      }
    }
  }
  return tables;
}

constexpr std::string_view kWhereTopicsAre =
    "--top N lists the topics that moved most in each run; --html FILE has them with plots.";

/// The ranges of the means and of the runs' differences from the baseline.
std::vector<ReportTable> comparison_tie_tables(const ComparisonReport& report) {
  std::vector<ReportTable> tables = tie_tables(report.evaluation);
  if (tables.empty()) return tables;
  ReportTable table{.title = "Differences over all orders of documents with the same score"};
  const EvaluatedRun& baseline = report.evaluation.runs.front();
  const auto mean_difference = [](const Evaluation& a, const Evaluation& b, std::size_t measure) {
    const std::vector<double> all = paired_scores(a, b, measure).differences();
    return all.empty() ? std::nullopt
                       : std::optional(std::accumulate(all.begin(), all.end(), 0.0) /
                                       static_cast<double>(all.size()));
  };
  for (const EvaluatedRun& run : report.evaluation.runs | std::views::drop(1)) {
    for (std::size_t m = 0; m < report.evaluation.measures.size(); ++m) {
      const auto &a = *baseline.ties, &b = *run.ties;
      table.add_row()
          .left("run", run.name)
          .left("measure", report.evaluation.measures[m].name())
          .right("lowest", difference_text(mean_difference(a.highest, b.lowest, m)))
          .right("highest", difference_text(mean_difference(a.lowest, b.highest, m)));
    }
  }
  tables.push_back(std::move(table));
  return tables;
}

Style style_of(SliceVerdict verdict) {
  if (verdict == SliceVerdict::kBetter) return Style::kGood;
  return verdict == SliceVerdict::kWorse ? Style::kBad : Style::kPlain;
}

/// A table for each dimension, and for each of several runs.
std::vector<ReportTable> slice_tables(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  const std::string measure = comparison.measures.front().name();
  std::vector<ReportTable> tables;
  for (const RunComparison& run : comparison.runs) {
    std::string_view dimension;
    for (const SliceDifference& slice : run.slices) {
      if (tables.empty() || dimension != slice.dimension || &slice == &run.slices.front()) {
        dimension = slice.dimension;
        tables.push_back(
            {.title = fmt::format("{} by {}{}", measure, slice.dimension,
                                  is_pair(report) ? ", " + minus_words(report)
                                                  : ", " + short_name(report, run.run))});
      }
      tables.back()
          .add_row()
          .left(slice.dimension, slice_title(slice.name, slice.slices))
          .right(std::string(units_word(comparison.has_family_map)), grouped_text(slice.units))
          .right(short_name(report, 0), score_text(slice.mean_a))
          .right(short_name(report, run.run), score_text(slice.mean_b))
          .right("difference", difference_text(value_of(slice.t, &PairedT::mean)))
          .right(plain_percent_text(comparison.options.confidence) + " interval",
                 interval_text(value_of(slice.t, &PairedT::ci_low),
                               value_of(slice.t, &PairedT::ci_high)))
          .right("p", p_value_text(slice.corrected))
          .right("rest", p_value_text(slice.against_rest))
          .left("verdict", {slice_verdict_words(report, run, slice), style_of(slice.verdict)});
    }
  }
  return tables;
}

/// The sentences come first, because many read no further.
ReportSection slice_section(const ComparisonReport& report) {
  ReportSection section{
      .heading = "Slices", .tables = slice_tables(report), .about = about_slices(report)};
  for (const RunComparison& run : report.comparison.runs) {
    if (!run.slices.empty()) section.words.emplace_back(slice_sentence(report, run));
  }
  return section;
}

}  // namespace

std::vector<ReportSection> comparison_sections(const ComparisonReport& report) {
  std::vector<ReportSection> sections = {
      {.heading = "Differences",
       .tables = difference_tables(report),
       .about = about_differences(report)},
      slice_section(report),
      {.heading = "Effects", .tables = effect_tables(report), .about = about_effects(report)},
      {.tables = citation_tables(report), .about = about_citations(report)},
      {.tables = robustness_tables(report), .about = about_robustness(report)}};
  for (const RunComparison& run : report.comparison.runs) {
    std::vector<ReportTable> tables = moved_tables(report, run);
    if (tables.empty()) continue;
    const std::string title = moved_title(report, run, tables.size());
    sections.push_back(
        {.heading = title, .tables = std::move(tables), .layout = ReportSection::Layout::kNested});
  }
  if (report.moved_listed == 0 && report.comparison.moving_measure) {
    sections.push_back({.words = {Cell(kWhereTopicsAre, Style::kFaint)},
                        .formats = ReportSection::Formats::kText});
  }
  return sections;
}

ReportDocument comparison_document(const ComparisonReport& report) {
  ReportDocument document{.title = "prescope compare",
                          .subject = comparison_subject(report),
                          .sections = comparison_sections(report),
                          .notes = evaluation_notes(report.evaluation)};
  document.sections.push_back({.tables = comparison_tie_tables(report)});
  return document;
}

}  // namespace prescope
