#pragma once

#include <string>
#include <vector>

#include "core/night.h"
#include "prescope/report.h"

namespace prescope {

/// Who pinned what, when and why, oldest first; what a name stands for now is marked. UTF-8, ends
/// with a newline.
[[nodiscard]] std::string pin_table(const std::vector<Pin>& pins, TableOptions::Color color);

/// "main: evaluation 3 pinned by ada, 12 citations must be found; it replaces evaluation 1".
[[nodiscard]] std::string pin_sentence(const Pin& pin);

}  // namespace prescope
