#pragma once

#include "prescope/ranking.h"
#include "prescope/visit.h"

namespace prescope {

class Experiment;

/// Says, on the thread that searches, which visit the query is for: everything observed on this
/// thread until the scope ends belongs to it. Scopes nest; the inner one counts. The experiment
/// must outlive the scope.
///
/// A scope is for hosts that answer a request on one thread, or for the call of an engine within a
/// request. It must end on its thread, before the scopes that were opened earlier. One that does
/// not is counted (`Health::misplaced_scopes`); it and the scopes around it never match a later
/// request.
///
/// The first ranking's latency begins with the visit, so that it includes query rewriting; later
/// rankings are timed from their own search call. A scope that ends without a ranking is counted
/// (`Health::queries_without_ranking`). Costs less than 200 ns; never allocates, locks or throws.
class QueryScope {
 public:
  /// Begins a visit, as `Experiment::visit` does. A topic that the qrels do not know makes the
  /// query unjudged: only its latency is kept.
  QueryScope(Experiment& experiment, const TopicId& topic,
             const VisitOptions& options = {}) noexcept;
  /// Takes a topic found by a TopicMatcher, or kUnjudgedTopic.
  QueryScope(Experiment& experiment, TopicIndex topic, const VisitOptions& options = {}) noexcept;
  /// Continues a visit of the experiment.
  QueryScope(Experiment& experiment, const Visit& visit) noexcept;
  ~QueryScope();
  QueryScope(const QueryScope&) = delete;
  QueryScope& operator=(const QueryScope&) = delete;

  /// Returns the innermost scope of this thread, or null.
  [[nodiscard]] static QueryScope* current() noexcept;

  [[nodiscard]] Experiment& experiment() const noexcept { return *experiment_; }
  [[nodiscard]] const Visit& visit() const noexcept { return visit_; }

 private:
  friend class RankingObserver;
  friend class ShadowPool;
  friend class Experiment;

  /// A search for comparison; `arms` as in Observation.
  QueryScope(Experiment& experiment, const Visit& visit, std::uint32_t arms) noexcept;

  /// Returns the innermost scope of this thread if it is one of the experiment, else null.
  [[nodiscard]] static QueryScope* current_of(const Experiment& experiment) noexcept;
  /// Records an answer of any kind; returns true for the first one under this scope.
  bool take_answer() noexcept { return !std::exchange(observed_, true); }
  /// Returns whether its rankings are recorded, which is decided once for all of them.
  [[nodiscard]] bool is_sampled() noexcept;

  Experiment* experiment_;
  QueryScope* outer_;
  Visit visit_;
  std::uint32_t compared_arms_ = 0;  // above 0: a search for comparison
  bool observed_ = false;
  std::optional<bool> sampled_;  // once it is decided
};

}  // namespace prescope
