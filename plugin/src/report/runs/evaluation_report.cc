#include "report/runs/evaluation_report.h"

#include "judgements/judgement_line.h"

namespace prescope {

namespace {

/// Counts and scores of a run for one topic, or for all.
struct EvaluationRow {
  const std::string& run;
  std::string topic;
  RunCounts counts;
  std::vector<std::optional<double>> scores;  ///< in the order of score_names
};

/// "AP", or with ties "AP", "AP lowest", "AP highest", for each measure.
std::vector<std::string> score_names(const EvaluationReport& report) {
  std::vector<std::string> names;
  for (const Measure& measure : report.measures) {
    names.push_back(measure.name());
    if (!report.ties) continue;
    names.push_back(measure.name() + " lowest");
    names.push_back(measure.name() + " highest");
  }
  return names;
}

/// Returns the scores in the order of score_names. `of` returns the scores of one evaluation.
template <class Of>
std::vector<std::optional<double>> with_ties(const EvaluationReport& report,
                                             const EvaluatedRun& run, const Of& of) {
  std::vector<std::optional<double>> scores;
  for (std::size_t m = 0; m < report.measures.size(); ++m) {
    scores.push_back(of(run.evaluation)[m]);
    if (!report.ties) continue;
    scores.push_back(of(run.ties->lowest)[m]);
    scores.push_back(of(run.ties->highest)[m]);
  }
  return scores;
}

/// Calls `use` for each topic of each run, if they are asked for, and for all topics of the run.
template <class Use>
void for_each_row(const EvaluationReport& report, const Use& use) {
  for (const EvaluatedRun& run : report.runs) {
    const Evaluation& evaluation = run.evaluation;
    const std::size_t width = report.measures.size();
    const bool has_topics = report.detail == EvaluationReport::Detail::kTopics;
    for (std::size_t t = 0; has_topics && t < evaluation.topics.size(); ++t) {
      const Evaluation::Topic& topic = evaluation.topics[t];
      const TopicQrels& judged = report.qrels->topic(topic.topic);
      use(EvaluationRow{run.name,
                        judged.id().text(),
                        {{"num_ret", topic.num_ret},
                         {"num_rel", judged.num_rel()},
                         {"num_rel_ret", topic.num_rel_ret},
                         {"duplicates", topic.facts == nullptr ? 0U : topic.facts->duplicates}},
                        with_ties(report, run, [&](const Evaluation& of) {
                          return std::span(of.scores).subspan(t * width, width);
                        })});
    }
    use(EvaluationRow{
        run.name, "all", counts_of(report, run),
        with_ties(report, run, [](const Evaluation& of) { return std::span(of.means); })});
  }
}

/// Names of all runs' counts, as the first run that has them orders them.
std::vector<std::string> count_columns(const EvaluationReport& report) {
  std::vector<std::string> columns;
  for (const EvaluatedRun& run : report.runs) {
    for (const auto& [name, count] : counts_of(report, run)) {
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    }
  }
  return columns;
}

std::string ranks_words(const RankOptions& ranks, ScorePrecision score) {
  std::string words = ranks.order == RunOrder::kFile ? "order of the lines"
                      : score == ScorePrecision::kFloat
                          ? "score (as float) descending, then docno descending"
                          : "score descending, then docno descending";
  if (ranks.judged_only) words += ", documents without a judgement removed";
  if (ranks.depth != RankOptions{}.depth) words += fmt::format(", depth {}", ranks.depth);
  return words;
}

LabelledLines subject_of(const EvaluationReport& report) {
  return {
      {"qrels", fmt::format("{}, {}, {}, docno policy {}, relevant from grade {}{}{}",
                            report.qrels_path, count_text(report.qrels->topics().size(), "topic"),
                            count_text(report.qrels_oddities.judgements, "judgement"),
                            to_string(report.qrels->docnos().policy()), report.qrels->min_grade(),
                            category_words(report.categories), rule_words(*report.qrels))},
      {"ranks", ranks_words(report.options.ranks, report.score)}};
}

/// Returns true if no run has a higher mean; false if there is only one run.
bool is_best(const EvaluationReport& report, std::size_t run, std::size_t measure) {
  const auto means = list_of(
      report.runs, [measure](const EvaluatedRun& each) { return each.evaluation.means[measure]; });
  return means.size() > 1 && means[run] && means[run] == std::ranges::max(means);
}

/// The means of some measures. The best of several runs is marked; in text the mark has a column of
/// its own, so that digits line up.
ReportTable means_table(const EvaluationReport& report, std::size_t first, std::size_t last,
                        bool is_text) {
  ReportTable table;
  const std::string_view room_for_mark = is_text && report.runs.size() > 1 ? " " : "";
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    const Evaluation& evaluation = report.runs[r].evaluation;
    const RunOddities& found = report.runs[r].oddities;
    table.add_row()
        .left("run", report.runs[r].name)
        .right("topics", std::to_string(found.topics - found.topics_without_relevant));
    for (std::size_t m = first; m < last; ++m) {
      Cell cell = score_text(evaluation.means[m]);
      const bool is_marked = is_best(report, r, m);
      if (is_marked) cell.style = is_text ? Style::kStrong : Style::kGood;
      cell.text += is_marked && is_text ? "*" : room_for_mark;
      table.right(mean_name(report.measures[m]).append(room_for_mark), std::move(cell));
    }
  }
  return table;
}

/// The means in one table; in text without a terminal, in blocks that keep to kTableWidth.
std::vector<ReportTable> means_tables(const EvaluationReport& report, bool is_text,
                                      const TextLook& look) {
  const std::size_t names = widest_text(report.runs, &EvaluatedRun::name);
  const std::size_t measures = report.measures.size();
  std::vector<ReportTable> tables;
  for (std::size_t first = 0, last = 0; first < measures; first = last) {
    const bool is_whole = !is_text || look.columns;
    last = is_whole ? measures : end_of_block(report.measures, first, names, 1);
    tables.push_back(means_table(report, first, last, is_text));
  }
  return tables;
}

/// The topics of some runs. Without a title, each row names its run.
ReportTable topics_table(const EvaluationReport& report, std::span<const EvaluatedRun> runs,
                         const std::string& title = {}) {
  ReportTable table{.title = title};
  for (const EvaluatedRun& run : runs) {
    for (std::size_t t = 0; t < run.evaluation.topics.size(); ++t) {
      const Evaluation::Topic& topic = run.evaluation.topics[t];
      const TopicQrels& judged = report.qrels->topic(topic.topic);
      table.add_row();
      if (title.empty()) table.left("run", run.name);
      table.left("topic", judged.id().text())
          .right("num_rel", std::to_string(judged.num_rel()))
          .right("num_rel_ret", std::to_string(topic.num_rel_ret));
      for (std::size_t m = 0; m < report.measures.size(); ++m) {
        table.right(report.measures[m].name(), score_text(run.evaluation.score(t, m)));
      }
    }
  }
  return table;
}

/// A table for each dimension. The rows of a slice are next to each other.
std::vector<ReportTable> slice_tables(const EvaluationReport& report) {
  const auto by_run =
      list_of(report.runs, [&](const EvaluatedRun& run) { return slice_means(report, run); });
  std::vector<ReportTable> tables;
  for (std::size_t s = 0; s < by_run.front().size(); ++s) {
    const std::string& dimension = by_run.front()[s].dimension;
    const std::string title = "By " + dimension;
    if (tables.empty() || tables.back().title != title) tables.push_back({.title = title});
    for (std::size_t r = 0; r < by_run.size(); ++r) {
      const SliceMeans& slice = by_run[r][s];
      tables.back().add_row().left(dimension, slice.name);
      if (by_run.size() > 1) tables.back().left("run", report.runs[r].name);
      tables.back().right("topics", std::to_string(slice.topics));
      for (std::size_t m = 0; m < report.measures.size(); ++m) {
        tables.back().right(mean_name(report.measures[m]), score_text(slice.means[m]));
      }
    }
  }
  return tables;
}

}  // namespace

