#pragma once

#include <string>
#include <utility>
#include <vector>

#include "docno_terms.h"
#include "prescope/docno.h"
#include "prescope/types.h"

namespace prescope::lucenepp {

/// The docno of every document of a reader, both ways. Immutable, thread-safe. One scan of the
/// docno terms; about 70 bytes a document.
class DocnoTable {
 public:
  DocnoTable(const Lucene::IndexReaderPtr& reader, const std::wstring& docno_field,
             const DocnoNormalizer& docnos);

  /// Returns the docno as the index spells it, or an empty text if the document has none. A
  /// document with several has the bytewise first.
  [[nodiscard]] const std::string& docno(DocId docid) const noexcept {
    return docnos_[docid.value()];
  }
  /// Returns the documents whose docno has this key, ascending.
  [[nodiscard]] std::vector<DocId> find(const std::string& key) const;

 private:
  std::vector<std::string> docnos_;                    // by docid
  std::vector<std::pair<std::string, DocId>> by_key_;  // ascending
};

}  // namespace prescope::lucenepp
