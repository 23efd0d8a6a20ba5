#include <fmt/format.h>

#include "base/errors.h"
#include "runs/comparison.h"
#include "runs/offline_runs.h"
#include "runs/read_runs.h"

namespace prescope {

EvaluateOptions evaluate_options_of(const ScoringOptions& options) {
  if (options.depth == 0) throw usage_error("a depth of 0; expected at least 1");
  using Topics = EvaluateOptions::Topics;
  return {
      .ranks = {.order = options.order, .depth = options.depth, .judged_only = options.judged_only},
      .topics = options.only_topics_of_run ? Topics::kRun : Topics::kAll};
}

void check_share(std::string_view name, double value) {
  if (value > 0.0 && value < 1.0) return;
  throw usage_error("{} {}; expected a number in (0, 1)", name, value);
}

JudgedRun OfflineRuns::of_facts(const Qrels& qrels, RunFacts facts) {
  return JudgedRun(std::make_shared<JudgedRun::Read>(JudgedRun::Read{qrels, std::move(facts)}));
}

JudgedRun OfflineRuns::load(const Qrels& qrels, const std::filesystem::path& path,
                            unsigned threads) {
  refuse_without_topics(qrels, path.string());
  RunFacts facts = read_run_facts(qrels, path, {.threads = threads});
  check_common_topics(qrels, "the judgements", facts);
  return of_facts(qrels, std::move(facts));
}

void OfflineRuns::check_same_judgements(const JudgedRun& a, const JudgedRun& b) {
  const auto &in_a = a.qrels().topics(), &in_b = b.qrels().topics();
  bool are_same = in_a.size() == in_b.size();
  for (std::size_t t = 0; are_same && t < in_a.size(); ++t) {
    are_same = in_a[t].is_shared_with(in_b[t]);
  }
  if (are_same) return;
  throw usage_error(
      "the two runs were read under different judgements; read both with the same Qrels");
}

Evaluation OfflineRuns::scored(const JudgedRun& run, const Scorer& scorer,
                               const ScoringOptions& options) {
  return evaluate(run.read_->qrels, run.read_->facts, scorer, evaluate_options_of(options));
}

namespace {

RunDifference difference_of(const MeasureComparison& compared) {
  RunDifference result{.measure = compared.measure,
                       .mean_a = compared.mean_a,
                       .mean_b = compared.mean_b,
                       .wins = compared.counts.wins,
                       .ties = compared.counts.ties,
                       .losses = compared.counts.losses,
                       .p_value = compared.p_value,
                       .corrected = compared.corrected,
                       .verdict = compared.verdict,
                       .ends_at = compared.ends_at};
  for (const MeasureComparison::Topic& topic : compared.topics) {
    result.topics.push_back({topic.topic, topic.a, topic.b, topic.difference});
  }
  if (compared.t) {
    result.difference = compared.t->mean;
    result.ci_low = compared.t->ci_low;
    result.ci_high = compared.t->ci_high;
  }
  return result;
}

}  // namespace

JudgedRun JudgedRun::load(const Qrels& qrels, const std::filesystem::path& path) {
  return OfflineRuns::load(qrels, path, 1);
}

JudgedRun JudgedRun::from_columns(const Qrels& qrels, std::span<const std::string_view> topics,
                                  std::span<const std::string_view> docnos,
                                  std::span<const double> scores) {
  if (topics.size() != docnos.size() || topics.size() != scores.size()) {
    throw usage_error("{} topics, {} docnos and {} scores; expected as many of each", topics.size(),
                      docnos.size(), scores.size());
  }
  const auto add_lines = [&](RunBuilder& builder) {
    for (std::size_t i = 0; i < topics.size(); ++i) {
      if (!builder.add(topics[i], docnos[i], scores[i])) return false;
    }
    return true;
  };
  return OfflineRuns::of_facts(qrels, build_run(qrels, "the columns", add_lines));
}

const Qrels& JudgedRun::qrels() const noexcept { return read_->qrels; }
std::uint64_t JudgedRun::lines() const noexcept { return read_->facts.lines; }
std::uint64_t JudgedRun::unjudged_topics() const noexcept { return read_->facts.unjudged_topics; }

RunScores evaluate(const JudgedRun& run, std::span<const Measure> measures,
                   const ScoringOptions& options) {
  const Evaluation scored = OfflineRuns::scored(run, Scorer(distinct(measures)), options);
  RunScores result{.measures = scored.measures};
  for (std::size_t t = 0; t < scored.topics.size(); ++t) {
    const Evaluation::Topic& topic = scored.topics[t];
    RunScores::Topic& added = result.topics.emplace_back(
        RunScores::Topic{topic.topic, topic.num_ret, topic.num_rel_ret, {}});
    for (std::size_t m = 0; m < scored.measures.size(); ++m) {
      added.scores.push_back(scored.score(t, m));
    }
  }
  for (std::size_t m = 0; m < scored.measures.size(); ++m) {
    result.means.push_back({scored.means[m], scored.topics_in_mean[m]});
    result.ends_at.push_back(end_before(scored.measures[m], OfflineRuns::facts(run)));
  }
  return result;
}

std::vector<RunDifference> compare(const JudgedRun& a, const JudgedRun& b,
                                   std::span<const Measure> measures,
                                   const ComparisonOptions& options) {
  OfflineRuns::check_same_judgements(a, b);
  check_share("the confidence", options.confidence);
  check_share("alpha", options.alpha);
  const Scorer scorer(comparable_measures(measures));
  const Evaluation of_a = OfflineRuns::scored(a, scorer, options.scoring),
                   of_b = OfflineRuns::scored(b, scorer, options.scoring);
  const Evaluation* const runs[] = {&of_a, &of_b};
  CompareOptions how{.evaluate = evaluate_options_of(options.scoring),
                     .confidence = options.confidence};
  how.power.alpha = options.alpha;
  const Comparison comparison = compare_runs(a.qrels(), runs, how);
  std::vector<RunDifference> differences;
  for (const MeasureComparison& one : comparison.runs.front().measures) {
    differences.push_back(difference_of(one));
  }
  return differences;
}

}  // namespace prescope