EvaluatedRun evaluated_run(const EvaluationReport& report, std::string name, const RunFacts& facts,
                           const Scorer& scorer, const ReadRunOptions& read) {
  const Qrels& qrels = *report.qrels;
  const RankOptions& ranks = report.options.ranks;
  EvaluatedRun run{.name = std::move(name),
                   .evaluation = evaluate(qrels, facts, scorer, report.options)};
  run.oddities = run_oddities(qrels, ranks, run.evaluation);
  run.order = order_effect(qrels, scorer, ranks, run.evaluation);
  run.docno_hint = find_docno_hint(qrels, facts, read);
  run.input = check_run_input(qrels, facts, ranks.order);
  const bool has_ties = std::ranges::any_of(
      run.input, [](const InputFinding& found) { return found.check->name == kTiedCheck; });
  if (has_ties || report.ties) run.ties = tie_range(qrels, facts, scorer, report.options);
  return run;
}

std::string mean_name(const Measure& measure) {
  const std::string name = measure.name();
  for (const auto& [own, of_mean] : kMeanNames) {
    if (measure.definition().name == own) return std::string(of_mean) + name.substr(own.size());
  }
  return name;
}

std::size_t end_of_block(std::span<const Measure> measures, std::size_t first, std::size_t names,
                         std::size_t mark) {
  constexpr std::size_t kGap = 2, kScore = 6;  // 0.1234
  std::size_t width = std::max(names, text_width("run")) + kGap + text_width("topics");
  std::size_t last = first;
  while (last < measures.size()) {
    width += kGap + mark + std::max(kScore, text_width(mean_name(measures[last])));
    if (width > kTableWidth && last > first) break;
    ++last;
  }
  return last;
}

