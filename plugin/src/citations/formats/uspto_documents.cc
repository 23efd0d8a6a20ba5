#include <algorithm>

#include "citations/formats/office_documents.h"
#include "citations/formats/office_words.h"

namespace prescope {

namespace {

/// Returns the date of the earliest application that these elements name: <date> in <document-id>,
/// or in a <priority-claim>.
void keep_earliest_within(XmlElement elements, std::string_view name, PartialDate& date,
                          DocumentSink& sink, InputPlace place) {
  elements.for_each(name,
                    [&](XmlElement each) { keep_earlier(date, sink.date(each.text(), place)); });
}

/// Earlier applications of <us-related-documents>. Its other elements name publications.
constexpr std::string_view kEarlierApplications[] = {"us-provisional-application",
                                                     "continuation",
                                                     "continuation-in-part",
                                                     "continuing-reissue",
                                                     "division",
                                                     "us-divisional-reissue",
                                                     "reissue",
                                                     "us-reexamination-reissue-merger",
                                                     "substitution",
                                                     "addition",
                                                     "utility-model-basis",
                                                     "a-371-of-international"};

PartialDate uspto_priority(XmlElement bibliography, DocumentSink& sink, InputPlace place) {
  PartialDate date =
      sink.date(bibliography.child("application-reference").find("date").text(), place);
  keep_earliest_within(bibliography.child("priority-claims"), "date", date, sink, place);
  bibliography.child("us-related-documents").for_each_child([&](XmlElement each) {
    const bool is_earlier =
        std::find(std::begin(kEarlierApplications), std::end(kEarlierApplications), each.name()) !=
        std::end(kEarlierApplications);
    if (!is_earlier) return;
    each.for_each("parent-doc", [&](XmlElement parent) {
      keep_earlier(date, sink.date(parent.child("document-id").child("date").text(), place));
    });
    keep_earlier(date, sink.date(each.child("document-id").child("date").text(), place));
  });
  return date;
}

void add_uspto_citation(XmlElement citation, DocumentSink& sink, InputPlace place) {
  citation.for_each_child([&](XmlElement cited) {
    const bool is_patent = cited.name() == "patcit";
    if (!is_patent && cited.name() != "nplcit") return;
    Citation each;
    if (is_patent) {
      const XmlElement id = cited.child("document-id");
      each.cited = number_of_document(id);
      each.date = sink.date(id.child("date").text(), place);
    } else {
      each.text = cited.words();
    }
    citation.for_each_child("category",
                            [&](XmlElement category) { add_remark(each, category.text()); });
    sink.add(std::move(each), place);
  });
}

/// Returns the number of a <DOC>, or of any other element with <DNUM>, <CTRY> and <KIND>.
WrittenNumber sgml_number(XmlElement document) {
  return {.country = document.child("CTRY").words(),
          .number = document.child("DNUM").words(),
          .kind = document.child("KIND").words()};
}

/// The office's mark behind a citation is an empty element.
void set_sgml_source(XmlElement citation, Citation& each) {
  citation.for_each_child([&](XmlElement mark) {
    constexpr std::string_view kMark = "CITED-BY-";
    if (!mark.name().starts_with(kMark)) return;
    set_source(each, in_lower_case(mark.name().substr(kMark.size())));
  });
}

void add_sgml_citations(XmlElement references, DocumentSink& sink, InputPlace place) {
  references.for_each_child([&](XmlElement reference) {
    reference.for_each_child("PCIT", [&](XmlElement cited) {
      const XmlElement document = cited.child("DOC");
      Citation each{.cited = sgml_number(document),
                    .date = sink.date(document.child("DATE").text(), place)};
      // The office leaves its own country out.
      if (each.cited.country.empty() && !each.cited.empty()) each.cited.country = "US";
      set_sgml_source(reference, each);
      sink.add(std::move(each), place);
    });
    reference.for_each_child("NCIT", [&](XmlElement cited) {
      Citation each{.text = cited.words()};
      set_sgml_source(reference, each);
      sink.add(std::move(each), place);
    });
  });
}

}  // namespace

void read_uspto_xml(XmlElement root, DocumentSink& sink, InputPlace place) {
  CitingDocument& document = sink.emptied();
  XmlElement bibliography = root.child("us-bibliographic-data-grant");
  if (!bibliography.exists()) bibliography = root.child("us-bibliographic-data-application");
  const XmlElement id = bibliography.child("publication-reference").child("document-id");
  document.publication = number_of_document(id);
  document.published = sink.date(id.child("date").text(), place);
  document.priority = uspto_priority(bibliography, sink, place);
  document.language = in_lower_case(root.attribute("lang"));
  add_classes(bibliography, document.classes);
  for (const std::string_view list : {"references-cited", "us-references-cited"}) {
    bibliography.child(list).for_each_child([&](XmlElement each) {
      const bool is_citation = each.name() == "citation" || each.name() == "us-citation";
      if (is_citation) add_uspto_citation(each, sink, place);
    });
  }
  sink.pass(CitationFormat::kUsptoXml, place);
}

void read_uspto_pap(XmlElement root, DocumentSink& sink, InputPlace place) {
  CitingDocument& document = sink.emptied();
  const XmlElement bibliography = root.child("subdoc-bibliographic-information");
  const XmlElement id = bibliography.child("document-id");
  document.publication = {.country = "US",
                          .number = id.child("doc-number").words(),
                          .kind = id.child("kind-code").words()};
  if (document.publication.number.empty()) document.publication.clear();
  document.published = sink.date(id.child("document-date").text(), place);
  document.priority =
      sink.date(bibliography.child("domestic-filing-data").child("filing-date").text(), place);
  bibliography.for_each_child("foreign-priority-data", [&](XmlElement each) {
    keep_earlier(document.priority, sink.date(each.child("filing-date").text(), place));
  });
  const XmlElement continuity = bibliography.child("continuity-data");
  continuity.for_each("parent", [&](XmlElement parent) {
    keep_earliest_within(parent, "document-date", document.priority, sink, place);
  });
  continuity.for_each("non-provisional-of-provisional", [&](XmlElement provisional) {
    keep_earliest_within(provisional, "document-date", document.priority, sink, place);
  });
  document.language = "en";
  bibliography.for_each(
      "ipc", [&](XmlElement each) { add_class(document.classes, class_symbol(each.text())); });
  sink.pass(CitationFormat::kUsptoPap, place);
}

void read_uspto_sgml(XmlElement root, DocumentSink& sink, InputPlace place) {
  CitingDocument& document = sink.emptied();
  // In SGML, elements may lack an end tag and then hold their next siblings.
  const XmlElement bibliography = root.child("SDOBI");
  const XmlElement publication = bibliography.find("B100");
  document.publication = {.country = publication.find("B190").words(),
                          .number = publication.find("B110").words(),
                          .kind = publication.find("B130").words()};
  document.published = sink.date(publication.find("B140").text(), place);
  document.priority = sink.date(bibliography.find("B220").text(), place);
  bibliography.for_each("B320", [&](XmlElement each) {
    keep_earlier(document.priority, sink.date(each.text(), place));
  });
  bibliography.find("B600").for_each("PDOC", [&](XmlElement parent) {
    keep_earliest_within(parent, "DATE", document.priority, sink, place);
  });
  bibliography.find("B600").for_each("B680US", [&](XmlElement provisional) {
    keep_earliest_within(provisional, "DATE", document.priority, sink, place);
  });
  document.language = "en";
  for (const std::string_view name : {"B511", "B512"}) {
    bibliography.for_each(
        name, [&](XmlElement each) { add_class(document.classes, class_symbol(each.text())); });
  }
  add_sgml_citations(bibliography.find("B560"), sink, place);
  sink.pass(CitationFormat::kUsptoSgml, place);
}

}  // namespace prescope
