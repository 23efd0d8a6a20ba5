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

}  // namespace prescope
