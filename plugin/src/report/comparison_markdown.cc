#include <fmt/format.h>

#include "report/comparison_tables.h"
#include "report/comparison_words.h"

namespace prescope {
namespace {

std::string escaped_markdown(std::string_view text) {
  constexpr std::string_view kSpecial = "\\|`*_<>[]#";
  std::string out;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string cell_text(const TextGrid::Cell& cell) {
  const bool is_marked = cell.style == Style::kGood || cell.style == Style::kBad;
  const std::string text = escaped_markdown(cell.text);
  return is_marked && !text.empty() ? fmt::format("**{}**", text) : text;
}

std::string table_text(const ReportTable& table, std::string_view heading) {
  std::string titles = "|", rule = "|", rows;
  for (const ReportTable::Column& column : table.columns) {
    titles += fmt::format(" {} |", escaped_markdown(column.title));
    rule += column.align == TextGrid::Align::kRight ? "---:|" : ":---|";
  }
  for (const auto& row : table.rows) {
    rows += '|';
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      rows += fmt::format(" {} |", c < row.size() ? cell_text(row[c]) : "");
    }
    rows += '\n';
  }
  return fmt::format("{} {}\n\n{}\n{}\n{}\n", heading, escaped_markdown(table.title), titles, rule,
                     rows);
}

std::string tables_text(const std::vector<ReportTable>& tables, std::string_view heading) {
  std::string out;
  for (const ReportTable& table : tables) out += table_text(table, heading);
  return out;
}

std::string list_text(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences)
    out += fmt::format("- {}\n", escaped_markdown(sentence));
  return sentences.empty() ? out : out + '\n';
}

std::string subject_text(const ComparisonReport& report) {
  std::string out;
  for (const LabelledLine& line : comparison_subject(report)) {
    out +=
        fmt::format("- **{}**: {}\n", escaped_markdown(line.label), escaped_markdown(line.words));
  }
  return out + '\n';
}

std::string moved_markdown(const ComparisonReport& report, const RunComparison& run,
                           const ComparisonTableOptions& options) {
  const auto tables = moved_tables(report, run, {.topics = options.moved});
  if (tables.empty()) return {};
  return fmt::format("## {}\n\n", escaped_markdown(moved_title(report, run, tables.size()))) +
         tables_text(tables, "###");
}

}  // namespace

std::string comparison_markdown(const ComparisonReport& report,
                                const ComparisonTableOptions& options) {
  std::string out = "# prescope compare\n\n" + subject_text(report);
  out += "## Differences\n\n" + tables_text(difference_tables(report), "###") +
         list_text(about_differences(report));
  out += "## Effects\n\n" + tables_text(effect_tables(report), "###") +
         list_text(about_effects(report));
  out += tables_text(citation_tables(report), "##") + list_text(about_citations(report));
  for (const RunComparison& run : report.comparison.runs)
    out += moved_markdown(report, run, options);
  const std::vector<std::string> notes = evaluation_notes(report.evaluation);
  if (!notes.empty()) out += "## Worth knowing\n\n" + list_text(notes);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

}  // namespace prescope
