#include <fmt/format.h>

#include <cmath>

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

JudgedRun OfflineRuns::read(const Qrels& qrels, ByteSource& file) {
  if (qrels.topics().empty()) throw bad_input_error("{}: the qrels have no topic", file.name());
  auto read = std::make_shared<JudgedRun::Read>(JudgedRun::Read{qrels, read_run(qrels, file)});
  read->facts.path = file.name();
  check_common_topics(qrels, "the judgements", read->facts);
  return JudgedRun(std::move(read));
}

Evaluation OfflineRuns::scored(const JudgedRun& run, const Scorer& scorer,
                               const ScoringOptions& options) {
  return evaluate(run.read_->qrels, run.read_->facts, scorer, evaluate_options_of(options));
}

namespace {

/// White space as a run file parts its columns.
constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

void check_name(std::string_view name, std::string_view column, std::size_t line) {
  if (name.empty()) throw bad_input_error("line {}: the {} is empty", line + 1, column);
  if (name.find_first_of(kWhiteSpace) == std::string_view::npos) return;
  throw bad_input_error("line {}: the {} '{}' has white space in it", line + 1, column, name);
}

void check_range(double value, std::string_view name) {
  if (value > 0.0 && value < 1.0) return;
  throw usage_error("{} {}; expected a number in (0, 1)", name, value);
}

/// Returns whether both are copies of the same judgements.
bool are_same(const Qrels& a, const Qrels& b) {
  const auto &in_a = a.topics(), &in_b = b.topics();
  if (in_a.size() != in_b.size()) return false;
  for (std::size_t t = 0; t < in_a.size(); ++t) {
    if (!in_a[t].is_shared_with(in_b[t])) return false;
  }
  return true;
}

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
  ByteSource file(path);
  return OfflineRuns::read(qrels, file);
}

/// The columns are read as the file that they stand for, so that there is one reader.
JudgedRun JudgedRun::from_columns(const Qrels& qrels, std::span<const std::string_view> topics,
                                  std::span<const std::string_view> docnos,
                                  std::span<const double> scores) {
  if (topics.size() != docnos.size() || topics.size() != scores.size()) {
    throw usage_error("{} topics, {} docnos and {} scores; expected as many of each", topics.size(),
                      docnos.size(), scores.size());
  }
  std::string lines;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    check_name(topics[i], "topic", i);
    check_name(docnos[i], "docno", i);
    if (topics[i].front() == '#') {
      throw bad_input_error("line {}: the topic '{}' begins with '#', as a comment does", i + 1,
                            topics[i]);
    }
    if (std::isnan(scores[i])) throw bad_input_error("line {}: the score is no number", i + 1);
    fmt::format_to(std::back_inserter(lines), "{} Q0 {} 0 {} columns\n", topics[i], docnos[i],
                   scores[i]);
  }
  const auto file = ByteSource::of_text(std::move(lines), "the columns");
  return OfflineRuns::read(qrels, *file);
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
  if (!are_same(a.qrels(), b.qrels())) {
    throw usage_error(
        "the two runs were read under different judgements; read both with the same Qrels");
  }
  check_range(options.confidence, "the confidence");
  check_range(options.alpha, "alpha");
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
