#include "observed_readers.h"

#include <mutex>
#include <utility>

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
    Lucene::TopScoreDocCollector::create(1, true)->topDocs();  // the empty answer
  });
}

}  // namespace

ObservedReaders::ObservedReaders(Readers readers, Experiment& experiment,
                                 const ObservedIndexOptions& options)
    : experiment_(experiment), resolver_(options.docno_field), readers_(std::move(readers)) {
  make_engine_statics();  // before threads search
  resolved_ = in_engine("resolving the judged documents", [&] {
    return resolver_.resolve(readers_, experiment.judged(), experiment.next_generation());
  });
}

ObservedReaders::Searched ObservedReaders::searched_by(std::string_view arm) {
  const ArmIndex index = experiment_.arm(arm);
  const std::lock_guard lock(mutex_);
  // Arms may have been added since.
  if (served_.size() <= index.value()) served_.resize(index.value() + 1);
  if (!served_[index.value()]) {
    if (resolved_ != nullptr) experiment_.set_resolved(index, resolved_);
    served_[index.value()] = true;
  }
  return {readers_, {&experiment_, index, resolved_}};
}

bool ObservedReaders::reopen() {
  const std::lock_guard lock(mutex_);
  Readers next;
  for (const Lucene::IndexReaderPtr& reader : readers_) next.push_back(reader->reopen());
  if (next == readers_ && resolved_ != nullptr) return rejudge();
  serve(std::move(next));
  return true;
}

void ObservedReaders::reopen(Readers readers) {
  const std::lock_guard lock(mutex_);
  serve(std::move(readers));
}

/// The host's search goes on with the new readers, also if they cannot be observed.
void ObservedReaders::serve(Readers next) {
  readers_ = std::move(next);
  resolved_ = resolve(experiment_.next_generation());
  tell_served();
}

/// The old table remains valid if a newer one cannot be made.
bool ObservedReaders::rejudge() {
  if (resolved_->judged().version() == experiment_.judged().version()) return false;
  auto rejudged = resolve(resolved_->generation());
  if (rejudged == nullptr) return false;
  resolved_ = std::move(rejudged);
  tell_served();
  return true;
}

std::shared_ptr<const ResolvedQrels> ObservedReaders::resolve(std::uint64_t generation) noexcept {
  try {
    return resolver_.resolve(readers_, experiment_.judged(), generation);
  } catch (...) {
    experiment_.count_adapter_failure();
    return nullptr;
  }
}

void ObservedReaders::tell_served() noexcept {
  if (resolved_ == nullptr) return;
  try {
    for (std::uint32_t arm = 0; arm < served_.size(); ++arm) {
      if (served_[arm]) experiment_.set_resolved(ArmIndex{arm}, resolved_);
    }
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
