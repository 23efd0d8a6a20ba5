#pragma once

#include <optional>
#include <span>
#include <string>

namespace prescope {

/// A column a value, from "▁" for the lowest to "█" for the highest; "▄" where all are the same,
/// "·" where there is none. Of more values than `most_columns` (>= 1), each column stands for
/// several that follow each other, by their mean. UTF-8; empty where there are no values.
[[nodiscard]] std::string sparkline(std::span<const std::optional<double>> values,
                                    std::size_t most_columns);

}  // namespace prescope
