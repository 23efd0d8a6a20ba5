#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/page/drawing.h"
#include "report/page/figure_style.h"

namespace prescope::page {

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
