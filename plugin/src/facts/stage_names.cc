#include "facts/stage_names.h"

#include <array>

namespace prescope {

namespace {

constexpr std::array<std::string_view, 3> kNames{"", "candidates", "served"};
constexpr std::size_t kFirstOwn = static_cast<std::size_t>(Stage::kFirstOwn);

}  // namespace

std::string_view stage_name(Stage stage, std::span<const std::string> own) noexcept {
  const auto number = static_cast<std::size_t>(stage);
  if (number < kFirstOwn) return kNames[number];
  return number - kFirstOwn < own.size() ? std::string_view(own[number - kFirstOwn]) : "";
}

std::optional<Stage> find_stage(std::string_view name, std::span<const std::string> own) noexcept {
  for (std::size_t number = 1; number < kFirstOwn + own.size(); ++number) {
    if (stage_name(Stage(number), own) == name) return Stage(number);
  }
  return std::nullopt;
}

}  // namespace prescope
