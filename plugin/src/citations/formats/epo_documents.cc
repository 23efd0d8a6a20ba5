#include <algorithm>
#include <array>

#include "citations/formats/office_documents.h"
#include "citations/formats/office_words.h"

namespace prescope {

namespace {

/// One document in several spellings. The names of the formats stand at the number, as OPS has
/// them, or at the element around it, as DOCDB.
struct Spellings {
  XmlElement docdb, epodoc, original, other;

  void add(XmlElement document_id, std::string_view format) {
    if (const std::string_view own = document_id.attribute("document-id-type"); !own.empty()) {
      format = own;
    }
    XmlElement& place = format == "docdb"      ? docdb
                        : format == "epodoc"   ? epodoc
                        : format == "original" ? original
                                               : other;
    if (!place.exists()) place = document_id;
  }
  /// Adds each <document-id> in children of this name.
  void add_all(XmlElement parent, std::string_view name) {
    parent.for_each_child(name, [&](XmlElement each) {
      each.for_each_child("document-id", [&](XmlElement document_id) {
        add(document_id, each.attribute("data-format"));
      });
    });
  }

  [[nodiscard]] std::array<XmlElement, 4> by_preference() const {
    return {docdb, epodoc, original, other};
  }
  /// Returns the number in the first spelling that has one. OPS leaves the country out of epodoc
  /// numbers, which begin with it.
  [[nodiscard]] WrittenNumber number() const {
    for (const XmlElement each : by_preference()) {
      WrittenNumber number = number_of_document(each);
      if (!number.empty()) return number;
    }
    return {};
  }
  /// Returns the first date that a spelling has.
  [[nodiscard]] PartialDate date(DocumentSink& sink, InputPlace place) const {
    for (const XmlElement each : by_preference()) {
      const PartialDate date = sink.date(each.child("date").text(), place);
      if (date.is_known()) return date;
    }
    return {};
  }
};

PartialDate epo_priority(XmlElement bibliography, DocumentSink& sink, InputPlace place) {
  PartialDate date;
  const auto keep = [&](XmlElement claim) {
    Spellings spellings;
    claim.for_each_child("document-id", [&](XmlElement each) {
      spellings.add(each, claim.attribute("data-format"));
    });
    keep_earlier(date, spellings.date(sink, place));
    keep_earlier(date, sink.date(claim.child("date").text(), place));  // of the Register
  };
  bibliography.for_each_child(
      "priority-claims", [&](XmlElement claims) { claims.for_each_child("priority-claim", keep); });
  bibliography.for_each_child("priority-claim", keep);  // of OPS families
  if (date.is_known()) return date;
  bibliography.for_each_child("application-reference", [&](XmlElement application) {
    application.for_each_child("document-id", [&](XmlElement each) {
      keep_earlier(date, sink.date(each.child("date").text(), place));
    });
  });
  return date;
}

/// Fills in what exchange documents, the Register and MAREC say of a citation in the same way, and
/// adds it. `cited`: its <patcit> or <nplcit>.
void add_epo_citation(XmlElement citation, XmlElement cited, DocumentSink& sink, InputPlace place) {
  Citation each;
  if (cited.name() == "patcit") {
    Spellings spellings;
    cited.for_each_child("document-id", [&](XmlElement document_id) {
      spellings.add(document_id, document_id.attribute("format"));
    });
    each.cited = spellings.number();
    each.date = spellings.date(sink, place);
    // DOCDB repeats the number here.
    if (each.cited.empty()) each.cited.number = collapsed(cited.attribute("dnum"));
  } else {
    const XmlElement text = cited.child("text");
    each.text = text.exists() ? text.words() : cited.words();
  }
  set_phase(each, citation.attribute("cited-phase"));
  set_source(each, citation.attribute("cited-by"));
  infer_source(each);
  citation.for_each_child(
      "category", [&](XmlElement category) { add_categories(each.categories, category.text()); });
  sink.add(std::move(each), place);
}

void add_epo_citations(XmlElement bibliography, DocumentSink& sink, InputPlace place) {
  bibliography.for_each_child("references-cited", [&](XmlElement list) {
    list.for_each_child("citation", [&](XmlElement citation) {
      citation.for_each_child([&](XmlElement cited) {
        const bool is_cited = cited.name() == "patcit" || cited.name() == "nplcit";
        if (is_cited) add_epo_citation(citation, cited, sink, place);
      });
    });
  });
}

std::string language_of(XmlElement bibliography) {
  return in_lower_case(bibliography.child("language-of-publication").words());
}

/// MAREC has a citation once, with all procedures it was cited in.
void add_marec_citation(Citation&& each, XmlElement cited, DocumentSink& sink, InputPlace place) {
  std::size_t sources = 0;
  cited.for_each("source", [&](XmlElement source) {
    Citation copy = each;
    if (!set_office_code(copy, source.attribute("name"))) {
      set_phase(copy, source.attribute("name"));
    }
    add_categories(copy.categories, source.attribute("category"));
    source.for_each("category",
                    [&](XmlElement category) { add_categories(copy.categories, category.text()); });
    ++sources;
    sink.add(std::move(copy), place);
  });
  if (sources == 0) sink.add(std::move(each), place);
}

void add_marec_citations(XmlElement bibliography, DocumentSink& sink, InputPlace place) {
  bibliography.for_each("patcit", [&](XmlElement cited) {
    Spellings spellings;
    cited.for_each_child("document-id", [&](XmlElement id) { spellings.add(id, {}); });
    Citation each{.cited = spellings.number(), .date = spellings.date(sink, place)};
    if (each.cited.empty()) each.cited.number = collapsed(cited.attribute("ucid"));
    cited.for_each_child(
        "category", [&](XmlElement category) { add_categories(each.categories, category.text()); });
    add_marec_citation(std::move(each), cited, sink, place);
  });
  bibliography.for_each("nplcit", [&](XmlElement cited) {
    const XmlElement text = cited.child("text");
    // <sources> is no part of the text.
    add_marec_citation({.text = text.exists() ? text.words() : cited.words()}, cited, sink, place);
  });
}

}  // namespace

void read_epo_exchange(XmlElement root, DocumentSink& sink, InputPlace place) {
  CitingDocument& document = sink.emptied();
  const XmlElement bibliography = root.child("bibliographic-data");
  Spellings spellings;
  spellings.add_all(bibliography, "publication-reference");
  document.publication = {.country = collapsed(root.attribute("country")),
                          .number = collapsed(root.attribute("doc-number")),
                          .kind = collapsed(root.attribute("kind"))};
  if (document.publication.empty()) document.publication = spellings.number();
  document.published = sink.date(root.attribute("date-publ"), place);
  if (!document.published.is_known()) document.published = spellings.date(sink, place);
  document.priority = epo_priority(bibliography, sink, place);
  document.language = language_of(bibliography);
  document.family = collapsed(root.attribute("family-id"));
  add_classes(bibliography, document.classes);
  add_epo_citations(bibliography, sink, place);
  sink.pass(CitationFormat::kEpoExchange, place);
}

void read_ops_family(XmlElement root, DocumentSink& sink, InputPlace place) {
  root.for_each_child("family-member", [&](XmlElement member) {
    // With bibliographic data, the whole document is there.
    if (const XmlElement whole = member.child("exchange-document"); whole.exists()) {
      return read_epo_exchange(whole, sink, place);
    }
    CitingDocument& document = sink.emptied();
    Spellings spellings;
    spellings.add_all(member, "publication-reference");
    document.publication = spellings.number();
    document.published = spellings.date(sink, place);
    document.priority = epo_priority(member, sink, place);
    document.family = collapsed(member.attribute("family-id"));
    sink.pass(CitationFormat::kOpsFamily, place);
  });
}

void read_epo_register(XmlElement root, DocumentSink& sink, InputPlace place) {
  CitingDocument& document = sink.emptied();
  const XmlElement bibliography = root.child("bibliographic-data");
  // The Register lists an application's publications, and the international one before its own.
  XmlElement own;
  std::vector<XmlElement> all;
  bibliography.for_each_child("publication-reference", [&](XmlElement each) {
    const XmlElement id = each.child("document-id");
    all.push_back(id);
    if (!own.exists() && id.child("country").words() == "EP") own = id;
  });
  if (!own.exists() && !all.empty()) own = all.front();
  document.publication = number_of_document(own);
  document.published = sink.date(own.child("date").text(), place);
  for (const XmlElement id : all) {
    WrittenNumber number = number_of_document(id);
    const bool is_own = number.docno() == document.publication.docno();
    if (!number.empty() && !is_own) document.members.push_back(std::move(number));
  }
  document.priority = epo_priority(bibliography, sink, place);
  document.language = in_lower_case(bibliography.child("language-of-filing").words());
  add_classes(bibliography, document.classes);
  add_epo_citations(bibliography, sink, place);
  sink.pass(CitationFormat::kEpoRegister, place);
}

void read_marec(XmlElement root, DocumentSink& sink, InputPlace place) {
  CitingDocument& document = sink.emptied();
  XmlElement bibliography = root.child("bibliographic-data");
  document.publication = {.country = collapsed(root.attribute("country")),
                          .number = collapsed(root.attribute("doc-number")),
                          .kind = collapsed(root.attribute("kind"))};
  if (document.publication.empty()) {
    document.publication = {.number = collapsed(root.attribute("ucid"))};
  }
  document.published = sink.date(root.attribute("date"), place);
  document.priority = epo_priority(bibliography, sink, place);
  document.language = in_lower_case(root.attribute("lang"));
  document.family = collapsed(root.attribute("family-id"));
  add_classes(bibliography, document.classes);
  bibliography.for_each("citations",
                        [&](XmlElement list) { add_marec_citations(list, sink, place); });
  sink.pass(CitationFormat::kMarec, place);
}

}  // namespace prescope
