#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/page/drawing.h"
#include "report/page/figure_style.h"

namespace prescope::page {

/// An axis of a figure. Without limits it spans the values.
struct FigureAxis {
  enum class Kind { kLinear, kLogarithmic };
  struct Tick {
    double value = 0.0;
    std::string text{};
  };

  std::string title;  ///< with the unit: "N_max (documents read)"
  Kind kind = Kind::kLinear;
  std::optional<double> low{}, high{};  ///< in a logarithmic axis above 0
  std::vector<Tick> ticks{};            ///< instead of round values
};

/// A line through points, from left to right.
struct FigureSeries {
  enum class Marks { kOwn, kNone };
  enum class Line { kStraight, kSteps, kNone };

  std::string name;
  std::vector<Point> points{};
  Line line = Line::kStraight;
  Marks marks = Marks::kOwn;
  /// Which colour, dash and mark: its position in the figure where nothing else is said.
  std::optional<std::size_t> look{};
  std::vector<std::string> hints{};  ///< for the points; none, or as many
};

/// Numbers over numbers, or over names: axes, series that can be told apart without colours, and a
/// legend below.
struct XyFigure {
  /// A dashed line through the whole figure, named at its end.
  struct Guide {
    enum class Direction { kUpright, kLevel };
    Direction direction = Direction::kUpright;
    double value = 0.0;
    std::string name{};
  };
  /// What lies between two curves, shaded: both from the same x to the same x.
  struct Area {
    std::string name{};
    std::vector<Point> upper{}, lower{};
  };
  struct Note {
    Point at{};
    std::string words{};
    Drawing::Anchor anchor = Drawing::Anchor::kStart;
  };

  Drawing::Words words;
  FigureAxis x{}, y{};
  std::vector<FigureSeries> series{};
  std::vector<Guide> guides{};
  std::vector<Area> areas{};
  std::vector<Note> notes{};                    ///< at places of the axes
  std::vector<FigureAxis::Tick> right_names{};  ///< at values of the y axis, right of the plot
  enum class Legend { kBelow, kNone };
  Legend legend = Legend::kBelow;
  Drawing::Size plot{.width = 560.0, .height = 340.0};  ///< within the axes
};

/// An SVG element, well-formed XML; for a file with a style and a background of its own.
[[nodiscard]] std::string draw(const XyFigure& figure, FigurePlace place);

}  // namespace prescope::page
