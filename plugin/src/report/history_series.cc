#include "report/history_series.h"

#include <algorithm>

namespace prescope {
namespace {

bool is_plotted(const Night& night) { return night.outcome != GateOutcome::kBadInput; }

NightSeries measure_series(const History& history, const std::string& arm, std::size_t measure) {
  NightSeries series{.arm = arm, .name = history.measures[measure], .points = {}};
  for (const History::Line& line : history.lines) {
    if (line.night.arm != arm) continue;
    NightSeries::Point point{.night = &line.night};
    if (is_plotted(line.night)) point.value = line.values[measure].mean;
    series.points.push_back(point);
  }
  return series;
}

NightSeries latency_series(const History& history, const std::string& arm) {
  NightSeries series{.arm = arm, .name = "p95 ms", .is_latency = true, .points = {}};
  for (const History::Line& line : history.lines) {
    if (line.night.arm != arm) continue;
    NightSeries::Point point{.night = &line.night};
    if (is_plotted(line.night)) point.value = line.night.p95_ms;
    series.points.push_back(point);
  }
  return series;
}

}  // namespace

std::vector<NightSeries> series_of(const History& history) {
  std::vector<NightSeries> all;
  for (const std::string& arm : history.arms) {
    for (std::size_t m = 0; m < history.measures.size(); ++m) {
      all.push_back(measure_series(history, arm, m));
    }
    NightSeries latency = latency_series(history, arm);
    if (newest_of(latency)) all.push_back(std::move(latency));
  }
  return all;
}

std::vector<std::optional<double>> values_of(const NightSeries& series) {
  std::vector<std::optional<double>> values;
  for (const NightSeries::Point& point : series.points) values.push_back(point.value);
  return values;
}

std::pair<std::optional<double>, std::optional<double>> range_of(const NightSeries& series) {
  std::optional<double> low, high;
  for (const NightSeries::Point& point : series.points) {
    if (!point.value) continue;
    low = std::min(low.value_or(*point.value), *point.value);
    high = std::max(high.value_or(*point.value), *point.value);
  }
  return {low, high};
}

std::optional<double> newest_of(const NightSeries& series) {
  for (auto point = series.points.rbegin(); point != series.points.rend(); ++point) {
    if (point->value) return point->value;
  }
  return std::nullopt;
}

}  // namespace prescope
