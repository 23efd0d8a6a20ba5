#pragma once

#include <cstdint>
#include <vector>

#include "prescope/measure.h"
#include "prescope/qrels.h"
#include "runs/run_file.h"

namespace prescope {

/// Ranks of the judged documents of one topic in one run.
struct EvaluatedTopic {
  TopicIndex topic;
  std::uint32_t num_rel = 0;
  std::uint32_t num_ret = 0;
  std::vector<Rank> relevant_ranks;  ///< strictly ascending; a document counts at its first rank
  std::uint32_t duplicates = 0;      ///< lines whose document stands at a better rank already

  [[nodiscard]] JudgedRanks ranks() const {
    return {.num_rel = num_rel, .relevant = relevant_ranks, .num_ret = num_ret};
  }
};

/// One entry for each topic of the qrels that the run has, in qrels order. Documents are matched
/// under the qrels' docno policy. A repeated document keeps its later ranks occupied: ranks are
/// those of the list as served.
[[nodiscard]] std::vector<EvaluatedTopic> evaluate(const Qrels& qrels, const Run& run);

}  // namespace prescope
