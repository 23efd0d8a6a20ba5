#include "report/runs/comparison_report.h"
#include "report/text/markdown.h"
#include "report/text/moved_citations.h"

namespace prescope {

namespace {

/// One measure of one run against the baseline: a row of most tables.
struct Compared {
  const RunComparison& run;
  const MeasureComparison& measure;
};
using ComparedColumns = ColumnsOf<Compared>;

/// Returns `member` of a test, or std::nullopt if the test was not made.
template <class Test, class Value>
std::optional<double> value_of(const std::optional<Test>& test, Value Test::*member) {
  return test ? std::optional(static_cast<double>((*test).*member)) : std::nullopt;
}

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

/// Columns that begin with the measure of a pair, or the run of several.
ComparedColumns columns_of_rows(const ComparisonReport& report) {
  ComparedColumns columns;
  if (is_pair(report)) {
    columns.left("measure", [](auto& row) { return row.measure.measure.name(); });
  } else {
    columns.left("run", [&](auto& row) { return short_name(report, row.run.run); });
  }
  return columns;
}

/// Adds a column for each additional test that was asked for, and the correction.
void add_optional_tests(ComparedColumns& columns, const CompareOptions& options) {
  const auto p_value = [&](const char* title, auto test) {
    columns.right(title, [test](auto& row) {
      return p_value_text(value_of(row.measure.*test, &Wilcoxon::p_value));
    });
  };
  if (options.test == PairedTest::kWilcoxon) {
    p_value("p Wilcoxon", &MeasureComparison::wilcoxon);
    p_value("(Pratt)", &MeasureComparison::wilcoxon_pratt);
  }
  if (options.correction == Correction::kNone) return;
  columns.right(options.correction == Correction::kHolm ? "Holm" : "BH",
                [](auto& row) { return p_value_text(row.measure.corrected); });
}

ComparedColumns difference_columns(const ComparisonReport& report) {
  const CompareOptions& options = report.comparison.options;
  ComparedColumns columns = columns_of_rows(report);
  const auto add = [&](std::string title, auto text) {
    columns.right(std::move(title), [text](auto& row) { return text(row.measure); });
  };
  if (is_pair(report)) add("A", [](auto& it) { return score_text(it.mean_a); });
  add(is_pair(report) ? "B" : "mean", [](auto& it) { return score_text(it.mean_b); });
  add("difference", [](auto& it) { return difference_text(value_of(it.t, &PairedT::mean)); });
  add(plain_percent_text(options.confidence) + " interval", [](auto& it) {
    return interval_text(value_of(it.t, &PairedT::ci_low), value_of(it.t, &PairedT::ci_high));
  });
  add("p t", [](auto& it) { return p_value_text(value_of(it.t, &PairedT::p_value)); });
  add("p flip", [&](auto& it) { return sign_flip_text(report, it); });
  add_optional_tests(columns, options);
  columns.left("verdict", [&](auto& row) {
    return Cell(verdict_words(report, row.run, row.measure), style_of(row.measure.verdict));
  });
  return columns;
}

std::string effect_size_text(const std::optional<EffectSize>& effect) {
  return effect && effect->g_z ? fmt::format("{:+.3f}", *effect->g_z) : "-";
}

std::string superiority_text(const std::optional<EffectSize>& effect) {
  if (!effect) return "-";
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", effect->superiority,
                     effect->superiority_interval.low, effect->superiority_interval.high);
}

ComparedColumns effect_columns(const ComparisonReport& report) {
  ComparedColumns columns = columns_of_rows(report);
  const auto add = [&](const char* title, auto text) {
    columns.right(title, [text](auto& row) { return text(row.measure); });
  };
  add("topics", [](auto& it) { return std::to_string(it.topics.size()); });
  add("wins/ties/losses", [](auto& it) { return outcomes_text(it.counts); });
  add("sd", [](auto& it) { return score_text(value_of(it.t, &PairedT::sd)); });
  add("g_z", [](auto& it) { return effect_size_text(it.effect); });
  add("P(better)", [](auto& it) { return superiority_text(it.effect); });
  add("detectable", [](auto& it) { return score_text(it.detectable); });
  add("needed", [](auto& it) { return it.topics_needed ? grouped_text(*it.topics_needed) : "-"; });
  return columns;
}

/// A pair has one table with a row for each measure; more runs have a table for each measure with
/// a row for each run but the baseline.
std::vector<ReportTable> compared_tables(const ComparisonReport& report,
                                         const ComparedColumns& columns) {
  const Comparison& comparison = report.comparison;
  std::vector<Compared> rows;
  if (is_pair(report)) {
    const RunComparison& run = comparison.runs.front();
    for (const MeasureComparison& measure : run.measures) rows.push_back({run, measure});
    return {columns.table("B minus A", rows)};
  }
  std::vector<ReportTable> tables;
  for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
    std::vector<Compared> runs;
    for (const RunComparison& run : comparison.runs) runs.push_back({run, run.measures[m]});
    tables.push_back(columns.table(comparison.measures[m].name(), runs));
  }
  return tables;
}

