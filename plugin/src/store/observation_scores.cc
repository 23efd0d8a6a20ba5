#include "store/observation_scores.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "live/observation_facts.h"

namespace prescope {
namespace {

/// Whether every rank up to the cutoff is known.
bool reaches_to(const Observation& observation, const Measure& measure) {
  const std::optional<Cutoff> cutoff = measure.cutoff();
  return !cutoff || observation.num_ret >= cutoff->value() || ends_ranking(observation);
}

}  // namespace

ObservationScores::ObservationScores(std::vector<Measure> measures)
    : scorer_(std::move(measures)), values_(scorer_.measures().size()) {}

std::span<const std::optional<double>> ObservationScores::of(const Observation& observation,
                                                             const TopicQrels& topic,
                                                             Grade min_grade) {
  relevant_.clear();
  judged_.clear();
  grades_.clear();
  for (const JudgedHit& hit : observation.hits) {
    const Grade grade = topic.judgements()[hit.judgement.value()].grade;
    judged_.push_back({hit.rank, grade});
    if (grade >= min_grade) relevant_.push_back(hit.rank);
  }
  std::ranges::fill(values_, std::nullopt);
  if (!has_ranking(observation) || observation.first_rank != 1) return values_;
  for (const Judgement& judgement : topic.judgements()) grades_.push_back(judgement.grade);
  std::ranges::sort(grades_, std::greater{});
  scorer_.score({.num_rel = topic.num_rel(),
                 .relevant = relevant_,
                 .num_ret = observation.num_ret,
                 .collection_size = observation.collection_size,
                 .judged = judged_,
                 .grades = grades_,
                 .min_grade = min_grade},
                values_);
  for (std::size_t m = 0; m < values_.size(); ++m) {
    if (!reaches_to(observation, measures()[m])) values_[m].reset();
  }
  return values_;
}

}  // namespace prescope
