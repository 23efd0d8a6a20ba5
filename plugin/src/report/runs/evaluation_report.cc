#include "report/runs/evaluation_report.h"

#include <algorithm>
#include <array>

namespace prescope {

std::span<const std::pair<std::string_view, std::string_view>> mean_names() noexcept {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames{{
      {"AP", "MAP"},
      {"R", "Recall"},
      {"RR", "MRR"},
  }};
  return kNames;
}

std::string mean_name(const Measure& measure) {
  const std::string name = measure.name();
  for (const auto& [own, of_mean] : mean_names()) {
    if (measure.definition().name == own) return std::string(of_mean) + name.substr(own.size());
  }
  return name;
}

std::size_t end_of_block(std::span<const Measure> measures, std::size_t first,
                         const BlockWidths& widths) {
  constexpr std::size_t kGap = 2, kScore = 6;  // 0.1234
  std::size_t width = widths.names + kGap + text_width("topics");
  std::size_t last = first;
  while (last < measures.size()) {
    width += kGap + widths.mark + std::max(kScore, text_width(mean_name(measures[last])));
    if (width > kTableWidth && last > first) break;
    ++last;
  }
  return last;
}

}  // namespace prescope
