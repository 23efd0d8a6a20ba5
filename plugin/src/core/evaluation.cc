#include "core/evaluation.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace prescope {
namespace {

/// trec_eval's floor for scores whose logarithm is taken.
constexpr double kLeastOfGeometricMean = 1e-5;

}  // namespace

JudgedRanks TopicRanks::of(const RunFacts& facts, const RunFacts::Topic& topic) {
  const TopicQrels& qrels = qrels_->topic(topic.topic);
  judged_.clear();
  for (const Retrieved& document : facts.of(topic)) {
    const Grade grade = qrels.judgements()[document.judgement.value()].grade;
    if (options_.judged_only && grade < 0) continue;
    judged_.push_back(
        {options_.order == RunOrder::kTrec ? document.trec_rank : document.file_rank, grade});
  }
  if (options_.order == RunOrder::kFile) std::ranges::sort(judged_, {}, &GradedRank::rank);
  std::uint32_t num_ret = topic.num_ret;
  if (options_.judged_only) {
    num_ret = 0;
    for (GradedRank& document : judged_) document.rank = ++num_ret;
  }
  const auto end = std::ranges::upper_bound(judged_, options_.depth, {}, &GradedRank::rank);
  judged_.erase(end, judged_.end());
  return ranks(topic.topic, std::min(num_ret, options_.depth));
}

JudgedRanks TopicRanks::of_missing(TopicIndex topic) {
  judged_.clear();
  return ranks(topic, 0);
}

JudgedRanks TopicRanks::ranks(TopicIndex topic, std::uint32_t num_ret) {
  const TopicQrels& qrels = qrels_->topic(topic);
  relevant_.clear();
  for (const GradedRank& document : judged_) {
    if (document.grade >= qrels_->min_grade()) relevant_.push_back(document.rank);
  }
  grades_.clear();
  for (const Judgement& judgement : qrels.judgements()) grades_.push_back(judgement.grade);
  std::ranges::sort(grades_, std::greater{});
  return {.num_rel = qrels.num_rel(),
          .relevant = relevant_,
          .num_ret = num_ret,
          .judged = judged_,
          .grades = grades_,
          .min_grade = qrels_->min_grade()};
}

std::optional<double> mean_over_topics(const Measure& measure, std::span<const double> scores) {
  if (scores.empty()) return std::nullopt;
  const bool geometric = measure.definition().mean == MeasureDefinition::Mean::kGeometric;
  double sum = 0.0;
  for (const double score : scores) {
    sum += geometric ? std::log(std::max(score, kLeastOfGeometricMean)) : score;
  }
  const double mean = sum / static_cast<double>(scores.size());
  return geometric ? std::exp(mean) : mean;
}

Evaluation evaluate(const Qrels& qrels, const RunFacts& facts, const Scorer& scorer,
                    const EvaluateOptions& options) {
  Evaluation result;
  result.measures.assign(scorer.measures().begin(), scorer.measures().end());
  const std::size_t columns = result.measures.size();
  TopicRanks ranks(qrels, options.ranks);
  const auto add = [&](TopicIndex topic, const RunFacts::Topic* in_run) {
    result.topics.push_back({topic, in_run});
    result.scores.resize(result.scores.size() + columns);
    scorer.score(in_run != nullptr ? ranks.of(facts, *in_run) : ranks.of_missing(topic),
                 std::span(result.scores).last(columns));
  };
  auto in_run = facts.topics.begin();
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const bool found = in_run != facts.topics.end() && in_run->topic == TopicIndex(i);
    if (found || options.topics == EvaluateOptions::Topics::kAll) {
      add(TopicIndex(i), found ? &*in_run : nullptr);
    }
    if (found) ++in_run;
  }
  std::vector<double> values;
  for (std::size_t m = 0; m < columns; ++m) {
    values.clear();
    for (std::size_t t = 0; t < result.topics.size(); ++t) {
      if (const auto score = result.score(t, m)) values.push_back(*score);
    }
    result.means.push_back(mean_over_topics(result.measures[m], values));
    result.topics_in_mean.push_back(static_cast<std::uint32_t>(values.size()));
  }
  return result;
}

}  // namespace prescope