std::vector<ReportTable> difference_tables(const ComparisonReport& report) {
  std::vector<ReportTable> tables = compared_tables(report, difference_columns(report));
  if (is_pair(report)) return tables;
  const EvaluatedRun& baseline = report.evaluation.runs.front();
  for (std::size_t m = 0; m < tables.size(); ++m) {
    const std::vector<Cell> row = {{baseline.name, Style::kFaint},
                                   score_text(baseline.evaluation.means[m]),
                                   {"baseline", Style::kFaint}};
    tables[m].rows.insert(tables[m].rows.begin(), row);
  }
  return tables;
}

std::vector<ReportTable> effect_tables(const ComparisonReport& report) {
  std::vector<ReportTable> tables = compared_tables(report, effect_columns(report));
  for (ReportTable& table : tables) table.title += ": how large, and what these topics can show";
  return tables;
}

/// Citations gained, lost and moved over all topics, and topics that changed a lot; a row for each
/// run. Empty if no measure has credits.
std::vector<ReportTable> citation_tables(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  if (!comparison.moving_measure) return {};
  ColumnsOf<RunComparison> columns;
  columns.left("run", [&](auto& run) { return short_name(report, run.run); });
  const auto add = [&](const char* title, auto text) {
    columns.right(title, [text](auto& run) { return text(*run.citations); });
  };
  const auto add_count = [&](const char* title, auto member) {
    add(title, [member](auto& it) { return grouped_text(it.*member); });
  };
  add("found", [](auto& it) {
    return fmt::format("{} → {}", grouped_text(it.found_a), grouped_text(it.found_b));
  });
  add_count("gained", &CitationTotals::gained);
  add("lost (far)", [](auto& it) {
    return fmt::format("{} ({})", grouped_text(it.lost), grouped_text(it.lost_from_far));
  });
  add_count("up", &CitationTotals::moved_up);
  add_count("down", &CitationTotals::moved_down);
  add_count("same rank", &CitationTotals::same_rank);
  add_count("emptied", &CitationTotals::emptied);
  add_count("filled", &CitationTotals::filled);
  add("p", [](auto& it) { return p_value_text(it.emptied_p); });
  add_count("fell", &CitationTotals::fell_far);
  add_count("rose", &CitationTotals::rose_far);
  return {
      columns.table(fmt::format("Citations within rank {}, over all topics",
                                comparison.measures[*comparison.moving_measure].cutoff()->value()),
                    comparison.runs)};
}

std::vector<CitationMove> citation_moves(const TopicQrels& judged, const TopicChange& topic) {
  std::vector<CitationMove> moves;
  for (const CitationChange& change : topic.citations) {
    const Judgement& judgement = judged.judgements()[change.judgement.value()];
    moves.push_back({judgement.docno, judgement.grade, change.rank_a, change.rank_b,
                     static_cast<double>(change.credit) / static_cast<double>(topic.whole)});
  }
  return moves;
}

ReportTable topic_table(const ComparisonReport& report, const RunComparison& run,
                        const TopicChange& topic) {
  const TopicQrels& judged = report.evaluation.qrels->topic(topic.scores.topic);
  const auto cutoff = report.comparison.measures[*report.comparison.moving_measure].cutoff();
  ColumnsOf<CitationMove> columns;
  columns.left("citation", [](auto& it) { return it.docno.text(); })
      .right("grade", [](auto& it) { return fmt::format("grade {}", it.grade); })
      .left("what", moved_words)
      .right("rank in " + short_name(report, 0),
             [=](auto& it) { return rank_text(it.rank_a, cutoff); })
      .left("", [](auto&) { return "→"; })
      .left("rank in " + short_name(report, run.run),
            [=](auto& it) { return rank_text(it.rank_b, cutoff); })
      .right("share", [](auto& it) { return change_cell(it.share); });
  return moved_table(
      fmt::format("{}  {} → {}  {}  {}", judged.id().text(), score_text(topic.scores.a),
                  score_text(topic.scores.b), difference_text(topic.scores.difference),
                  count_text(judged.num_rel(), "relevant document")),
      columns, citation_moves(judged, topic), {.share = 6});
}

std::vector<ReportTable> moved_tables(const ComparisonReport& report, const RunComparison& run,
                                      std::size_t topics) {
  std::vector<ReportTable> tables;
  for (const TopicChange& topic : run.moved | std::views::take(topics)) {
    tables.push_back(topic_table(report, run, topic));
  }
  return tables;
}

/// A measure's verdict, and how it changed in the draws of one fraction.
struct Drawn {
  const RunComparison& run;
  const MeasureComparison& measure;
  const VerdictChanges& changes;
};

