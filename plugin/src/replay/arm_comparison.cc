// The arms of a finished replay, compared as `prescope compare` compares run files.
#include <algorithm>
#include <cmath>

#include "measures/definitions.h"
#include "replay/replay.h"
#include "runs/family_means.h"
#include "runs/run_oddities.h"
#include "statistics/paired_tests.h"

namespace prescope {

namespace {

constexpr std::size_t kWidestShortName = 20;
constexpr std::size_t kMovesListed = 5;  // in the table; JSON and page list as many as compare

using Rows = std::map<TopicIndex, const TopicRow*>;

/// Returns the rows of all topics that were run, in qrels order.
Rows rows_by_topic(const Qrels& qrels, const Summary& summary) {
  Rows rows;
  for (const TopicRow& row : summary.rows) {
    if (const auto topic = qrels.find(row.id.text())) rows.emplace(*topic, &row);
  }
  return rows;
}

/// Adds the ranks of a topic's judged documents, as the arm served them last.
void add_topic(TopicIndex topic, const TopicDetail& detail, std::size_t arm, RunFacts& run) {
  const auto first = static_cast<std::uint32_t>(run.retrieved.size());
  for (std::uint32_t j = 0; j < detail.citations.size(); ++j) {
    const std::optional<Rank> rank = detail.citations[j].arms[arm].rank;
    if (rank) run.retrieved.push_back({JudgementIndex(j), *rank, *rank, *rank, *rank});
  }
  const auto added = std::span(run.retrieved).subspan(first);
  std::ranges::sort(added, {}, &Retrieved::trec_rank);
  run.topics.push_back({.topic = topic,
                        .num_ret = detail.row.arms[arm].num_ret,
                        .first_retrieved = first,
                        .num_retrieved = static_cast<std::uint32_t>(added.size())});
  run.lines += detail.row.arms[arm].num_ret;
}

/// Takes the scores that the experiment has, so that a topic without a value stays without one.
/// `places` are the places of the measures in each row.
Evaluation evaluation_of(const ArmComparison& arms, const Rows& rows, std::size_t arm,
                         const std::vector<Measure>& measures,
                         const std::vector<std::size_t>& places) {
  Evaluation evaluation;
  evaluation.facts = &arms.runs[arm];
  evaluation.measures = measures;
  for (const RunFacts::Topic& topic : arms.runs[arm].topics) {
    const TopicRow::Arm& row = rows.at(topic.topic)->arms[arm];
    const auto scores =
        evaluation.add({.topic = topic.topic,
                        .facts = &topic,
                        .num_ret = row.num_ret,
                        .num_rel_ret = static_cast<std::uint32_t>(row.relevant_ranks.size()),
                        .family = arms.qrels.family(topic.topic)});
    for (std::size_t m = 0; m < places.size(); ++m) {
      if (places[m] < row.scores.size()) scores[m] = row.scores[places[m]];
    }
  }
  add_means(evaluation);
  return evaluation;
}

/// Compares the latencies of arm `b` and the first arm, topic by topic.
TopicLatency latency_of(const Qrels& qrels, const Rows& rows, std::size_t b) {
  std::vector<double> log_ratios;
  std::vector<FamilyIndex> families;
  for (const auto& [topic, row] : rows) {
    const std::optional<double> in_a = row->arms[0].latency_ms, in_b = row->arms[b].latency_ms;
    if (!in_a || !in_b || *in_a <= 0.0 || *in_b <= 0.0) continue;
    log_ratios.push_back(std::log(*in_b) - std::log(*in_a));
    families.push_back(qrels.family(topic));
  }
  const std::vector<double> values = family_means(families, log_ratios);
  TopicLatency latency{.topics = static_cast<std::uint32_t>(values.size())};
  if (const std::optional<PairedT> t = paired_t(values)) {
    latency.ratio = std::exp(t->mean);
    latency.ci_low = std::exp(t->ci_low);
    latency.ci_high = std::exp(t->ci_high);
  }
  return latency;
}

/// Returns the report of the arms' scores in the measures that can be compared.
EvaluationReport evaluation_report(const ReplayOptions& options, const ArmComparison& arms,
                                   const Summary& summary, const Rows& rows) {
  EvaluationReport report{.qrels_path = options.qrels.string(),
                          .qrels = &arms.qrels,
                          .categories = options.qrels_options.categories,
                          .qrels_oddities = qrels_oddities(arms.qrels),
                          .options = {.topics = EvaluateOptions::Topics::kRun},
                          .measures = {},
                          .runs = {}};
  std::vector<std::size_t> places;
  for (std::size_t m = 0; m < summary.measures.size(); ++m) {
    if (why_not_compared(summary.measures[m])) continue;
    report.measures.push_back(summary.measures[m]);
    places.push_back(m);
  }
  for (std::size_t a = 0; a < arms.runs.size(); ++a) {
    report.runs.push_back({.name = options.arms[a].config.id.text(),
                           .evaluation = evaluation_of(arms, rows, a, report.measures, places)});
  }
  return report;
}

}  // namespace

std::unique_ptr<const ArmComparison> compare_replayed(const ReplayOptions& options,
                                                      Experiment& experiment,
                                                      const Summary& summary,
                                                      const TopicSlices& slices) {
  if (options.arms.size() < 2) return nullptr;
  auto arms = std::make_unique<ArmComparison>(experiment.qrels());
  arms->runs.resize(options.arms.size());
  const Rows rows = rows_by_topic(arms->qrels, summary);
  for (const auto& [topic, row] : rows) {
    const std::optional<TopicDetail> detail = experiment.topic(row->id);
    if (!detail) continue;
    for (std::size_t a = 0; a < arms->runs.size(); ++a) add_topic(topic, *detail, a, arms->runs[a]);
  }
  ComparisonReport& report = arms->report;
  report.evaluation = evaluation_report(options, *arms, summary, rows);
  if (report.evaluation.measures.empty()) return nullptr;

  std::vector<const Evaluation*> runs;
  for (const EvaluatedRun& run : report.evaluation.runs) runs.push_back(&run.evaluation);
  report.comparison =
      compare_runs(arms->qrels, runs, {.evaluate = report.evaluation.options, .slices = slices});
  report.moved_listed = kMovesListed;
  report.has_short_names = std::ranges::all_of(report.evaluation.runs, [](const auto& run) {
    return text_width(run.name) <= kWidestShortName;
  });
  for (std::size_t b = 1; b < runs.size(); ++b) {
    arms->latencies.push_back(latency_of(arms->qrels, rows, b));
  }
  return arms;
}

std::string latency_words(const ArmComparison& arms, std::size_t pair) {
  const auto& [topics, ratio, low, high] = arms.latencies[pair];
  if (!ratio) return {};
  const std::string& a = arms.report.evaluation.runs.front().name;
  const std::string& b = arms.report.evaluation.runs[pair + 1].name;
  const std::string verdict = *high < 1.0  ? b + " is faster"
                              : *low > 1.0 ? a + " is faster"
                                           : "no difference shown";
  return fmt::format("Latency, {} over {} in the same topic: {:.3f} [{:.3f}, {:.3f}]; {}.", b, a,
                     *ratio, *low, *high, verdict);
}

}  // namespace prescope
