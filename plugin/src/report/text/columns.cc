#include "report/text/columns.h"

#include <fmt/format.h>

namespace prescope {

std::string labelled_text(const LabelledLines& lines, TableOptions::Color color) {
  TextGrid grid({TextGrid::Align::kLeft, TextGrid::Align::kLeft});
  for (const auto& [label, words] : lines) grid.add({{label, Style::kFaint}, {words}});
  return grid.to_string(color);
}

std::string labelled_markdown(const LabelledLines& lines) {
  std::string out;
  for (const auto& [label, words] : lines) {
    out += fmt::format("- **{}**: {}\n", escaped_markdown(label), escaped_markdown(words));
  }
  return out + '\n';
}

Json labelled_json(const LabelledLines& lines) {
  Json array = Json::array();
  for (const auto& [label, words] : lines) array.push_back({{"label", label}, {"words", words}});
  return array;
}

std::string nested_tables_text(const std::string& heading, const std::vector<ReportTable>& tables,
                               TableOptions::Color color) {
  if (tables.empty()) return {};
  constexpr std::size_t kIndent = 4;
  std::string out = paint(heading, Style::kStrong, color) + '\n';
  for (const ReportTable& table : tables) {
    out += fmt::format("  {}\n{}", paint(table.title, Style::kStrong, color),
                       grid_of(table).to_string(color, kIndent));
  }
  return out + '\n';
}

std::string small_print(const std::vector<std::string>& sentences, TableOptions::Color color) {
  if (sentences.empty()) return {};
  return paint(wrapped(fmt::format("{}", fmt::join(sentences, " ")), 0), Style::kFaint, color);
}

std::string listed(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

}  // namespace prescope
