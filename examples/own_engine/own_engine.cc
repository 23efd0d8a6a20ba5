#include "own_engine.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "prescope/error.h"
#include "prescope/ranking_observer.h"

namespace own_engine {

using prescope::DocId;
using prescope::JudgedDocnos;
using prescope::RankingFlags;
using prescope::ResolvedQrels;

// ---- The engine.

std::vector<Hit> Index::search(const Query& query) const {
  if (query.depth == 0) throw std::invalid_argument("a search of depth 0");
  std::vector<Hit> hits;
  for (std::uint32_t docid = 0; docid < size(); ++docid) {
    if (query.exclude.contains(docid)) continue;
    std::istringstream text(documents_[docid].text);
    const auto count =
        std::count_if(std::istream_iterator<std::string>(text), {},
                      [&](const std::string& word) { return query.words.contains(word); });
    if (count > 0) hits.push_back({docid, static_cast<double>(count)});
  }
  std::stable_sort(hits.begin(), hits.end(), [&](const Hit& a, const Hit& b) {
    if (query.order == Query::Order::kScore) return a.score > b.score;
    return documents_[a.docid].docno < documents_[b.docid].docno;
  });
  const std::size_t first = std::min<std::size_t>(query.first_rank - 1, hits.size());
  hits.erase(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(first));
  hits.resize(std::min<std::size_t>(query.depth, hits.size()));
  return hits;
}

// ---- The adapter.

std::vector<Hit> ObservedSearcher::answer(const Query& query) const {
  try {
    return target_.index->search(query);
  } catch (...) {
    target_.experiment->observe_failure(arm_, prescope::Experiment::SearchFailure::kFailed);
    throw;  // it is for the host
  }
}

std::vector<Hit> ObservedSearcher::search(const Query& query) const {
  const auto started = std::chrono::steady_clock::now();
  std::vector<Hit> hits = answer(query);

  const bool by_score = query.order == Query::Order::kScore;
  prescope::RankingObserver observer(
      *target_.experiment, {.arm = arm_,
                            .resolved = target_.resolved.get(),
                            .first_rank = query.first_rank,
                            .requested_depth = query.depth,
                            .search_started = started,
                            .flags = by_score ? RankingFlags::kNone : RankingFlags::kSorted});
  observer.add_each(hits, [](const Hit& hit) { return DocId{hit.docid}; });
  return hits;
}

namespace {

std::shared_ptr<const ResolvedQrels> resolve(const Index& index,
                                             const prescope::Experiment& experiment,
                                             std::uint64_t generation) {
  const JudgedDocnos& judged = experiment.judged();
  std::vector<prescope::Resolution> found;
  prescope::DocnoBuffer buffer;
  for (std::uint32_t docid = 0; docid < index.size(); ++docid) {
    const std::string& docno = index.document(docid).docno;
    if (docno.empty()) {
      throw prescope::Error(
          prescope::ErrorCode::kEngine,
          "document " + std::to_string(docid) + " has no docno; index it again with one");
    }
    const auto key = judged.find(judged.docnos().key(docno, buffer));
    if (key != JudgedDocnos::kNotJudged) found.push_back({key, DocId{docid}});
  }
  return std::make_shared<const ResolvedQrels>(judged, std::move(found), generation, index.size());
}

}  // namespace

ObservedIndex::ObservedIndex(std::shared_ptr<const Index> index, prescope::Experiment& experiment)
    : experiment_(experiment),
      generation_(experiment.next_generation()),
      target_{index, resolve(*index, experiment, generation_), &experiment} {}

bool ObservedIndex::reopen(std::shared_ptr<const Index> index) {
  const std::lock_guard one_at_a_time(reopening_);
  const Target before = target();
  const bool is_same = index == before.index && before.resolved != nullptr;
  if (is_same && before.resolved->judged().version() == experiment_.judged().version()) {
    return false;
  }
  Target next{std::move(index), nullptr, &experiment_};
  try {
    if (!is_same) generation_ = experiment_.next_generation(generation_);
    next.resolved = resolve(*next.index, experiment_, generation_);
  } catch (...) {
    experiment_.count_adapter_failure();  // the host's search goes on
    if (is_same) return false;            // with the table that there is
  }
  const std::lock_guard lock(mutex_);
  target_ = std::move(next);
  return true;
}

ObservedSearcher ObservedIndex::searcher(std::string_view arm) const {
  const prescope::ArmIndex index = experiment_.arm(arm);
  const Target now = target();
  if (now.resolved != nullptr) experiment_.set_resolved(index, now.resolved);
  return {now, index};
}

}  // namespace own_engine
