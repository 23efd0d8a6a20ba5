#include <fmt/format.h>

#include <algorithm>

#include "report/latency_text.h"
#include "report/number_text.h"
#include "report/sections.h"
#include "report/text_grid.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;
using Cell = TextGrid::Cell;
using Arms = std::vector<const ArmSummary*>;

Arms arms_that_are_there(const Summary& summary) {
  Arms arms;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.status != ArmStatus::kRemoved) arms.push_back(&arm);
  }
  return arms;
}

/// Whether the two means of some measure are printed differently.
bool means_differ(const Arms& arms) {
  return std::ranges::any_of(arms, [](const ArmSummary* arm) {
    return std::ranges::any_of(arm->means, [](const MeasureMean& mean) {
      return score_text(mean.mean) != score_text(mean.mean_over_all);
    });
  });
}

std::string means(const Summary& summary, const Arms& arms, TableOptions::Color color) {
  std::string out = paint("Mean over the topics that have a value", Style::kStrong, color) + '\n' +
                    means_section(summary, MeanOver::kTopicsWithValue, color);
  if (!means_differ(arms)) return out;
  return out + '\n' +
         paint("Mean over all topics with relevant documents, 0 where there is no value",
               Style::kStrong, color) +
         '\n' + means_section(summary, MeanOver::kAllTopics, color);
}

struct LatencyBlock {
  std::string title;
  LatencySummary ArmSummary::*latency;
  bool counts_failures;
};

std::string latency_block(const Arms& arms, const LatencyBlock& block, TableOptions::Color color) {
  std::vector<Align> columns(8, Align::kRight);
  std::vector<std::string> titles = {"arm",    "queries", "p50 ms",       "p90 ms",
                                     "p95 ms", "p99 ms",  "p99 interval", "max ms"};
  if (block.counts_failures) {
    columns.insert(columns.end(), 2, Align::kRight);
    titles.insert(titles.begin() + 2, {"failed", "timed out"});
  }
  columns.front() = Align::kLeft;
  TextGrid grid(std::move(columns));
  grid.add_titles(std::move(titles));
  for (const ArmSummary* arm : arms) {
    const LatencySummary& latency = arm->*block.latency;
    std::vector<Cell> row = {{arm_label(*arm)},
                             {grouped_text(latency.count)},
                             {quantile_text(latency.p50)},
                             {quantile_text(latency.p90)},
                             {quantile_text(latency.p95)},
                             {quantile_text(latency.p99)},
                             {quantile_interval_text(latency.p99)},
                             {milliseconds_text(latency.max_ms)}};
    if (block.counts_failures) {
      row.insert(row.begin() + 2,
                 {{grouped_text(arm->failed_queries)}, {grouped_text(arm->timed_out_queries)}});
    }
    grid.add(std::move(row));
  }
  return paint(block.title, Style::kStrong, color) + '\n' + grid.to_string(color);
}

std::string latencies(const Arms& arms, TableOptions::Color color) {
  const bool some_failed = std::ranges::any_of(
      arms, [](const ArmSummary* arm) { return arm->failed_queries + arm->timed_out_queries > 0; });
  std::string out = latency_block(arms,
                                  {.title = "Latency of queries that users waited for",
                                   .latency = &ArmSummary::latency,
                                   .counts_failures = some_failed},
                                  color);
  const bool has_shadows = std::ranges::any_of(
      arms, [](const ArmSummary* arm) { return arm->shadow_latency.count > 0; });
  if (!has_shadows) return out;
  return out + '\n' +
         latency_block(arms,
                       {.title = "Latency of searches for comparison, which nobody waited for",
                        .latency = &ArmSummary::shadow_latency,
                        .counts_failures = false},
                       color);
}

/// Of an unjudged query, which takes well below a microsecond.
std::string hundredths_text(const std::optional<double>& us) {
  return us ? fmt::format("{:.2f}", *us) : "-";
}

std::string own_time(const Arms& arms, TableOptions::Color color) {
  TextGrid grid(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  grid.add_titles({"arm", "judged p50 us", "judged p99 us", "unjudged p50 us", "unjudged p99 us",
                   "judged/query"});
  for (const ArmSummary* arm : arms) {
    grid.add({{arm_label(*arm)},
              {microseconds_text(arm->self_p50_us)},
              {microseconds_text(arm->self_p99_us)},
              {hundredths_text(arm->unjudged_self_p50_us)},
              {hundredths_text(arm->unjudged_self_p99_us)},
              {percent_text(own_share(arm->self_p50_us, arm->latency))}});
  }
  return paint("The plugin's own time on the query thread", Style::kStrong, color) + '\n' +
         grid.to_string(color);
}

}  // namespace

std::string live_arms_section(const Summary& summary, TableOptions::Color color) {
  const Arms arms = arms_that_are_there(summary);
  return means(summary, arms, color) + '\n' + latencies(arms, color) + '\n' + own_time(arms, color);
}

}  // namespace prescope
