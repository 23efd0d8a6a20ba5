#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "report/study/figures.h"

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

/// What wholes are made of: a level bar each, its parts side by side, from light to dark so that
/// they can be told apart without colours.
struct PartBars {
  static constexpr std::size_t kMostParts = 3;

  struct Bar {
    std::string name;
    std::vector<std::uint64_t> counts{};  ///< of the parts; the bar is their sum
  };

  Drawing::Words words;
  std::string axis;                  ///< with the unit: "pairs of runs (%)"
  std::vector<std::string> parts{};  ///< names, at most kMostParts
  std::vector<Bar> bars{};           ///< one with nothing in it is left empty
};

/// An SVG element, well-formed XML; for a file with a style and a background of its own.
[[nodiscard]] std::string draw(const PartBars& figure, FigurePlace place);

}  // namespace prescope::page
