#pragma once

#include <vector>

#include "core/evaluation.h"

namespace prescope::trec_eval {

/// The ranks of topics as trec_eval has them: cut at -M first, and of what is left the unjudged
/// documents removed (-J). Keeps buffers from topic to topic.
class TrecRanks {
 public:
  /// `qrels` must outlive this.
  TrecRanks(const Qrels& qrels, const RankOptions& options) : qrels_(&qrels), options_(options) {}

  /// Views into this object, valid until the next call.
  [[nodiscard]] JudgedRanks of(const RunFacts& facts, const RunFacts::Topic& topic);
  /// Of a topic that the run has not, what trec_eval puts in its place: one document that nobody
  /// judged.
  [[nodiscard]] JudgedRanks of_missing(TopicIndex topic);

 private:
  void cut();
  [[nodiscard]] std::uint32_t remove_unjudged();
  void set_grades(std::span<const Judgement> judgements);
  [[nodiscard]] JudgedRanks ranks(TopicIndex topic, std::uint32_t num_ret);

  const Qrels* qrels_;
  RankOptions options_;
  std::vector<GradedRank> judged_;
  std::vector<Rank> relevant_;
  std::vector<Grade> grades_;
};

}  // namespace prescope::trec_eval
