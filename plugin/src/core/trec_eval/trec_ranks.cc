#include "core/trec_eval/trec_ranks.h"

#include <algorithm>
#include <array>
#include <functional>

namespace prescope::trec_eval {
namespace {

/// Few grades are in use, so that counting them is quicker than comparing. False where one is out
/// of the range that is counted.
bool sort_by_counting(std::vector<Grade>& grades) {
  constexpr Grade kLeast = -2, kMost = 13;
  std::array<std::uint32_t, kMost - kLeast + 1> counts{};
  for (const Grade grade : grades) {
    if (grade < kLeast || grade > kMost) return false;
    ++counts[static_cast<std::size_t>(grade - kLeast)];
  }
  auto to = grades.begin();
  for (Grade grade = kMost; grade >= kLeast; --grade) {
    to = std::fill_n(to, counts[static_cast<std::size_t>(grade - kLeast)], grade);
  }
  return true;
}

}  // namespace

JudgedRanks TrecRanks::of(const RunFacts& facts, const RunFacts::Topic& topic) {
  const bool by_file = options_.order == RunOrder::kFile;
  const std::span<const Judgement> judgements = qrels_->topic(topic.topic).judgements();
  judged_.clear();
  for (const Retrieved& document : facts.of(topic)) {
    judged_.push_back({by_file ? document.file_rank : document.trec_rank,
                       judgements[document.judgement.value()].grade});
  }
  if (by_file) std::ranges::sort(judged_, {}, &GradedRank::rank);
  cut();
  return ranks(topic.topic,
               options_.judged_only ? remove_unjudged() : std::min(topic.num_ret, options_.depth));
}

JudgedRanks TrecRanks::of_missing(TopicIndex topic) {
  judged_.clear();
  return ranks(topic, options_.judged_only ? 0 : 1);
}

void TrecRanks::cut() {
  const auto end = std::ranges::upper_bound(judged_, options_.depth, {}, &GradedRank::rank);
  judged_.erase(end, judged_.end());
}

std::uint32_t TrecRanks::remove_unjudged() {
  std::erase_if(judged_, [](const GradedRank& document) { return document.grade < 0; });
  Rank rank = 0;
  for (GradedRank& document : judged_) document.rank = ++rank;
  return rank;
}

void TrecRanks::set_grades(std::span<const Judgement> judgements) {
  grades_.clear();
  for (const Judgement& judgement : judgements) grades_.push_back(judgement.grade);
  if (!sort_by_counting(grades_)) std::ranges::sort(grades_, std::greater{});
}

JudgedRanks TrecRanks::ranks(TopicIndex topic, std::uint32_t num_ret) {
  const TopicQrels& qrels = qrels_->topic(topic);
  relevant_.clear();
  for (const GradedRank& document : judged_) {
    if (document.grade >= qrels_->min_grade()) relevant_.push_back(document.rank);
  }
  set_grades(qrels.judgements());
  return {.num_rel = qrels.num_rel(),
          .relevant = relevant_,
          .num_ret = num_ret,
          .judged = judged_,
          .grades = grades_,
          .min_grade = qrels_->min_grade()};
}

}  // namespace prescope::trec_eval
