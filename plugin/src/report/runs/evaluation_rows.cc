#include <algorithm>
#include <map>
#include <string>

#include "report/runs/evaluation_report.h"
#include "report/text/json.h"
#include "report/text/tables.h"

namespace prescope {

// Formats for programs, a line for each value (TSV) or each topic (CSV), with all digits.

namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

constexpr std::string_view kAllTopics = "all";

/// Counts that each topic has, in the order of `topic_counts`.
constexpr std::array<std::string_view, 4> kTopicCounts = {"num_ret", "num_rel", "num_rel_ret",
                                                          "duplicates"};

std::array<std::uint64_t, kTopicCounts.size()> topic_counts(const EvaluationReport& report,
                                                            const Evaluation::Topic& topic) {
  return {topic.num_ret, report.qrels->topic(topic.topic).num_rel(), topic.num_rel_ret,
          topic.facts == nullptr ? 0U : topic.facts->duplicates};
}

/// What stands before and after the value of a measure or count.
std::vector<std::string> value_labels(const EvaluationReport& report) {
  std::vector<std::string> labels;
  for (const Measure& measure : report.measures) labels.push_back(measure.name() + '\t');
  return labels;
}

void add_topics(TextPieces& out, const EvaluationReport& report, const EvaluatedRun& run) {
  const std::vector<std::string> labels = value_labels(report);
  std::string place = tsv_cell(run.name) + '\t';
  const std::size_t run_part = place.size();
  for (std::size_t t = 0; t < run.evaluation.topics.size(); ++t) {
    const Evaluation::Topic& topic = run.evaluation.topics[t];
    place.resize(run_part);
    place.append(report.qrels->topic(topic.topic).id().text()).push_back('\t');
    const auto counts = topic_counts(report, topic);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      out << place << kTopicCounts[i] << '\t' << counts[i] << '\n';
    }
    for (std::size_t m = 0; m < labels.size(); ++m) {
      const std::optional<double> score = run.evaluation.score(t, m);
      if (score) out << place << labels[m] << *score << '\n';
    }
  }
}

void add_all(TextPieces& out, const EvaluationReport& report, const EvaluatedRun& run) {
  const std::string place = tsv_cell(run.name) + '\t' + std::string(kAllTopics) + '\t';
  for (const auto& [name, count] : counts_of(report, run)) {
    out << place << name << '\t' << count << '\n';
  }
  const std::vector<std::string> labels = value_labels(report);
  for (std::size_t m = 0; m < labels.size(); ++m) {
    const std::optional<double> mean = run.evaluation.means[m];
    if (mean) out << place << labels[m] << *mean << '\n';
  }
}

/// Names of all runs' counts, as the first run that has them orders them.
std::vector<std::string> count_columns(const std::vector<Counts>& counts_of_runs) {
  std::vector<std::string> columns;
  for (const Counts& counts : counts_of_runs) {
    for (const auto& [name, count] : counts) {
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    }
  }
  return columns;
}

/// One line of CSV; a count that the topic has not is empty, as is a score without value.
void add_csv_line(TextPieces& out, const std::vector<std::string>& columns,
                  const std::map<std::string_view, std::uint64_t>& counts,
                  std::span<const std::optional<double>> scores) {
  for (const std::string& column : columns) {
    out << ',';
    const auto at = counts.find(column);
    if (at != counts.end()) out << at->second;
  }
  for (const std::optional<double> score : scores) {
    out << ',';
    if (score) out << *score;
  }
  out << '\n';
}

void add_csv_topics(TextPieces& out, const EvaluationReport& report, const EvaluatedRun& run,
                    const std::vector<std::string>& columns) {
  const std::string name = csv_cell(run.name);
  const std::span<const std::optional<double>> scores = run.evaluation.scores;
  const std::size_t width = report.measures.size();
  for (std::size_t t = 0; t < run.evaluation.topics.size(); ++t) {
    const Evaluation::Topic& topic = run.evaluation.topics[t];
    const auto values = topic_counts(report, topic);
    std::map<std::string_view, std::uint64_t> counts;
    for (std::size_t i = 0; i < values.size(); ++i) counts[kTopicCounts[i]] = values[i];
    out << name << ',' << csv_cell(report.qrels->topic(topic.topic).id().text());
    add_csv_line(out, columns, counts, scores.subspan(t * width, width));
  }
}

}  // namespace

