#include <algorithm>
#include <string>

#include "report/runs/evaluation_report.h"
#include "report/text/json.h"
#include "report/text/tables.h"

namespace prescope {

// Formats for programs, a line for each value (TSV) or each topic (CSV), with all digits.

namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// What a run has for a topic, or for all of them.
struct EvaluationRow {
  const std::string& run;
  std::string topic;
  Counts counts;
  std::span<const std::optional<double>> scores;
};

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
                        std::span(evaluation.scores).subspan(t * width, width)});
    }
    use(EvaluationRow{run.name, "all", counts_of(report, run), evaluation.means});
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

}  // namespace

void write_tsv(const EvaluationReport& report, const TextSink& sink) {
  TextPieces out(sink);
  out << "run\ttopic\tmeasure\tvalue\n";
  for_each_row(report, [&](const EvaluationRow& row) {
    const std::string place = tsv_cell(row.run) + '\t' + row.topic + '\t';
    for (const auto& [name, count] : row.counts) {
      out << place << name << '\t' << count << '\n';
    }
    for (std::size_t m = 0; m < row.scores.size(); ++m) {
      if (!row.scores[m]) continue;
      out << place << report.measures[m].name() << '\t' << *row.scores[m] << '\n';
    }
  });
  out.finish();
}

void write_csv(const EvaluationReport& report, const TextSink& sink) {
  const std::vector<std::string> columns = count_columns(report);
  TextPieces out(sink);
  out << "run,topic";
  for (const std::string& column : columns) out << ',' << column;
  for (const Measure& measure : report.measures) out << ',' << csv_cell(measure.name());
  out << '\n';
  for_each_row(report, [&](const EvaluationRow& row) {
    out << csv_cell(row.run) << ',' << csv_cell(row.topic);
    // A count that the topic does not have is empty, as is a score without value.
    for (const std::string& column : columns) {
      out << ',';
      const auto at = std::ranges::find(row.counts, column, &Counts::value_type::first);
      if (at != row.counts.end()) out << at->second;
    }
    for (const std::optional<double> score : row.scores) {
      out << ',';
      if (score) out << *score;
    }
    out << '\n';
  });
  out.finish();
}

namespace {

void add_means(TextPieces& out, const EvaluationReport& report) {
  ReportTable table = table_of({}, {"run"}, {"topics"});
  for (const Measure& measure : report.measures) table.columns.push_back({mean_name(measure)});
  out << markdown_titles(table.columns);
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    const EvaluatedRun& run = report.runs[r];
    std::vector<Cell> cells = {
        {run.name}, {std::to_string(run.oddities.topics - run.oddities.topics_without_relevant)}};
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
      cells.push_back({score_text(run.evaluation.means[m]),
                       is_best(report, r, m) ? Style::kGood : Style::kPlain});
    }
    out << markdown_row(cells, cells.size());
  }
}

void add_topics(TextPieces& out, const EvaluationReport& report) {
  ReportTable table = table_of({}, {"run", "topic"}, {"num_rel", "num_rel_ret"});
  for (const Measure& measure : report.measures) table.columns.push_back({measure.name()});
  out << markdown_titles(table.columns);
  for (const EvaluatedRun& run : report.runs) {
    for (std::size_t t = 0; t < run.evaluation.topics.size(); ++t) {
      const Evaluation::Topic& topic = run.evaluation.topics[t];
      const TopicQrels& judged = report.qrels->topic(topic.topic);
      std::vector<Cell> cells = {{run.name},
                                           {judged.id().text()},
                                           {std::to_string(judged.num_rel())},
                                           {std::to_string(topic.num_rel_ret)}};
      for (std::size_t m = 0; m < report.measures.size(); ++m) {
        cells.push_back({score_text(run.evaluation.score(t, m))});
      }
      out << markdown_row(cells, cells.size());
    }
  }
  out << '\n';
}

}  // namespace

void write_markdown(const EvaluationReport& report, const TextSink& sink) {
  TextPieces out(sink);
  if (report.detail == EvaluationReport::Detail::kTopics) add_topics(out, report);
  add_means(out, report);
  const std::vector<std::string> notes = evaluation_notes(report);
  if (!notes.empty()) out << '\n';
  for (const std::string& note : notes) out << "- " << escaped_markdown(note) << '\n';
  out.finish();
}

}  // namespace prescope
