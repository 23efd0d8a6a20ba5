#include "observed_readers.h"

#include <utility>

#include "engine_statics.h"
#include "text.h"

namespace prescope::lucenepp {

ObservedReaders::ObservedReaders(Readers readers, Experiment& experiment,
                                 const ObservedIndexOptions& options)
    : experiment_(experiment),
      resolver_(experiment.judged(), experiment.qrels().topics().size(), options.docno_field),
      served_(experiment.arms().size()),
      readers_(std::move(readers)) {
  make_engine_statics();  // before threads search
  resolved_ = in_engine("resolving the judged documents",
                        [&] { return resolver_.resolve(readers_, experiment.next_generation()); });
}

ObservedReaders::Searched ObservedReaders::searched_by(std::string_view arm) {
  const ArmIndex index = experiment_.arm(arm);
  const std::lock_guard lock(mutex_);
  if (!served_[index.value()]) {
    tell(index);
    served_[index.value()] = true;
  }
  return {readers_, {&experiment_, index, resolved_}};
}

bool ObservedReaders::reopen() {
  const std::lock_guard lock(mutex_);
  Readers next;
  for (const Lucene::IndexReaderPtr& reader : readers_) next.push_back(reader->reopen());
  if (next == readers_ && resolved_ != nullptr) return false;
  serve(std::move(next));
  return true;
}

void ObservedReaders::reopen(Readers readers) {
  const std::lock_guard lock(mutex_);
  serve(std::move(readers));
}

/// The host's search goes on with the new readers, whether they can be observed or not.
void ObservedReaders::serve(Readers next) {
  readers_ = std::move(next);
  resolved_ = nullptr;
  try {
    resolved_ = resolver_.resolve(readers_, experiment_.next_generation());
    for (std::uint32_t arm = 0; arm < served_.size(); ++arm) {
      if (served_[arm]) tell(ArmIndex{arm});
    }
  } catch (...) {
    experiment_.count_adapter_failure();
  }
}

void ObservedReaders::tell(ArmIndex arm) {
  if (resolved_ != nullptr) experiment_.set_resolved(arm, resolved_);
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
