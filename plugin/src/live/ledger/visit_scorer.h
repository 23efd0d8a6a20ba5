#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "measures/scorer.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"

namespace prescope {

/// Scores served hits under one version of the judgements. Keeps its buffers, so that scoring does
/// not allocate. Not thread-safe.
class VisitScorer {
 public:
  /// `scorer` must outlive this.
  VisitScorer(const Qrels& qrels, const Scorer& scorer);

  struct Visit {
    TopicIndex topic{};
    std::span<const JudgedHit> hits{};  ///< ascending by rank
    std::uint32_t num_ret = 0;
    std::uint64_t collection_size = 0;
  };
  /// In the scorer's order; valid until the next call. Measures whose cutoff is behind `num_ret`
  /// have a value too: the caller knows whether the ranking ended there.
  [[nodiscard]] std::span<std::optional<double>> score(const Visit& visit) noexcept;
  /// That the topic will be scored soon.
  void expect(TopicIndex topic) const noexcept {
    __builtin_prefetch(grades_.data() + topics_[topic.value()].first);
  }

 private:
  /// Beside each other, so that a topic costs few cache misses; qrels are mostly names.
  struct Topic {
    std::size_t first = 0;  // in the two that follow
    std::uint32_t size = 0, num_rel = 0;
  };

  const Scorer* scorer_;
  Grade min_grade_;
  std::vector<Topic> topics_;
  std::vector<Grade> grades_;      // of each topic, by JudgementIndex
  std::vector<Grade> descending_;  // the same
  std::vector<GradedRank> judged_;
  std::vector<Rank> relevant_;
  std::vector<std::optional<double>> values_;
};

}  // namespace prescope
