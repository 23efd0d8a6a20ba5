#include <fmt/format.h>

#include "report/comparison_tables.h"
#include "report/comparison_words.h"
#include "report/markdown.h"

namespace prescope {
namespace {

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
         markdown_tables(tables, "###");
}

}  // namespace

std::string comparison_markdown(const ComparisonReport& report,
                                const ComparisonTableOptions& options) {
  std::string out = "# prescope compare\n\n" + subject_text(report);
  out += "## Differences\n\n" + markdown_tables(difference_tables(report), "###") +
         markdown_list(about_differences(report));
  out += "## Effects\n\n" + markdown_tables(effect_tables(report), "###") +
         markdown_list(about_effects(report));
  out += markdown_tables(citation_tables(report), "##") + markdown_list(about_citations(report));
  out += markdown_tables(robustness_tables(report), "##") + markdown_list(about_robustness(report));
  for (const RunComparison& run : report.comparison.runs)
    out += moved_markdown(report, run, options);
  const std::vector<std::string> notes = evaluation_notes(report.evaluation);
  if (!notes.empty()) out += "## Worth knowing\n\n" + markdown_list(notes);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

}  // namespace prescope
