#pragma once

#include <algorithm>
#include <array>

#include "prescope/measure.h"
#include "prescope/observation.h"

/// The rules about an observation. The ledger, the stores and the fleet ask these functions. The
/// fleet's reports read columns that these functions filled.
namespace prescope {

/// How a visit was answered. A failure counts as a ranking without hits. So does an answer that
/// nobody saw, but any hits may follow it; nothing follows a failure.
enum class Answer : std::uint8_t { kRanking, kFailure, kUnseen };

[[nodiscard]] inline Answer answer_of(const Observation& observation) noexcept {
  if (has(observation.flags, RankingFlags::kUnseen)) return Answer::kUnseen;
  return has(observation.flags, RankingFlags::kFailed | RankingFlags::kTimedOut) ? Answer::kFailure
                                                                                 : Answer::kRanking;
}
/// Flags of observations without a ranking, and of those without a latency of their arm's own.
inline constexpr RankingFlags kNoRanking =
    RankingFlags::kFailed | RankingFlags::kTimedOut | RankingFlags::kUnseen;
inline constexpr RankingFlags kNotTimed =
    kNoRanking | RankingFlags::kRetried | RankingFlags::kUntimed;

/// Returns whether an arm searched, or was to search, to be compared with the arm that answers the
/// user.
[[nodiscard]] inline bool is_comparison(const Observation& observation) noexcept {
  return observation.compared_arms > 0;
}

/// Returns whether the engine answered, and the answer was seen.
[[nodiscard]] inline bool has_ranking(const Observation& observation) noexcept {
  return !has(observation.flags, kNoRanking);
}

/// Returns whether a latency was kept.
[[nodiscard]] inline bool has_latency(const Observation& observation) noexcept {
  return !has(observation.flags, RankingFlags::kUntimed) && observation.latency.count() >= 0;
}
/// Returns whether the latency is the arm's own.
[[nodiscard]] inline bool is_timed(const Observation& observation) noexcept {
  return !has(observation.flags, kNotTimed) && observation.latency.count() >= 0;
}

/// Returns the rank down to which a search was asked for if it was cut short, else 0.
[[nodiscard]] inline std::uint64_t partial_depth_of(const Observation& observation) noexcept {
  if (!has(observation.flags, RankingFlags::kPartial)) return 0;
  return std::uint64_t{observation.first_rank} - 1 + observation.depth;
}

/// Returns true if nothing follows the hits that were served: the engine had no more, or it failed.
[[nodiscard]] inline bool ends_ranking(const Observation& observation) noexcept {
  if (!has_ranking(observation)) return answer_of(observation) == Answer::kFailure;
  return observation.num_ret < observation.depth && !has(observation.flags, RankingFlags::kPartial);
}

/// Returns whether each rank of a first page is known down to the cutoff; always without a cutoff.
[[nodiscard]] inline bool reaches(const Observation& observation, std::optional<Cutoff> cutoff) {
  const auto known = std::max<std::uint64_t>(observation.num_ret, partial_depth_of(observation));
  return !cutoff || known >= cutoff->value() || ends_ranking(observation);
}

/// Returns true for a stage before the one that the user was served. Its rankings are not scored.
[[nodiscard]] constexpr bool is_inner(Stage stage) noexcept {
  return stage != Stage::kUnnamed && stage != Stage::kServed;
}

/// Flags of rankings that were shaped by a user's wishes. A ranking counts for the first of these
/// that it has.
inline constexpr std::array kShapingFlags{RankingFlags::kSorted, RankingFlags::kFiltered,
                                          RankingFlags::kCollapsed};

/// Returns kNone if a ranking shows how well its arm ranks, else the flag that prevents it.
/// `scored_flags`: see RecordingOptions.
[[nodiscard]] inline RankingFlags shaped_by(const Observation& observation,
                                            RankingFlags scored_flags) noexcept {
  const auto* const flag = std::ranges::find_if(kShapingFlags, [&](RankingFlags one) {
    return has(observation.flags, one) && !has(scored_flags, one);
  });
  return flag == kShapingFlags.end() ? RankingFlags::kNone : *flag;
}

/// Returns whether an observation gives scores to its arm: it is known what users were served, and
/// no flag leaves that out. A search that failed served nothing. Candidates were not served.
[[nodiscard]] inline bool is_scored(const Observation& observation,
                                    RankingFlags scored_flags) noexcept {
  if (!has_ranking(observation)) return answer_of(observation) == Answer::kFailure;
  return !is_inner(observation.stage) &&
         shaped_by(observation, scored_flags) == RankingFlags::kNone;
}

/// Returns true if a ranking takes the place of an earlier one of its request, which named the
/// stage `earlier`: the last ranking from rank 1 on is what the user was served, unless one says
/// so.
[[nodiscard]] inline bool may_replace(const Observation& now, Stage earlier) noexcept {
  return now.first_rank == 1 && (now.stage == Stage::kServed || earlier != Stage::kServed);
}

}  // namespace prescope
