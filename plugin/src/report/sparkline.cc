#include "report/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace prescope {
namespace {

using Values = std::vector<std::optional<double>>;

constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kSameBlock = "▄", kNoBlock = "·";

std::optional<double> mean_of_those_there_are(std::span<const std::optional<double>> values) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const std::optional<double>& value : values) {
    if (!value) continue;
    sum += *value;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

/// At most so many, each the mean of as many that follow each other, or of one fewer.
Values condensed(std::span<const std::optional<double>> values, std::size_t most) {
  if (values.size() <= most) return {values.begin(), values.end()};
  Values columns;
  for (std::size_t c = 0; c < most; ++c) {
    const std::size_t begin = c * values.size() / most, end = (c + 1) * values.size() / most;
    columns.push_back(mean_of_those_there_are(values.subspan(begin, end - begin)));
  }
  return columns;
}

std::string_view block_of(double value, double low, double high) {
  if (low == high) return kSameBlock;
  const double share = (value - low) / (high - low);
  return kBlocks[static_cast<std::size_t>(std::lround(share * (kBlocks.size() - 1)))];
}

}  // namespace

std::string sparkline(std::span<const std::optional<double>> values, std::size_t most_columns) {
  const Values columns = condensed(values, most_columns);
  double low = INFINITY, high = -INFINITY;
  for (const std::optional<double>& value : columns) {
    if (!value) continue;
    low = std::min(low, *value);
    high = std::max(high, *value);
  }
  std::string line;
  for (const std::optional<double>& value : columns) {
    line += value ? block_of(*value, low, high) : kNoBlock;
  }
  return line;
}

}  // namespace prescope