ColumnsOf<Drawn> robustness_columns(const ComparisonReport& report) {
  ColumnsOf<Drawn> columns;
  if (!is_pair(report)) {
    columns.left("Run", [&](auto& row) { return short_name(report, row.run.run); });
  }
  columns.left("Measure", [](auto& row) { return row.measure.measure.name(); })
      .left("verdict", [&](auto& row) { return verdict_words(report, row.run, row.measure); });
  const auto add_share = [&](const char* title, auto member, Style if_any, Style if_none) {
    columns.right(title, [=](auto& row) {
      const std::uint32_t count = row.changes.*member;
      const double share = static_cast<double>(count) / row.changes.samples();
      return Cell(fmt::format("{} ({})", count, plain_percent_text(share)),
                  count > 0 ? if_any : if_none);
    });
  };
  add_share("same", &VerdictChanges::same, Style::kStrong, Style::kStrong);
  add_share("lost", &VerdictChanges::lost, Style::kPlain, Style::kPlain);
  add_share("appeared", &VerdictChanges::appeared, Style::kPlain, Style::kPlain);
  add_share("reversed", &VerdictChanges::reversed, Style::kBad, Style::kPlain);
  columns.right("difference", [](auto& row) {
    return fmt::format("{} to {}", difference_text(row.changes.lowest_difference),
                       difference_text(row.changes.highest_difference));
  });
  return columns;
}

/// Returns counts of verdicts that stay, are lost, appear and reverse if a part of the citations is
/// unknown: a table for each share; empty if they were not asked for.
std::vector<ReportTable> robustness_tables(const ComparisonReport& report) {
  std::vector<ReportTable> tables;
  if (!report.robustness) return tables;
  const auto& runs = report.robustness->runs;
  const RobustnessOptions& options = report.robustness->options.draws;
  for (std::size_t f = 0; f < options.fractions.size(); ++f) {
    std::vector<Drawn> rows;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const RunComparison& run = report.comparison.runs[r];
      for (std::size_t m = 0; m < runs[r].size(); ++m) {
        if (runs[r][m].changes.empty()) continue;
        rows.push_back({run, run.measures[m], runs[r][m].changes[f]});
      }
    }
    tables.push_back(robustness_columns(report).table(
        fmt::format("Were {} of the citations unknown: verdicts over {}",
                    plain_percent_text(1.0 - options.fractions[f]),
                    count_text(options.samples, "draw")),
        rows));
  }
  return tables;
}

constexpr std::string_view kWhereTopicsAre =
    "--top N lists the topics that moved most in each run; --html FILE has them with plots.";

struct Section {
  std::string heading;  ///< in Markdown, and of nested tables; may be empty
  std::vector<ReportTable> tables;
  std::vector<std::string> about{};
  bool is_nested = false;  ///< the tables are small, and stand below each other
};

std::vector<Section> sections_of(const ComparisonReport& report, std::size_t moved) {
  std::vector<Section> sections = {
      {"Differences", difference_tables(report), about_differences(report)},
      {"Effects", effect_tables(report), about_effects(report)},
      {"", citation_tables(report), about_citations(report)},
      {"", robustness_tables(report), about_robustness(report)}};
  for (const RunComparison& run : report.comparison.runs) {
    std::vector<ReportTable> tables = moved_tables(report, run, moved);
    if (tables.empty()) continue;
    const std::string title = moved_title(report, run, tables.size());
    sections.push_back({.heading = title, .tables = std::move(tables), .is_nested = true});
  }
  return sections;
}

}  // namespace

std::string comparison_table(const ComparisonReport& report,
                             const ComparisonTableOptions& options) {
  const TextLook& look = options.look;
  std::string out = labelled_text(comparison_subject(report), look) + '\n';
  for (const auto& [heading, tables, about, is_nested] : sections_of(report, options.moved)) {
    out += is_nested ? nested_tables_text(heading, tables, look) : tables_text(tables, look, about);
  }
  if (options.moved == 0 && report.comparison.moving_measure) {
    out += fitted(kWhereTopicsAre, Style::kFaint, look) + '\n';
  }
  return ended(out + notes_text(evaluation_notes(report.evaluation), look));
}

std::string comparison_markdown(const ComparisonReport& report,
                                const ComparisonTableOptions& options) {
  std::string out = "# prescope compare\n\n" + labelled_markdown(comparison_subject(report));
  for (const Section& section : sections_of(report, options.moved)) {
    const bool has_heading = !section.heading.empty();
    if (has_heading) out += fmt::format("## {}\n\n", escaped_markdown(section.heading));
    out +=
        markdown_tables(section.tables, has_heading ? "###" : "##") + markdown_list(section.about);
  }
  const std::vector<std::string> notes = evaluation_notes(report.evaluation);
  if (!notes.empty()) out += "## Worth knowing\n\n" + markdown_list(notes);
  return ended(std::move(out));
}

}  // namespace prescope
