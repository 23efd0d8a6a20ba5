#include "conformance/faults/faulty_adapter.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace prescope::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBuffer = 128;  // hits that Fault::kOnlyFirstHits shows

}  // namespace

FaultySearcher::FaultySearcher(const MemoryAdapter& adapter, MemoryTarget target, ArmIndex arm)
    : adapter_(adapter),
      target_(std::move(target)),
      arm_(arm),
      view_(std::make_shared<MemoryView>(MemoryView{target_.index})) {}

std::vector<MemoryHit> FaultySearcher::answer(const Request& request) {
  try {
    return adapter_.engine.search(*view_->index, request);
  } catch (...) {
    if (!has(Fault::kFailureUnobserved)) {
      adapter_.experiment.observe_failure(arm_, Experiment::SearchFailure::kFailed);
    }
    if (!has(Fault::kSwallowsFailures)) throw;
    return {};
  }
}

std::vector<MemoryHit> FaultySearcher::search(const Request& request) {
  Times times{.started = Clock::now(), .ended = {}};
  std::vector<MemoryHit> hits = answer(request);
  times.ended = Clock::now();
  if (has(Fault::kClockAfterTheSearch)) times.started = times.ended;
  if (view_->index != target_.index && !has(Fault::kChangeUnnoticed)) catch_up();

  allocate_or_lock(hits);
  std::this_thread::sleep_for(adapter_.engine.reading_delay);
  const Ranking ranking = facts(request, hits.size(), times);
  const std::span<const MemoryHit> seen(hits);
  show(ranking, has(Fault::kOnlyFirstHits) ? seen.first(std::min(seen.size(), kBuffer)) : seen);
  if (has(Fault::kObservesTwice)) show(ranking, hits);
  if (has(Fault::kChangesTheRanking) && hits.size() > 1) std::swap(hits[0], hits[1]);
  return hits;
}

/// Follows the engine to a state that has no table.
void FaultySearcher::catch_up() {
  target_ = {.index = view_->index,
             .resolved = nullptr,
             .generation = adapter_.experiment.next_generation(),
             .collection_size = view_->index->docs.size()};
}

void FaultySearcher::allocate_or_lock(const std::vector<MemoryHit>& hits) const {
  if (has(Fault::kAllocates)) {
    std::vector<MemoryHit> copy(hits);
    copy.emplace_back();  // The copy is used, so that no compiler removes it.
    if (copy.size() <= hits.size()) throw std::logic_error("a copy that is too short");
  }
  if (has(Fault::kLocks)) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
  }
}

Ranking FaultySearcher::facts(const Request& request, std::size_t served, Times times) const {
  Ranking ranking{.arm = has(Fault::kWrongArm) ? ArmIndex{0} : arm_,
                  .kind = adapter_.kind,
                  .resolved = target_.resolved.get(),
                  .generation = target_.generation,
                  .collection_size = target_.collection_size,
                  .first_rank = has(Fault::kWrongFirstRank) ? 1 : request.first_rank,
                  .requested_depth = request.depth,
                  .search_started = times.started,
                  .search_ended = times.ended};
  if (has(Fault::kServedCountAsDepth)) ranking.requested_depth = static_cast<std::uint32_t>(served);
  if (has(Fault::kEndForgotten)) ranking.search_ended.reset();
  if (request.order == Request::Order::kDocno && !has(Fault::kSortedUnflagged)) {
    ranking.flags = RankingFlags::kSorted;
  }
  return ranking;
}

void FaultySearcher::show(const Ranking& facts, std::span<const MemoryHit> hits) const {
  RankingObserver observer(adapter_.experiment, facts);
  if (!observer.wants_hits()) return;
  try {
    if (adapter_.kind == HitKind::kDocids) {
      add_docids(observer, hits);
    } else {
      add_docnos(observer, hits);
    }
  } catch (...) {
    if (!has(Fault::kAbandonForgotten)) observer.abandon();
  }
}

