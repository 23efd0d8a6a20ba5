#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "docno_table.h"
#include "prescope/engine.h"
#include "prescope/lucenepp/observed_index.h"

namespace prescope::lucenepp {

/// An index made by LuceneIndexBuilder, opened for one experiment. Reads the last commit, also
/// while a writer is at work on the next one.
class LuceneSearchIndex : public SearchIndex {
 public:
  /// Throws Error(kEngine) as ObservedIndex does.
  LuceneSearchIndex(const Lucene::IndexReaderPtr& reader, Experiment& experiment);

  [[nodiscard]] std::uint64_t num_documents() const override;
  [[nodiscard]] std::optional<PatentDocument> document(const Docno& docno) const override;
  [[nodiscard]] std::unique_ptr<ArmSearcher> searcher(const ArmConfig& arm) override;

  [[nodiscard]] const Lucene::IndexReaderPtr& reader() const noexcept { return reader_; }
  /// Made when first asked for.
  [[nodiscard]] const DocnoTable& docnos() const;
  /// Documents of the index that a docno names, ascending.
  [[nodiscard]] std::vector<DocId> find(const Docno& docno) const;

 private:
  Lucene::IndexReaderPtr reader_;
  Experiment& experiment_;
  ObservedIndex observed_;
  mutable std::once_flag docnos_made_;
  mutable std::unique_ptr<const DocnoTable> docnos_;
};

/// Throws Error(kIo) if there is no index in the folder, Error(kEngine) if it is damaged.
[[nodiscard]] Lucene::IndexReaderPtr open_reader(const std::filesystem::path& folder);

}  // namespace prescope::lucenepp
