#include "report/number_text.h"
#include "report/sections.h"
#include "report/text_grid.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;

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
              {percent_text(own_share(arm.self_p50_us, arm.latency))}});
  }
  return grid.to_string(color);
}

}  // namespace

std::string arms_section(const Summary& summary, TableOptions::Color color) {
  std::string out = means_section(summary, MeanOver::kTopicsWithValue, color) + '\n';
  out += paint("Latency of a query, and of it the plugin's own time on the query thread",
               Style::kStrong, color);
  return out + "\n" + latency_block(summary, color);
}

}  // namespace prescope
