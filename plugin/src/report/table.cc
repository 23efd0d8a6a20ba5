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

std::string_view words_of(Mode mode) {
  switch (mode) {
    case Mode::kObserve:
      return "as served";
    case Mode::kPaired:
      return "each topic in every arm";
    case Mode::kSplit:
      return "each topic in one arm";
  }
  return "";
}

std::string live_title(const Summary& summary, TableOptions::Color color) {
  return fmt::format("{}: {}, {}, {}\n{}\n", paint(summary.experiment, Style::kStrong, color),
                     count_text(summary.topics, "topic"),
                     count_text(summary.judgements, "judgement"), words_of(summary.mode),
                     epoch_section(summary));
}

std::string oddities_section(const Summary& summary, const TableOptions& options) {
  const std::vector<std::string> sentences = oddities(summary, options.view);
  if (sentences.empty()) return {};
  std::string out = '\n' + paint("Worth knowing", Style::kStrong, options.color) + '\n';
  for (const std::string& sentence : sentences) out += "  " + sentence + '\n';
  return out;
}

std::string live_table(const Summary& summary, const TableOptions& options) {
  std::string out = live_title(summary, options.color) + live_arms_section(summary, options.color);
  for (const ArmPair& pair : summary.pairs) {
    out += '\n' + live_pair_section(summary, pair, options.color);
    const std::string moves = moves_section(summary, pair, options);
    if (!moves.empty()) out += '\n' + moves;
  }
  return out + drift_section(summary, options.color) + oddities_section(summary, options);
}

}  // namespace

std::string to_table(const Summary& summary, const TableOptions& options) {
  if (options.view == TableOptions::View::kLive) return live_table(summary, options);
  std::string out = title_line(summary, options.color) + arms_section(summary, options.color);
  for (const ArmPair& pair : summary.pairs) {
    out += '\n' + pair_section(summary, pair, options.color);
    const std::string moves = moves_section(summary, pair, options);
    if (!moves.empty()) out += '\n' + moves;
  }
  return out + oddities_section(summary, options);
}

}  // namespace prescope
