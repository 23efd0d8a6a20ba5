// The table for people: scores of each topic where asked for, means of each run, notes.
#include <fmt/format.h>
#include <algorithm>

#include "report/live/tables.h"
#include "report/runs/evaluation_report.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

using Color = TableOptions::Color;

constexpr std::size_t kScoresGap = 2;
constexpr std::size_t kScoreTextWidth = 6;  // 0.1234

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
  TextGrid grid({Align::kLeft, Align::kLeft});
  grid.add({{"qrels", Style::kFaint},
            {fmt::format("{}, {}, {}, docno policy {}, relevant from grade {}", report.qrels_path,
                         count_text(report.qrels->topics().size(), "topic"),
                         count_text(report.qrels_oddities.judgements, "judgement"),
                         to_string(report.qrels->docnos().policy()), report.qrels->min_grade())}});
  grid.add({{"ranks", Style::kFaint}, {ranks_words(report.options.ranks, report.score)}});
  return grid.to_string(color) + '\n';
}

/// One past the last measure that fits beside those from `first` on; at least one.
std::size_t block_end(const EvaluationReport& report, std::size_t first) {
  std::size_t width = text_width("topics") + kScoresGap;
  std::size_t names = text_width("run");
  for (const EvaluatedRun& run : report.runs) names = std::max(names, text_width(run.name));
  width += names;
  std::size_t last = first;
  while (last < report.measures.size()) {
    width +=
        kScoresGap + 1 + std::max(kScoreTextWidth, text_width(mean_name(report.measures[last])));
    if (width > kTableWidth && last > first) break;
    ++last;
  }
  return last;
}

/// The mark has a column of its own, so that digits stay below each other.
Cell mean_cell(const EvaluationReport& report, std::size_t run, std::size_t measure) {
  const std::string text = score_text(report.runs[run].evaluation.means[measure]);
  if (is_best(report, run, measure)) return {text + '*', Style::kStrong};
  return {report.runs.size() > 1 ? text + ' ' : text};
}

std::string means_block(const EvaluationReport& report, std::size_t first, std::size_t last,
                        Color color) {
  std::vector<Align> columns(2 + last - first, Align::kRight);
  columns.front() = Align::kLeft;
  TextGrid grid(std::move(columns));
  std::vector<std::string> titles = {"run", "topics"};
  const std::string_view room_for_mark = report.runs.size() > 1 ? " " : "";
  for (std::size_t m = first; m < last; ++m) {
    titles.push_back(mean_name(report.measures[m]).append(room_for_mark));
  }
  grid.add_titles(std::move(titles));
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    const RunOddities& counts = report.runs[r].oddities;
    std::vector<Cell> row = {
        {report.runs[r].name}, {std::to_string(counts.topics - counts.topics_without_relevant)}};
    for (std::size_t m = first; m < last; ++m) row.push_back(mean_cell(report, r, m));
    grid.add(std::move(row));
  }
  return grid.to_string(color);
}

void add_means(TextPieces& out, const EvaluationReport& report, Color color) {
  for (std::size_t first = 0; first < report.measures.size();) {
    const std::size_t last = block_end(report, first);
    if (first > 0) out << '\n';
    out << means_block(report, first, last, color);
    first = last;
  }
  if (report.runs.size() > 1) out << "* the best of its column\n";
}

std::string topics_table(const EvaluationReport& report, const EvaluatedRun& run, Color color) {
  std::vector<std::string> titles = {"topic", "num_rel", "num_rel_ret"};
  for (const Measure& measure : report.measures) titles.push_back(measure.name());
  std::vector<Align> columns(titles.size(), Align::kRight);
  columns.front() = Align::kLeft;
  TextGrid grid(std::move(columns));
  grid.add_titles(std::move(titles));
  for (std::size_t t = 0; t < run.evaluation.topics.size(); ++t) {
    const Evaluation::Topic& topic = run.evaluation.topics[t];
    const TopicQrels& judged = report.qrels->topic(topic.topic);
    std::vector<Cell> row = {{judged.id().text()},
                                       {std::to_string(judged.num_rel())},
                                       {std::to_string(topic.num_rel_ret)}};
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
      row.push_back({score_text(run.evaluation.score(t, m))});
    }
    grid.add(std::move(row));
  }
  return paint(run.name, Style::kStrong, color) + '\n' + grid.to_string(color) + '\n';
}

}  // namespace

void write_table(const EvaluationReport& report, Color color, const TextSink& sink) {
  TextPieces out(sink);
  out << header(report, color);
  if (report.detail == EvaluationReport::Detail::kTopics) {
    for (const EvaluatedRun& run : report.runs) out << topics_table(report, run, color);
  }
  add_means(out, report, color);
  const std::vector<std::string> notes = evaluation_notes(report);
  if (!notes.empty()) out << '\n' << paint("Worth knowing", Style::kStrong, color) << '\n';
  for (const std::string& note : notes) out << wrapped(note, 2, 2);
  out.finish();
}

}  // namespace prescope
