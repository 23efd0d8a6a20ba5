#include "measures/scorer.h"

#include <algorithm>

namespace prescope {

std::vector<Measure> distinct(std::span<const Measure> measures) {
  std::vector<Measure> once;
  for (const Measure& measure : measures) {
    if (std::ranges::find(once, measure) == once.end()) once.push_back(measure);
  }
  return once;
}

void RankBuffer::reserve(const TopicQrels& topic) {
  const std::size_t most = topic.judgements().size();
  judged_.reserve(most);
  relevant_.reserve(most);
  grades_.reserve(most);
}

JudgedRanks RankBuffer::of(const TopicQrels& topic, Grade min_grade, const JudgedRanking& ranking,
                           std::uint64_t collection_size) {
  judged_.clear();
  relevant_.clear();
  grades_.clear();
  for (const JudgedHit& hit : ranking.hits) {
    const Grade grade = topic.judgements()[hit.judgement.value()].grade;
    judged_.push_back({hit.rank, grade});
    if (grade >= min_grade) relevant_.push_back(hit.rank);
  }
  for (const Judgement& judgement : topic.judgements()) grades_.push_back(judgement.grade);
  std::ranges::sort(grades_, std::ranges::greater());
  return {.num_rel = topic.num_rel(),
          .relevant = relevant_,
          .num_ret = ranking.num_ret,
          .collection_size = collection_size,
          .judged = judged_,
          .grades = grades_,
          .min_grade = min_grade};
}

}  // namespace prescope
