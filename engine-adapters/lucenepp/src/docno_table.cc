#include "docno_table.h"

#include <algorithm>

namespace prescope::lucenepp {

DocnoTable::DocnoTable(const Lucene::IndexReaderPtr& reader, const std::wstring& docno_field,
                       const DocnoNormalizer& docnos)
    : docnos_(static_cast<std::size_t>(reader->maxDoc())) {
  DocnoBuffer buffer;
  for (const Leaf& leaf : leaves_of(reader)) {
    DocnoTerms terms(leaf.reader, docno_field);
    while (terms.next()) {
      const std::string key(docnos.key(terms.docno(), buffer));
      for (const std::int32_t local : terms.documents()) {
        const DocId docid{leaf.base + static_cast<std::uint32_t>(local)};
        by_key_.emplace_back(key, docid);
        std::string& docno = docnos_[docid.value()];
        if (docno.empty()) {
          docno = terms.docno();
        } else {
          others_.emplace(docid, terms.docno());
        }
      }
    }
  }
  std::sort(by_key_.begin(), by_key_.end());
}

const std::string& DocnoTable::docno(
    DocId docid, const std::function<bool(std::string_view docno)>& is_wanted) const {
  const std::string& first = docnos_[docid.value()];
  const auto [begin, end] = others_.equal_range(docid);
  if (begin == end || is_wanted(first)) return first;
  const auto found =
      std::find_if(begin, end, [&](const auto& other) { return is_wanted(other.second); });
  return found == end ? first : found->second;
}

std::vector<DocId> DocnoTable::find(const std::string& key) const {
  std::vector<DocId> found;
  auto entry = std::lower_bound(by_key_.begin(), by_key_.end(), std::pair(key, DocId{}));
  for (; entry != by_key_.end() && entry->first == key; ++entry) found.push_back(entry->second);
  return found;
}

}  // namespace prescope::lucenepp
