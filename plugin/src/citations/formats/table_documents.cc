#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>

#include "base/text_file.h"
#include "base/unicode.h"
#include "citations/formats/line_documents.h"
#include "citations/formats/office_words.h"
#include "judgements/judgement_line.h"

namespace prescope {

namespace {

/// The meanings of columns.
enum class CitationColumn : std::uint8_t {
  kNone,
  kCiting,
  kCitingCountry,
  kCitingKind,
  kCitingDate,
  kPriority,
  kFamily,
  kCited,
  kCitedCountry,
  kCitedKind,
  kDate,
  kText,
  kRemark,  ///< categories, a grade, or who cited
  kSource,
  kPhase,
  kCount
};

struct ColumnTitle {
  std::string_view title;  ///< in lower case, letters only
  CitationColumn column;
  /// The office of all numbers in the column.
  std::string_view country = {};
};

/// Of several titles of one column, the first one here is taken.
constexpr ColumnTitle kColumnTitles[] = {{"citing", CitationColumn::kCiting},
                                         {"citingid", CitationColumn::kCiting},
                                         {"citingpatent", CitationColumn::kCiting},
                                         {"citingpatentid", CitationColumn::kCiting},
                                         {"citingpublication", CitationColumn::kCiting},
                                         {"citingpublicationnumber", CitationColumn::kCiting},
                                         {"citingnumber", CitationColumn::kCiting},
                                         {"citingdoc", CitationColumn::kCiting},
                                         {"citingdocno", CitationColumn::kCiting},
                                         {"citingdocument", CitationColumn::kCiting},
                                         {"patentnociting", CitationColumn::kCiting, "US"},
                                         {"patentid", CitationColumn::kCiting, "US"},
                                         {"topic", CitationColumn::kCiting},
                                         {"topicid", CitationColumn::kCiting},
                                         {"query", CitationColumn::kCiting},
                                         {"queryid", CitationColumn::kCiting},
                                         {"qid", CitationColumn::kCiting},
                                         {"publicationnumber", CitationColumn::kCiting},
                                         {"patent", CitationColumn::kCiting},
                                         {"citingcountry", CitationColumn::kCitingCountry},
                                         {"citingkind", CitationColumn::kCitingKind},
                                         {"citingdate", CitationColumn::kCitingDate},
                                         {"citingpublicationdate", CitationColumn::kCitingDate},
                                         {"prioritydate", CitationColumn::kPriority},
                                         {"citingprioritydate", CitationColumn::kPriority},
                                         {"earliestprioritydate", CitationColumn::kPriority},
                                         {"citingfamily", CitationColumn::kFamily},
                                         {"citingfamilyid", CitationColumn::kFamily},
                                         {"familyid", CitationColumn::kFamily},
                                         {"docdbfamilyid", CitationColumn::kFamily},
                                         {"cited", CitationColumn::kCited},
                                         {"citedid", CitationColumn::kCited},
                                         {"citedpatent", CitationColumn::kCited},
                                         {"citedpatentid", CitationColumn::kCited},
                                         {"citedpublication", CitationColumn::kCited},
                                         {"citedpublicationnumber", CitationColumn::kCited},
                                         {"citednumber", CitationColumn::kCited},
                                         {"citeddoc", CitationColumn::kCited},
                                         {"citeddocno", CitationColumn::kCited},
                                         {"citeddocument", CitationColumn::kCited},
                                         {"citationpatentid", CitationColumn::kCited, "US"},
                                         {"citationdocumentnumber", CitationColumn::kCited, "US"},
                                         {"citationid", CitationColumn::kCited, "US"},
                                         {"patentnoornplcited", CitationColumn::kCited},
                                         {"number", CitationColumn::kCited},
                                         {"citationapplicationid", CitationColumn::kCited},
                                         {"applicationid", CitationColumn::kCited, "US"},
                                         {"citation", CitationColumn::kCited},
                                         {"docno", CitationColumn::kCited},
                                         {"docid", CitationColumn::kCited},
                                         {"doc", CitationColumn::kCited},
                                         {"document", CitationColumn::kCited},
                                         {"documentid", CitationColumn::kCited},
                                         {"corpusid", CitationColumn::kCited},
                                         {"citedcountry", CitationColumn::kCitedCountry},
                                         {"citationcountry", CitationColumn::kCitedCountry},
                                         {"countrycodeornplcited", CitationColumn::kCitedCountry},
                                         {"countrycode", CitationColumn::kCitedCountry},
                                         {"country", CitationColumn::kCitedCountry},
                                         {"citedkind", CitationColumn::kCitedKind},
                                         {"wipokind", CitationColumn::kCitedKind},
                                         {"kindcode", CitationColumn::kCitedKind},
                                         {"kind", CitationColumn::kCitedKind},
                                         {"citeddate", CitationColumn::kDate},
                                         {"citationdate", CitationColumn::kDate},
                                         {"citedpublicationdate", CitationColumn::kDate},
                                         {"date", CitationColumn::kDate},
                                         {"otherreferencetext", CitationColumn::kText},
                                         {"npltext", CitationColumn::kText},
                                         {"nplbiblio", CitationColumn::kText},
                                         {"npl", CitationColumn::kText},
                                         {"text", CitationColumn::kText},
                                         {"citationcategory", CitationColumn::kRemark},
                                         {"citedcategory", CitationColumn::kRemark},
                                         {"category", CitationColumn::kRemark},
                                         {"categories", CitationColumn::kRemark},
                                         {"grade", CitationColumn::kRemark},
                                         {"relevance", CitationColumn::kRemark},
                                         {"rel", CitationColumn::kRemark},
                                         {"label", CitationColumn::kRemark},
                                         {"source", CitationColumn::kSource},
                                         {"citedby", CitationColumn::kSource},
                                         {"origin", CitationColumn::kSource},
                                         {"citationorigin", CitationColumn::kSource},
                                         {"reftype", CitationColumn::kSource},
                                         {"phase", CitationColumn::kPhase},
                                         {"citedphase", CitationColumn::kPhase},
                                         {"citationphase", CitationColumn::kPhase},
                                         {"procedure", CitationColumn::kPhase}};

constexpr std::size_t kCitationColumns = static_cast<std::size_t>(CitationColumn::kCount);
constexpr std::size_t kMostColumns = 128;

/// Where the columns stand, from the header.
struct TableHeader {
  char separator = '\t';
  bool is_quoted = false;
  std::array<std::size_t, kCitationColumns> at{};  ///< position; kMostColumns: none
  std::string citing_country, cited_country;       ///< of numbers without a country

