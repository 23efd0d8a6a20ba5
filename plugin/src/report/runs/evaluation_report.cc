#include "report/runs/evaluation_report.h"

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

}  // namespace prescope