std::string qrels_words(const EvaluationReport& report) {
  return fmt::format("{}, docno policy {}, relevant from grade {}{}{}", report.qrels_path,
                     to_string(report.qrels->docnos().policy()), report.qrels->min_grade(),
                     category_words(report.categories), rule_words(*report.qrels));
}

RunCounts counts_of(const EvaluationReport& report, const EvaluatedRun& run) {
  const RunOddities& found = run.oddities;
  RunCounts counts = {{"num_q", found.topics},
                      {"num_ret", found.num_ret},
                      {"num_rel", found.num_rel},
                      {"num_rel_ret", found.num_rel_ret},
                      {"lines", run.facts().lines},
                      {"topics_without_relevant", found.topics_without_relevant},
                      {"topics_missing", found.missing.size()},
                      {"topics_unjudged", run.facts().unjudged_topics},
                      {"topics_order_differs", run.order.topics},
                      {"duplicates", found.duplicates},
                      {"topics_with_duplicates", found.topics_with_duplicates},
                      {"judgements", report.qrels_oddities.judgements},
                      {"judgements_repeated", report.qrels->repeated()},
                      {"judgements_merged", report.qrels->merged()}};
  for (const RunOddities::AtCutoff& at : found.at_cutoffs) {
    counts.emplace_back(fmt::format("num_ret@{}", at.cutoff), at.num_ret);
    counts.emplace_back(fmt::format("unjudged@{}", at.cutoff), at.unjudged);
    counts.emplace_back(fmt::format("tied@{}", at.cutoff), at.tied);
  }
  if (run.docno_hint) {
    counts.emplace_back("docnos_judged", run.docno_hint->judged);
    counts.emplace_back("docnos_matched", run.docno_hint->matched);
    counts.emplace_back(fmt::format("docnos_matched_{}", to_string(run.docno_hint->policy)),
                        run.docno_hint->would_match);
  }
  return counts;
}

std::vector<ReportTable> tie_tables(const EvaluationReport& report) {
  if (!report.ties) return {};
  ReportTable table{.title = "Over all orders of documents with the same score"};
  for (const EvaluatedRun& run : report.runs) {
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
      table.add_row()
          .left("run", run.name)
          .left("mean", mean_name(report.measures[m]))
          .right("lowest", score_text(run.ties->lowest.means[m]))
          .right("by docno", score_text(run.evaluation.means[m]))
          .right("highest", score_text(run.ties->highest.means[m]));
    }
  }
  return {table};
}

std::string evaluation_tsv(const EvaluationReport& report) {
  std::string out = "run\ttopic\tmeasure\tvalue\n";
  const std::vector<std::string> names = score_names(report);
  for_each_row(report, [&](const EvaluationRow& row) {
    const std::string place = tsv_cell(row.run) + '\t' + row.topic + '\t';
    const auto add = [&](const std::string& name, auto value) {
      out += place + name + '\t';
      append_number(out, value);
      out += '\n';
    };
    for (const auto& [name, count] : row.counts) add(name, count);
    for (std::size_t m = 0; m < row.scores.size(); ++m) {
      if (row.scores[m]) add(names[m], *row.scores[m]);
    }
  });
  return out;
}

std::string evaluation_csv(const EvaluationReport& report) {
  const std::vector<std::string> columns = count_columns(report);
  std::string out = "run,topic";
  for (const std::string& column : columns) out += ',' + column;
  for (const std::string& name : score_names(report)) out += ',' + csv_cell(name);
  out += '\n';
  for_each_row(report, [&](const EvaluationRow& row) {
    out += csv_cell(row.run) + ',' + csv_cell(row.topic);
    // A count that the topic does not have is empty, as is a score without value.
    for (const std::string& column : columns) {
      out += ',';
      const auto at = std::ranges::find(row.counts, column, &RunCounts::value_type::first);
      if (at != row.counts.end()) append_number(out, at->second);
    }
    for (const std::optional<double>& score : row.scores) {
      out += ',';
      append_number(out, score);
    }
    out += '\n';
  });
  return out;
}

ReportDocument evaluation_document(const EvaluationReport& report, ReportSection::Formats format,
                                   const TextLook& look) {
  const bool is_text = format == ReportSection::Formats::kText;
  ReportDocument document{.notes = evaluation_notes(report)};
  std::vector<ReportSection>& sections = document.sections;
  if (is_text) document.subject = subject_of(report);
  if (report.detail == EvaluationReport::Detail::kTopics) {
    const auto topics_of = [&](auto& run) { return topics_table(report, {&run, 1}, run.name); };
    sections.push_back({.tables = is_text ? list_of(report.runs, topics_of)
                                          : std::vector{topics_table(report, report.runs)}});
  }
  sections.push_back({.tables = means_tables(report, is_text, look)});
  if (is_text && report.runs.size() > 1) sections.back().about = {"* the best of its column"};
  sections.push_back({.tables = slice_tables(report)});
  sections.push_back({.tables = tie_tables(report)});
  return document;
}

}  // namespace prescope
