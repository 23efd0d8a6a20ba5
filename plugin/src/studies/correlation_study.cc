#include "studies/correlation_study.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace prescope {

namespace {

/// Scores of the systems in the order of their names, for each measure.
std::vector<std::vector<double>> by_name(const ScoreTable& table) {
  std::vector<std::size_t> order(table.systems.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {},
                    [&](std::size_t i) -> const std::string& { return table.systems[i]; });
  std::vector<std::vector<double>> sorted;
  for (const std::vector<double>& scores : table.scores) {
    sorted.emplace_back();
    for (const std::size_t i : order) sorted.back().push_back(scores[i]);
  }
  return sorted;
}

MeasureCorrelation correlate(const std::vector<double>& x, const std::vector<double>& y,
                             double persistence) {
  MeasureCorrelation result{.pairs = count_pairs(x, y)};
  result.tau_b = kendall_tau_b(result.pairs);
  result.tau_a = kendall_tau_a(result.pairs);
  result.gamma = goodman_kruskal_gamma(result.pairs);
  result.spearman = spearman_rho(x, y);
  result.tau_ap_of_x = tau_ap(x, y);
  result.tau_ap_of_y = tau_ap(y, x);
  result.overlap = rank_biased_overlap(descending_order(x), descending_order(y), persistence);
  return result;
}

}  // namespace

CorrelationStudy study_correlation(ScoreTable table, double persistence) {
  CorrelationStudy study{.table = std::move(table), .persistence = persistence};
  const std::vector<std::vector<double>> scores = by_name(study.table);
  for (std::size_t x = 0; x < scores.size(); ++x) {
    for (std::size_t y = x + 1; y < scores.size(); ++y) {
      MeasureCorrelation correlation = correlate(scores[x], scores[y], persistence);
      correlation.x = x;
      correlation.y = y;
      study.correlations.push_back(correlation);
    }
  }
  for (const auto& of_measure : study.table.scores) study.places.push_back(mid_ranks(of_measure));
  return study;
}

}  // namespace prescope
