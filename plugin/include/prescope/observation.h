#pragma once

#include "prescope/judged_ranking.h"
#include "prescope/ranking.h"
#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

/// The facts of one observed query. Every rank-based measure at every cutoff follows from them. An
/// unjudged query keeps arm, time, request, latency, own time and flags only. Spans are valid
/// during the call that the observation is passed to.
struct Observation {
  TopicIndex topic = kUnjudgedTopic;
  ArmIndex arm{};
  UtcTime time{};               ///< when it was served, as the host says, else when it was recorded
  std::uint64_t visit = 0;      ///< Visit::number; shared with the searches for comparison
  std::uint64_t visit_key = 0;  ///< Visit::key
  std::uint64_t request_id = 0;  ///< Visit::request_id
  /// The number of arms that rank this visit for comparison. 0 for an answer to a user.
  std::uint32_t compared_arms = 0;
  std::uint64_t generation = 0;  ///< of the index, 0 if unknown
  std::uint64_t documents = 0;   ///< live ones in the index, 0 if unknown
  std::uint64_t total_hits = 0;
  std::chrono::nanoseconds latency{};    ///< as the host saw it, see QueryScope
  std::chrono::nanoseconds self_time{};  ///< time that observing took on the query thread
  Rank first_rank = 1;
  std::uint32_t depth = 0;       ///< hits asked for from `first_rank` on
  std::uint32_t num_ret = 0;     ///< hits served
  std::uint32_t duplicates = 0;  ///< hits of a judged document already served at a better rank
  RankingFlags flags = RankingFlags::kNone;
  Stage stage = Stage::kUnnamed;
  std::uint32_t judgements_version = 0;  ///< that `hits` refer to, see `JudgedDocnos::version`
  std::span<const JudgedHit> hits{};     ///< ascending by rank, each document once
  /// The first hits from `first_rank` on, if the experiment captures them: docids of `generation`,
  /// or hashes of keys. At most one of the two is not empty.
  std::span<const DocId> captured_docids{};
  std::span<const std::uint64_t> captured_keys{};
  /// The beginning of the user's words, in a comparison of a visit without judgements.
  std::string_view query{};
  /// Set by the recorder: the visit has been seen from rank 1 down to here without a gap, this page
  /// included; 0 if it is not known which visit the page belongs to, or after a gap.
  std::uint32_t covered = 0;
  bool exhausted = false;  ///< set by the recorder: the engine had no hits after `covered`
};

}  // namespace prescope
#pragma GCC visibility pop
