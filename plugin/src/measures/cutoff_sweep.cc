#include "measures/cutoff_sweep.h"

#include <algorithm>

#include "measures/definitions.h"

namespace prescope {

std::vector<SweepPoint> cutoff_sweep(std::span<const SweepTopic> topics,
                                     std::span<const Cutoff> cutoffs) {
  struct Sums {
    double pres = 0.0, recall = 0.0, average_precision = 0.0;
  };
  std::vector<Sums> sums(cutoffs.size());
  std::uint32_t counted = 0;
  for (const SweepTopic& topic : topics) {
    if (topic.num_rel == 0) continue;
    ++counted;
    FoundRelevant hits;
    for (std::size_t c = 0; c < cutoffs.size(); ++c) {
      const std::uint32_t cutoff = cutoffs[c].value();
      while (hits.found() < topic.relevant_ranks.size() &&
             topic.relevant_ranks[hits.found()] <= cutoff) {
        hits.add(topic.relevant_ranks[hits.found()]);
      }
      sums[c].pres += hits.pres(topic.num_rel, cutoff);
      sums[c].recall += hits.recall(topic.num_rel);
      sums[c].average_precision += hits.average_precision(topic.num_rel);
    }
  }
  std::vector<SweepPoint> points;
  points.reserve(cutoffs.size());
  for (std::size_t c = 0; c < cutoffs.size(); ++c) {
    const auto mean = [counted](double sum) {
      return counted == 0 ? Mean{} : Mean{sum / static_cast<double>(counted), counted};
    };
    points.push_back({.cutoff = cutoffs[c],
                      .pres = mean(sums[c].pres),
                      .recall = mean(sums[c].recall),
                      .average_precision = mean(sums[c].average_precision)});
  }
  return points;
}

std::vector<Cutoff> cutoffs_up_to(std::uint32_t depth, std::size_t count) {
  std::vector<std::uint32_t> values;
  const std::size_t most = std::max<std::size_t>(count, 2);
  for (std::size_t i = 1; i < most; ++i) {
    // Even steps, the round ones among them.
    const auto value = static_cast<std::uint32_t>(std::uint64_t{depth} * i / most);
    if (value > 0) values.push_back(value);
  }
  for (std::uint64_t power = 1; power <= depth; power *= 10) {
    for (const std::uint64_t step : {1, 2, 5}) {
      if (step * power <= depth) values.push_back(static_cast<std::uint32_t>(step * power));
    }
  }
  if (depth > 0) values.push_back(depth);
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  std::vector<Cutoff> cutoffs;
  for (const std::uint32_t value : values) cutoffs.push_back(Cutoff(value));
  return cutoffs;
}

}  // namespace prescope
