#include <algorithm>

#include "report/mean_name.h"
#include "report/number_text.h"
#include "report/sections.h"
#include "report/text_grid.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;

constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kScoreWidth = 6;  // 0.1234

std::size_t label_width(const Summary& summary) {
  std::size_t width = 0;
  for (const ArmSummary& arm : summary.arms) width = std::max(width, text_width(arm.id.text()));
  return width + kColumnGap + text_width("topics");
}

/// One past the last measure that fits beside those from `first` on; at least one.
std::size_t block_end(const Summary& summary, std::size_t first) {
  std::size_t width = label_width(summary);
  std::size_t last = first;
  while (last < summary.measures.size()) {
    width += kColumnGap + std::max(kScoreWidth, text_width(mean_name(summary.measures[last])));
    if (width > kTableWidth && last > first) break;
    ++last;
  }
  return last;
}

std::string means_block(const Summary& summary, std::size_t first, std::size_t last,
                        TableOptions::Color color) {
  TextGrid grid([&] {
    std::vector<Align> columns(2 + last - first, Align::kRight);
    columns.front() = Align::kLeft;
    return columns;
  }());
  std::vector<std::string> titles = {"arm", "topics"};
  for (std::size_t m = first; m < last; ++m) titles.push_back(mean_name(summary.measures[m]));
  grid.add_titles(std::move(titles));
  for (const ArmSummary& arm : summary.arms) {
    std::vector<TextGrid::Cell> row = {{arm.id.text()}, {std::to_string(arm.topics_seen)}};
    for (std::size_t m = first; m < last; ++m) row.push_back({score_text(arm.means[m].mean)});
    grid.add(std::move(row));
  }
  return grid.to_string(color);
}

std::optional<double> own_share(const ArmSummary& arm) {
  constexpr double kUsPerMs = 1000.0;
  if (!arm.self_p50_us || !arm.latency.p50.ms || *arm.latency.p50.ms <= 0.0) return std::nullopt;
  return *arm.self_p50_us / (*arm.latency.p50.ms * kUsPerMs);
}

std::string latency_block(const Summary& summary, TableOptions::Color color) {
  TextGrid grid({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                 Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  grid.add_titles({"arm", "queries", "p50 ms", "p95 ms", "p99 ms", "max ms", "own p50 us",
                   "own p99 us", "own/query"});
  for (const ArmSummary& arm : summary.arms) {
    const LatencySummary& latency = arm.latency;
    grid.add({{arm.id.text()},
              {std::to_string(latency.count)},
              {milliseconds_text(latency.p50.ms)},
              {milliseconds_text(latency.p95.ms)},
              {milliseconds_text(latency.p99.ms)},
              {milliseconds_text(latency.max_ms)},
              {microseconds_text(arm.self_p50_us)},
              {microseconds_text(arm.self_p99_us)},
              {percent_text(own_share(arm))}});
  }
  return grid.to_string(color);
}

}  // namespace

std::string arms_section(const Summary& summary, TableOptions::Color color) {
  std::string out;
  for (std::size_t first = 0; first < summary.measures.size();) {
    const std::size_t last = block_end(summary, first);
    out += means_block(summary, first, last, color) + '\n';
    first = last;
  }
  out += paint("Latency of a query, and of it the plugin's own time on the query thread",
               Style::kStrong, color);
  return out + "\n" + latency_block(summary, color);
}

}  // namespace prescope