void write_tsv(const EvaluationReport& report, const TextSink& sink) {
  TextPieces out(sink);
  out << "run\ttopic\tmeasure\tvalue\n";
  for (const EvaluatedRun& run : report.runs) {
    if (report.detail == EvaluationReport::Detail::kTopics) add_topics(out, report, run);
    add_all(out, report, run);
  }
  out.finish();
}

void write_csv(const EvaluationReport& report, const TextSink& sink) {
  std::vector<Counts> counts_of_runs;
  for (const EvaluatedRun& run : report.runs) counts_of_runs.push_back(counts_of(report, run));
  const std::vector<std::string> columns = count_columns(counts_of_runs);
  TextPieces out(sink);
  out << "run,topic";
  for (const std::string& column : columns) out << ',' << column;
  for (const Measure& measure : report.measures) out << ',' << csv_cell(measure.name());
  out << '\n';
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    const EvaluatedRun& run = report.runs[r];
    if (report.detail == EvaluationReport::Detail::kTopics) {
      add_csv_topics(out, report, run, columns);
    }
    out << csv_cell(run.name) << ',' << kAllTopics;
    add_csv_line(out, columns, {counts_of_runs[r].begin(), counts_of_runs[r].end()},
                 run.evaluation.means);
  }
  out.finish();
}

// Tables for documents: Markdown.

namespace {

std::string escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "\\|`*_<>[]";
  std::string out;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

void add_row(TextPieces& out, const std::vector<std::string>& cells) {
  out << "| ";
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) out << " | ";
    out << cell;
  }
  out << " |\n";
}

/// The titles' row and the line below it. The first `text_columns` columns are aligned left.
void add_titles(TextPieces& out, const std::vector<std::string>& titles, std::size_t text_columns) {
  add_row(out, titles);
  out << '|';
  for (std::size_t i = 0; i < titles.size(); ++i) out << (i < text_columns ? ":---|" : "---:|");
  out << '\n';
}

void add_means(TextPieces& out, const EvaluationReport& report) {
  std::vector<std::string> titles = {"run", "topics"};
  for (const Measure& measure : report.measures) titles.push_back(escaped(mean_name(measure)));
  add_titles(out, titles, 1);
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    const EvaluatedRun& run = report.runs[r];
    std::vector<std::string> cells = {
        escaped(run.name),
        std::to_string(run.oddities.topics - run.oddities.topics_without_relevant)};
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
      const std::string score = score_text(run.evaluation.means[m]);
      cells.push_back(is_best(report, r, m) ? "**" + score + "**" : score);
    }
    add_row(out, cells);
  }
}

void add_markdown_topics(TextPieces& out, const EvaluationReport& report) {
  std::vector<std::string> titles = {"run", "topic", escaped("num_rel"), escaped("num_rel_ret")};
  for (const Measure& measure : report.measures) titles.push_back(escaped(measure.name()));
  add_titles(out, titles, 2);
  for (const EvaluatedRun& run : report.runs) {
    for (std::size_t t = 0; t < run.evaluation.topics.size(); ++t) {
      const Evaluation::Topic& topic = run.evaluation.topics[t];
      const TopicQrels& judged = report.qrels->topic(topic.topic);
      std::vector<std::string> cells = {escaped(run.name), escaped(judged.id().text()),
                                        std::to_string(judged.num_rel()),
                                        std::to_string(topic.num_rel_ret)};
      for (std::size_t m = 0; m < report.measures.size(); ++m) {
        cells.push_back(score_text(run.evaluation.score(t, m)));
      }
      add_row(out, cells);
    }
  }
  out << '\n';
}

}  // namespace

void write_markdown(const EvaluationReport& report, const TextSink& sink) {
  TextPieces out(sink);
  if (report.detail == EvaluationReport::Detail::kTopics) add_markdown_topics(out, report);
  add_means(out, report);
  const std::vector<std::string> notes = evaluation_notes(report);
  if (!notes.empty()) out << '\n';
  for (const std::string& note : notes) out << "- " << escaped(note) << '\n';
  out.finish();
}

}  // namespace prescope
