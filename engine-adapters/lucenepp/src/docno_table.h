#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "docno_terms.h"
#include "prescope/docno.h"
#include "prescope/types.h"

namespace prescope::lucenepp {

/// The docno of every document of a reader, both ways. Immutable, thread-safe. One scan of the
/// docno terms; about 32 bytes a document.
class DocnoTable {
 public:
  DocnoTable(const Lucene::IndexReaderPtr& reader, const std::wstring& docno_field,
             const DocnoNormalizer& docnos);

  /// Returns the docno as the index spells it, or an empty view if the document has none. A
  /// document with several has the bytewise first.
  [[nodiscard]] std::string_view docno(DocId docid) const noexcept;
  /// Returns the documents whose docno has this key, ascending.
  [[nodiscard]] std::vector<DocId> find(std::string_view key) const;

 private:
  struct Spelling {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  struct Entry {
    std::size_t key_hash;
    DocId docid;
    Spelling spelling;
  };

  [[nodiscard]] std::string_view text(Spelling spelling) const noexcept {
    return std::string_view(docnos_).substr(spelling.begin, spelling.size);
  }

  DocnoNormalizer normalizer_;
  std::string docnos_;               // all spellings, one after the other
  std::vector<Spelling> spellings_;  // by docid
  std::vector<Entry> by_key_;        // by hash, then docid
};

}  // namespace prescope::lucenepp
