#include "citations/formats/office_documents.h"

#include <algorithm>
#include <utility>

#include "citations/formats/office_words.h"

namespace prescope {

namespace {

constexpr std::pair<std::string_view, CitationFormat> kDocumentElements[] = {
    {"us-patent-grant", CitationFormat::kUsptoXml},
    {"us-patent-application", CitationFormat::kUsptoXml},
    {"patent-application-publication", CitationFormat::kUsptoPap},
    {"PATDOC", CitationFormat::kUsptoSgml},
    {"exchange-document", CitationFormat::kEpoExchange},
    {"patent-family", CitationFormat::kOpsFamily},
    {"register-document", CitationFormat::kEpoRegister},
    {"patent-document", CitationFormat::kMarec}};

/// Elements with the text of documents, and with parties. A description has citations, too, but its
/// author made them, not an office.
constexpr std::string_view kLeftOut[] = {"description",
                                         "claims",
                                         "abstract",
                                         "drawings",
                                         "parties",
                                         "us-parties",
                                         "us-sequence-list-doc",
                                         "sequence-list-doc",
                                         "us-claim-statement",
                                         "us-chemistry",
                                         "us-math",
                                         "copyright",
                                         "subdoc-abstract",
                                         "subdoc-claims",
                                         "subdoc-description",
                                         "subdoc-drawings",
                                         "designation-of-states",
                                         "international-convention-data",
                                         "SDOAB",
                                         "SDOCL",
                                         "SDODE",
                                         "SDODR",
                                         "SDOCR"};

constexpr std::string_view kCompanions[] = {"sequence-cwu", "sequence-listing",
                                            "us-sequence-listing", "us-patent-image",
                                            "ST26SequenceListing"};

}  // namespace

CitationFormat format_of_element(std::string_view name) noexcept {
  for (const auto& [element, format] : kDocumentElements) {
    if (name == element) return format;
  }
  return CitationFormat::kAuto;
}

bool is_left_out(std::string_view name) noexcept {
  return std::ranges::find(kLeftOut, name) != std::end(kLeftOut);
}

bool is_companion(std::string_view name) noexcept {
  return std::ranges::find(kCompanions, name) != std::end(kCompanions);
}

WrittenNumber number_of_document(XmlElement document_id) {
  std::string kind = document_id.child("kind").words();
  return {.country = document_id.child("country").words(),
          .number = document_id.child("doc-number").words(),
          .kind = std::move(kind)};
}

void add_classes(XmlElement bibliography, std::vector<std::string>& classes) {
  const auto add_parts = [&](XmlElement each) {
    const std::string subclass = each.child("section").words() + each.child("class").words() +
                                 each.child("subclass").words();
    if (subclass.empty()) return false;
    add_class(classes, class_symbol(subclass + each.child("main-group").words() + "/" +
                                    each.child("subgroup").words()));
    return true;
  };
  const auto add = [&](XmlElement each) {
    if (add_parts(each)) return;
    const XmlElement text = each.child("text");
    // The Register lists several between commas.
    std::string_view symbols = text.exists() ? text.text() : each.text();
    while (!symbols.empty()) {
      const std::size_t end = std::min(symbols.find(','), symbols.size());
      add_class(classes, class_symbol(symbols.substr(0, end)));
      symbols.remove_prefix(std::min(end + 1, symbols.size()));
    }
  };
  for (const std::string_view name : {"classification-ipcr", "classification-cpc"}) {
    bibliography.for_each(name, add);
  }
  bibliography.for_each("classification-ipc", [&](XmlElement each) {
    for (const std::string_view part : {"main-classification", "further-classification"}) {
      each.for_each_child(
          part, [&](XmlElement symbol) { add_class(classes, class_symbol(symbol.text())); });
    }
  });
  bibliography.for_each("patent-classification", [&](XmlElement each) {
    const std::string_view scheme = each.child("classification-scheme").attribute("scheme");
    if (scheme == "CPC" || scheme == "CPCI" || scheme == "CPCA" || scheme == "IPC") {
      if (!add_parts(each)) {
        add_class(classes, class_symbol(each.child("classification-symbol").text()));
      }
    }
  });
}

void read_document(const ElementTree& tree, CitationFormat format, DocumentSink& sink,
                   InputPlace place) {
  using enum CitationFormat;
  const XmlElement root = tree.root();
  if (format == kUsptoXml) return read_uspto_xml(root, sink, place);
  if (format == kUsptoPap) return read_uspto_pap(root, sink, place);
  if (format == kUsptoSgml) return read_uspto_sgml(root, sink, place);
  if (format == kEpoExchange) return read_epo_exchange(root, sink, place);
  if (format == kOpsFamily) return read_ops_family(root, sink, place);
  if (format == kEpoRegister) return read_epo_register(root, sink, place);
  if (format == kMarec) return read_marec(root, sink, place);
}

}  // namespace prescope
