#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/judgement_sampling.h"
#include "core/ranked_runs.h"
#include "core/scorer.h"

namespace prescope {

/// The judgements that a draw leaves. A relevant document that it drops is as one that nobody
/// judged: it stays in the runs at its rank and counts for nothing, whether it was found or not.
/// Documents judged not relevant stay. Immutable, thread-safe.
class SampledJudgements {
 public:
  /// `runs` must outlive this.
  SampledJudgements(const RankedRuns& runs, const SampleDraw& draw);

  /// Of one run: a row for each topic, a column for each measure; nothing where a topic has none.
  /// `scores` keeps its memory from call to call.
  void score(const RankedRuns::Run& run, const Scorer& scorer,
             std::vector<std::optional<double>>& scores) const;

  [[nodiscard]] std::uint32_t num_rel(std::size_t topic) const noexcept { return num_rel_[topic]; }
  [[nodiscard]] bool keeps(std::size_t topic, JudgementIndex judgement) const noexcept {
    return kept_[first_[topic] + judgement.value()];
  }

 private:
  const RankedRuns* runs_;
  std::vector<std::size_t> first_;  // by topic, into kept_
  std::vector<bool> kept_;          // by judgement
  std::vector<std::uint32_t> num_rel_;
  std::vector<std::vector<Grade>> grades_;  // of those kept, descending
};

/// The mean of a column of scores, as the measure's definition has it; nothing of nothing.
[[nodiscard]] std::optional<double> mean_of_column(std::span<const std::optional<double>> scores,
                                                   std::size_t column, const Scorer& scorer);

}  // namespace prescope
