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
  for (const ArmSummary& arm : summary.arms) width = std::max(width, text_width(arm_label(arm)));
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

std::string topics_text(const Summary& summary, const ArmSummary& arm, MeanOver over) {
  return std::to_string(over == MeanOver::kTopicsWithValue
                            ? arm.topics_seen
                            : summary.topics - summary.topics_without_relevant);
}

std::string means_block(const Summary& summary, MeanOver over, std::size_t first, std::size_t last,
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
    if (arm.status == ArmStatus::kRemoved) continue;
    std::vector<TextGrid::Cell> row = {{arm_label(arm)}, {topics_text(summary, arm, over)}};
    for (std::size_t m = first; m < last; ++m) {
      row.push_back({score_text(over == MeanOver::kTopicsWithValue ? arm.means[m].mean
                                                                   : arm.means[m].mean_over_all)});
    }
    grid.add(std::move(row));
  }
  return grid.to_string(color);
}

}  // namespace

std::string arm_label(const ArmSummary& arm) {
  return arm.id.text() + (arm.status == ArmStatus::kPaused ? " (paused)" : "");
}

std::string means_section(const Summary& summary, MeanOver over, TableOptions::Color color) {
  std::string out;
  for (std::size_t first = 0; first < summary.measures.size();) {
    const std::size_t last = block_end(summary, first);
    out += (first > 0 ? "\n" : "") + means_block(summary, over, first, last, color);
    first = last;
  }
  return out;
}

}  // namespace prescope
