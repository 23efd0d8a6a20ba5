#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "collected_ranking.h"
#include "judged_resolver.h"
#include "prescope/error.h"
#include "prescope/lucenepp/observed_index.h"
#include "prescope/lucenepp/observed_shards.h"
#include "text.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/FieldCache.h>
#include <lucene++/ParallelMultiSearcher.h>
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

/// The readers of the current generation and the table of their docids. The documents of each
/// reader follow those of the one before. Thread-safe.
class ObservedReaders {
 public:
  using Readers = std::vector<Lucene::IndexReaderPtr>;
  /// The readers and the table that one searcher keeps.
  struct Searched {
    Readers readers;
    RankingTarget target;
  };

  /// Throws Error(kEngine) if resolving fails. The experiment must outlive this object.
  ObservedReaders(Readers readers, Experiment& experiment, const ObservedIndexOptions& options);

  /// The current generation for one more searcher. Throws Error(kUsage) with the nearest arm.
  [[nodiscard]] Searched searched_by(std::string_view arm);
  /// Returns false if neither the readers nor the judgements have changed. Exceptions of Lucene++
  /// pass through and change nothing. Other calls than this wait for none of its work.
  bool reopen();
  /// A failure to resolve is counted, not thrown; the readers are then served without a table.
  void reopen(Readers readers);

  [[nodiscard]] Readers readers() const;
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const;

 private:
  void serve(Readers next);
  bool rejudge();
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolve(const Readers& readers) noexcept;
  void publish(Readers next, std::shared_ptr<const ResolvedQrels> resolved);
  void tell_experiment(ArmIndex arm) noexcept;

  Experiment& experiment_;

  std::mutex reopening_mutex_;  // over these, and to write readers_ and resolved_
  JudgedResolver resolver_;
  std::uint64_t generation_;  // of readers_

  std::mutex telling_mutex_;  // so that the experiment is told the newest table last

  mutable std::mutex mutex_;  // over everything below; held for copies and swaps only
  // True for each arm that was searched here; it resolves to these readers.
  std::vector<bool> served_;
  Readers readers_;
  std::shared_ptr<const ResolvedQrels> resolved_;
};

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

// One index.

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

// Several indexes, searched as one.

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
