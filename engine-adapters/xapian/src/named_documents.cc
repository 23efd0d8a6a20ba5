#include "named_documents.h"

#include <algorithm>

namespace prescope::xapian {

NamedDocuments::NamedDocuments(const Xapian::Database& database, const ObservedIndexOptions& place,
                               const DocnoNormalizer& docnos)
    : place_(place), normalizer_(docnos), source_(docno_source(database, place)) {
  if (normalizer_.policy() == DocnoPolicy::kRaw) return;
  if (source_ == DocnoSource::kTerms) {
    for_each_docno_term(database, place_.docno_prefix, [this](auto docno) { keep(docno); });
  } else if (source_ == DocnoSource::kSlot) {
    for_each_docno_value(database, place_.docno_slot,
                         [this](auto docno, Xapian::docid) { keep(docno); });
  }
  std::sort(by_key_.begin(), by_key_.end());
  by_key_.erase(std::unique(by_key_.begin(), by_key_.end()), by_key_.end());
}

void NamedDocuments::keep(std::string_view docno) {
  DocnoBuffer buffer;
  by_key_.emplace_back(normalizer_.key(docno, buffer), docno);
}

std::vector<std::string> NamedDocuments::spellings(const Docno& docno) const {
  if (normalizer_.policy() == DocnoPolicy::kRaw) return {docno.text()};
  const std::string key = normalizer_.key(docno);
  std::vector<std::string> found;
  auto entry = std::lower_bound(by_key_.begin(), by_key_.end(), std::pair(key, std::string()));
  for (; entry != by_key_.end() && entry->first == key; ++entry) found.push_back(entry->second);
  std::stable_partition(found.begin(), found.end(),
                        [&](const std::string& one) { return one == docno.text(); });
  return found;
}

Xapian::Query NamedDocuments::query(const std::string& spelling) const {
  if (source_ == DocnoSource::kSlot) {
    return Xapian::Query(Xapian::Query::OP_VALUE_RANGE, place_.docno_slot, spelling, spelling);
  }
  return Xapian::Query(place_.docno_prefix + spelling);
}

}  // namespace prescope::xapian
