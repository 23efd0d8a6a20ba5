#pragma once

#include <optional>
#include <span>
#include <string>

#include "prescope/ranking.h"

namespace prescope {

/// The number of stages, kUnnamed included.
inline constexpr std::size_t kMostStages = 15;
inline constexpr std::size_t kMostOwnStages =
    kMostStages - static_cast<std::size_t>(Stage::kFirstOwn);

/// `own`: as in ExperimentOptions. "" for Stage::kUnnamed and for a stage without a name.
[[nodiscard]] std::string_view stage_name(Stage stage, std::span<const std::string> own) noexcept;
/// Returns std::nullopt if no stage has this name.
[[nodiscard]] std::optional<Stage> find_stage(std::string_view name,
                                              std::span<const std::string> own) noexcept;

}  // namespace prescope
