// The means of runs in slices of the topics.
#include "report/runs/evaluation_report.h"
#include "runs/slice_comparison.h"

#include <unordered_map>

namespace prescope {

namespace {

SliceMeans means_over(const Evaluation& evaluation, std::span<const std::size_t> rows) {
  SliceMeans slice{.topics = static_cast<std::uint32_t>(rows.size())};
  for (std::size_t m = 0; m < evaluation.measures.size(); ++m) {
    std::vector<double> scores;
    for (const std::size_t row : rows) {
      if (const auto score = evaluation.score(row, m)) scores.push_back(*score);
    }
    slice.means.push_back(scores.empty()
                              ? std::nullopt
                              : std::optional(mean_over_topics(evaluation.measures[m], scores)));
  }
  return slice;
}

}  // namespace

std::vector<SliceMeans> slice_means(const EvaluationReport& report, const EvaluatedRun& run) {
  const Evaluation& evaluation = run.evaluation;
  std::unordered_map<std::uint32_t, std::size_t> rows;  // by topic
  for (std::size_t i = 0; i < evaluation.topics.size(); ++i) {
    const TopicQrels& judged = report.qrels->topic(evaluation.topics[i].topic);
    if (judged.num_rel() > 0) rows[evaluation.topics[i].topic.value()] = i;
  }
  // Every run has the same slices, even if it lacks all topics of a slice.
  const auto has_relevant = [&](TopicIndex topic) {
    return report.qrels->topic(topic).num_rel() > 0;
  };
  std::vector<SliceMeans> means;
  const auto add = [&](const std::string& dimension, std::string_view name,
                       std::span<const TopicIndex> topics) {
    if (std::ranges::none_of(topics, has_relevant)) return;
    std::vector<std::size_t> of_slice;
    for (const TopicIndex topic : topics) {
      if (const auto row = rows.find(topic.value()); row != rows.end()) {
        of_slice.push_back(row->second);
      }
    }
    means.push_back(means_over(evaluation, of_slice));
    means.back().dimension = dimension;
    means.back().name = name;
  };
  for (const TopicSlices::Dimension& dimension : report.slices.dimensions) {
    for (const TopicSlices::Slice& slice : dimension.slices) {
      add(dimension.name, slice.name, slice.topics);
    }
    add(dimension.name, kUnsliced, dimension.unsliced);
  }
  return means;
}

}  // namespace prescope
