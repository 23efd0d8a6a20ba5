#include <fmt/format.h>

#include <algorithm>

#include "report/gate_tables.h"
#include "report/gate_words.h"

namespace prescope {
namespace {

using Color = TableOptions::Color;

Style style_of_outcome(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kPass:
      return Style::kGood;
    case GateOutcome::kRegression:
    case GateOutcome::kBadInput:
      return Style::kBad;
    case GateOutcome::kInconclusive:
      break;
  }
  return Style::kStrong;
}

/// The rules that people must hear of, a sentence each.
std::string telling_rules_text(const GateVerdict& verdict, Color color) {
  std::string out;
  const ReportTable rules = gate_rule_table(verdict);
  for (std::size_t i = 0; i < verdict.rules.size(); ++i) {
    if (!is_worth_telling(verdict.rules[i].status)) continue;
    const auto& row = rules.rows[i];
    out += fmt::format("  {}  {}\n{}", paint(row[1].text, row[1].style, color), row[0].text,
                       wrapped(row[2].text, 4));
  }
  return out.empty() ? out : out + '\n';
}

std::string subject_text_of(const GateReport& report, Color color) {
  TextGrid grid({TextGrid::Align::kLeft, TextGrid::Align::kLeft});
  for (auto& [label, words] : gate_subject(report)) {
    grid.add({{std::move(label), Style::kFaint}, {std::move(words)}});
  }
  return grid.to_string(color) + '\n';
}

std::string topics_text(const GateVerdict& verdict, const GateTableOptions& options) {
  const auto tables = gate_topic_tables(verdict, {.topics = options.topics});
  if (tables.empty()) return {};
  constexpr std::size_t kIndent = 4;
  std::string out =
      paint(gate_topics_title(verdict, tables.size()), Style::kStrong, options.color) + '\n';
  for (const ReportTable& table : tables) {
    out += fmt::format("  {}\n{}", paint(table.title, Style::kStrong, options.color),
                       grid_of(table).to_string(options.color, kIndent));
  }
  return out + '\n';
}

/// Rules that hold or were skipped.
std::string quiet_rules_text(const GateVerdict& verdict, Color color) {
  std::string out;
  const ReportTable rules = gate_rule_table(verdict);
  for (std::size_t i = 0; i < verdict.rules.size(); ++i) {
    if (is_worth_telling(verdict.rules[i].status)) continue;
    const auto& row = rules.rows[i];
    out += fmt::format("  {}  {}\n{}", paint(row[1].text, row[1].style, color), row[0].text,
                       paint(wrapped(row[2].text, 4), Style::kFaint, color));
  }
  return out.empty()
             ? out
             : paint("Rules that hold, or were skipped", Style::kStrong, color) + '\n' + out;
}

}  // namespace

std::string gate_table(const GateReport& report, const GateTableOptions& options) {
  const GateVerdict& verdict = report.verdict;
  const Color color = options.color;
  std::string out = paint(gate_headline(report), style_of_outcome(verdict.outcome), color) + "\n\n";
  out += telling_rules_text(verdict, color);
  out += subject_text_of(report, color);
  const auto measures = gate_measure_tables(verdict);
  out += tables_text(measures, color);
  for (const std::string& sentence : about_gate_measures(verdict)) {
    out += paint(wrapped(sentence, 0), Style::kFaint, color);
  }
  if (!measures.empty()) out += '\n';
  out += tables_text(gate_latency_tables(verdict), color);
  out += topics_text(verdict, options);
  out += quiet_rules_text(verdict, color);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

}  // namespace prescope
