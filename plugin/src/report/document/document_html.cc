#include "report/document/document.h"

#include "report/text/visible_text.h"

namespace prescope {

namespace {

// Blue and orange remain distinct for red-green colour blindness.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --text: #1c1f24; --faint: #5a626e; --line: #d9dde3;
  --paper: #ffffff; --band: #f5f6f8; --good: #1f6fb5; --bad: #b8560f; --same: #6b7380; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --faint: #a3abb7; --line: #3a404a;
  --paper: #16181c; --band: #1f2228; --good: #6cb2f2; --bad: #f0a05a; --same: #98a1ae; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 68rem; background: var(--paper);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.6rem; border-bottom: 1px solid var(--line); }
p, li { max-width: 60rem; }
.about { color: var(--faint); font-size: 0.9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; margin: 0; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.4rem 0 0.8rem; }
caption { text-align: left; font-weight: 600; white-space: pre-wrap; padding: 0.3rem 0; overflow-wrap: anywhere; }
th, td { padding: 0.15rem 0.7rem; text-align: right; white-space: nowrap; }
th { font-weight: 600; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; border-bottom: 0; }
tbody tr:nth-child(even) { background: var(--band); }
th.left, td.left { text-align: left; }
.entries th, .entries td { vertical-align: top; }
.entries td:last-child { white-space: normal; min-width: 20rem; }
.headline { font-size: 1.15rem; }
p.good { color: var(--good); } p.bad { color: var(--bad); }
td.good { color: var(--good); } td.bad { color: var(--bad); } td.faint { color: var(--faint); }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--text); font: 13px system-ui, sans-serif; }
footer { margin-top: 2.5rem; color: var(--faint); font-size: 0.85rem; }
@media print { :root { --text: #000; --faint: #444; --line: #bbb; --paper: #fff; --band: #f2f2f2;
  --good: #1f6fb5; --bad: #b8560f; --same: #6b7380; }
  body { max-width: none; padding: 0; font-size: 11px; } table, svg { break-inside: avoid; }
  .wide { overflow: visible; } }
)";

/// `attributes` start with a space if there are any, `content` is markup already.
std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{0}{1}>{2}</{0}>", name, attributes, content);
}

std::string_view style_class(const Cell& cell) noexcept {
  return word_of(cell.style, {"", "", "good", "bad", "faint"});
}

std::string class_attribute(const Cell& cell, Align align) {
  const std::string_view style = style_class(cell);
  if (align == Align::kRight) {
    return style.empty() ? "" : fmt::format(" class=\"{}\"", style);
  }
  return fmt::format(" class=\"left{}{}\"", style.empty() ? "" : " ", style);
}

std::string row_markup(const ReportTable& table, const std::vector<Cell>& row) {
  std::string cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Cell cell = c < row.size() ? row[c] : Cell{};
    const std::string classes = class_attribute(cell, table.columns[c].align);
    cells += c == 0 ? element("th", classes + " scope=\"row\"", escaped_markup(cell.text))
                    : element("td", classes, escaped_markup(cell.text));
  }
  return element("tr", "", cells) + '\n';
}

/// Entries are paragraphs: their last cells are broken into lines.
std::string table_markup(const ReportTable& table, ReportSection::Layout layout) {
  std::string titles, rows;
  for (const ReportTable::Column& column : table.columns) {
    const bool is_left = column.align == Align::kLeft;
    titles += element("th", is_left ? " class=\"left\" scope=\"col\"" : " scope=\"col\"",
                      escaped_markup(column.title));
  }
  for (const auto& row : table.rows) rows += row_markup(table, row);
  return fmt::format(
      "<div class=\"wide{}\"><table><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n"
      "<tbody>\n{}</tbody></table></div>\n",
      layout == ReportSection::Layout::kEntries ? " entries" : "", escaped_markup(table.title),
      titles, rows);
}

/// A page that needs no other file and no script, for dark and light screens and for paper.
std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n"
      "</html>\n",
      escaped_markup(title), kStyle, page::figure_style(page::FigurePlace::kPage), body);
}

std::string facts_markup(const LabelledLines& facts) {
  if (facts.empty()) return {};
  std::string items;
  for (const LabelledLine& line : facts) {
    items += element("dt", "", escaped_markup(line.label)) +
             element("dd", "", escaped_markup(line.words)) + '\n';
  }
  return element("dl", "", items) + '\n';
}

std::string about_markup(const ReportSection& section) {
  if (section.about.empty()) return {};
  if (section.layout != ReportSection::Layout::kList) {
    const std::string about = fmt::format("{}", fmt::join(section.about, " "));
    return element("p", " class=\"about\"", escaped_markup(about)) + '\n';
  }
  std::string items;
  for (const std::string& sentence : section.about) {
    items += element("li", "", escaped_markup(sentence)) + '\n';
  }
  return element("ul", "", items) + '\n';
}

std::string figure_markup(const ReportFigure& figure) {
  return element("figure", "",
                 page::draw(figure.drawing, page::FigurePlace::kPage) +
                     element("figcaption", "", escaped_markup(figure.caption))) +
         '\n';
}

std::string section_markup(const ReportSection& section) {
  if (section.formats != ReportSection::Formats::kAll || is_empty(section)) return {};
  std::string out;
  if (!section.heading.empty()) out += element("h2", "", escaped_markup(section.heading)) + '\n';
  out += facts_markup(section.facts);
  for (const Cell& line : section.words) out += element("p", "", escaped_markup(line.text)) + '\n';
  for (const ReportFigure& figure : section.figures) out += figure_markup(figure);
  for (const ReportTable& table : section.tables) out += table_markup(table, section.layout);
  return out + about_markup(section);
}

std::string headline_markup(const Cell& headline) {
  if (headline.text.empty()) return {};
  const std::string_view style = style_class(headline);
  return element("p", fmt::format(" class=\"headline{}{}\"", style.empty() ? "" : " ", style),
                 escaped_markup(headline.text)) +
         '\n';
}

}  // namespace

std::string document_as_html(const ReportDocument& document) {
  std::string body = element("h1", "", escaped_markup(document.title)) + '\n' +
                     headline_markup(document.headline) +
                     section_markup({.facts = document.subject});
  for (const ReportSection& section : document.sections) body += section_markup(section);
  body += section_markup(notes_section(document));
  body += element("footer", "", "prescope " PRESCOPE_VERSION) + '\n';
  return html_page(document.title, body);
}

}  // namespace prescope
