#include <fmt/format.h>

#include <algorithm>

#include "report/gate_tables.h"
#include "report/gate_words.h"
#include "report/markdown.h"
#include "report/page/markup.h"

namespace prescope {
namespace {

/// The rules with a word to say, the others in one line.
std::string rules_markdown(const GateVerdict& verdict) {
  ReportTable table = gate_rule_table(verdict);
  const std::size_t all = table.rows.size();
  std::vector<std::vector<TextGrid::Cell>> telling;
  for (std::size_t i = 0; i < all; ++i) {
    if (is_worth_telling(verdict.rules[i].status)) telling.push_back(std::move(table.rows[i]));
  }
  table.rows = std::move(telling);
  if (table.rows.empty()) return fmt::format("All {} rules hold or were skipped.\n\n", all);
  table.title = fmt::format("Rules to look at, of {}", all);
  return markdown_table(table, "###");
}

std::string subject_list(const GateReport& report) {
  std::string out;
  for (const auto& [label, words] : gate_subject(report)) {
    out += fmt::format("- **{}**: {}\n", escaped_markdown(label), escaped_markdown(words));
  }
  return out + '\n';
}

/// Folded, for a merge request is read by people who look for one word first.
std::string topics_markdown(const GateVerdict& verdict, const GateTableOptions& options) {
  const auto tables = gate_topic_tables(verdict, {.topics = options.topics});
  if (tables.empty()) return {};
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}</details>\n",
                     page::escaped(gate_topics_title(verdict, tables.size())),
                     markdown_tables(tables, "####"));
}

}  // namespace

std::string gate_markdown(const GateReport& report, const GateTableOptions& options) {
  const GateVerdict& verdict = report.verdict;
  std::string out = fmt::format("## {}\n\n", escaped_markdown(gate_headline(report)));
  out += rules_markdown(verdict);
  out += subject_list(report);
  out += markdown_tables(gate_measure_tables(verdict), "###") +
         markdown_list(about_gate_measures(verdict));
  out += markdown_tables(gate_latency_tables(verdict), "###");
  out += topics_markdown(verdict, options);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

}  // namespace prescope
