#pragma once

#include "citations/formats/document_sink.h"

namespace prescope {

/// What an XML file turned out to be.
struct XmlContent {
  std::string first_root{};    ///< name of the first document's element, with its prefix
  bool has_documents = false;  ///< whether an element of a known format was there, whole or not
};

/// Reads all XML documents of the input, one behind the other, and passes on the patent documents
/// in them, at any depth and with any namespace prefix. A document that is not well-formed is
/// counted and left out; reading goes on at the next XML declaration, DOCTYPE or root element of a
/// patent. `only`: leaves documents of other formats out, unless it is kAuto.
XmlContent read_xml(CitationInput& input, CitationFormat only, DocumentSink& sink);

/// The same for SGML, and XML with undeclared entities: documents in <PATDOC>. Tags that are not
/// closed end with the element around them.
void read_sgml(CitationInput& input, DocumentSink& sink);

}  // namespace prescope
