#include <fmt/format.h>

#include "report/number_text.h"
#include "report/sections.h"
#include "report/text_grid.h"

namespace prescope {
namespace {

std::string title_line(const Summary& summary, TableOptions::Color color) {
  return fmt::format("{}: {}, {}\n\n", paint(summary.experiment, Style::kStrong, color),
                     count_text(summary.rows.size(), "topic"),
                     count_text(summary.judgements, "judgement"));
}

std::string oddities_section(const Summary& summary, TableOptions::Color color) {
  const std::vector<std::string> sentences = oddities(summary);
  if (sentences.empty()) return {};
  std::string out = '\n' + paint("Worth knowing", Style::kStrong, color) + '\n';
  for (const std::string& sentence : sentences) out += "  " + sentence + '\n';
  return out;
}

}  // namespace

std::string to_table(const Summary& summary, const TableOptions& options) {
  std::string out = title_line(summary, options.color) + arms_section(summary, options.color);
  for (const ArmPair& pair : summary.pairs) {
    out += '\n' + pair_section(summary, pair, options.color);
    const std::string moves = moves_section(summary, pair, options);
    if (!moves.empty()) out += '\n' + moves;
  }
  return out + oddities_section(summary, options.color);
}

}  // namespace prescope
