#include "report/document/document.h"

#include "report/text/visible_text.h"

namespace prescope {

namespace {

/// The verdict and the name of each row in a line, and the reason below.
std::string entries_text(const ReportTable& table, const TextLook& look) {
  std::string out;
  for (const std::vector<Cell>& row : table.rows) {
    const Cell &name = row[0], &verdict = row[1], &reason = row[2];
    const std::string paragraph = wrapped(reason.text, "    ", 4, look.paragraph_width());
    out += fmt::format("  {}  {}\n{}", paint(verdict.text, verdict.style, look),
                       one_line(name.text), paint(paragraph, reason.style, look));
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
  const std::size_t width = look.paragraph_width();
  if (section.layout != ReportSection::Layout::kList) {
    const std::string about = fmt::format("{}", fmt::join(section.about, " "));
    return paint(wrapped(about, "", 0, width), Style::kFaint, look) + '\n';
  }
  std::string out;
  for (const std::string& sentence : section.about) out += wrapped(sentence, "  ", 4, width);
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
  const TextLook paragraph(look.color, look.paragraph_width());
  for (const Cell& line : section.words) out += fitted(line.text, line.style, paragraph);
  if (!section.words.empty()) out += '\n';
  if (!section.drawing.empty()) out += section.drawing + '\n';
  return out + tables_text(section, look) + about_text(section, look);
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

std::string document_as_text(const ReportDocument& document, const TextLook& look) {
  const Cell& headline = document.headline;
  std::string out;
  if (!headline.text.empty()) out += fitted(headline.text, headline.style, look) + '\n';
  out += section_text({.facts = document.subject}, look);
  for (const ReportSection& section : document.sections) out += section_text(section, look);
  return ended(out + section_text(notes_section(document), look));
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
