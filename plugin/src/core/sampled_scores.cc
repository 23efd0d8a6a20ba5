#include "core/sampled_scores.h"

#include <algorithm>
#include <functional>

#include "core/evaluation.h"

namespace prescope {

SampledJudgements::SampledJudgements(const RankedRuns& runs, const SampleDraw& draw)
    : runs_(&runs) {
  for (const RankedRuns::Topic& topic : runs.topics) {
    first_.push_back(kept_.size());
    const auto sample = sample_relevant(draw, topic.id.text(), topic.num_rel);
    num_rel_.push_back(static_cast<std::uint32_t>(sample.size()));
    std::vector<Grade>& grades = grades_.emplace_back();
    auto next = sample.begin();
    std::uint32_t relevant = 0;
    for (const Grade grade : topic.grades) {
      const bool is_relevant = grade >= topic.min_grade;
      const bool is_drawn = is_relevant && next != sample.end() && *next == relevant;
      if (is_relevant) ++relevant;
      if (is_drawn) ++next;
      kept_.push_back(is_drawn || !is_relevant);
      if (kept_.back()) grades.push_back(grade);
    }
    std::ranges::sort(grades, std::greater{});
  }
}

void SampledJudgements::score(const RankedRuns::Run& run, const Scorer& scorer,
                              std::vector<std::optional<double>>& scores) const {
  const std::size_t columns = scorer.measures().size();
  scores.assign(runs_->topics.size() * columns, std::nullopt);
  std::vector<GradedRank> judged;
  std::vector<Rank> relevant;
  for (std::size_t t = 0; t < runs_->topics.size(); ++t) {
    const RankedRuns::Topic& topic = runs_->topics[t];
    if (!run.rankings[t]) continue;
    judged.clear();
    relevant.clear();
    for (const RankedRuns::Found& found : run.rankings[t]->judged) {
      if (!keeps(t, found.judgement)) continue;
      const Rank rank = runs_->judged_only ? static_cast<Rank>(judged.size() + 1) : found.rank;
      const Grade grade = topic.grades[found.judgement.value()];
      judged.push_back({rank, grade});
      if (grade >= topic.min_grade) relevant.push_back(rank);
    }
    const JudgedRanks ranks{.num_rel = num_rel_[t],
                            .relevant = relevant,
                            .num_ret = runs_->judged_only
                                           ? static_cast<std::uint32_t>(judged.size())
                                           : run.rankings[t]->num_ret,
                            .judged = judged,
                            .grades = grades_[t],
                            .min_grade = topic.min_grade};
    scorer.score(ranks, std::span(scores).subspan(t * columns, columns));
  }
}

std::optional<double> mean_of_column(std::span<const std::optional<double>> scores,
                                     std::size_t column, const Scorer& scorer) {
  const Measure& measure = scorer.measures()[column];
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = column; i < scores.size(); i += scorer.measures().size()) {
    if (!scores[i]) continue;
    sum += on_scale_of_mean(measure, *scores[i]);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return mean_from_scale(measure, sum / static_cast<double>(count));
}

}  // namespace prescope
