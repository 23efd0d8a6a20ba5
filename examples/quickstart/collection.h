#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "vocabulary.h"

namespace quickstart {

/// One invention: a patent family and its subject.
struct Invention {
  std::uint32_t subject = 0, field = 0, problem = 0;
  /// The concepts of the problem that it uses, and which name it prefers for each.
  struct Use {
    std::uint32_t concept_index = 0;  ///< in Field::concepts
    std::uint32_t name = 0;
    friend bool operator==(const Use&, const Use&) = default;
  };
  std::vector<Use> uses;
  std::vector<std::uint32_t> own_words;  ///< general words that it uses more than others do
  std::chrono::sys_days filed;
  std::uint32_t first_publication = 0, num_publications = 0;
};

/// One published document of an invention.
struct Publication {
  enum class Kind { kEpA1, kEpB1, kWoA1, kUsB2 };
  std::string docno;
  Kind kind = Kind::kEpA1;
  std::uint32_t invention = 0;
  std::chrono::sys_days published;
};

/// A search report's citation: the topic's invention cites a publication of another one.
struct Citation {
  std::uint32_t topic = 0;        ///< position in Collection::topics
  std::uint32_t publication = 0;  ///< position in Collection::publications
  char category = 'A';            ///< X, Y or A
};

struct CollectionOptions {
  std::uint64_t seed = 1;
  std::uint32_t documents = 20'000;
  std::uint32_t topics = 500;
};

/// A synthetic patent collection.
///
/// Inventions are in order of filing, their publications follow one another, and within a country
/// and kind the numbers rise with the date. Each topic cites at least three inventions, each once,
/// always of another family and published before the topic was filed.
struct Collection {
  CollectionOptions options;
  Vocabulary vocabulary;
  std::vector<Invention> inventions;
  std::vector<Publication> publications;
  std::vector<std::uint32_t> topics;  ///< positions in `publications`: EP A1 documents
  std::vector<Citation> citations;    ///< ascending by topic
};

/// The same options give the same collection on every machine. Throws std::invalid_argument if
/// there are too few documents for the topics.
[[nodiscard]] Collection make_collection(const CollectionOptions& options);

}  // namespace quickstart
