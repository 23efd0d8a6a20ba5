#include "named_documents.h"

#include <algorithm>
#include <functional>
#include <tuple>

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
  const auto as_tuple = [this](const Entry& entry) {
    return std::tuple(entry.key_hash, std::string_view(docnos_).substr(entry.begin, entry.size));
  };
  std::sort(entries_.begin(), entries_.end(),
            [&](const Entry& a, const Entry& b) { return as_tuple(a) < as_tuple(b); });
}

void NamedDocuments::keep(std::string_view docno) {
  DocnoBuffer buffer;
  entries_.push_back({std::hash<std::string_view>{}(normalizer_.key(docno, buffer)),
                      static_cast<std::uint32_t>(docnos_.size()),
                      static_cast<std::uint32_t>(docno.size())});
  docnos_ += docno;
}

std::vector<std::string> NamedDocuments::spellings(const Docno& docno) const {
  if (normalizer_.policy() == DocnoPolicy::kRaw) return {docno.text()};
  const std::string key = normalizer_.key(docno);
  const std::size_t hash = std::hash<std::string_view>{}(key);
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), hash,
                                [](const Entry& e, std::size_t h) { return e.key_hash < h; });
  std::vector<std::string> found;
  DocnoBuffer buffer;
  for (; entry != entries_.end() && entry->key_hash == hash; ++entry) {
    const std::string_view spelling = std::string_view(docnos_).substr(entry->begin, entry->size);
    if (normalizer_.key(spelling, buffer) == key) found.emplace_back(spelling);
  }
  found.erase(std::unique(found.begin(), found.end()), found.end());
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

std::shared_ptr<const NamedDocuments> KnownNames::of(const Xapian::Database& database,
                                                     std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  std::erase_if(names_, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<const NamedDocuments>& known = names_[generation];
  auto names = known.lock();
  if (names == nullptr) {
    names = std::make_shared<const NamedDocuments>(database, place_, docnos_);
    known = names;
  }
  return names;
}

}  // namespace prescope::xapian
