// Dense retrieval: documents as vectors, searched for nearest neighbours with hnswlib, and its
// adapter for prescope.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/experiment.h"

namespace dense {

// ---- The engine, which knows nothing of prescope.

struct Document {
  std::string docno, text;
};
struct Hit {
  std::uint32_t docid;
  float similarity;  ///< inner product with the query's vector
};
struct Query {
  std::string text{};
  std::uint32_t depth = 10, first_rank = 1;
  /// kExact compares the query with each document: the reference that shows what kGraph misses.
  enum class How { kGraph, kExact } how = How::kGraph;
};

/// Returns the vector of a text. It stands for a model: each word adds to one of 256 numbers.
[[nodiscard]] std::vector<float> vector_of(std::string_view text);

/// One state of the index; it never changes. A docid is a document's position in it. Thread-safe.
class Index {
 public:
  explicit Index(std::vector<Document> documents);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  /// Returns the documents that are most similar, equal ones by docid; every document is similar in
  /// some degree. Throws std::invalid_argument for a depth or rank of 0.
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  [[nodiscard]] const Document& document(std::uint32_t docid) const { return documents_.at(docid); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(documents_.size()); }

 private:
  struct Graph;
  [[nodiscard]] std::vector<Hit> nearest(const std::vector<float>& query, std::size_t count) const;
  [[nodiscard]] std::vector<Hit> compared(const std::vector<float>& query) const;

  std::vector<Document> documents_;
  std::vector<std::vector<float>> vectors_;
  std::unique_ptr<Graph> graph_;
};

// ---- The adapter. The engine has its docnos in memory, so that judgements need not be resolved.

/// Searches one state of the index, and shows each ranking to an experiment. Thread-safe.
class ObservedSearcher {
 public:
  ObservedSearcher(std::shared_ptr<const Index> index, std::uint64_t generation,
                   prescope::Experiment& experiment, prescope::ArmIndex arm)
      : index_(std::move(index)), generation_(generation), experiment_(&experiment), arm_(arm) {}
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  [[nodiscard]] const Index& index() const noexcept { return *index_; }

 private:
  [[nodiscard]] std::vector<Hit> answer(const Query& query) const;

  std::shared_ptr<const Index> index_;
  std::uint64_t generation_;
  prescope::Experiment* experiment_;
  prescope::ArmIndex arm_;
};

/// The factory of observed searchers. Thread-safe; the experiment must outlive it and them.
class ObservedIndex {
 public:
  ObservedIndex(std::shared_ptr<const Index> index, prescope::Experiment& experiment);
  /// Searchers made from now on use this state; returns false if it is the present one.
  bool reopen(std::shared_ptr<const Index> index);
  /// Throws prescope::Error(kUsage) for an unknown arm.
  [[nodiscard]] ObservedSearcher searcher(std::string_view arm) const;

 private:
  prescope::Experiment& experiment_;
  mutable std::mutex mutex_;  // over what follows
  std::shared_ptr<const Index> index_;
  std::uint64_t generation_;
};

}  // namespace dense
