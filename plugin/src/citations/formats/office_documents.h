#pragma once

#include "citations/formats/document_sink.h"
#include "citations/formats/element_tree.h"

namespace prescope {

/// Returns the format of a document in an element of this name; kAuto if it is none.
[[nodiscard]] CitationFormat format_of_element(std::string_view name) noexcept;
/// Returns true if nothing in elements of this name matters, as the text of the description.
[[nodiscard]] bool is_left_out(std::string_view name) noexcept;
/// Returns true for documents beside a patent, such as sequence lists, which never cite.
[[nodiscard]] bool is_companion(std::string_view name) noexcept;

/// Fills in and passes the document, or all of a family.
void read_document(const ElementTree& tree, CitationFormat format, DocumentSink& sink,
                   InputPlace place);

// The same of one format. `root`: the document's element.
void read_uspto_xml(XmlElement root, DocumentSink& sink, InputPlace place);
void read_uspto_pap(XmlElement root, DocumentSink& sink, InputPlace place);
void read_uspto_sgml(XmlElement root, DocumentSink& sink, InputPlace place);
void read_epo_exchange(XmlElement root, DocumentSink& sink, InputPlace place);
void read_ops_family(XmlElement root, DocumentSink& sink, InputPlace place);
void read_epo_register(XmlElement root, DocumentSink& sink, InputPlace place);
void read_marec(XmlElement root, DocumentSink& sink, InputPlace place);

/// Adds the classes that elements of ST.36 name: of IPC and CPC, in parts or in one piece.
void add_classes(XmlElement bibliography, std::vector<std::string>& classes);
/// Returns "US", "7844851", "B2" of a <document-id>.
[[nodiscard]] WrittenNumber number_of_document(XmlElement document_id);

}  // namespace prescope
