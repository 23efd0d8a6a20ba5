// Tables for people: scores of each topic if asked for, means of each run, notes.
#include <fmt/format.h>
#include <algorithm>

#include "report/runs/evaluation_report.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

using Color = TableOptions::Color;

std::string ranks_words(const RankOptions& ranks, ScorePrecision score) {
  std::string words = ranks.order == RunOrder::kFile ? "order of the lines"
                      : score == ScorePrecision::kFloat
                          ? "score (as float) descending, then docno descending"
                          : "score descending, then docno descending";
  if (ranks.judged_only) words += ", documents without a judgement removed";
  if (ranks.depth != RankOptions{}.depth) words += fmt::format(", depth {}", ranks.depth);
  return words;
}

std::string header(const EvaluationReport& report, Color color) {
  return labelled_text(
             {{"qrels",
               fmt::format("{}, {}, {}, docno policy {}, relevant from grade {}", report.qrels_path,
                           count_text(report.qrels->topics().size(), "topic"),
                           count_text(report.qrels_oddities.judgements, "judgement"),
                           to_string(report.qrels->docnos().policy()), report.qrels->min_grade())},
              {"ranks", ranks_words(report.options.ranks, report.score)}},
             color) +
         '\n';
}

std::string topics_with_relevant(const EvaluatedRun& run) {
  return std::to_string(run.oddities.topics - run.oddities.topics_without_relevant);
}

/// The means of some measures. The best of several runs is marked; as text with a mark that has a
/// column of its own, so that digits stay below each other.
ReportTable means_table(const EvaluationReport& report, std::size_t first, std::size_t last,
                        bool is_text) {
  ReportTable table = table_of("", {"run"}, {"topics"});
  const std::string_view room_for_mark = is_text && report.runs.size() > 1 ? " " : "";
  for (std::size_t m = first; m < last; ++m) {
    table.columns.push_back({mean_name(report.measures[m]).append(room_for_mark)});
  }
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    auto& row = table.rows.emplace_back();
    row = {report.runs[r].name, topics_with_relevant(report.runs[r])};
    for (std::size_t m = first; m < last; ++m) {
      Cell& cell = row.emplace_back(score_text(report.runs[r].evaluation.means[m]));
      const bool is_marked = is_best(report, r, m);
      if (is_marked) cell.style = is_text ? Style::kStrong : Style::kGood;
      cell.text += is_marked && is_text ? "*" : room_for_mark;
    }
  }
  return table;
}

void add_means(TextPieces& out, const EvaluationReport& report, Color color) {
  std::size_t names = text_width("run");
  for (const EvaluatedRun& run : report.runs) names = std::max(names, text_width(run.name));
  for (std::size_t first = 0; first < report.measures.size();) {
    const std::size_t last = end_of_block(report.measures, first, names, 1);
    if (first > 0) out << '\n';
    out << table_text(means_table(report, first, last, true), color);
    first = last;
  }
  if (report.runs.size() > 1) out << "* the best of its column\n";
}

ReportTable topics_table(const EvaluationReport& report, const EvaluatedRun& run) {
  ReportTable table = table_of(run.name, {"topic"}, {"num_rel", "num_rel_ret"});
  for (const Measure& measure : report.measures) table.columns.push_back({measure.name()});
  for (std::size_t t = 0; t < run.evaluation.topics.size(); ++t) {
    const Evaluation::Topic& topic = run.evaluation.topics[t];
    const TopicQrels& judged = report.qrels->topic(topic.topic);
    auto& row = table.rows.emplace_back();
    row = {judged.id().text(), std::to_string(judged.num_rel()), std::to_string(topic.num_rel_ret)};
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
      row.push_back(score_text(run.evaluation.score(t, m)));
    }
  }
  return table;
}

}  // namespace

void write_table(const EvaluationReport& report, Color color, const TextSink& sink) {
  TextPieces out(sink);
  out << header(report, color);
  if (report.detail == EvaluationReport::Detail::kTopics) {
    for (const EvaluatedRun& run : report.runs) {
      out << table_text(topics_table(report, run), color) << '\n';
    }
  }
  add_means(out, report, color);
  const std::vector<std::string> notes = evaluation_notes(report);
  if (!notes.empty()) out << '\n' << notes_text(notes, color, 2);
  out.finish();
}

namespace {

/// One table for the topics of all runs.
ReportTable all_topics_table(const EvaluationReport& report) {
  ReportTable all;
  for (const EvaluatedRun& run : report.runs) {
    ReportTable table = topics_table(report, run);
    all.columns = std::move(table.columns);
    for (auto& row : table.rows) {
      row.insert(row.begin(), run.name);
      all.rows.push_back(std::move(row));
    }
  }
  all.columns.insert(all.columns.begin(), {"run", Align::kLeft});
  return all;
}

}  // namespace

void write_markdown(const EvaluationReport& report, const TextSink& sink) {
  const bool has_topics = report.detail == EvaluationReport::Detail::kTopics;
  sink(ended((has_topics ? markdown_table(all_topics_table(report)) : "") +
             markdown_table(means_table(report, 0, report.measures.size(), false)) +
             markdown_list(evaluation_notes(report))));
}

}  // namespace prescope