  [[nodiscard]] bool has(CitationColumn column) const noexcept {
    return at[static_cast<std::size_t>(column)] != kMostColumns;
  }
};

TableHeader parse_header(std::string_view line) {
  TableHeader header;
  header.separator = table_separator(line);
  header.is_quoted = trimmed(line).starts_with('"');
  header.at.fill(kMostColumns);
  std::array<std::size_t, kCitationColumns> best{};
  best.fill(std::size(kColumnTitles));
  const std::vector<std::string> titles = split_table_line(line, header.separator);
  for (std::size_t i = 0; i < std::min(titles.size(), kMostColumns); ++i) {
    std::string letters;
    for (const char c : in_lower_case(titles[i])) {
      if (c >= 'a' && c <= 'z') letters += c;
    }
    const auto* const found = std::ranges::find(kColumnTitles, letters, &ColumnTitle::title);
    if (found == std::end(kColumnTitles)) continue;
    const auto column = static_cast<std::size_t>(found->column);
    const auto rank = static_cast<std::size_t>(found - kColumnTitles);
    if (rank >= best[column]) continue;
    best[column] = rank;
    header.at[column] = i;
    if (found->column == CitationColumn::kCiting) header.citing_country = found->country;
    if (found->column == CitationColumn::kCited) header.cited_country = found->country;
  }
  if (header.has(CitationColumn::kCitingCountry)) header.citing_country.clear();
  if (header.has(CitationColumn::kCitedCountry)) header.cited_country.clear();
  return header;
}

/// Splits lines into cells. Views are valid until the next line.
class TableCells {
 public:
  explicit TableCells(const TableHeader& header) : header_(header) {}

  /// What a quotation mark without an end in its line is.
  enum class OpenQuote : std::uint8_t { kAsksForMore, kIsText };

  /// Returns false if a quotation mark asks for the next line.
  bool split(std::string_view line, OpenQuote open_quote) {
    count_ = 0;
    quoted_ = 0;
    for (std::size_t begin = 0; begin <= line.size() && count_ < kMostColumns;) {
      if (begin < line.size() && line[begin] == '"') {
        const std::size_t end = take_quoted(line, begin);
        if (end != std::string_view::npos) {
          begin = end + 1;
          continue;
        }
        const bool may_go_on = header_.separator != '\t' || header_.is_quoted;
        if (may_go_on && open_quote == OpenQuote::kAsksForMore) return false;
      }
      const std::size_t end = std::min(line.find(header_.separator, begin), line.size());
      cells_[count_++] = line.substr(begin, end - begin);
      begin = end + 1;
    }
    return true;
  }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Returns a cell; empty if the line has none, or a word for nothing.
  [[nodiscard]] std::string_view cell(CitationColumn column) const noexcept {
    const std::size_t at = header_.at[static_cast<std::size_t>(column)];
    if (at >= count_) return {};
    const std::string_view text = trimmed(cells_[at]);
    return text == "NULL" || text == "\\N" ? std::string_view() : text;
  }

