#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "prescope/lucenepp/observed_multi_searcher.h"

// After ours: Lucene++ defines macros and unprefixed include guards.
#include <lucene++/Lucene.h>

#include <lucene++/IndexReader.h>
#include <lucene++/MultiSearcher.h>

namespace prescope::lucenepp {

/// The way in which the shards of one query are searched.
enum class ShardSearch {
  kInTurn,    ///< on the calling thread: Lucene++'s MultiSearcher
  kParallel,  ///< on Lucene++'s pool of threads: its ParallelMultiSearcher
};

/// Several readers that are searched as one: a document's docid is the one in its own reader plus
/// the `maxDoc` of the readers before it, as MultiSearcher has it. Otherwise as ObservedIndex.
class ObservedShards {
 public:
  using Readers = std::vector<Lucene::IndexReaderPtr>;

  /// Throws Error(kUsage) without a reader, Error(kEngine) if a reader is closed or damaged, or the
  /// readers have documents, but no docno field. The experiment must outlive this object and every
  /// searcher.
  ObservedShards(Readers readers, Experiment& experiment, const ObservedIndexOptions& options = {});
  ~ObservedShards();
  ObservedShards(const ObservedShards&) = delete;
  ObservedShards& operator=(const ObservedShards&) = delete;

  /// Returns a new searcher for one arm on the current generation; set a Similarity on it before
  /// sharing it. It keeps its readers and its own table after later reopens. Throws Error(kUsage)
  /// with the nearest arm.
  [[nodiscard]] ObservedMultiSearcherPtr searcher(std::string_view arm,
                                                  ShardSearch how = ShardSearch::kInTurn) const;
  /// Returns an observed searcher around one of the host's own making. Throws Error(kUsage) if its
  /// parts are not searchers of `readers()`, in this order, or if they are observed.
  [[nodiscard]] ObservedMultiSearcherPtr searcher(std::string_view arm,
                                                  const Lucene::MultiSearcherPtr& own) const;

  /// Reopens all readers for one new generation. Returns false if neither they nor the judgements
  /// have changed. Otherwise as ObservedIndex::reopen.
  bool reopen();
  /// The same for readers that the host has reopened itself. Throws Error(kUsage) without a reader.
  void reopen(Readers readers);

  [[nodiscard]] Readers readers() const;
  /// Returns the table of the current generation, or null if resolving it failed.
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const;

 private:
  std::unique_ptr<class ObservedReaders> readers_;
};

}  // namespace prescope::lucenepp
