#include "live/visit_scorer.h"

#include <algorithm>
#include <functional>

namespace prescope {

VisitScorer::VisitScorer(const Qrels& qrels, const Scorer& scorer)
    : qrels_(&qrels), scorer_(&scorer), values_(scorer.measures().size()) {
  std::size_t most = 0;
  first_grade_.reserve(qrels.topics().size() + 1);
  for (const TopicQrels& topic : qrels.topics()) {
    const std::size_t first = grades_.size();
    first_grade_.push_back(first);
    for (const Judgement& judgement : topic.judgements()) grades_.push_back(judgement.grade);
    std::sort(grades_.begin() + static_cast<std::ptrdiff_t>(first), grades_.end(), std::greater{});
    most = std::max(most, topic.judgements().size());
  }
  first_grade_.push_back(grades_.size());
  judged_.reserve(most);
  relevant_.reserve(most);
}

std::span<std::optional<double>> VisitScorer::score(const Visit& visit) noexcept {
  const std::size_t t = visit.topic.value();
  const TopicQrels& topic = qrels_->topics()[t];
  judged_.clear();
  relevant_.clear();
  for (const JudgedHit& hit : visit.hits) {
    const Grade grade = topic.judgements()[hit.judgement.value()].grade;
    judged_.push_back({hit.rank, grade});
    if (grade >= qrels_->min_grade()) relevant_.push_back(hit.rank);
  }
  scorer_->score(
      {.num_rel = topic.num_rel(),
       .relevant = relevant_,
       .num_ret = visit.num_ret,
       .collection_size = visit.collection_size,
       .judged = judged_,
       .grades = std::span(grades_).subspan(first_grade_[t], first_grade_[t + 1] - first_grade_[t]),
       .min_grade = qrels_->min_grade()},
      values_);
  return values_;
}

}  // namespace prescope
