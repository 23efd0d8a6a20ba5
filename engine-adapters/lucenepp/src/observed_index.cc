#include "prescope/lucenepp/observed_index.h"

#include <mutex>
#include <utility>
#include <vector>

#include "judged_resolver.h"
#include "text.h"

namespace prescope::lucenepp {

struct ObservedIndex::State {
  State(Experiment& watching, const ObservedIndexOptions& options)
      : experiment(watching),
        resolver(watching.judged(), watching.qrels().topics().size(), options.docno_field),
        served(watching.arms().size()) {}

  void serve(const Lucene::IndexReaderPtr& next);
  void tell(ArmIndex arm);

  Experiment& experiment;
  mutable std::mutex mutex;  // over everything below
  JudgedResolver resolver;
  std::vector<bool> served;  // by arm: searched here, so this index is what it resolves to
  Lucene::IndexReaderPtr reader;
  std::shared_ptr<const ResolvedQrels> resolved;
};

/// The host's search goes on with the new reader, whether it can be observed or not.
void ObservedIndex::State::serve(const Lucene::IndexReaderPtr& next) {
  reader = next;
  resolved = nullptr;
  try {
    resolved = resolver.resolve(next, experiment.next_generation());
    for (std::uint32_t arm = 0; arm < served.size(); ++arm) {
      if (served[arm]) tell(ArmIndex{arm});
    }
  } catch (...) {
    experiment.count_adapter_failure();
  }
}

void ObservedIndex::State::tell(ArmIndex arm) {
  if (resolved != nullptr) experiment.set_resolved(arm, resolved);
}

ObservedIndex::ObservedIndex(const Lucene::IndexReaderPtr& reader, Experiment& experiment,
                             const ObservedIndexOptions& options)
    : state_(std::make_unique<State>(experiment, options)) {
  state_->reader = reader;
  state_->resolved = in_engine("resolving the judged documents", [&] {
    return state_->resolver.resolve(reader, experiment.next_generation());
  });
}

ObservedIndex::~ObservedIndex() = default;

ObservedSearcherPtr ObservedIndex::searcher(std::string_view arm) const {
  const ArmIndex index = state_->experiment.arm(arm);
  const std::lock_guard lock(state_->mutex);
  if (!state_->served[index.value()]) {
    state_->tell(index);
    state_->served[index.value()] = true;
  }
  return Lucene::newLucene<ObservedSearcher>(
      state_->reader, ObservedSearcher::Target{&state_->experiment, index, state_->resolved});
}

bool ObservedIndex::reopen() {
  const std::lock_guard lock(state_->mutex);
  const Lucene::IndexReaderPtr next = state_->reader->reopen();
  if (next == state_->reader && state_->resolved != nullptr) return false;
  state_->serve(next);
  return true;
}

void ObservedIndex::reopen(const Lucene::IndexReaderPtr& reader) {
  const std::lock_guard lock(state_->mutex);
  state_->serve(reader);
}

Lucene::IndexReaderPtr ObservedIndex::reader() const {
  const std::lock_guard lock(state_->mutex);
  return state_->reader;
}

std::shared_ptr<const ResolvedQrels> ObservedIndex::resolved() const {
  const std::lock_guard lock(state_->mutex);
  return state_->resolved;
}

}  // namespace prescope::lucenepp
