#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
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

  /// Returns the docno as the index spells it, or an empty text if the document has none. If there
  /// are several, the bytewise first that `is_wanted`, or else the bytewise first of all.
  [[nodiscard]] const std::string& docno(
      DocId docid, const std::function<bool(std::string_view docno)>& is_wanted) const;
  /// Returns the documents whose docno has this key, ascending.
  [[nodiscard]] std::vector<DocId> find(const std::string& key) const;

 private:
  std::vector<std::string> docnos_;                    // by docid: the first
  std::multimap<DocId, std::string> others_;           // of documents with several
  std::vector<std::pair<std::string, DocId>> by_key_;  // ascending
};

}  // namespace prescope::lucenepp
