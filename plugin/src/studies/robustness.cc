#include "studies/robustness.h"

#include "base/threads.h"
#include "runs/comparison.h"
#include "statistics/rank_correlation.h"

namespace prescope {

namespace {

/// Returns `of(judgements)` for the draws of each fraction in turn, computed on several threads.
template <class Of>
auto of_each_draw(const RankedRuns& runs, const RobustnessOptions& options, const Of& of) {
  std::vector<std::invoke_result_t<Of, const SampledJudgements&>> results(options.fractions.size() *
                                                                          options.samples);
  in_parallel(results.size(), options.threads, [&](std::size_t i) {
    const auto sample = static_cast<std::uint32_t>(i % options.samples + 1);
    results[i] = of(SampledJudgements(runs, {.seed = options.seed,
                                             .fraction = options.fractions[i / options.samples],
                                             .sample = sample,
                                             .rounding = options.rounding}));
  });
  return results;
}

using Means = std::vector<std::vector<std::optional<double>>>;  // by run, measure

Means means_under(const SampledJudgements& judgements, const RankedRuns& runs,
                  const Scorer& scorer) {
  Means means;
  for (const RankedRuns::Run& run : runs.runs) {
    means.push_back(judgements.evaluate(run, scorer).means);
  }
  return means;
}

std::optional<double> tau(const Means& full, const Means& sampled, std::size_t measure) {
  std::vector<double> x, y;
  for (std::size_t r = 0; r < full.size(); ++r) {
    if (!full[r][measure] || !sampled[r][measure]) continue;
    x.push_back(*full[r][measure]);
    y.push_back(*sampled[r][measure]);
  }
  return kendall_tau_b(x, y);
}

void summarize(RobustnessCell& cell) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const std::optional<double>& tau : cell.taus) {
    if (!tau) continue;
    sum += *tau;
    ++count;
    cell.minimum = std::min(cell.minimum.value_or(*tau), *tau);
  }
  if (count > 0) cell.average = sum / static_cast<double>(count);
}

using Judged = std::vector<JudgedDifference>;  // for each run but the baseline, and each measure

Judged verdicts_under(const SampledJudgements& judgements, const RankedRuns& runs,
                      const Scorer& scorer, const VerdictRobustnessOptions& options) {
  Judged judged;
  const Evaluation baseline = judgements.evaluate(runs.runs.front(), scorer);
  for (std::size_t r = 1; r < runs.runs.size(); ++r) {
    const Evaluation run = judgements.evaluate(runs.runs[r], scorer);
    for (std::size_t m = 0; m < run.measures.size(); ++m) {
      const std::size_t i = judged.size();
      judged.emplace_back();
      if (i < options.without_verdict.size() && options.without_verdict[i]) continue;
      judged.back() = tested_difference(paired_scores(baseline, run, m).differences(), options.test,
                                        options.sign_flip);
    }
  }
  std::vector<JudgedDifference*> together;
  for (JudgedDifference& each : judged) together.push_back(&each);
  correct_and_judge(together, options.correction, options.alpha);
  return judged;
}

void count(const JudgedDifference& full, const JudgedDifference& sampled, VerdictChanges& changes) {
  const double mean = sampled.t ? sampled.t->mean : 0.0;
  if (changes.samples() == 0) changes.lowest_difference = changes.highest_difference = mean;
  changes.lowest_difference = std::min(changes.lowest_difference, mean);
  changes.highest_difference = std::max(changes.highest_difference, mean);
  const int before = direction_of(full.verdict), after = direction_of(sampled.verdict);
  ++(before == after ? changes.same
     : after == 0    ? changes.lost
     : before == 0   ? changes.appeared
                     : changes.reversed);
}

}  // namespace

SampledJudgements::SampledJudgements(const RankedRuns& runs, const SampleDraw& draw)
    : runs_(&runs) {
  for (const TopicQrels& topic : runs.qrels.topics()) {
    const auto sample = sample_relevant(draw, topic.id().text(), topic.num_rel());
    Topic& left = topics_.emplace_back(Topic{static_cast<std::uint32_t>(sample.size())});
    std::uint32_t relevant = 0;
    for (const Judgement& judgement : topic.judgements()) {
      const bool is_kept = judgement.grade < runs.qrels.min_grade() ||
                           std::ranges::binary_search(sample, relevant++);
      left.kept.push_back(is_kept);
      if (is_kept) left.grades.push_back(judgement.grade);
    }
    std::ranges::sort(left.grades, std::greater{});
  }
}

