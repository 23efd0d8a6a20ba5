#pragma once

#include <cstdint>
#include <vector>

#include "core/evaluation.h"

namespace prescope {

/// Sums over an evaluation's topics, and what the reader of its scores ought to know. Topics
/// without relevant documents count here, though no score has them.
struct RunOddities {
  struct AtCutoff {
    Rank cutoff = 0;
    std::uint64_t num_ret = 0;  ///< lines at ranks up to the cutoff
    /// Of those lines the ones that are no judged document's best rank.
    std::uint64_t unjudged = 0;
    /// Relevant documents that the cutoff parts from others of the same score: only their docnos
    /// decide which of them count.
    std::uint32_t tied = 0;
    std::uint32_t tied_topics = 0;
  };

  std::uint32_t topics = 0;
  std::uint32_t topics_without_relevant = 0;
  std::uint64_t num_ret = 0, num_rel = 0, num_rel_ret = 0;
  std::uint64_t duplicates = 0;  ///< lines whose document stands at a better rank already
  std::uint32_t topics_with_duplicates = 0;
  std::vector<TopicIndex> missing{};   ///< topics of the qrels that the run has not
  std::vector<AtCutoff> at_cutoffs{};  ///< one for each cutoff of the measures, ascending
};

[[nodiscard]] RunOddities run_oddities(const Qrels& qrels, const RunFacts& facts,
                                       const RankOptions& options, const Evaluation& evaluation);

/// What the reader of any score under these judgements ought to know.
struct QrelsOddities {
  std::uint64_t judgements = 0, relevant = 0;
  std::uint64_t repeated = 0, merged = 0;  ///< as Qrels counts them
  std::vector<TopicIndex> without_relevant{};
  /// No document is judged not relevant, so that whatever is unjudged counts as such.
  [[nodiscard]] bool only_relevant() const noexcept { return relevant == judgements; }
};

[[nodiscard]] QrelsOddities qrels_oddities(const Qrels& qrels);

}  // namespace prescope
