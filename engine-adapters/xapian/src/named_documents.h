#pragma once

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
/// database; under the others it scans all docnos, about 64 bytes each.
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
  void keep(std::string_view docno);

  ObservedIndexOptions place_;
  DocnoNormalizer normalizer_;
  DocnoSource source_;
  std::vector<std::pair<std::string, std::string>> by_key_;  // key and spelling, ascending
};

}  // namespace prescope::xapian
