#include "citations/inspect_store.h"

#include "citations/topic_selection.h"

namespace prescope {

namespace {

ShownCitation shown(const StoredLink& link, std::string docno) {
  const LinkAttributes& attributes = *link.attributes;
  return {.docno = std::move(docno),
          .categories = std::string(attributes.categories),
          .source = std::string(attributes.source),
          .phase = std::string(attributes.phase),
          .date = link.date,
          .is_reported = attributes.role == LinkRole::kReported};
}

/// The docno of the document that a link leads to.
std::string docno_of(const StoredLink& link) {
  return publication_docno(link.document.text(), link.attributes->kind);
}

void add_citing(const CitationStore& store, const KeyParts& cited, ShownDocument& shown_document) {
  store.for_each_document([&](const StoredDocument& document) {
    LinkCursor links = document.links();
    while (const StoredLink* link = links.next()) {
      if (link->attributes->role == LinkRole::kFamily || link->document != cited) continue;
      shown_document.cited_by.push_back(
          shown(*link, publication_docno(document.key().text(), link->publication)));
    }
  });
}

std::string text_of(std::string_view view) { return std::string(view); }

}  // namespace

std::optional<ShownDocument> show_document(const CitationStore& store, std::string_view docno) {
  const DocumentNumber number = document_number(docno);
  ShownDocument shown_document{.key = number.key};
  if (const auto document = store.find(number.key)) {
    document->for_each_publication([&](const PublicationFacts& facts) {
      shown_document.publications.push_back({publication_docno(number.key, facts.kind),
                                             facts.published, facts.priority,
                                             text_of(facts.language), text_of(facts.classes)});
    });
    LinkCursor links = document->links();
    while (const StoredLink* link = links.next()) {
      if (link->attributes->role == LinkRole::kFamily) continue;
      shown_document.cites.push_back(shown(*link, docno_of(*link)));
    }
  }
  for (const FamilyMember& member : family_of(store, number.key)) {
    if (member.key != number.key) {
      shown_document.family.push_back(publication_docno(member.key, member.kind));
    }
  }
  add_citing(store, KeyParts::of(number.key), shown_document);
  if (shown_document.publications.empty() && shown_document.cited_by.empty()) return std::nullopt;
  return shown_document;
}

StoreStatistics store_statistics(const CitationStore& store, const CitationRule& rule) {
  StoreStatistics statistics{.counts = store.counts()};
  store.for_each_document([&](const StoredDocument& document) {
    std::uint64_t citations = 0;
    LinkCursor links = document.links();
    while (const StoredLink* link = links.next()) {
      const LinkAttributes& attributes = *link->attributes;
      if (attributes.role != LinkRole::kCites) continue;
      ++citations;
      ++statistics.categories[text_of(attributes.categories)];
      ++statistics.sources[text_of(attributes.source)];
      ++statistics.phases[text_of(attributes.phase)];
      ++statistics.cited_countries[text_of(country_of(link->document.text()))];
    }
    if (citations == 0) return;
    ++statistics.citations_per_document[citations];
    document.for_each_publication([&](const PublicationFacts& facts) {
      const unsigned year = facts.published.year;
      ++statistics.years[year == 0 ? std::string() : std::to_string(year)];
    });
  });
  TopicJudge judge(store, rule);
  judge_topics(store, judge, nullptr, {},
               [&](const std::string&, const std::vector<JudgedCitation>& judged) {
                 ++statistics.relevant_per_topic[static_cast<std::uint64_t>(std::ranges::count_if(
                     judged, [](const JudgedCitation& one) { return one.grade > 0; }))];
               });
  statistics.judging = judge.counts();
  return statistics;
}

}  // namespace prescope
