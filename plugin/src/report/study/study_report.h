#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/runs/comparison_words.h"
#include "report/runs/evaluation_report.h"
#include "report/study/figures.h"
#include "report/text/json.h"
#include "report/text/tables.h"

namespace prescope {

/// A drawing of a study.
struct StudyFigure {
  std::string name;     ///< of its file, without ".svg": "cutoffs-pres"
  std::string caption;  ///< what it shows and how to read it
  std::function<std::string(page::FigurePlace)> draw;  ///< an SVG element
};

/// A part of what a study found out.
struct StudySection {
  std::string heading;
  std::string drawing{};  ///< in text, for a terminal only; lines, each ended
  std::vector<StudyFigure> figures{};
  std::vector<ReportTable> tables{};
  std::vector<std::string> about{};  ///< how to read the tables, a sentence each
};

/// All cells of a CSV file, numbers with the digits that give back the same double.
struct StudyCsv {
  std::vector<std::string> columns{};
  std::vector<std::vector<std::string>> rows{};
};

/// What a study hands to each of its outputs; made by a function of the study.
struct StudyReport {
  std::string name;                     ///< "cutoffs", as in `prescope study cutoffs`
  std::string title;                    ///< of the page
  std::string version;                  ///< of the program
  std::vector<LabelledLine> subject{};  ///< of what: judgements, runs, topics
  std::vector<StudySection> sections{};
  std::vector<std::string> notes{};  ///< what the reader ought to know, a sentence each
  Json result = Json::object();      ///< members of the JSON beside those that all studies have
  StudyCsv csv{};
};

/// With version, judgements, runs, topics, and what is odd about them; `result` has the key
/// `evaluation`, as `prescope evaluate` writes it. The rest is the study's.
[[nodiscard]] StudyReport study_report(std::string_view name, std::string_view title,
                                       const EvaluationReport& evaluation);

/// The name of a figure's file is made of names of measures and runs: other characters than
/// letters, digits, '.', '_' and '-' become '-'.
[[nodiscard]] std::string figure_name(std::string_view text);
/// For a CSV cell; empty where there is none.
[[nodiscard]] std::string exact_text(std::optional<double> value);

/// UTF-8, ending with a newline, independent of the locale, as all of them are.
[[nodiscard]] std::string study_text(const StudyReport& report, TableOptions::Color color);
/// One object with `prescope`, `study`, the result's members and `notes`.
[[nodiscard]] std::string study_json(const StudyReport& report);
[[nodiscard]] std::string study_csv(const StudyReport& report);
/// One HTML page, well-formed XML, with all figures and without anything from elsewhere.
[[nodiscard]] std::string study_page(const StudyReport& report);

}  // namespace prescope
