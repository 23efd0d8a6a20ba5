#pragma once

#include <cstdint>

#include "prescope/engine.h"
#include "prescope/pending_folder.h"

#include <lucene++/LuceneHeaders.h>

namespace prescope::lucenepp {

/// Writes patents into a new index: docno and ipc as single terms, title, abstract, claims and
/// description through `patent_analyzer()`; all but claims and description are stored.
class LuceneIndexBuilder : public IndexBuilder {
 public:
  /// Throws Error(kIo) if the folder cannot be replaced, and Error(kEngine).
  explicit LuceneIndexBuilder(const std::filesystem::path& folder);
  ~LuceneIndexBuilder() override;

  /// Throws Error(kBadInput) for a docno that is empty or too long to be a term, Error(kEngine).
  void add(const PatentDocument& document) override;
  std::uint64_t finish() override;

 private:
  [[nodiscard]] Lucene::IndexWriter& writer() const;

  PendingFolder pending_;
  Lucene::IndexWriterPtr writer_;  // null once finished
};

}  // namespace prescope::lucenepp
