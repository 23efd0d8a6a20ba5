#include "report/document/document.h"
#include "report/text/visible_text.h"

namespace prescope {

namespace {

/// One line in which no character has a meaning for Markdown.
std::string escaped_markdown(std::string_view text) {
  constexpr std::string_view kSpecial = "\\|`*_<>[]#&~$";
  std::string out;
  for (const char c : one_line(text)) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// Cells that are good or bad are bold.
std::string markdown_cell(const Cell& cell) {
  const bool is_marked = cell.style == Style::kGood || cell.style == Style::kBad;
  const std::string text = escaped_markdown(cell.text);
  return is_marked && !text.empty() ? fmt::format("**{}**", text) : text;
}

/// `heading` is "##" or the like, for the title if there is one.
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
  const std::string title =
      table.title.empty() ? "" : fmt::format("{} {}\n\n", heading, escaped_markdown(table.title));
  return fmt::format("{}{}\n{}\n{}\n", title, titles, rule, rows);
}

/// An item for each sentence, and an empty line.
std::string markdown_list(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences) {
    out += fmt::format("- {}\n", escaped_markdown(sentence));
  }
  return sentences.empty() ? out : out + '\n';
}

std::string labelled_markdown(const LabelledLines& lines) {
  if (lines.empty()) return {};
  std::string out;
  for (const auto& [label, words, style] : lines) {
    out += fmt::format("- **{}**: {}\n", escaped_markdown(label), escaped_markdown(words));
  }
  return out + '\n';
}

std::string markdown_heading(std::size_t level, std::string_view words) {
  if (words.empty()) return {};
  return fmt::format("{:#<{}} {}\n\n", "", level, escaped_markdown(words));
}

std::string section_markdown(const ReportSection& section, std::size_t level) {
  if (section.formats == ReportSection::Formats::kText || is_empty(section)) return {};
  std::string out = labelled_markdown(section.facts);
  for (const Cell& line : section.words) out += escaped_markdown(line.text) + "\n\n";
  const std::string tables_heading(level + (section.heading.empty() ? 0 : 1), '#');
  for (const ReportTable& table : section.tables) out += markdown_table(table, tables_heading);
  out += markdown_list(section.about);
  if (section.layout != ReportSection::Layout::kFolded) {
    return markdown_heading(level, section.heading) + out;
  }
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}</details>\n\n",
                     escaped_markup(section.heading), out);
}

}  // namespace

std::string document_as_markdown(const ReportDocument& document) {
  const std::size_t level = document.markdown_level;
  const std::string& headline = document.headline.text;
  std::string out = markdown_heading(level, headline.empty() ? document.title : headline) +
                    section_markdown({.facts = document.subject}, level + 1);
  for (const ReportSection& section : document.sections) {
    out += section_markdown(section, level + 1);
  }
  return ended(out + section_markdown(notes_section(document), level + 1));
}

}  // namespace prescope
