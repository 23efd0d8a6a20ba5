// A toy search engine and its adapter, to copy from. docs/adapters.md goes through it in order.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prescope/experiment.h"

namespace own_engine {

// ---- The engine, which knows nothing of prescope.

struct Document {
  std::string docno, text;
};
struct Hit {
  std::uint32_t docid;
  double score;
};
struct Query {
  enum class Order { kScore, kDocno };
  std::set<std::string> words;
  std::uint32_t depth = 10, first_rank = 1;  ///< above 1 for a later page
  Order order = Order::kScore;
  std::set<std::uint32_t> exclude{};  ///< docids that must not be served
};

/// One state of the index; it never changes. A docid is a document's position in it.
class Index {
 public:
  explicit Index(std::vector<Document> documents) : documents_(std::move(documents)) {}
  /// Documents with any of the words, those with more of them first, repeats counted. Throws
  /// std::invalid_argument for a depth of 0.
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  [[nodiscard]] const Document& document(std::uint32_t docid) const { return documents_.at(docid); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(documents_.size()); }

 private:
  std::vector<Document> documents_;
};

// ---- The adapter.

/// One state of the index with its resolved table, and the experiment that its rankings are shown
/// to. The table is null if resolving failed.
struct Target {
  std::shared_ptr<const Index> index;
  std::shared_ptr<const prescope::ResolvedQrels> resolved;
  prescope::Experiment* experiment;
};

/// Searches as Index does, and shows each ranking to an experiment. It goes on with its own state
/// of the index, whatever is reopened later. Thread-safe.
class ObservedSearcher {
 public:
  ObservedSearcher(Target target, prescope::ArmIndex arm) : target_(std::move(target)), arm_(arm) {}
  [[nodiscard]] std::vector<Hit> search(const Query& query) const;
  [[nodiscard]] const Target& target() const { return target_; }

 private:
  [[nodiscard]] std::vector<Hit> answer(const Query& query) const;

  Target target_;
  prescope::ArmIndex arm_;
};

/// The factory of observed searchers. Thread-safe; the experiment must outlive it and them.
class ObservedIndex {
 public:
  /// Throws prescope::Error(kEngine) if a document has no docno.
  ObservedIndex(std::shared_ptr<const Index> index, prescope::Experiment& experiment);
  /// Used by searchers made from now on; returns false if neither the index nor the judgements have
  /// changed. If resolving fails, which is counted, they serve unobserved, or with the table that
  /// the same index had.
  bool reopen(std::shared_ptr<const Index> index);
  /// Throws prescope::Error(kUsage) for an unknown arm.
  [[nodiscard]] ObservedSearcher searcher(std::string_view arm) const;

 private:
  /// Returns the present target. Waits for no reopening.
  [[nodiscard]] Target target() const {
    const std::lock_guard lock(mutex_);
    return target_;
  }

  prescope::Experiment& experiment_;
  std::mutex reopening_;  // one at a time
  std::uint64_t generation_;
  mutable std::mutex mutex_;  // over target_
  Target target_;
};

}  // namespace own_engine