 private:
  /// Adds the cell that begins with a quotation mark. Returns the position of the separator behind
  /// it; npos if the cell has no end in this line.
  std::size_t take_quoted(std::string_view line, std::size_t begin) {
    std::size_t end = begin + 1;
    bool has_doubled = false;
    for (;; end += 2) {
      end = line.find('"', end);
      if (end == std::string_view::npos) return end;
      if (end + 1 >= line.size() || line[end + 1] != '"') break;
      has_doubled = true;
    }
    const bool is_at_end = end + 1 == line.size() || line[end + 1] == header_.separator;
    if (!is_at_end) return std::string_view::npos;
    std::string_view cell = line.substr(begin + 1, end - begin - 1);
    if (has_doubled) cell = undoubled(cell);
    cells_[count_++] = cell;
    return end + 1;
  }
  std::string_view undoubled(std::string_view cell) {
    if (quoted_ == scratch_.size()) scratch_.emplace_back();
    std::string& text = scratch_[quoted_++];
    text.clear();
    for (std::size_t i = 0; i < cell.size(); ++i) {
      text += cell[i];
      if (cell[i] == '"') ++i;
    }
    return text;
  }

  const TableHeader& header_;
  std::array<std::string_view, kMostColumns> cells_;
  std::size_t count_ = 0, quoted_ = 0;
  // Reserved, because cells are views into its strings.
  std::vector<std::string> scratch_ = [] {
    std::vector<std::string> all;
    all.reserve(kMostColumns);
    return all;
  }();
};

class TableReader {
 public:
  TableReader(CitationInput& input, DocumentSink& sink) : input_(input), sink_(sink) {}

  void read() {
    std::string_view line;
    while (input_.next_line(line) && trimmed(line).empty()) continue;
    header_ = parse_header(line);
    sink_.note(CitationFormat::kTable);
    while (input_.next_line(line)) {
      if (cells_.split(line, TableCells::OpenQuote::kAsksForMore)) {
        use(line);
      } else {
        use_several_lines(line);
      }
    }
    pass();
  }

 private:
  /// Joins the lines of a cell with line feeds in it. Without an end, each line is one.
  void use_several_lines(std::string_view line) {
    constexpr std::size_t kLongest = std::size_t{1} << 16U;
    std::string joined(line);
    while (joined.size() < kLongest && input_.next_line(line)) {
      joined += '\n';
      joined += line;
      if (cells_.split(joined, TableCells::OpenQuote::kAsksForMore)) return use(joined);
    }
    sink_.problem("quotation mark without an end", input_.here(), joined);
    for (const std::string& each : split(joined, '\n')) {
      (void)cells_.split(each, TableCells::OpenQuote::kIsText);
      use(each);
    }
  }

  /// Uses the cells of a line.
  void use(std::string_view line) {
    if (line.find('\0') != std::string_view::npos) {
      return sink_.problem("line with a NUL byte", input_.here(), line.substr(0, line.find('\0')));
    }
    if (!simdjson::validate_utf8(line.data(), line.size())) {
      const std::string text = utf8_or_latin1(line);
      (void)cells_.split(text, TableCells::OpenQuote::kIsText);
      return use_cells(text);
    }
    use_cells(line);
  }

  void use_cells(std::string_view line) {
    const std::string_view citing = cells_.cell(CitationColumn::kCiting);
    const std::string_view cited = cells_.cell(CitationColumn::kCited);
    const std::string_view text = cells_.cell(CitationColumn::kText);
    if (citing.empty() || (cited.empty() && text.empty())) {
      if (trimmed(line).empty()) return;
      return sink_.problem(
          citing.empty() ? "line without a citing document" : "line without a cited document",
          input_.here(), line);
    }
    CitingDocument& document = sink_.document();
    const bool is_same = is_open_ && citing == citing_ &&
                         cells_.cell(CitationColumn::kCitingCountry) == citing_country_;
    if (!is_same) {
      pass();
      begin_document(citing);
    } else if (document.citations.size() >= sink_.options().most_citations_at_once) {
      sink_.pass(CitationFormat::kTable, input_.at(document_line_), part_);
      begin_document(citing);
      part_ = DocumentSink::Part::kLater;
    }
    if (is_same) add_facts(document);
    fill_citation(document.citations.emplace_back(), cited, text);
  }

  /// Adds what this line says of the citing document and no earlier line did; of priorities the
  /// earliest counts.
  void add_facts(CitingDocument& document) {
    if (document.family.empty()) document.family = cells_.cell(CitationColumn::kFamily);
    if (const auto date = cells_.cell(CitationColumn::kCitingDate);
        !date.empty() && !document.published.is_known()) {
      document.published = sink_.date(date, input_.here());
    }
    if (const auto date = cells_.cell(CitationColumn::kPriority); !date.empty()) {
      keep_earlier(document.priority, sink_.date(date, input_.here()));
    }
  }

