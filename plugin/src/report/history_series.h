#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/history.h"

/// A history turned by its side: what is plotted.
namespace prescope {

/// The nights of one arm with one of their numbers. Points into the history.
struct NightSeries {
  struct Point {
    const Night* night = nullptr;
    std::optional<double> value{};
  };
  std::string arm{};
  std::string name{};  ///< "PRES@100", "p95 ms"
  bool is_latency = false;
  std::vector<Point> points{};  ///< oldest first
};

/// For each arm its measures, then its latency where any night was timed. What bad input gave says
/// nothing about a ranking: those nights have no value.
[[nodiscard]] std::vector<NightSeries> series_of(const History& history);

[[nodiscard]] std::vector<std::optional<double>> values_of(const NightSeries& series);
/// Lowest and highest value; nothing where there is none.
[[nodiscard]] std::pair<std::optional<double>, std::optional<double>> range_of(
    const NightSeries& series);
/// Of the newest night that has one.
[[nodiscard]] std::optional<double> newest_of(const NightSeries& series);

}  // namespace prescope
