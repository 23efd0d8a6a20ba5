#include "prescope/lucenepp/observed_shards.h"

#include <algorithm>
#include <string>
#include <utility>

#include "observed_readers.h"
#include "prescope/error.h"
#include "prescope/lucenepp/observed_searcher.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/ParallelMultiSearcher.h>

namespace prescope::lucenepp {
namespace {

using Readers = ObservedShards::Readers;

Readers at_least_one(Readers readers) {
  if (!readers.empty()) return readers;
  throw Error(ErrorCode::kUsage, "no index to search; give at least one reader");
}

Lucene::MultiSearcherPtr searcher_over(const Readers& readers, ShardSearch how) {
  auto parts = Lucene::Collection<Lucene::SearchablePtr>::newInstance();
  for (const Lucene::IndexReaderPtr& reader : readers) {
    parts.add(Lucene::newLucene<Lucene::IndexSearcher>(reader));
  }
  if (how == ShardSearch::kInTurn) return Lucene::newLucene<Lucene::MultiSearcher>(parts);
  const auto parallel = Lucene::newLucene<Lucene::ParallelMultiSearcher>(parts);
  // Lucene++ 3.0.8 creates its pool at the first use without a lock, so it is created here.
  parallel->docFreq(Lucene::newLucene<Lucene::Term>(L"", L""));
  return parallel;
}

bool is_observed(const Lucene::SearchablePtr& part) {
  return boost::dynamic_pointer_cast<ObservedSearcher>(part) ||
         boost::dynamic_pointer_cast<ObservedMultiSearcher>(part);
}

/// A part that is no IndexSearcher does not expose its reader; only the sizes can be compared.
bool searches(const Lucene::SearchablePtr& part, const Lucene::IndexReaderPtr& reader) {
  const auto searcher = boost::dynamic_pointer_cast<Lucene::IndexSearcher>(part);
  return searcher ? searcher->getIndexReader() == reader : part->maxDoc() == reader->maxDoc();
}

void require_searcher_of(const Readers& readers, const Lucene::MultiSearcherPtr& own) {
  if (!own) throw Error(ErrorCode::kUsage, "no searcher; give the MultiSearcher to be observed");
  const Lucene::Collection<Lucene::SearchablePtr> parts = own->getSearchables();
  bool same = static_cast<std::size_t>(parts.size()) == readers.size();
  for (std::size_t i = 0; same && i < readers.size(); ++i) {
    same = searches(parts[static_cast<int32_t>(i)], readers[i]);
  }
  if (same && std::any_of(parts.begin(), parts.end(), is_observed)) {
    throw Error(ErrorCode::kUsage,
                "a searcher with observed parts, whose searches would be counted as unobserved; "
                "make its parts plain searchers of ObservedShards::readers()");
  }
  if (same) return;
  std::string message = "a searcher of " + std::to_string(parts.size()) + " parts";
  message += " that does not search the " + std::to_string(readers.size());
  message += " current readers in their order; make its parts of ObservedShards::readers()";
  throw Error(ErrorCode::kUsage, message);
}

}  // namespace

ObservedShards::ObservedShards(Readers readers, Experiment& experiment,
                               const ObservedIndexOptions& options)
    : readers_(std::make_unique<ObservedReaders>(at_least_one(std::move(readers)), experiment,
                                                 options)) {}

ObservedShards::~ObservedShards() = default;

ObservedMultiSearcherPtr ObservedShards::searcher(std::string_view arm, ShardSearch how) const {
  const ObservedReaders::Searched searched = readers_->searched_by(arm);
  return Lucene::newLucene<ObservedMultiSearcher>(searcher_over(searched.readers, how),
                                                  searched.target);
}

ObservedMultiSearcherPtr ObservedShards::searcher(std::string_view arm,
                                                  const Lucene::MultiSearcherPtr& own) const {
  require_searcher_of(readers(), own);  // before the experiment is told that the arm searches here
  const ObservedReaders::Searched searched = readers_->searched_by(arm);
  require_searcher_of(searched.readers, own);  // they may have been reopened meanwhile
  return Lucene::newLucene<ObservedMultiSearcher>(own, searched.target);
}

bool ObservedShards::reopen() { return readers_->reopen(); }

void ObservedShards::reopen(Readers readers) { readers_->reopen(at_least_one(std::move(readers))); }

Readers ObservedShards::readers() const { return readers_->readers(); }

std::shared_ptr<const ResolvedQrels> ObservedShards::resolved() const {
  return readers_->resolved();
}

}  // namespace prescope::lucenepp
