#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/page/drawing.h"
#include "report/page/figure_style.h"

namespace prescope::page {

/// Everything against everything: a square for each pair, dark where the row is better, light where
/// it is worse, empty where nothing is known.
struct PairGrid {
  enum class Square { kEmpty, kBetter, kWorse, kSelf };

  Drawing::Words words;
  std::vector<std::string> names{};  ///< of rows and columns; columns are numbered as the rows are
  std::function<Square(std::size_t row, std::size_t column)> square{};
  std::function<std::string(std::size_t row, std::size_t column)> hint{};
};

/// An SVG element, well-formed XML; for a file with a style and a background of its own.
[[nodiscard]] std::string draw(const PairGrid& figure, FigurePlace place);

}  // namespace prescope::page
