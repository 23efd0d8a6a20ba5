#pragma once

#include <functional>

#include "live/ledger/bounded_map.h"
#include "prescope/experiment_options.h"
#include "prescope/summary.h"
#include "statistics/ranking_overlap.h"

namespace prescope {

/// The distinct queries with the least rank-biased overlap in one of their visits. A query is the
/// words that are kept of it; a visit without words is a query of its own.
class MostChangedQueries {
 public:
  void add(const ChangedQuery& visit);
  /// Least overlap first, at most kMostChanged.
  [[nodiscard]] const std::vector<ChangedQuery>& all() const noexcept { return queries_; }

 private:
  std::vector<ChangedQuery> queries_;
};

/// What the first arm and another one have in common so far in this epoch.
struct OverlapState {
  std::uint64_t empty = 0, shallow = 0, other_index = 0, left_out = 0, incomplete = 0;
  std::uint64_t failed_a = 0, failed_b = 0, identical = 0;
  std::uint32_t shallow_depth = 0;
  BoundedMean jaccard, rbo;
  LatestValues latest_jaccard{kLatestOverlaps}, latest_rbo{kLatestOverlaps};
  MostChangedQueries most_changed;
};

/// Joins the rankings of visits without judgements, compares them, and keeps the results of the
/// epoch for each pair of the first arm and another one. Keeps the first hits of a visit until all
/// its arms have ranked it. Single-threaded.
class Overlaps {
 public:
  /// Visits that are remembered, waiting or done; the oldest is forgotten first.
  static constexpr std::size_t kMostVisits = 1024;

  /// `scored_flags`: see RecordingOptions.
  Overlaps(const OverlapOptions& options, RankingFlags scored_flags)
      : options_(options), scored_flags_(scored_flags) {}

  [[nodiscard]] const OverlapOptions& options() const noexcept { return options_; }
  [[nodiscard]] bool are_wanted() const noexcept { return options_.sampling > 0.0; }

  using IsActive = std::function<bool(ArmIndex)>;
  /// Takes a ranking of the visit, a failure, or RankingFlags::kGivenUp, and returns the visits
  /// that are done with it, which are not added yet. `num_arms`: of the experiment. `is_active`:
  /// arms that were to rank it.
  [[nodiscard]] std::vector<VisitOverlap> take(const Observation& observation, std::size_t num_arms,
                                               const IsActive& is_active);
  /// Adds a visit to the results.
  void add(const VisitOverlap& visit);
  void begin_epoch();

  /// The results for an arm, from 1 on.
  [[nodiscard]] const OverlapState& pair(ArmIndex b) const noexcept;
  /// Visits that have not been ranked by all of their arms.
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_; }

 private:
  struct Ranked {
    ArmIndex arm{};
    bool is_from_rank_1 = true, has_failed = false, is_left_out = false;
    bool has_docids = false;
    std::uint64_t generation = 0;
    std::vector<std::uint64_t> documents{};  // the first hits
    bool has_ended = false;                  // there are no hits behind `documents`
  };
  struct Visit {
    VisitOverlap overlap{};  // without pairs
    std::uint32_t expected = 0;
    bool is_done = false;
    std::vector<Ranked> ranked{};
  };

  [[nodiscard]] Ranked ranked_by(const Observation& observation) const;
  [[nodiscard]] VisitOverlap finish(Visit& visit, std::size_t num_arms, const IsActive& is_active);
  [[nodiscard]] PairOverlap compare(const Ranked* a, const Ranked* b) const;

  OverlapOptions options_;
  RankingFlags scored_flags_;
  BoundedMap<Visit> visits_{kMostVisits};  // by number
  std::uint64_t waiting_ = 0;
  std::vector<OverlapState> pairs_;  // by arm, as far as arms were compared
};

}  // namespace prescope