Evaluation SampledJudgements::evaluate(const RankedRuns::Run& run, const Scorer& scorer) const {
  Evaluation result;
  result.measures.assign(scorer.measures().begin(), scorer.measures().end());
  std::vector<GradedRank> judged;
  std::vector<Rank> relevant;
  for (std::uint32_t t = 0; t < topics_.size(); ++t) {
    const TopicQrels& topic = runs_->qrels.topics()[t];
    const auto scores =
        result.add({.topic = TopicIndex(t), .family = runs_->qrels.family(TopicIndex(t))});
    if (!run[t]) continue;
    judged.clear();
    relevant.clear();
    for (const auto& [served_at, judgement] : run[t]->hits) {
      if (!topics_[t].kept[judgement.value()]) continue;
      const Rank rank = runs_->judged_only ? static_cast<Rank>(judged.size() + 1) : served_at;
      judged.push_back({rank, topic.judgements()[judgement.value()].grade});
      if (topic.is_relevant(judgement)) relevant.push_back(rank);
    }
    const std::size_t num_ret = runs_->judged_only ? judged.size() : run[t]->num_ret;
    const JudgedRanks ranks{.num_rel = topics_[t].num_rel,
                            .relevant = relevant,
                            .num_ret = static_cast<std::uint32_t>(num_ret),
                            .judged = judged,
                            .grades = topics_[t].grades,
                            .min_grade = runs_->qrels.min_grade()};
    scorer.score(ranks, scores);
  }
  add_means(result);
  return result;
}

Robustness robustness(const RankedRuns& runs, const Scorer& scorer,
                      const RobustnessOptions& options) {
  Robustness result{.options = options};
  result.measures.assign(scorer.measures().begin(), scorer.measures().end());
  const Means full = means_under(SampledJudgements(runs, {.fraction = 1.0}), runs, scorer);
  const auto sampled = of_each_draw(runs, options, [&](const SampledJudgements& judgements) {
    return means_under(judgements, runs, scorer);
  });
  for (std::size_t f = 0; f < options.fractions.size(); ++f) {
    for (std::size_t m = 0; m < result.measures.size(); ++m) {
      RobustnessCell& cell = result.cells.emplace_back();
      for (std::size_t s = 0; s < options.samples; ++s) {
        cell.taus.push_back(tau(full, sampled[f * options.samples + s], m));
      }
      summarize(cell);
    }
  }
  return result;
}

VerdictRobustness verdict_robustness(const RankedRuns& runs, const Scorer& scorer,
                                     const VerdictRobustnessOptions& options) {
  const std::vector<double>& fractions = options.draws.fractions;
  const std::uint32_t samples = options.draws.samples;
  const SampledJudgements all(runs, {.fraction = 1.0});
  const Judged full = verdicts_under(all, runs, scorer, options);
  const auto drawn = of_each_draw(runs, options.draws, [&](const SampledJudgements& judgements) {
    return verdicts_under(judgements, runs, scorer, options);
  });
  VerdictRobustness result{.options = options};
  const std::size_t measures = scorer.measures().size();
  for (std::size_t i = 0; i < full.size(); ++i) {
    if (i % measures == 0) result.runs.emplace_back();
    MeasureRobustness& measure = result.runs.back().emplace_back(
        MeasureRobustness{.measure = scorer.measures()[i % measures], .verdict = full[i].verdict});
    if (full[i].verdict == Verdict::kTooFewTopics) continue;
    for (std::size_t f = 0; f < fractions.size(); ++f) {
      VerdictChanges& changes = measure.changes.emplace_back();
      changes.fraction = fractions[f];
      for (std::uint32_t s = 0; s < samples; ++s) {
        count(full[i], drawn[f * samples + s][i], changes);
      }
    }
  }
  return result;
}

}  // namespace prescope
