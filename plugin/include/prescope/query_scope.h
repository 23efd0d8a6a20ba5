#pragma once

#include "prescope/ranking.h"
#include "prescope/visit.h"

// Private types. They are outside of the pragma, so the library does not export them.
namespace prescope {
class ComparedSearch;
class ShadowPool;
}  // namespace prescope

#pragma GCC visibility push(default)
namespace prescope {

class Experiment;

/// Names the stage of the rankings that are observed on this thread until it ends, except of those
/// that name one themselves. For hosts that re-rank what an observed searcher finds:
/// `{ const StageScope candidates(Stage::kCandidates); hits = searcher.search(query, 1000); }`.
/// Scopes may be nested; each must end on its thread, in the opposite order.
class StageScope {
 public:
  explicit StageScope(Stage stage) noexcept;
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  Stage before_;
};

/// Says, on the thread that searches, which visit the query is for: everything observed on this
/// thread until the scope ends belongs to it. The experiment must outlive the scope.
///
/// A scope is for hosts that answer a request on one thread, or for the call of an engine within a
/// request. It must end on its thread, and only scopes of one visit may be open on a thread, at
/// most 16. When a scope of another visit is opened, nobody knows any more which request the thread
/// serves: this is counted (`Health::misplaced_scopes`), and none of the scopes that are open then
/// matches a ranking until it ends. Those rankings count as served without a scope. So a host whose
/// requests take turns on a thread passes the visit to `Experiment::observe` instead, or opens a
/// scope only around calls within which it does not yield.
///
/// The first ranking's latency begins with the visit (`Visit::started`), so that it includes query
/// rewriting; later rankings are timed from their own search call. A scope that ends without a
/// ranking is counted (`Health::queries_without_ranking`). Costs less than 200 ns; never allocates,
/// locks or throws.
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

  /// Returns the innermost scope of this thread, or null without one that matches.
  [[nodiscard]] static QueryScope* current() noexcept;

  /// Says that the host's search has failed without an answer. Recorded as a failed search of the
  /// arm, unless a ranking to be scored or a failure was observed under the scope before. In
  /// Mode::kPaired the visit is then one that was to be compared, and was not.
  void search_failed(ArmIndex arm) noexcept;

  [[nodiscard]] Experiment& experiment() const noexcept { return *experiment_; }
  [[nodiscard]] const Visit& visit() const noexcept { return visit_; }

 private:
  friend class ShadowPool;
  friend class Experiment;

  /// A search for comparison; it must outlive the scope.
  QueryScope(Experiment& experiment, const Visit& visit, ComparedSearch& search) noexcept;
  /// Records what the search for comparison came to. Returns false if it failed.
  [[nodiscard]] bool end_search(bool has_thrown) noexcept;
  void open(ComparedSearch* search, std::chrono::steady_clock::time_point began) noexcept;

  Experiment* experiment_;
  Visit visit_;
  std::uint64_t id_ = 0;      // distinct in its thread
  std::uint32_t thread_ = 0;  // number of the thread that it was opened on
};

}  // namespace prescope
#pragma GCC visibility pop
