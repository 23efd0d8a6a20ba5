#include "live/ledger/visit_scorer.h"

#include <algorithm>
#include <functional>

namespace prescope {

VisitScorer::VisitScorer(const Qrels& qrels, const Scorer& scorer)
    : scorer_(&scorer), min_grade_(qrels.min_grade()), values_(scorer.measures().size()) {
  std::size_t most = 0;
  topics_.reserve(qrels.topics().size());
  for (const TopicQrels& topic : qrels.topics()) {
    const std::size_t size = topic.judgements().size();
    topics_.push_back({grades_.size(), static_cast<std::uint32_t>(size), topic.num_rel()});
    for (const Judgement& judgement : topic.judgements()) grades_.push_back(judgement.grade);
    descending_.insert(descending_.end(), grades_.end() - static_cast<std::ptrdiff_t>(size),
                       grades_.end());
    std::sort(descending_.end() - static_cast<std::ptrdiff_t>(size), descending_.end(),
              std::greater{});
    most = std::max(most, size);
  }
  judged_.reserve(most);
  relevant_.reserve(most);
}

std::span<std::optional<double>> VisitScorer::score(const Visit& visit) noexcept {
  const Topic& topic = topics_[visit.topic.value()];
  const Grade* const grades = grades_.data() + topic.first;
  judged_.clear();
  relevant_.clear();
  for (const JudgedHit& hit : visit.hits) {
    const Grade grade = grades[hit.judgement.value()];
    judged_.push_back({hit.rank, grade});
    if (grade >= min_grade_) relevant_.push_back(hit.rank);
  }
  scorer_->score({.num_rel = topic.num_rel,
                  .relevant = relevant_,
                  .num_ret = visit.num_ret,
                  .collection_size = visit.collection_size,
                  .judged = judged_,
                  .grades = std::span(descending_).subspan(topic.first, topic.size),
                  .min_grade = min_grade_},
                 values_);
  return values_;
}

}  // namespace prescope
