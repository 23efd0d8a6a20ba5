#pragma once

#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "citations/store/citation_store.h"
#include "citations/store/citation_store_writer.h"

namespace prescope {

/// A publication in plain containers, which a store is compared with.
struct PlainPublication {
  /// Linked key, kind, categories, source, phase, role, date.
  using PlainLink =
      std::tuple<std::string, std::string, std::string, std::string, std::string, int, PartialDate>;

  PartialDate published{}, priority{};
  std::string language{}, classes{};
  std::set<PlainLink> links{};

  friend bool operator==(const PlainPublication&, const PlainPublication&) = default;
};

/// Publications by key and kind code.
using PlainStore = std::map<std::string, std::map<std::string, PlainPublication>>;

/// Adds the facts and links of `newer`. `greater_wins`: they are of the same commit.
inline void unite_plain(PlainStore& all, const PlainStore& newer, bool greater_wins = false) {
  const auto unite_fact = [greater_wins](auto& fact, const auto& other) {
    const std::decay_t<decltype(other)> unknown{};
    if (other != unknown && (!greater_wins || fact < other)) fact = other;
  };
  for (const auto& [key, publications] : newer) {
    for (const auto& [kind, publication] : publications) {
      PlainPublication& known = all[key][kind];
      unite_fact(known.published, publication.published);
      const PartialDate earliest = std::min(known.priority, publication.priority);
      known.priority =
          earliest.is_known() ? earliest : std::max(known.priority, publication.priority);
      unite_fact(known.language, publication.language);
      unite_fact(known.classes, publication.classes);
      known.links.insert(publication.links.begin(), publication.links.end());
    }
  }
}

inline void add_plain(CitationStoreWriter::Batch& batch, const PlainStore& documents) {
  for (const auto& [key, publications] : documents) {
    for (const auto& [kind, publication] : publications) {
      std::vector<Link> links;
      for (const auto& [linked, linked_kind, categories, source, phase, role, date] :
           publication.links) {
        links.push_back({.document = KeyParts::of(linked),
                         .attributes = {.kind = linked_kind,
                                        .categories = categories,
                                        .source = source,
                                        .phase = phase,
                                        .role = static_cast<LinkRole>(role)},
                         .date = date});
      }
      batch.add(key,
                {.kind = kind,
                 .published = publication.published,
                 .priority = publication.priority,
                 .language = publication.language,
                 .classes = publication.classes},
                links);
    }
  }
}

inline std::map<std::string, PlainPublication> plain_document(const StoredDocument& document) {
  std::map<std::string, PlainPublication> plain;
  document.for_each_publication([&](const PublicationFacts& facts) {
    plain[std::string(facts.kind)] = {.published = facts.published,
                                      .priority = facts.priority,
                                      .language = std::string(facts.language),
                                      .classes = std::string(facts.classes)};
  });
  LinkCursor links = document.links();
  while (const StoredLink* link = links.next()) {
    const LinkAttributes& of = *link->attributes;
    const bool is_new = plain[std::string(link->publication)]
                            .links
                            .emplace(link->document.text(), of.kind, of.categories, of.source,
                                     of.phase, static_cast<int>(of.role), link->date)
                            .second;
    if (!is_new) throw std::logic_error("a link is given twice");
  }
  return plain;
}

inline PlainStore plain_store(const CitationStore& store) {
  PlainStore plain;
  store.for_each_document([&](const StoredDocument& document) {
    if (!plain.emplace(document.key().text(), plain_document(document)).second) {
      throw std::logic_error("a document is given twice");
    }
  });
  return plain;
}

inline StoreCounts plain_counts(const PlainStore& plain) {
  StoreCounts counts;
  counts.documents = plain.size();
  for (const auto& [key, publications] : plain) {
    counts.publications += publications.size();
    for (const auto& [kind, publication] : publications) {
      for (const auto& link : publication.links) ++counts.links[std::get<5>(link)];
    }
  }
  return counts;
}

/// Makes documents up, with keys that are seldom new.
class PlainDocuments {
 public:
  explicit PlainDocuments(std::uint64_t seed) : random_(seed) {}

  PlainStore some(std::size_t count) {
    PlainStore documents;
    for (std::size_t i = 0; i < count; ++i) {
      PlainPublication& publication = documents[key()][one_of({"", "A1", "B1", "B2", "C"})];
      if (below(3) == 0) publication.published = date();
      if (below(3) == 0) publication.priority = date();
      publication.language = one_of({"", "", "en", "de", "ja"});
      publication.classes = one_of({"", "", "A", "BG", "ABCDEFGH"});
      for (std::uint64_t links = below(8) * below(8); links > 0; --links) {
        publication.links.insert(link());
      }
    }
    return documents;
  }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

 private:
  std::string one_of(std::vector<std::string> words) { return words[below(words.size())]; }
  PartialDate date() {
    if (below(4) == 0) return {};
    PartialDate date{.year = static_cast<std::uint16_t>(1 + below(below(2) == 0 ? 40'000 : 2030))};
    if (below(2) == 0) date.year = static_cast<std::uint16_t>(1950 + below(80));
    if (below(3) != 0) date.month = static_cast<std::uint8_t>(1 + below(12));
    if (date.month != 0 && below(3) != 0) date.day = static_cast<std::uint8_t>(1 + below(31));
    return date;
  }
  std::string key() {
    static const std::vector<std::string> kOdd = {"",
                                                  "abc",
                                                  "abc0",
                                                  "W98-1001",
                                                  "007",
                                                  "US000",
                                                  "a\nb\t1",
                                                  "DE1812345U",
                                                  "JPS60123456",
                                                  "\xC3\xA9",
                                                  "12345678901234567890123",
                                                  "1-22-33",
                                                  "x0",
                                                  std::string("nul\0nul1", 8),
                                                  "999999999999999999",
                                                  "EP0",
                                                  "EP00"};
    switch (below(6)) {
      case 0:
        return kOdd[below(kOdd.size())];
      case 1:
        return "WO" + std::to_string(1978 + below(40)) + "0" + std::to_string(10'000 + below(50));
      case 2:
        return "US" + std::to_string(random_() % 1'000'000'000'000'000'000 >> below(60));
      case 3:
        return "EP" + std::string(below(3), '0') + std::to_string(below(300));
      default:
        return "US" + std::to_string(7'000'000 + below(300));
    }
  }
  PlainPublication::PlainLink link() {
    return {key(),
            one_of({"", "A", "A1", "B2"}),
            one_of({"", "X", "X,Y", "A", std::to_string(below(20))}),
            one_of({"examiner", "applicant", "", "other"}),
            one_of({"", "search", "examination"}),
            below(5) == 0 ? 1 : 0,
            date()};
  }

  std::mt19937_64 random_;
};

/// Commits the documents to the store at the path, as the file of this name.
inline void commit_plain(const std::filesystem::path& path, const PlainStore& documents,
                         const std::string& name) {
  CitationStoreWriter writer(path, {.memory_bytes = std::size_t{1} << 20U});
  CitationStoreWriter::Batch batch(writer);
  add_plain(batch, documents);
  batch.hand_over();
  const std::vector<ImportedFile> files = {{.name = name, .size = documents.size(), .hash = 7}};
  writer.commit(files);
}

}  // namespace prescope
