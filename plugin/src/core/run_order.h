#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/evaluation.h"

namespace prescope {

/// What ranking a run by the other order would change: the lines' order instead of score and
/// docno, or the reverse.
struct OrderEffect {
  RunOrder other = RunOrder::kFile;
  std::uint32_t topics = 0;  ///< evaluated ones that the two orders rank otherwise
  /// Under the other order, for each measure; the means themselves where no topic differs.
  std::vector<std::optional<double>> means{};
};

/// `evaluation` is that of the same facts, scorer and options. Costs a second look at those topics
/// only that differ.
[[nodiscard]] OrderEffect order_effect(const Qrels& qrels, const RunFacts& facts,
                                       const Scorer& scorer, const RankOptions& options,
                                       const Evaluation& evaluation);

}  // namespace prescope
