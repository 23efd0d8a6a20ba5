#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>

#include "facts/observation_rules.h"
#include "prescope/ranking_observer.h"

namespace prescope {

/// The visit that something observed belongs to.
struct ObservedVisit {
  Visit visit{};
  std::uint32_t compared_arms = 0;           ///< see Observation
  bool is_first = true;                      ///< its latency begins with the visit
  std::chrono::nanoseconds own_time{0};      ///< the plugin's own time before it was observed
  RankingFlags flags = RankingFlags::kNone;  ///< of all that is observed for the visit
  std::string_view query{};                  ///< see Observation
};

/// What a search for comparison has come to so far. It is recorded when it has ended, because a
/// host may need several searches of the engine for it: a retry, or relevance feedback.
class ComparedSearch {
 public:
  enum class Purpose {
    kRanking,
    kWarmUp  ///< its ranking is dropped, its failure is recorded
  };

  /// `flags`: of what the search observes. `query`: see Observation.
  ComparedSearch(std::uint32_t arms, RankingFlags flags, Purpose purpose,
                 std::string_view query = {}) noexcept
      : arms_(arms), flags_(flags | RankingFlags::kShadow), purpose_(purpose), query_(query) {}
  ~ComparedSearch();
  ComparedSearch(const ComparedSearch&) = delete;
  ComparedSearch& operator=(const ComparedSearch&) = delete;

  [[nodiscard]] std::uint32_t arms() const noexcept { return arms_; }  ///< see Observation
  [[nodiscard]] RankingFlags flags() const noexcept { return flags_; }
  [[nodiscard]] std::string_view query() const noexcept { return query_; }
  /// False for the rankings of a warm-up.
  [[nodiscard]] bool is_recorded() const noexcept { return purpose_ == Purpose::kRanking; }
  /// Takes the first ranking from rank 1 on, and one that may replace it (`may_replace`). Others
  /// are dropped, which the ranking says by RankingFlags::kReplaced.
  void take(ObservationDraft& ranking) noexcept;
  void take(Experiment::SearchFailure failure) noexcept { failure_ = failure; }
  /// Records the ranking. If the search has thrown, or only failures were observed, records one
  /// failure instead, and returns false.
  [[nodiscard]] bool record(ExperimentState& experiment, const ObservedVisit& of,
                            bool has_thrown) noexcept;

 private:
  std::uint32_t arms_;
  RankingFlags flags_;
  Purpose purpose_;
  std::string_view query_;
  ObservationDraft* ranking_ = nullptr;
  std::optional<Experiment::SearchFailure> failure_{};
};

/// A scope that is open on this thread. It holds copies, because the scope itself may be ending on
/// another thread.
struct OpenScope {
  QueryScope* scope = nullptr;
  const ExperimentState* experiment = nullptr;
  std::uint64_t id = 0;
  bool is_misplaced = false;         ///< it matches nothing, see OpenScopes
  bool is_used = false;              ///< something was observed
  ComparedSearch* search = nullptr;  ///< for comparison; null for an answer to a user
  ObservedVisit of{};

  /// Returns the facts for something that is being observed under this scope. A search for
  /// comparison is timed as a whole. A ranking of an inner stage is not what the scope is for.
  [[nodiscard]] ObservedVisit take(Stage stage = Stage::kUnnamed) noexcept {
    const ObservedVisit now = of;
    of.own_time = {};
    if (is_inner(stage)) return now;
    is_used = true;
    of.is_first = search != nullptr;
    return now;
  }
};

/// The scopes that are open on a thread, innermost last. Only that thread uses it. While scopes of
/// two visits are open, nobody knows which request the thread serves: it may be the inner search of
/// one request, or two requests that take turns. So all of them are misplaced until they end. When
/// a scope ends on another thread, the others of its thread are forgotten, and no new scope matches
/// until they have ended too.
class OpenScopes {
 public:
  static constexpr std::size_t kMost = 16;

  /// Returns a number for this thread, from 1.
  [[nodiscard]] std::uint32_t thread() noexcept;
  /// Tells the thread of this number that one of its scopes has ended on this one.
  static void ended_elsewhere(std::uint32_t thread) noexcept;

  /// Sets `scope.id`. Returns false if the scope is misplaced: one of another visit, or kMost of
  /// its own, are open.
  [[nodiscard]] bool push(OpenScope& scope) noexcept;
  /// Returns the scope that ends; a forgotten one is misplaced.
  OpenScope end(std::uint64_t id) noexcept;
  /// Returns null without a scope that matches.
  [[nodiscard]] OpenScope* innermost() noexcept;

 private:
  [[nodiscard]] std::span<OpenScope> open() noexcept { return std::span(scopes_).first(size_); }
  /// `ended`: number of open scopes that have ended on another thread.
  void forget(std::size_t ended) noexcept;
  void forget_if_one_ended_elsewhere() noexcept;

  std::size_t size_ = 0;
  std::size_t forgotten_ = 0;  // scopes that have not ended yet
  std::uint64_t last_id_ = 0;
  std::uint32_t thread_ = 0;
  std::uint32_t known_ends_ = 0;  // of scopes that ended elsewhere
  // The first is beside the numbers above, in lines of memory that a query waits for together.
  std::array<OpenScope, kMost> scopes_{};
};

/// Returns the innermost scope of this thread if it matches and is one of the experiment, else
/// null.
[[nodiscard]] OpenScope* innermost_scope_of(const ExperimentState& experiment) noexcept;

/// Returns the stage of this thread's innermost StageScope, or Stage::kUnnamed.
[[nodiscard]] Stage stage_of_thread() noexcept;

}  // namespace prescope
