#include "observed_readers.h"

#include <mutex>
#include <utility>

#include "collected_ranking.h"
#include "text.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/FieldCache.h>
#include <lucene++/Similarity.h>

namespace prescope::lucenepp {
namespace {

/// Creates the process-wide objects of Lucene++ that every search reads. 3.0.8 creates each at its
/// first use without a lock: two threads that begin to search at once could score with a table of
/// norms that one of them is still filling. Thread-safe; later calls do nothing.
void make_engine_statics() {
  static std::once_flag made;
  std::call_once(made, [] {
    Lucene::Similarity::getDefault();
    Lucene::Similarity::decodeNorm(0);
    Lucene::FieldCache::DEFAULT();
    const auto collector = Lucene::TopScoreDocCollector::create(1, true);
    static_cast<void>(CollectedRanking::in(collector));  // the known collectors
    collector->topDocs();                                // the empty answer
  });
}

}  // namespace

ObservedReaders::ObservedReaders(Readers readers, Experiment& experiment,
                                 const ObservedIndexOptions& options)
    : experiment_(experiment),
      resolver_(options.docno_field),
      generation_(experiment.next_generation()),
      readers_(std::move(readers)) {
  make_engine_statics();  // before threads search
  resolved_ = in_engine("resolving the judged documents", [&] {
    return resolver_.resolve(readers_, experiment.judged(), generation_);
  });
}

ObservedReaders::Searched ObservedReaders::searched_by(std::string_view arm) {
  const ArmIndex index = experiment_.arm(arm);
  std::unique_lock lock(mutex_);
  Searched searched{readers_, {&experiment_, index, resolved_}};
  // Arms may have been added since.
  if (served_.size() <= index.value()) served_.resize(index.value() + 1);
  const bool is_first = !served_[index.value()];
  served_[index.value()] = true;
  lock.unlock();
  if (is_first) tell_experiment(index);
  return searched;
}

bool ObservedReaders::reopen() {
  const std::lock_guard lock(reopening_mutex_);
  Readers next;
  for (const Lucene::IndexReaderPtr& reader : readers_) next.push_back(reader->reopen());
  if (next == readers_ && resolved_ != nullptr) return rejudge();
  serve(std::move(next));
  return true;
}

void ObservedReaders::reopen(Readers readers) {
  const std::lock_guard lock(reopening_mutex_);
  serve(std::move(readers));
}

/// The host's search goes on with the new readers, also if they cannot be observed.
void ObservedReaders::serve(Readers next) {
  generation_ = experiment_.next_generation(generation_);
  auto resolved = resolve(next);
  publish(std::move(next), std::move(resolved));
}

/// The old table remains valid if a newer one cannot be made.
bool ObservedReaders::rejudge() {
  if (resolved_->judged().version() == experiment_.judged().version()) return false;
  auto rejudged = resolve(readers_);
  if (rejudged == nullptr) return false;
  publish(readers_, std::move(rejudged));
  return true;
}

std::shared_ptr<const ResolvedQrels> ObservedReaders::resolve(const Readers& readers) noexcept {
  try {
    return resolver_.resolve(readers, experiment_.judged(), generation_);
  } catch (...) {
    experiment_.count_adapter_failure();
    return nullptr;
  }
}

/// Searchers are made of `next` from now on. What they were made of is released without the lock.
void ObservedReaders::publish(Readers next, std::shared_ptr<const ResolvedQrels> resolved) {
  std::unique_lock lock(mutex_);
  const std::vector<bool> served = served_;
  readers_.swap(next);
  resolved_.swap(resolved);
  lock.unlock();
  for (std::uint32_t arm = 0; arm < served.size(); ++arm) {
    if (served[arm]) tell_experiment(ArmIndex{arm});
  }
}

void ObservedReaders::tell_experiment(ArmIndex arm) noexcept {
  try {
    const std::lock_guard lock(telling_mutex_);
    if (auto newest = resolved()) experiment_.set_resolved(arm, std::move(newest));
  } catch (...) {
    experiment_.count_adapter_failure();
  }
}

ObservedReaders::Readers ObservedReaders::readers() const {
  const std::lock_guard lock(mutex_);
  return readers_;
}

std::shared_ptr<const ResolvedQrels> ObservedReaders::resolved() const {
  const std::lock_guard lock(mutex_);
  return resolved_;
}

}  // namespace prescope::lucenepp
