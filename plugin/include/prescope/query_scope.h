#pragma once

#include "prescope/ranking.h"
#include "prescope/types.h"

namespace prescope {

class Experiment;

/// Says, on the thread that searches, which topic the query is for: everything observed on this
/// thread until the scope ends belongs to it. Scopes nest; the inner one counts. The experiment
/// must outlive the scope.
///
/// The first ranking's latency begins with the scope, so that it includes query rewriting; later
/// rankings are timed from their own search call. A scope that ends without a ranking is counted
/// (`Health::queries_without_ranking`). Costs less than 100 ns; never allocates, locks or throws.
class QueryScope {
 public:
  /// A topic that the qrels do not know makes the query unjudged: only its latency is kept.
  QueryScope(Experiment& experiment, const TopicId& topic) noexcept
      : QueryScope(experiment, std::string_view(topic.text())) {}
  QueryScope(Experiment& experiment, std::string_view topic) noexcept;
  /// Takes a topic found by a TopicMatcher, or kUnjudgedTopic.
  QueryScope(Experiment& experiment, TopicIndex topic) noexcept;
  /// Counts the query for `arm` instead of the searcher's own. An unknown arm is counted
  /// (`Health::unknown_arm`), and the searcher's own is used.
  QueryScope(Experiment& experiment, const TopicId& topic, const ArmId& arm) noexcept;
  ~QueryScope();
  QueryScope(const QueryScope&) = delete;
  QueryScope& operator=(const QueryScope&) = delete;

  /// Returns the innermost scope of this thread, or null.
  [[nodiscard]] static QueryScope* current() noexcept;

  [[nodiscard]] Experiment& experiment() const noexcept { return *experiment_; }
  [[nodiscard]] TopicIndex topic() const noexcept { return topic_; }
  [[nodiscard]] std::optional<ArmIndex> arm() const noexcept { return arm_; }

 private:
  friend class RankingObserver;
  friend class ShadowPool;
  friend class Experiment;

  QueryScope(Experiment& experiment, TopicIndex topic, std::optional<ArmIndex> arm,
             RankingFlags flags) noexcept;

  /// Returns the innermost scope of this thread if it is one of the experiment, else null.
  [[nodiscard]] static QueryScope* current_of(const Experiment& experiment) noexcept;
  /// Records an answer of any kind; returns true for the first one under this scope.
  bool take_answer() noexcept { return !std::exchange(observed_, true); }
  /// Returns whether its rankings are recorded, which is decided once for all of them.
  [[nodiscard]] bool is_sampled() noexcept;

  Experiment* experiment_;
  QueryScope* outer_;
  TopicIndex topic_;
  std::optional<ArmIndex> arm_;
  RankingFlags flags_;  // of every ranking observed under it
  std::chrono::steady_clock::time_point started_;
  bool observed_ = false;
  std::optional<bool> sampled_;  // once it is decided
};

}  // namespace prescope
