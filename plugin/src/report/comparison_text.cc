#include <fmt/format.h>

#include "report/comparison_tables.h"
#include "report/comparison_words.h"

namespace prescope {
namespace {

using Color = TableOptions::Color;

constexpr std::string_view kWhereTopicsAre =
    "--top N lists the topics that moved most in each run; --html FILE has them with plots.";

std::string paragraph(const std::vector<std::string>& sentences, Color color) {
  std::string text;
  for (const std::string& sentence : sentences) {
    if (!text.empty()) text += ' ';
    text += sentence;
  }
  return paint(wrapped(text, 0), Style::kFaint, color);
}

std::string subject_text(const ComparisonReport& report, Color color) {
  TextGrid grid({TextGrid::Align::kLeft, TextGrid::Align::kLeft});
  for (LabelledLine& line : comparison_subject(report)) {
    grid.add({{std::move(line.label), Style::kFaint}, {std::move(line.words)}});
  }
  return grid.to_string(color);
}

std::string moved_text(const ComparisonReport& report, const RunComparison& run,
                       const ComparisonTableOptions& options) {
  const auto tables = moved_tables(report, run, {.topics = options.moved});
  if (tables.empty()) return {};
  constexpr std::size_t kIndent = 4;
  std::string out =
      paint(moved_title(report, run, tables.size()), Style::kStrong, options.color) + '\n';
  for (const ReportTable& table : tables) {
    out += fmt::format("  {}\n{}", paint(table.title, Style::kStrong, options.color),
                       grid_of(table).to_string(options.color, kIndent));
  }
  return out + '\n';
}

std::string notes_text(const ComparisonReport& report, Color color) {
  const std::vector<std::string> notes = evaluation_notes(report.evaluation);
  if (notes.empty()) return {};
  std::string out = paint("Worth knowing", Style::kStrong, color) + '\n';
  for (const std::string& note : notes) out += wrapped(note, 2);
  return out;
}

}  // namespace

std::string comparison_table(const ComparisonReport& report,
                             const ComparisonTableOptions& options) {
  const Color color = options.color;
  std::string out = subject_text(report, color) + '\n';
  out += tables_text(difference_tables(report), color);
  out += paragraph(about_differences(report), color) + '\n';
  out += tables_text(effect_tables(report), color);
  out += paragraph(about_effects(report), color) + '\n';
  out += tables_text(citation_tables(report), color);
  out += paragraph(about_citations(report), color) + '\n';
  if (report.robustness) {
    out += tables_text(robustness_tables(report), color);
    out += paragraph(about_robustness(report), color) + '\n';
  }
  for (const RunComparison& run : report.comparison.runs) out += moved_text(report, run, options);
  if (options.moved == 0 && report.comparison.moving_measure) {
    out += paint(kWhereTopicsAre, Style::kFaint, color) + "\n\n";
  }
  out += notes_text(report, color);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

}  // namespace prescope
