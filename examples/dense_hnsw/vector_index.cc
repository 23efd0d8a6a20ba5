#include "vector_index.h"

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "prescope/ranking_observer.h"

namespace dense {

namespace {

constexpr std::size_t kDimensions = 256;
/// The neighbours of a document in the graph, and the documents that a search looks at. Larger
/// numbers make a search slower and more exact.
constexpr std::size_t kNeighbours = 16, kLookedAt = 200;

bool is_better(const Hit& a, const Hit& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : a.docid < b.docid;
}

}  // namespace

std::vector<float> vector_of(std::string_view text) {
  std::vector<float> vector(kDimensions, 0.0F);
  std::size_t begin = 0;
  while ((begin = text.find_first_not_of(' ', begin)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (const char c : text.substr(begin, end - begin)) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    vector[hash % kDimensions] += 1.0F;
    begin = end;
  }
  return vector;
}

struct Index::Graph {
  explicit Graph(std::size_t documents)
      : nodes(&space, std::max<std::size_t>(documents, 1), kNeighbours, kLookedAt) {}
  hnswlib::InnerProductSpace space{kDimensions};
  hnswlib::HierarchicalNSW<float> nodes;
};

Index::Index(std::vector<Document> documents)
    : documents_(std::move(documents)), graph_(std::make_unique<Graph>(documents_.size())) {
  for (std::uint32_t docid = 0; docid < size(); ++docid) {
    vectors_.push_back(vector_of(documents_[docid].text));
    graph_->nodes.addPoint(vectors_.back().data(), docid);
  }
  graph_->nodes.setEf(kLookedAt);
}

Index::~Index() = default;

std::vector<Hit> Index::nearest(const std::vector<float>& query, std::size_t count) const {
  std::vector<Hit> hits;
  auto found = graph_->nodes.searchKnn(query.data(), std::min<std::size_t>(count, size()));
  for (; !found.empty(); found.pop()) {
    const auto& [distance, docid] = found.top();  // the distance is 1 - similarity
    hits.push_back({static_cast<std::uint32_t>(docid), 1.0F - distance});
  }
  return hits;
}

std::vector<Hit> Index::compared(const std::vector<float>& query) const {
  std::vector<Hit> hits;
  for (std::uint32_t docid = 0; docid < size(); ++docid) {
    const auto& vector = vectors_[docid];
    hits.push_back({docid, std::inner_product(query.begin(), query.end(), vector.begin(), 0.0F)});
  }
  return hits;
}

std::vector<Hit> Index::search(const Query& query) const {
  if (query.depth == 0 || query.first_rank == 0) {
    throw std::invalid_argument("depth and first rank begin with 1");
  }
  if (size() == 0) return {};
  const std::vector<float> vector = vector_of(query.text);
  const std::size_t before = query.first_rank - 1, wanted = before + query.depth;
  std::vector<Hit> hits =
      query.how == Query::How::kExact ? compared(vector) : nearest(vector, wanted);
  std::ranges::sort(hits, is_better);
  hits.resize(std::min(hits.size(), wanted));
  hits.erase(hits.begin(),
             hits.begin() + static_cast<std::ptrdiff_t>(std::min(before, hits.size())));
  return hits;
}

std::vector<Hit> ObservedSearcher::answer(const Query& query) const {
  try {
    return index_->search(query);
  } catch (...) {
    experiment_->observe_failure(arm_, prescope::Experiment::SearchFailure::kFailed);
    throw;  // it is for the host
  }
}

std::vector<Hit> ObservedSearcher::search(const Query& query) const {
  const auto started = std::chrono::steady_clock::now();
  std::vector<Hit> hits = answer(query);
  prescope::RankingObserver observer(*experiment_, {.arm = arm_,
                                                    .kind = prescope::HitKind::kDocnos,
                                                    .generation = generation_,
                                                    .collection_size = index_->size(),
                                                    .first_rank = query.first_rank,
                                                    .requested_depth = query.depth,
                                                    .search_started = started});
  observer.add_each(hits, [this](const Hit& hit) -> std::string_view {
    return index_->document(hit.docid).docno;
  });
  return hits;
}

ObservedIndex::ObservedIndex(std::shared_ptr<const Index> index, prescope::Experiment& experiment)
    : experiment_(experiment),
      index_(std::move(index)),
      generation_(experiment.next_generation()) {}

bool ObservedIndex::reopen(std::shared_ptr<const Index> index) {
  const std::lock_guard lock(mutex_);
  if (index == index_) return false;
  index_ = std::move(index);
  generation_ = experiment_.next_generation(generation_);
  return true;
}

ObservedSearcher ObservedIndex::searcher(std::string_view arm) const {
  const prescope::ArmIndex of = experiment_.arm(arm);
  const std::lock_guard lock(mutex_);
  return {index_, generation_, experiment_, of};
}

}  // namespace dense