  void fill_citation(Citation& each, std::string_view cited, std::string_view text) {
    std::string_view country = cells_.cell(CitationColumn::kCitedCountry);
    const bool is_literature = country == "NPL";  // of a table that has both in one column
    if (cited.empty() || is_literature) {
      each.text = collapsed(is_literature ? cited : text);
    } else {
      if (country.empty()) country = header_.cited_country;
      each.cited.country = country;
      each.cited.number = cited;
      each.cited.kind = cells_.cell(CitationColumn::kCitedKind);
    }
    if (const auto date = cells_.cell(CitationColumn::kDate); !date.empty()) {
      each.date = sink_.date(date, input_.here());
    }
    const std::string_view source = cells_.cell(CitationColumn::kSource);
    if (!source.empty() && !set_office_code(each, source)) set_source(each, source);
    if (const auto phase = cells_.cell(CitationColumn::kPhase); !phase.empty()) {
      set_phase(each, phase);
      infer_source(each);
    }
    if (const auto remark = cells_.cell(CitationColumn::kRemark); !remark.empty()) {
      add_remark(each, remark);
    }
  }

  void begin_document(std::string_view citing) {
    CitingDocument& document = sink_.emptied();
    is_open_ = true;
    part_ = DocumentSink::Part::kFirst;
    document_line_ = input_.line_number();
    citing_ = citing;
    citing_country_ = cells_.cell(CitationColumn::kCitingCountry);
    document.publication.number = citing;
    document.publication.country =
        citing_country_.empty() ? header_.citing_country : citing_country_;
    document.publication.kind = cells_.cell(CitationColumn::kCitingKind);
    add_facts(document);
  }

  void pass() {
    if (is_open_) sink_.pass(CitationFormat::kTable, input_.at(document_line_), part_);
    is_open_ = false;
  }

  CitationInput& input_;
  DocumentSink& sink_;
  TableHeader header_;
  TableCells cells_{header_};
  bool is_open_ = false;
  std::string citing_, citing_country_;  // of the document that is filled in
  DocumentSink::Part part_ = DocumentSink::Part::kFirst;
  std::uint64_t document_line_ = 0;
};

constexpr std::size_t kClefIpColumns = 3, kTrecColumns = 4, kMostQrelsColumns = 5;

/// Returns true for an integer, and for letters of categories.
bool is_grade_text(std::string_view text) {
  if (whole_number<int>(text)) return true;
  constexpr std::size_t kLongest = 9;
  return text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
           return (c >= 'A' && c <= 'Z') || c == ',' || c == '&';
         });
}

}  // namespace

void read_table(CitationInput& input, DocumentSink& sink) { TableReader(input, sink).read(); }

bool is_table_header(std::string_view line) {
  const TableHeader header = parse_header(without_mark(line));
  return header.has(CitationColumn::kCiting) &&
         (header.has(CitationColumn::kCited) || header.has(CitationColumn::kText));
}

bool is_qrels_line(std::string_view line) {
  const Columns columns = split_at_blanks(line);
  if (columns.count < kClefIpColumns || columns.count > kMostQrelsColumns) return false;
  return is_grade_text(columns.text[columns.count == kClefIpColumns ? 2 : 3]);
}

void read_qrels(CitationInput& input, DocumentSink& sink) {
  sink.note(CitationFormat::kQrels);
  std::size_t expected = 0;
  std::uint64_t document_line = 0;
  std::string topic;
  auto part = DocumentSink::Part::kFirst;
  for (std::string_view line; input.next_line(line);) {
    if (trimmed(line).empty()) continue;
    const Columns columns = split_at_blanks(line);
    if (expected == 0) expected = columns.count;
    if (columns.count != expected || !is_qrels_line(line) || !is_utf8(line)) {
      sink.problem("line that is not \"topic 0 docno grade\"", input.here(), line);
      continue;
    }
    const bool is_same = document_line != 0 && columns.text[0] == topic;
    const bool is_full = sink.document().citations.size() >= sink.options().most_citations_at_once;
    if (!is_same || is_full) {
      if (document_line != 0) sink.pass(CitationFormat::kQrels, input.at(document_line), part);
      part = is_same ? DocumentSink::Part::kLater : DocumentSink::Part::kFirst;
      topic = columns.text[0];
      document_line = input.line_number();
      sink.emptied().publication.number = topic;
    }
    const std::size_t docno = columns.count == kClefIpColumns ? 1 : 2;
    Citation& each = sink.document().citations.emplace_back();
    each.cited.number = columns.text[docno];
    add_remark(each, columns.text[docno + 1]);
  }
  if (document_line != 0) sink.pass(CitationFormat::kQrels, input.at(document_line), part);
}

}  // namespace prescope
