#pragma once

#include "citations/formats/document_sink.h"

namespace prescope {

// Formats that are read line by line. A line that cannot be read is counted and left out.

void read_green_book(CitationInput& input, DocumentSink& sink);
void read_brs(CitationInput& input, DocumentSink& sink);
void read_json_lines(CitationInput& input, DocumentSink& sink);
void read_table(CitationInput& input, DocumentSink& sink);
void read_qrels(CitationInput& input, DocumentSink& sink);

/// Returns true if the first line of a table names a citing and a cited document.
[[nodiscard]] bool is_table_header(std::string_view line);
/// Returns true if the line is one of JSON with a field that names a document.
[[nodiscard]] bool is_json_document(std::string_view line);
/// Returns true if the line is "topic 0 docno grade", or the same without its second column.
[[nodiscard]] bool is_qrels_line(std::string_view line);

}  // namespace prescope
