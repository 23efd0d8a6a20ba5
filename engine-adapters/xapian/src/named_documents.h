#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "docno_place.h"
#include "prescope/docno.h"
#include "prescope/types.h"

namespace prescope::xapian {

/// Finds the documents of a database in one state that a docno names under a docno policy. Plain
/// data: immutable, thread-safe. Under DocnoPolicy::kRaw the constructor reads nothing from the
/// database; under the others it scans all docnos, about 40 bytes each.
class NamedDocuments {
 public:
  /// Throws Error(kEngine) if there are documents but no docnos; exceptions of Xapian pass through.
  NamedDocuments(const Xapian::Database& database, const ObservedIndexOptions& place,
                 const DocnoNormalizer& docnos);

  /// Returns the spellings of `docno` that the database may have, first the given one, if it has
  /// it.
  [[nodiscard]] std::vector<std::string> spellings(const Docno& docno) const;
  /// Matches the documents with this spelling of the docno. For the calling thread.
  [[nodiscard]] Xapian::Query query(const std::string& spelling) const;

 private:
  struct Entry {
    std::size_t key_hash;
    std::uint32_t begin, size;  // in docnos_
  };
  void keep(std::string_view docno);

  ObservedIndexOptions place_;
  DocnoNormalizer normalizer_;
  DocnoSource source_;
  std::string docnos_;          // all spellings, one after the other
  std::vector<Entry> entries_;  // by hash, then spelling
};

/// The names of each state that a thread uses. Thread-safe.
class KnownNames {
 public:
  KnownNames(ObservedIndexOptions place, DocnoNormalizer docnos)
      : place_(std::move(place)), docnos_(std::move(docnos)) {}

  /// Returns the names of this state. The first caller makes them, while others wait; they are kept
  /// as long as they are in use. Throws as the constructor of NamedDocuments.
  [[nodiscard]] std::shared_ptr<const NamedDocuments> of(const Xapian::Database& database,
                                                         std::uint64_t generation);

 private:
  const ObservedIndexOptions place_;
  const DocnoNormalizer docnos_;
  std::mutex mutex_;  // over names_
  std::map<std::uint64_t, std::weak_ptr<const NamedDocuments>> names_;
};

}  // namespace prescope::xapian
