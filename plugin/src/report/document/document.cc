#include "report/document/document.h"

#include "report/text/visible_text.h"

namespace prescope {

namespace {

/// The first cells of each row in a line, and the last cell below it as a paragraph.
std::string entries_text(const ReportTable& table, const TextLook& look) {
  std::string out;
  for (const std::vector<Cell>& row : table.rows) {
    for (const Cell& cell : std::span(row).first(row.size() - 1)) {
      out += "  " + paint(one_line(cell.text), cell.style, look);
    }
    const std::string paragraph = wrapped(row.back().text, "    ", 4, look.paragraph_width());
    out += '\n' + paint(paragraph, row.back().style, look);
  }
  return out;
}

std::string nested_text(const ReportTable& table, const TextLook& look) {
  constexpr std::size_t kIndent = 2;
  if (table.title.empty()) return rows_text(table, look, kIndent);
  return fitted(table.title, Style::kStrong, look, "  ", 2 * kIndent) +
         rows_text(table, look, 2 * kIndent);
}

std::string tables_text(const ReportSection& section, const TextLook& look) {
  std::string out;
  for (const ReportTable& table : section.tables) {
    out += section.layout == ReportSection::Layout::kTables    ? table_text(table, look) + '\n'
           : section.layout == ReportSection::Layout::kEntries ? entries_text(table, look)
                                                               : nested_text(table, look);
  }
  const bool is_open = section.layout != ReportSection::Layout::kTables && !section.tables.empty();
  return is_open ? out + '\n' : out;
}

std::string about_text(const ReportSection& section, const TextLook& look) {
  if (section.about.empty()) return {};
  if (section.layout != ReportSection::Layout::kList)
    return small_print(section.about, look) + '\n';
  std::string out;
  for (const std::string& sentence : section.about) {
    out += wrapped(sentence, "  ", 4, look.paragraph_width());
  }
  return out + '\n';
}

std::string section_text(const ReportSection& section, const TextLook& look) {
  if (section.formats == ReportSection::Formats::kMarkdown || is_empty(section)) return {};
  std::string out;
  const bool has_heading =
      section.layout != ReportSection::Layout::kTables || !section.drawing.empty();
  if (has_heading && !section.heading.empty()) {
    out += fitted(section.heading, Style::kStrong, look);
  }
  if (!section.facts.empty()) out += labelled_text(section.facts, look) + '\n';
  for (const Cell& line : section.words) out += fitted(line.text, line.style, look);
  if (!section.words.empty()) out += '\n';
  if (!section.drawing.empty()) out += section.drawing + '\n';
  return out + tables_text(section, look) + about_text(section, look);
}

std::string markdown_heading(std::size_t level, std::string_view words) {
  if (words.empty()) return {};
  return fmt::format("{:#<{}} {}\n\n", "", level, escaped_markdown(words));
}

/// Folded tables stand below a heading that is a part of the page, as others do.
std::string folded_markdown(const ReportSection& section, std::size_t level) {
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}</details>\n\n",
                     escaped_markup(section.heading),
                     markdown_tables(section.tables, std::string(level + 1, '#')));
}

std::string section_markdown(const ReportSection& section, std::size_t level) {
  if (section.formats == ReportSection::Formats::kText || is_empty(section)) return {};
  if (section.layout == ReportSection::Layout::kFolded) return folded_markdown(section, level);
  std::string out = markdown_heading(level, section.heading);
  const std::size_t tables_level = level + (section.heading.empty() ? 0 : 1);
  if (!section.facts.empty()) out += labelled_markdown(section.facts);
  for (const Cell& line : section.words) out += escaped_markdown(line.text) + "\n\n";
  return out + markdown_tables(section.tables, std::string(tables_level, '#')) +
         markdown_list(section.about);
}

/// Numbers with all digits needed to read back the same double.
std::string csv_text(const Json& cell) {
  if (cell.is_null()) return {};
  if (cell.is_string()) return csv_cell(visible_text(cell.get_ref<const std::string&>()));
  return cell.is_number_float() ? fmt::format("{}", cell.get<double>()) : cell.dump();
}

std::string csv_line(const std::vector<Json>& cells) {
  return fmt::format("{}\n", fmt::join(list_of(cells, csv_text), ","));
}

}  // namespace

const std::string& ReportFigure::name() const {
  return std::visit([](const auto& figure) -> const std::string& { return figure.words.id; },
                    drawing);
}

void CsvTable::add(const Json& named) {
  rows.push_back(list_of(columns, [&](auto& column) { return named.value(column, Json()); }));
}

bool is_empty(const ReportSection& section) noexcept {
  return section.facts.empty() && section.words.empty() && section.drawing.empty() &&
         section.figures.empty() && section.tables.empty() && section.about.empty();
}

ReportSection notes_section(const ReportDocument& document) {
  return {
      .heading = "Worth knowing", .about = document.notes, .layout = ReportSection::Layout::kList};
}

std::string sections_text(const std::vector<ReportSection>& sections, const TextLook& look) {
  std::string out;
  for (const ReportSection& section : sections) out += section_text(section, look);
  return out;
}

std::string document_as_text(const ReportDocument& document, const TextLook& look) {
  const Cell& headline = document.headline;
  std::string out;
  if (!headline.text.empty()) out += fitted(headline.text, headline.style, look) + '\n';
  return ended(out + section_text({.facts = document.subject}, look) +
               sections_text(document.sections, look) +
               section_text(notes_section(document), look));
}

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

std::string document_as_json(const ReportDocument& document) {
  return indented_text(merged(Json{{"prescope", PRESCOPE_VERSION}}, document.result,
                              Json{{"notes", document.notes}}));
}

std::string document_as_csv(const ReportDocument& document) {
  std::string out = csv_line({document.csv.columns.begin(), document.csv.columns.end()});
  for (const std::vector<Json>& row : document.csv.rows) out += csv_line(row);
  return out;
}

}  // namespace prescope
