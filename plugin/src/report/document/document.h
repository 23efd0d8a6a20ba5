#pragma once

#include "report/document/figures.h"
#include "report/text/json.h"

/// The model of a report, which each outcome fills once, and a writer for each format.
namespace prescope {

struct ReportFigure {
  std::string caption;  ///< how to read it
  page::Figure drawing;

  /// File name of the figure without ".svg": "cutoffs-pres".
  [[nodiscard]] const std::string& name() const;
};

/// A part of a report. Each member may be empty, and they are written in this order. A section
/// without content is left out, also its heading.
struct ReportSection {
  /// How a section stands in text. In Markdown and HTML tables are always tables.
  enum class Layout : std::uint8_t {
    kTables,   ///< tables with column titles; the heading is written above a drawing only
    kNested,   ///< rows below the title of each table, or below the heading if it has no title
    kFolded,   ///< the same; Markdown hides the tables until the reader asks for them
    kEntries,  ///< "VERDICT  NAME" for the cells of a row, and its last cell as a paragraph below
    kList,     ///< `about` is a list of remarks
  };
  /// The formats that have the section.
  enum class Formats : std::uint8_t { kAll, kText, kMarkdown };

  std::string heading{};
  LabelledLines facts{};
  std::vector<Cell> words{};  ///< lines
  std::string drawing{};      ///< in text, for a terminal only; lines, each ended
  std::vector<ReportFigure> figures{};
  std::vector<ReportTable> tables{};
  std::vector<std::string> about{};  ///< how to read the tables, a sentence each
  Layout layout = Layout::kTables;
  Formats formats = Formats::kAll;
};

/// The cells of a CSV file: texts, numbers, or null for an empty one.
struct CsvTable {
  std::vector<std::string> columns{};
  std::vector<std::vector<Json>> rows{};

  /// Adds a row with the members of `named`, an object, that are called as the columns are.
  void add(const Json& named);
};

struct ReportDocument {
  std::string title{};      ///< in Markdown and HTML
  Cell headline{};          ///< the outcome in one line; in Markdown in place of the title
  LabelledLines subject{};  ///< judgements, runs, topics
  std::vector<ReportSection> sections{};
  std::vector<std::string> notes{};  ///< things worth knowing, a sentence each
  Json result = Json::object();      ///< members of the JSON
  CsvTable csv{};
  /// Level of the title's heading in Markdown; 2 if the report becomes a part of another page.
  std::size_t markdown_level = 1;
};

/// Like every report, UTF-8, ends with a newline, and does not depend on the locale.
[[nodiscard]] std::string document_as_text(const ReportDocument& document, const TextLook& look);
[[nodiscard]] std::string document_as_markdown(const ReportDocument& document);
/// One object with `prescope`, the members of the result, and `notes`.
[[nodiscard]] std::string document_as_json(const ReportDocument& document);
[[nodiscard]] std::string document_as_csv(const ReportDocument& document);
/// Returns one HTML page, well-formed XML, with all figures, self-contained.
[[nodiscard]] std::string document_as_html(const ReportDocument& document);

/// Returns true if the section has nothing to write in any format.
[[nodiscard]] bool is_empty(const ReportSection& section) noexcept;
/// The section with a document's notes.
[[nodiscard]] ReportSection notes_section(const ReportDocument& document);

}  // namespace prescope
