// Tables for documents: Markdown and LaTeX.
#include <algorithm>
#include <string>

#include "report/evaluation_report.h"
#include "report/mean_name.h"
#include "report/number_text.h"

namespace prescope {
namespace {

/// How a kind of document writes a table.
struct Markup {
  std::string_view row_begin, between_cells, row_end;
  std::string_view strong_begin, strong_end;
  std::string (*escaped)(std::string_view text);
  /// Before the rows, for `text_columns` columns of text and then `number_columns` of numbers;
  /// the titles are a row between the two.
  std::string (*before_titles)(std::size_t text_columns, std::size_t number_columns);
  std::string (*after_titles)(std::size_t text_columns, std::size_t number_columns);
  std::string_view after_rows;
  std::string_view note_begin;
};

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string markdown_escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "\\|`*_<>[]";
  std::string out;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string latex_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~') {
      out += "\\textasciitilde{}";
    } else if (c == '^') {
      out += "\\textasciicircum{}";
    } else {
      if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

const Markup kMarkdown{.row_begin = "| ",
                       .between_cells = " | ",
                       .row_end = " |\n",
                       .strong_begin = "**",
                       .strong_end = "**",
                       .escaped = markdown_escaped,
                       .before_titles = [](std::size_t, std::size_t) { return std::string(); },
                       .after_titles =
                           [](std::size_t text_columns, std::size_t number_columns) {
                             return '|' + repeated(":---|", text_columns) +
                                    repeated("---:|", number_columns) + '\n';
                           },
                       .after_rows = "",
                       .note_begin = "- "};

const Markup kLatex{
    .row_begin = "",
    .between_cells = " & ",
    .row_end = " \\\\\n",
    .strong_begin = "\\textbf{",
    .strong_end = "}",
    .escaped = latex_escaped,
    .before_titles =
        [](std::size_t text_columns, std::size_t number_columns) {
          return "\\begin{tabular}{" + std::string(text_columns, 'l') +
                 std::string(number_columns, 'r') + "}\n\\toprule\n";
        },
    .after_titles = [](std::size_t, std::size_t) { return std::string("\\midrule\n"); },
    .after_rows = "\\bottomrule\n\\end{tabular}\n",
    .note_begin = "% "};

void add_row(TextPieces& out, const Markup& markup, const std::vector<std::string>& cells) {
  out << markup.row_begin;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) out << markup.between_cells;
    out << cell;
  }
  out << markup.row_end;
}

void add_means(TextPieces& out, const Markup& markup, const EvaluationReport& report) {
  std::vector<std::string> titles = {"run", "topics"};
  for (const Measure& measure : report.measures) {
    titles.push_back(markup.escaped(mean_name(measure)));
  }
  out << markup.before_titles(1, titles.size() - 1);
  add_row(out, markup, titles);
  out << markup.after_titles(1, titles.size() - 1);
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    const EvaluatedRun& run = report.runs[r];
    std::vector<std::string> cells = {
        markup.escaped(run.name),
        std::to_string(run.oddities.topics - run.oddities.topics_without_relevant)};
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
      std::string& cell = cells.emplace_back(score_text(run.evaluation.means[m]));
      if (!is_best(report, r, m)) continue;
      cell = std::string(markup.strong_begin).append(cell).append(markup.strong_end);
    }
    add_row(out, markup, cells);
  }
  out << markup.after_rows;
}

void add_topics(TextPieces& out, const Markup& markup, const EvaluationReport& report) {
  constexpr std::size_t kTextColumns = 2;
  std::vector<std::string> titles = {"run", "topic", markup.escaped("num_rel"),
                                     markup.escaped("num_rel_ret")};
  for (const Measure& measure : report.measures) titles.push_back(markup.escaped(measure.name()));
  out << markup.before_titles(kTextColumns, titles.size() - kTextColumns);
  add_row(out, markup, titles);
  out << markup.after_titles(kTextColumns, titles.size() - kTextColumns);
  for (const EvaluatedRun& run : report.runs) {
    for (std::size_t t = 0; t < run.evaluation.topics.size(); ++t) {
      const Evaluation::Topic& topic = run.evaluation.topics[t];
      const TopicQrels& judged = report.qrels->topic(topic.topic);
      std::vector<std::string> cells = {
          markup.escaped(run.name), markup.escaped(judged.id().text()),
          std::to_string(judged.num_rel()), std::to_string(topic.num_rel_ret)};
      for (std::size_t m = 0; m < report.measures.size(); ++m) {
        cells.push_back(score_text(run.evaluation.score(t, m)));
      }
      add_row(out, markup, cells);
    }
  }
  out << markup.after_rows << '\n';
}

void write(const Markup& markup, const EvaluationReport& report, TextPieces& out) {
  if (report.detail == EvaluationReport::Detail::kTopics) add_topics(out, markup, report);
  add_means(out, markup, report);
  const std::vector<std::string> notes = evaluation_notes(report);
  if (!notes.empty()) out << '\n';
  for (const std::string& note : notes) {
    out << markup.note_begin << (&markup == &kLatex ? note : markup.escaped(note)) << '\n';
  }
  out.finish();
}

}  // namespace

void write_markdown(const EvaluationReport& report, const TextSink& sink) {
  TextPieces out(sink);
  write(kMarkdown, report, out);
}

void write_latex(const EvaluationReport& report, const TextSink& sink) {
  TextPieces out(sink);
  out << "% \\usepackage{booktabs}\n";
  write(kLatex, report, out);
}

}  // namespace prescope
