#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "prescope/measure.h"

namespace prescope {

/// What the mean over topics is called where it is not called like the measure itself: {"AP",
/// "MAP"}.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> mean_names() noexcept;

/// The title of a measure's mean over topics: `MAP@100` for AP@100, `Recall@100` for R@100.
[[nodiscard]] std::string mean_name(const Measure& measure);

}  // namespace prescope
