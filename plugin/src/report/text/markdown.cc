#include "report/text/tables.h"
#include "report/text/visible_text.h"

namespace prescope {

static std::string markdown_cell(const Cell& cell) {
  const bool is_marked = cell.style == Style::kGood || cell.style == Style::kBad;
  const std::string text = escaped_markdown(cell.text);
  return is_marked && !text.empty() ? fmt::format("**{}**", text) : text;
}

std::string escaped_markdown(std::string_view text) {
  constexpr std::string_view kSpecial = "\\|`*_<>[]#&~$";
  std::string out;
  for (const char c : one_line(text)) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const ReportTable& table, std::string_view heading) {
  std::string titles = "|", rule = "|", rows;
  for (const ReportTable::Column& column : table.columns) {
    titles += fmt::format(" {} |", escaped_markdown(column.title));
    rule += column.align == Align::kRight ? "---:|" : ":---|";
  }
  for (const auto& row : table.rows) {
    rows += '|';
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      rows += fmt::format(" {} |", c < row.size() ? markdown_cell(row[c]) : "");
    }
    rows += '\n';
  }
  const std::string title = heading.empty() || table.title.empty()
                                ? ""
                                : fmt::format("{} {}\n\n", heading, escaped_markdown(table.title));
  return fmt::format("{}{}\n{}\n{}\n", title, titles, rule, rows);
}

std::string markdown_tables(const std::vector<ReportTable>& tables, std::string_view heading) {
  std::string out;
  for (const ReportTable& table : tables) out += markdown_table(table, heading);
  return out;
}

std::string markdown_list(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences) {
    out += fmt::format("- {}\n", escaped_markdown(sentence));
  }
  return sentences.empty() ? out : out + '\n';
}

std::string labelled_markdown(const LabelledLines& lines) {
  std::string out;
  for (const auto& [label, words] : lines) {
    out += fmt::format("- **{}**: {}\n", escaped_markdown(label), escaped_markdown(words));
  }
  return out + '\n';
}

}  // namespace prescope
