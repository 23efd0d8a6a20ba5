#include "docno_table.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace prescope::lucenepp {

DocnoTable::DocnoTable(const Lucene::IndexReaderPtr& reader, const std::wstring& docno_field,
                       const DocnoNormalizer& docnos)
    : normalizer_(docnos), spellings_(static_cast<std::size_t>(reader->maxDoc())) {
  DocnoBuffer buffer;
  for (const Leaf& leaf : leaves_of(reader)) {
    DocnoTerms terms(leaf.reader, docno_field);
    while (terms.next()) {
      const std::string_view docno = terms.docno();
      const Spelling spelling{static_cast<std::uint32_t>(docnos_.size()),
                              static_cast<std::uint32_t>(docno.size())};
      docnos_ += docno;
      const std::size_t hash = std::hash<std::string_view>{}(normalizer_.key(docno, buffer));
      for (const std::int32_t local : terms.documents()) {
        const DocId docid{leaf.base + static_cast<std::uint32_t>(local)};
        by_key_.push_back({hash, docid, spelling});
        Spelling& of_document = spellings_[docid.value()];
        if (of_document.size == 0) of_document = spelling;
      }
    }
  }
  std::sort(by_key_.begin(), by_key_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.key_hash, a.docid) < std::tie(b.key_hash, b.docid);
  });
}

std::string_view DocnoTable::docno(DocId docid) const noexcept {
  return text(spellings_[docid.value()]);
}

std::vector<DocId> DocnoTable::find(std::string_view key) const {
  const std::size_t hash = std::hash<std::string_view>{}(key);
  auto entry = std::lower_bound(by_key_.begin(), by_key_.end(), hash,
                                [](const Entry& e, std::size_t h) { return e.key_hash < h; });
  std::vector<DocId> found;
  DocnoBuffer buffer;
  for (; entry != by_key_.end() && entry->key_hash == hash; ++entry) {
    if (normalizer_.key(text(entry->spelling), buffer) == key) found.push_back(entry->docid);
  }
  return found;
}

}  // namespace prescope::lucenepp
