#include "collected_ranking.h"

#include <algorithm>
#include <typeindex>
#include <vector>

#include "ranking_flags.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/FieldValueHitQueue.h>
#include <lucene++/HitQueueBase.h>
#include <lucene++/SortField.h>
#include <lucene++/TopFieldCollector.h>

namespace prescope::lucenepp {
namespace {

// Derived classes of which no object is made: they name protected members.

struct OpenCollector : Lucene::TopDocsCollector {
  static Lucene::HitQueueBase& queue(Lucene::TopDocsCollector& collector) {
    return *(collector.*&OpenCollector::pq);
  }
};

struct OpenQueue : Lucene::HitQueueBase {
  static std::int32_t room(Lucene::HitQueueBase& queue) { return queue.*&OpenQueue::queueSize; }
  static Lucene::PriorityQueueScoreDocs& heap(Lucene::HitQueueBase& queue) {
    return *(queue.*&OpenQueue::queue);
  }
  static bool is_worse(Lucene::HitQueueBase& queue, const Lucene::ScoreDocPtr& a,
                       const Lucene::ScoreDocPtr& b) {
    return (queue.*&OpenQueue::lessThan)(a, b);
  }
};

struct OpenHeap : Lucene::PriorityQueueScoreDocs {
  /// The first hit is at 1.
  static const heap_type& entries(Lucene::PriorityQueueScoreDocs& heap) {
    return heap.*&OpenHeap::heap;
  }
};

std::type_index type_of(const Lucene::TopDocsCollector& collector) { return typeid(collector); }

/// Every class that Lucene++ makes a ranking with; none of them is in its headers.
std::vector<std::type_index> collectors_of_engine() {
  auto fields = Lucene::Collection<Lucene::SortFieldPtr>::newInstance();
  std::vector<std::type_index> types;
  for (const bool in_order : {false, true}) {
    types.push_back(type_of(*Lucene::TopScoreDocCollector::create(1, in_order)));
  }
  for (const auto& field : {Lucene::SortField::FIELD_SCORE(), Lucene::SortField::FIELD_DOC()}) {
    fields.add(field);
    const auto sort = Lucene::newLucene<Lucene::Sort>(fields);
    for (const bool in_order : {false, true}) {
      for (const bool scores : {false, true}) {
        for (const bool best_score : {false, true}) {
          types.push_back(type_of(
              *Lucene::TopFieldCollector::create(sort, 1, false, scores, best_score, in_order)));
        }
      }
    }
  }
  return types;
}

}  // namespace

std::optional<CollectedRanking> CollectedRanking::in(
    const Lucene::CollectorPtr& collector) noexcept {
  auto* const ranking = dynamic_cast<Lucene::TopDocsCollector*>(collector.get());
  if (ranking == nullptr) return std::nullopt;
  try {
    static const std::vector<std::type_index> known = collectors_of_engine();
    const bool is_known = std::find(known.begin(), known.end(), type_of(*ranking)) != known.end();
    if (is_known && ranking->getTotalHits() == 0) return CollectedRanking(*ranking);
  } catch (...) {
  }
  return std::nullopt;
}

RankingFlags CollectedRanking::order() const {
  auto* const sorted =
      dynamic_cast<Lucene::FieldValueHitQueue*>(&OpenCollector::queue(*collector_));
  return sorted == nullptr ? RankingFlags::kNone : order_of(sorted->getFields());
}

std::uint32_t CollectedRanking::requested_depth() const {
  return static_cast<std::uint32_t>(OpenQueue::room(OpenCollector::queue(*collector_)));
}

std::uint64_t CollectedRanking::total_hits() const {
  return static_cast<std::uint64_t>(collector_->getTotalHits());
}

std::span<const DocId> CollectedRanking::docids() const {
  Lucene::HitQueueBase& queue = OpenCollector::queue(*collector_);
  const auto& entries = OpenHeap::entries(OpenQueue::heap(queue));
  static thread_local std::vector<const Lucene::ScoreDocPtr*> hits;
  hits.clear();
  for (std::int32_t i = 1; i <= queue.size(); ++i) {
    hits.push_back(&entries[static_cast<std::size_t>(i)]);
  }
  const auto is_better = [&](const Lucene::ScoreDocPtr* a, const Lucene::ScoreDocPtr* b) {
    return OpenQueue::is_worse(queue, *b, *a);
  };
  // A score that is not a number has no order: that makes std::sort leave the range, but not these.
  std::make_heap(hits.begin(), hits.end(), is_better);
  std::sort_heap(hits.begin(), hits.end(), is_better);
  // A queue that is not full ends with placeholders.
  static thread_local std::vector<DocId> docids;
  docids.clear();
  for (std::size_t i = 0; i < hits.size() && i < total_hits(); ++i) {
    docids.emplace_back(static_cast<std::uint32_t>((*hits[i])->doc));
  }
  return docids;
}

}  // namespace prescope::lucenepp
