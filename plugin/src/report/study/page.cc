#include "report/study/page.h"

#include <fmt/format.h>

#include "report/text/clean_text.h"

namespace prescope::page {

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
h3 { font-size: 1rem; margin: 1.4rem 0 0.4rem; overflow-wrap: anywhere; }
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
td.good { color: var(--good); } td.bad { color: var(--bad); } td.faint { color: var(--faint); }
td.words { white-space: normal; min-width: 20rem; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: 600fr 430fr; gap: 0.5rem; align-items: start; }
@media (max-width: 50rem) { .plots { grid-template-columns: 1fr; } }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--text); font: 13px system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: 1; } .axis { stroke: var(--faint); stroke-width: 1.2; }
line.good, circle.good { stroke: var(--good); } line.bad, circle.bad { stroke: var(--bad); }
line.same, circle.same { stroke: var(--same); }
line.good, line.bad, line.same { stroke-width: 2; }
path.good, circle.good { fill: var(--good); } path.bad, circle.bad { fill: var(--bad); }
circle.same { fill: var(--same); } circle.dot { fill-opacity: 0.35; stroke-width: 1; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 0.8rem 1.5rem; }
.charts h3 { margin: 0.4rem 0 0; }
path.series { fill: none; stroke: var(--text); stroke-width: 1.4; stroke-linejoin: round; }
path.level { fill: none; stroke: var(--same); stroke-width: 1.6; stroke-dasharray: 6 4; }
line.event { stroke: var(--faint); stroke-width: 1.2; stroke-dasharray: 2 3; }
circle.pass { fill: var(--text); } path.open, circle.open { fill: var(--paper); stroke: var(--text); stroke-width: 1.3; }
path.fail { fill: var(--bad); stroke: var(--text); stroke-width: 0.8; }
path.cross { fill: none; stroke: var(--bad); stroke-width: 2.4; }
summary { cursor: pointer; font-weight: 600; margin: 0.6rem 0; }
footer { margin-top: 2.5rem; color: var(--faint); font-size: 0.85rem; }
@media print { :root { --text: #000; --faint: #444; --line: #bbb; --paper: #fff; --band: #f2f2f2;
  --good: #1f6fb5; --bad: #b8560f; --same: #6b7380; }
  body { max-width: none; padding: 0; font-size: 11px; } table, svg, h3 { break-inside: avoid; }
  .wide { overflow: visible; } }
)";

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : visible_text(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{0}{1}>{2}</{0}>", name, attributes, content);
}

namespace {

std::string class_attribute(const Cell& cell, Align align) {
  const std::string_view style = cell.style == Style::kGood    ? "good"
                                 : cell.style == Style::kBad   ? "bad"
                                 : cell.style == Style::kFaint ? "faint"
                                                               : "";
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
    cells += c == 0 ? element("th", classes + " scope=\"row\"", escaped(cell.text))
                    : element("td", classes, escaped(cell.text));
  }
  return element("tr", "", cells) + '\n';
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body, std::string_view more_style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n"
      "</html>\n",
      escaped(title), kStyle, more_style, body);
}

std::string table_markup(const ReportTable& table) {
  std::string titles, rows;
  for (const ReportTable::Column& column : table.columns) {
    const bool is_left = column.align == Align::kLeft;
    titles += element("th", is_left ? " class=\"left\" scope=\"col\"" : " scope=\"col\"",
                      escaped(column.title));
  }
  for (const auto& row : table.rows) rows += row_markup(table, row);
  return fmt::format(
      "<div class=\"wide\"><table><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n"
      "<tbody>\n{}</tbody></table></div>\n",
      escaped(table.title), titles, rows);
}

}  // namespace prescope::page
