#pragma once

#include <optional>
#include <span>
#include <vector>

#include "prescope/judged_ranking.h"
#include "prescope/qrels.h"

namespace prescope {

/// The judgements of one topic in two versions.
struct Renumbering {
  /// Indexed by the old judgement; std::nullopt for a withdrawn one.
  std::vector<std::optional<JudgementIndex>> now;
  std::vector<JudgementIndex> added;  ///< judged now and not before
  bool has_changes = false;           ///< of documents or grades, on which scores depend

  /// O(judgements).
  Renumbering(const TopicQrels& before, const TopicQrels& after);
};

/// The judged documents of a ranking, as far as their ranks are known.
struct KnownRanks {
  std::vector<JudgedHit> hits;            ///< ascending by rank
  std::vector<JudgementIndex> unlocated;  ///< judgements with an unknown rank
};

/// A ranking that is judged again.
struct ServedRanking {
  std::span<const JudgedHit> hits{};
  std::span<const JudgementIndex> unlocated{};
  std::span<const std::uint64_t> keys{};  ///< captured hashes of keys, from `first_rank` on
  Rank first_rank = 1;
  std::uint32_t num_ret = 0;
};

/// Returns the ranking in the judgements `topic`. Newly judged documents are found by their keys.
[[nodiscard]] KnownRanks judged_anew(const ServedRanking& ranking, const Renumbering& renumbering,
                                     const TopicQrels& topic);

}  // namespace prescope
