#include "measures/cutoff_sweep.h"

#include <set>

#include "measures/definitions.h"

namespace prescope {

std::vector<SweepPoint> cutoff_sweep(std::span<const SweepTopic> topics,
                                     std::span<const Cutoff> cutoffs) {
  std::vector<SweepPoint> points;
  for (const Cutoff cutoff : cutoffs) points.push_back({.cutoff = cutoff});
  const auto add = [](Mean& sum, double score) {
    sum.mean = sum.mean.value_or(0.0) + score;
    ++sum.topics;
  };
  for (const SweepTopic& topic : topics) {
    if (topic.num_rel == 0) continue;
    FoundRelevant hits;
    for (SweepPoint& point : points) {
      const std::uint32_t cutoff = point.cutoff.value();
      while (hits.found() < topic.relevant_ranks.size() &&
             topic.relevant_ranks[hits.found()] <= cutoff) {
        hits.add(topic.relevant_ranks[hits.found()]);
      }
      add(point.pres, hits.pres(topic.num_rel, cutoff));
      add(point.recall, hits.recall(topic.num_rel));
      add(point.average_precision, hits.average_precision(topic.num_rel));
    }
  }
  for (SweepPoint& point : points) {
    for (Mean* const sum : {&point.pres, &point.recall, &point.average_precision}) {
      if (sum->mean) *sum->mean /= sum->topics;
    }
  }
  return points;
}

std::vector<Cutoff> cutoffs_up_to(std::uint32_t depth, std::size_t count) {
  std::set<std::uint64_t> values = {depth};
  const std::size_t most = std::max<std::size_t>(count, 2);
  // Even steps, the round ones among them.
  for (std::size_t i = 1; i < most; ++i) values.insert(std::uint64_t{depth} * i / most);
  for (std::uint64_t power = 1; power <= depth; power *= 10) {
    values.insert({power, 2 * power, 5 * power});
  }
  std::vector<Cutoff> cutoffs;
  for (const std::uint64_t value : values) {
    if (value > 0 && value <= depth) cutoffs.emplace_back(static_cast<std::uint32_t>(value));
  }
  return cutoffs;
}

}  // namespace prescope