void FaultySearcher::add_docids(RankingObserver& observer, std::span<const MemoryHit> hits) const {
  for (const MemoryHit& hit : hits) {
    static_cast<void>(adapter_.engine.read(*view_->index, hit.docid));
    const DocId docid{hit.docid};
    observer.add(std::span<const DocId>(&docid, 1));
  }
}

void FaultySearcher::add_docnos(RankingObserver& observer, std::span<const MemoryHit> hits) const {
  for (const MemoryHit& hit : hits) {
    const std::string_view docno = adapter_.engine.read(*view_->index, hit.docid);
    observer.add(std::span<const std::string_view>(&docno, 1));
  }
}

FaultyIndex::FaultyIndex(const MemoryEngine& engine, Experiment& experiment, HitKind kind,
                         Fault fault)
    : adapter_{engine, experiment, kind, fault} {
  target_.index = engine.newest;
  target_.generation = experiment.next_generation();
  target_.collection_size = size_of(*target_.index);
  target_.resolved = resolve(target_);
}

std::uint64_t FaultyIndex::size_of(const MemoryIndex& index) const {
  return index.docs.size() + (has(Fault::kCountsRemovedDocuments) ? index.removed : 0);
}

std::shared_ptr<const ResolvedQrels> FaultyIndex::resolve(const MemoryTarget& target) const {
  if (adapter_.kind == HitKind::kDocnos) return nullptr;
  const JudgedDocnos& judged = adapter_.experiment.judged();
  std::vector<Resolution> found;
  std::set<std::uint32_t> keys;
  DocnoBuffer buffer;
  for (std::uint32_t docid = 0; docid < target.index->docs.size(); ++docid) {
    const std::string& docno = target.index->docs[docid].docno;
    if (docno.empty()) throw std::runtime_error("a document without docno");
    const auto key =
        judged.find(has(Fault::kComparesDocnosForKeys) ? std::string_view(docno)
                                                       : judged.docnos().key(docno, buffer));
    if (key == JudgedDocnos::kNotJudged) continue;
    if (!keys.insert(key).second && has(Fault::kOneDocumentForEachKey)) continue;
    found.push_back({key, DocId{docid}});
  }
  return std::make_shared<const ResolvedQrels>(judged, std::move(found), target.generation,
                                               target.collection_size);
}

bool FaultyIndex::reopen() {
  const std::lock_guard lock(mutex_);
  Experiment& experiment = adapter_.experiment;
  MemoryTarget next = target_;
  next.index = adapter_.engine.newest;
  const bool is_new = next.index != target_.index;
  const bool is_judged_anew = !has(Fault::kIgnoresNewJudgements) && target_.resolved != nullptr &&
                              target_.resolved->judged().version() != experiment.judged().version();
  if (!is_new && !is_judged_anew) return false;
  if (is_new && !has(Fault::kKeepsItsGeneration)) next.generation = experiment.next_generation();
  if (!has(Fault::kStaleCollectionSize)) next.collection_size = size_of(*next.index);
  try {
    if (!has(Fault::kKeepsItsTable)) next.resolved = resolve(next);
  } catch (...) {
    if (has(Fault::kThrowsAtReopening)) throw;
    if (!has(Fault::kKeepsATableThatFailed)) next.resolved = nullptr;
    experiment.count_adapter_failure();
  }
  target_ = std::move(next);
  return true;
}

std::shared_ptr<const ResolvedQrels> FaultyIndex::resolved() const {
  const std::lock_guard lock(mutex_);
  return target_.resolved;
}

FaultySearcher FaultyIndex::searcher(std::string_view arm) const {
  const ArmIndex index = adapter_.experiment.arm(arm);
  const std::lock_guard lock(mutex_);
  if (target_.resolved != nullptr) adapter_.experiment.set_resolved(index, target_.resolved);
  return {adapter_, target_, index};
}

}  // namespace prescope::conformance
