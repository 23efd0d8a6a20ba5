#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

class ResolvedQrels;

/// Facts about how a ranking came about; combine them with `|`.
enum class RankingFlags : std::uint32_t {
  kNone = 0,
  kSorted = 1,    ///< ordered by something other than the score
  kRetried = 2,   ///< the engine failed and was asked again: the latency is not the arm's
  kPartial = 4,   ///< a timeout or a lost shard cut the search short
  kDeepened = 8,  ///< the adapter asked for more hits than the host did
  kUntimed = 16,  ///< searched at another time: its latency is unknown, and none is kept
  // Set by prescope itself:
  kShadow = 32,     ///< searched for comparison: nobody waited for it
  kFailed = 64,     ///< the engine threw; there is no ranking
  kTimedOut = 128,  ///< the engine gave up; there is no ranking
  // Set by adapters and hosts:
  kFiltered = 256,   ///< a filter, a least score or a decider of the user left documents out
  kCollapsed = 512,  ///< one hit stands for a group of documents
  // Set by prescope itself:
  kSeveralDocnos = 1024,  ///< a document of the index carries several docnos that the topic judges
  kUnseen = 2048,         ///< the visit was announced, and prescope did not see its answer
  /// The arm had searched this visit's query just before, for the user or for comparison, so that
  /// its caches may be warm. Two latencies are compared only if both have this flag, or neither.
  kRepeated = 4096,
  /// In a search for comparison: other rankings were observed that this one took the place of.
  kReplaced = 8192,
  /// Set with kUnseen on a comparison: some arm's ranking is not waited for any longer.
  kGivenUp = 16384,
  /// Set with kUnseen on a comparison: the host reports its rankings, whenever they come.
  kAwaited = 32768
};
[[nodiscard]] constexpr RankingFlags operator|(RankingFlags a, RankingFlags b) noexcept {
  return RankingFlags(std::uint32_t(a) | std::uint32_t(b));
}
[[nodiscard]] constexpr bool has(RankingFlags flags, RankingFlags one) noexcept {
  return (std::uint32_t(flags) & std::uint32_t(one)) != 0;
}

/// What a ranking of a request was made for. The one that was served is scored; the others are
/// compared with it (`ArmSummary::stages`).
enum class Stage : std::uint8_t {
  /// Not said. The last ranking of a request from rank 1 on was served, unless one is kServed.
  kUnnamed,
  kCandidates,  ///< what the engine found for a later stage to rank
  kServed,      ///< what the user was served
  kFirstOwn     ///< of ExperimentOptions::stages, see `Experiment::stage`
};

/// Says what became of a ranking or a failure that was observed.
enum class Outcome : std::uint8_t {
  kRecorded,   ///< it is on its way to the results and the logs, or will be when its search for
               ///< comparison ends
  kUnjudged,   ///< the topic has no judgements: only the latency of what was served is on its way
  kUnmatched,  ///< recorded without hits: `Ranking::resolved` is missing, or of another experiment
  kNoScope,    ///< not recorded: the thread serves no visit of this experiment
  kInactiveArm,  ///< not recorded: the arm is paused, removed or unknown
  kSampledOut,   ///< not recorded: `RecordingOptions::sampling` leaves its visit out
  kNoRoom,       ///< not recorded: the queue is full, or too many observers are open
  kNotCompared,  ///< not recorded: the visit is not compared, see `ExperimentTraffic::wants_shadow`
  kAbandoned     ///< not recorded: the adapter could not read it, or it has no ranks
};

/// The kind of names that an engine has for its hits.
enum class HitKind {
  kDocids,  ///< in-process engines; matched with `Ranking::resolved`
  kDocnos,  ///< engines that answer names; matched by key
};

/// The hits served for one query, in served order. Non-owning: valid during the call it is passed
/// to.
struct Ranking {
  ArmIndex arm{};
  HitKind kind = HitKind::kDocids;
  /// For docids: the table of the searcher that served them. If null, they are counted as
  /// unmatched.
  const ResolvedQrels* resolved = nullptr;
  /// For docnos: the index state that served them, from `Experiment::next_generation`, and the
  /// number of its live documents; 0 if unknown.
  std::uint64_t generation = 0;
  std::uint64_t collection_size = 0;
  /// The hits, in the span of their kind; a RankingObserver may be given the rest later.
  std::span<const DocId> docids{};
  std::span<const std::string_view> docnos{};
  Rank first_rank = 1;  ///< rank of the first hit, >= 1; above 1 for a later page
  /// The number of hits asked for from `first_rank` on. If there are fewer, the ranking has ended.
  std::uint32_t requested_depth = 0;
  std::uint64_t total_hits = 0;  ///< documents that matched in all, 0 if unknown
  /// When the engine was called; required, unless `latency` is set. Latency begins here, unless it
  /// begins with the visit, see `Visit::started`.
  std::chrono::steady_clock::time_point search_started{};
  /// When the engine had answered. Latency ends here, or when observing begins if this is not set.
  std::optional<std::chrono::steady_clock::time_point> search_ended{};
  /// The time that the host has measured, instead of the times above and of `Visit::started`.
  std::optional<std::chrono::nanoseconds> latency{};
  RankingFlags flags = RankingFlags::kNone;
  Stage stage = Stage::kUnnamed;  ///< else that of the thread, see StageScope
};

}  // namespace prescope
#pragma GCC visibility pop
