#include "prescope/lucenepp/observed_index.h"

#include <utility>

#include "observed_readers.h"

namespace prescope::lucenepp {

ObservedIndex::ObservedIndex(const Lucene::IndexReaderPtr& reader, Experiment& experiment,
                             const ObservedIndexOptions& options)
    : readers_(std::make_unique<ObservedReaders>(ObservedReaders::Readers{reader}, experiment,
                                                 options)) {}

ObservedIndex::~ObservedIndex() = default;

ObservedSearcherPtr ObservedIndex::searcher(std::string_view arm) const {
  ObservedReaders::Searched searched = readers_->searched_by(arm);
  return Lucene::newLucene<ObservedSearcher>(searched.readers.front(), searched.target);
}

bool ObservedIndex::reopen() { return readers_->reopen(); }

void ObservedIndex::reopen(const Lucene::IndexReaderPtr& reader) { readers_->reopen({reader}); }

Lucene::IndexReaderPtr ObservedIndex::reader() const { return readers_->readers().front(); }

std::shared_ptr<const ResolvedQrels> ObservedIndex::resolved() const {
  return readers_->resolved();
}

}  // namespace prescope::lucenepp
