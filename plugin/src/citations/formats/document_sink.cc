#include "citations/formats/document_sink.h"

#include "citations/formats/office_words.h"
#include "judgements/judgement_line.h"

namespace prescope {

void DocumentSink::pass(CitationFormat format, InputPlace place, Part part) {
  note(format);
  if (document_.publication.empty()) {
    problem("document without a number", place,
            fmt::format("{} citations", document_.citations.size()));
    return;
  }
  if (part == Part::kFirst) {
    ++facts_.documents;
    if (document_.citations.empty()) ++facts_.documents_without_citations;
  }
  if (means_no_family(document_.family)) document_.family.clear();
  for (const Citation& citation : document_.citations) {
    ++(citation.is_patent() ? facts_.patents : facts_.others);
  }
  use_(document_);
}

void DocumentSink::add(Citation&& citation, InputPlace place) {
  if (citation.is_patent() || !citation.text.empty()) {
    document_.citations.push_back(std::move(citation));
    return;
  }
  problem("citation without a number or text", place,
          fmt::format("in {}", document_.publication.docno()));
}

void DocumentSink::problem(std::string_view reason, InputPlace place, std::string_view detail) {
  facts_.problems.add(reason, place.line == 0
                                  ? fmt::format("{}: {}", place.input, detail)
                                  : fmt::format("{}:{}: {}", place.input, place.line, detail));
}

PartialDate DocumentSink::date(std::string_view text, InputPlace place) {
  if (const auto date = parse_date(text)) return *date;
  problem("date not understood", place, fmt::format("'{}'", text.substr(0, 40)));
  return {};
}

FileFacts DocumentSink::take_facts() {
  for (const CitationFormat format : formats_) {
    if (!facts_.format.empty()) facts_.format += ", ";
    facts_.format += name_of(format);
  }
  return std::move(facts_);
}

}  // namespace prescope
