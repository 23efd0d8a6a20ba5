#include "report/study/study_report.h"

#include "report/text/visible_text.h"

namespace prescope {

namespace {

/// Describes the order of the rankings and their depth.
std::string order_words(const EvaluationReport& evaluation) {
  std::string words = evaluation.options.ranks.order == RunOrder::kFile
                          ? "order of the lines"
                          : "score, then docno, both descending";
  if (evaluation.options.ranks.depth != RankOptions{}.depth) {
    words += fmt::format(", first {} only", grouped_text(evaluation.options.ranks.depth));
  }
  if (evaluation.options.ranks.judged_only) words += ", unjudged documents removed";
  return words;
}

std::string topic_words(const EvaluationReport& evaluation) {
  const std::size_t topics = evaluation.qrels->topics().size();
  const std::size_t without = evaluation.qrels_oddities.without_relevant.size();
  return fmt::format("{}, {} with relevant documents", count_text(topics, "topic"),
                     grouped_text(topics - without));
}

std::string section_text(const StudySection& section, const TextLook& look) {
  std::string out;
  if (!section.drawing.empty()) {
    out += fitted(section.heading, Style::kStrong, look) + section.drawing + '\n';
  }
  return out + tables_text(section.tables, look, section.about);
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

std::string class_attribute(const Cell& cell, Align align) {
  const std::string_view style = word_of(cell.style, {"", "", "good", "bad", "faint"});
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

std::string table_markup(const ReportTable& table) {
  std::string titles, rows;
  for (const ReportTable::Column& column : table.columns) {
    const bool is_left = column.align == Align::kLeft;
    titles += element("th", is_left ? " class=\"left\" scope=\"col\"" : " scope=\"col\"",
                      escaped_markup(column.title));
  }
  for (const auto& row : table.rows) rows += row_markup(table, row);
  return fmt::format(
      "<div class=\"wide\"><table><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n"
      "<tbody>\n{}</tbody></table></div>\n",
      escaped_markup(table.title), titles, rows);
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

std::string subject_markup(const StudyReport& report) {
  std::string items;
  for (const LabelledLine& line : report.subject) {
    items += element("dt", "", escaped_markup(line.label)) +
             element("dd", "", escaped_markup(line.words)) + '\n';
  }
  return element("dl", "", items) + '\n';
}

std::string section_markup(const StudySection& section) {
  std::string out = element("h2", "", escaped_markup(section.heading)) + '\n';
  for (const StudyFigure& figure : section.figures) {
    out += element("figure", "",
                   page::draw(figure.drawing, page::FigurePlace::kPage) +
                       element("figcaption", "", escaped_markup(figure.caption))) +
           '\n';
  }
  for (const ReportTable& table : section.tables) out += table_markup(table);
  if (section.about.empty()) return out;
  const std::string about = fmt::format("{}", fmt::join(section.about, " "));
  return out + element("p", " class=\"about\"", escaped_markup(about)) + '\n';
}

std::string notes_markup(const StudyReport& report) {
  if (report.notes.empty()) return {};
  std::string items;
  for (const std::string& note : report.notes) {
    items += element("li", "", escaped_markup(note)) + '\n';
  }
  return element("h2", "", "Worth knowing") + '\n' + element("ul", "", items) + '\n';
}

}  // namespace

StudyReport study_report(std::string_view name, std::string_view title,
                         const EvaluationReport& evaluation) {
  StudyReport report{.name = std::string(name), .title = std::string(title)};
  report.subject = {{"qrels", qrels_words(evaluation)},
                    {"runs", grouped_text(evaluation.runs.size())},
                    {"ranks by", order_words(evaluation)},
                    {"topics", topic_words(evaluation)}};
  report.notes = evaluation_notes(evaluation);
  report.result["evaluation"] = Json::parse(evaluation_json(evaluation));
  return report;
}

RunNames names_of(const EvaluationReport& evaluation) {
  return list_of(evaluation.runs, &EvaluatedRun::name);
}

const std::string& StudyFigure::name() const {
  return std::visit([](const auto& figure) -> const std::string& { return figure.words.id; },
                    drawing);
}

std::string share_text(std::uint64_t count, std::uint64_t of) {
  if (of == 0) return "-";
  return fmt::format("{} ({:.1f} %)", grouped_text(count),
                     100.0 * static_cast<double>(count) / static_cast<double>(of));
}

void StudyCsv::add(const Json& named) {
  rows.push_back(list_of(columns, [&](auto& column) { return named.value(column, Json()); }));
}

std::string study_text(const StudyReport& report, const TextLook& look) {
  std::string out = labelled_text(report.subject, look) + '\n';
  for (const StudySection& section : report.sections) out += section_text(section, look);
  return ended(out + notes_text(report.notes, look));
}

std::string study_json(const StudyReport& report) {
  return document_text(merged(Json{{"prescope", PRESCOPE_VERSION}, {"study", report.name}},
                              report.result, Json{{"notes", report.notes}}));
}

std::string study_csv(const StudyReport& report) {
  std::string out = csv_line({report.csv.columns.begin(), report.csv.columns.end()});
  for (const std::vector<Json>& row : report.csv.rows) out += csv_line(row);
  return out;
}

std::string study_page(const StudyReport& report) {
  std::string body =
      element("h1", "", escaped_markup(report.title)) + '\n' + subject_markup(report);
  for (const StudySection& section : report.sections) body += section_markup(section);
  body += notes_markup(report);
  body += element("footer", "", "prescope " PRESCOPE_VERSION) + '\n';
  return html_page(report.title, body);
}

}  // namespace prescope
