#pragma once

#include <memory>
#include <string_view>

#include "prescope/lucenepp/observed_searcher.h"

namespace prescope::lucenepp {

/// A reader whose documents are resolved against an experiment's judgements, and the factory of
/// observed searchers. Thread-safe. The host keeps the reader, which is never closed here.
///
/// Resolving is one scan of the docno terms of each segment (about 0.3 us a term), off the query
/// path. A segment that a reopened reader still has is not scanned again. Documents that are
/// undeleted on a live reader, without a reopen, are not matched.
class ObservedIndex {
 public:
  /// Throws Error(kEngine) if the reader is closed or damaged, or has documents but no docno field.
  /// The experiment must outlive this object and every searcher.
  ObservedIndex(const Lucene::IndexReaderPtr& reader, Experiment& experiment,
                const ObservedIndexOptions& options = {});
  ~ObservedIndex();
  ObservedIndex(const ObservedIndex&) = delete;
  ObservedIndex& operator=(const ObservedIndex&) = delete;

  /// Returns a new searcher for one arm on the current generation; set a Similarity on it before
  /// sharing it. It keeps its reader and its own table after later reopens. Throws Error(kUsage)
  /// with the nearest arm.
  [[nodiscard]] ObservedSearcherPtr searcher(std::string_view arm) const;

  /// Reopens the reader. Searchers are made of the old one meanwhile; calls of other threads to
  /// reopen wait. Returns false if neither the index nor the judgements have changed. Other
  /// judgements (`Experiment::rejudge`) of an index that has not changed make a new table of the
  /// same generation; searchers made earlier keep theirs. Exceptions of Lucene++ while reopening
  /// pass through, and the old generation stays. A failure to resolve does not, and is counted
  /// (`Health::adapter_failures`): a new generation then serves unobserved, an unchanged one keeps
  /// its table.
  bool reopen();
  /// The same for a reader that the host has reopened itself.
  void reopen(const Lucene::IndexReaderPtr& reader);

  [[nodiscard]] Lucene::IndexReaderPtr reader() const;
  /// Returns the table of the current generation, or null if resolving it failed.
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const;

 private:
  std::unique_ptr<class ObservedReaders> readers_;
};

}  // namespace prescope::lucenepp
