#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "prescope/judged_ranking.h"
#include "prescope/ranking.h"
#include "prescope/types.h"

namespace prescope {

/// The facts of one observed query. Every rank-based measure at every cutoff follows from them. Of
/// an unjudged query arm, latency, own time and flags are kept.
struct Observation {
  TopicIndex topic = kUnjudgedTopic;
  ArmIndex arm{};
  std::uint64_t generation = 0;       ///< of the index; 0 where unknown, and for unjudged queries
  std::uint64_t collection_size = 0;  ///< live documents, 0 where unknown
  std::uint64_t total_hits = 0;
  std::chrono::nanoseconds latency{};    ///< as the host saw it, see QueryScope
  std::chrono::nanoseconds self_time{};  ///< what observing cost the query thread
  Rank first_rank = 1;
  std::uint32_t requested_depth = 0;
  std::uint32_t num_ret = 0;     ///< hits served
  std::uint32_t duplicates = 0;  ///< hits of a judged document already served at a better rank
  RankingFlags flags = RankingFlags::kNone;
  /// Which judgements `hits` refer to: 0 for the first, `JudgedDocnos::version`.
  std::uint32_t judgements_version = 0;
  /// Judged documents served, ascending by rank, each once. Valid during the call it is passed to.
  std::span<const JudgedHit> hits{};
  /// Where the experiment captures: the first hits from `first_rank` on, as docids of `generation`
  /// or as hashes of keys. Valid as `hits` are; at most one of them is not empty.
  std::span<const DocId> captured_docids{};
  std::span<const std::uint64_t> captured_keys{};
};

}  // namespace prescope
