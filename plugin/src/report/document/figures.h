#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Figures as values, and their SVG. Series can be told apart without colours.
namespace prescope::page {

struct Point {
  double x = 0.0, y = 0.0;
};

struct FigureWords {
  std::string id;  ///< unique in the page, and the name of the figure's file
  std::string title;
  std::string what;  ///< description for those who do not see it
};

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
  std::string name;
  std::vector<Point> points{};
  bool has_marks = true;
  /// Number of its colour, dash and mark; by default its position in the figure.
  std::optional<std::size_t> look{};
  std::vector<std::string> hints{};  ///< for the points; none, or as many
};

/// Numbers over numbers, or over names: axes, series and a legend below.
struct XyFigure {
  /// The shaded area between two curves, both from the same x to the same x.
  struct Area {
    std::string name{};
    std::vector<Point> upper{}, lower{};
  };
  struct Size {
    double width = 560.0, height = 340.0;
  };

  FigureWords words;
  FigureAxis x{}, y{};
  std::vector<FigureSeries> series{};
  /// Dashed lines through the whole figure, with their names, at values of the x and the y axis.
  std::vector<FigureAxis::Tick> upright_guides{}, level_guides{};
  std::vector<Area> areas{};
  std::vector<FigureAxis::Tick> right_names{};  ///< at values of the y axis, right of the plot
  bool has_legend = true;
  Size plot{};  ///< within the axes
};

/// A comparison of all with all: a square for each pair, dark if the row is better, light if it is
/// worse, empty if it is unknown.
struct PairGrid {
  enum class Square { kEmpty, kBetter, kWorse, kSelf };
  struct Pair {
    Square square = Square::kEmpty;
    std::string hint{};
  };

  FigureWords words;
  std::vector<std::string> names{};  ///< for rows and, as numbers, columns
  std::vector<Pair> pairs{};         ///< row by row
};

/// A level bar for each whole, its parts side by side, from light to dark.
struct PartBars {
  static constexpr std::size_t kMostParts = 3;

  struct Bar {
    std::string name;
    std::vector<std::uint64_t> counts{};  ///< one for each part
    std::uint64_t whole = 0;              ///< what is 100 %; 0: the sum of the counts
  };

  FigureWords words;
  std::string axis;                  ///< with the unit: "pairs of runs (%)"
  std::vector<std::string> parts{};  ///< names, at most kMostParts
  std::vector<Bar> bars{};           ///< an empty bar is drawn empty
};

using Figure = std::variant<XyFigure, PairGrid, PartBars>;

/// The medium that a figure is drawn for.
enum class FigurePlace {
  kPage,  ///< in a page of a study, in that page's colours
  kFile,  ///< in a file of its own, black on white
};

/// Styles of figures, beside the styles of the page: `fig-text`, `fig-axis`, `fig-grid`,
/// `fig-guide`, `fig-area`, `fig-paper`; of series `fig-line` and `fig-mark` with the stroke
/// `fig-s0` to `fig-s7`, the fill `fig-f0` to `fig-f7` or `fig-open`, the dash `fig-d0` to
/// `fig-d3`.
[[nodiscard]] std::string figure_style(FigurePlace place);

/// Returns an SVG element, well-formed XML; for a file with its own style and background.
[[nodiscard]] std::string draw(const Figure& figure, FigurePlace place);

/// Makes the name of a figure from the name of a measure or a run: characters other than letters,
/// digits, '.', '_' and '-' become '-'.
[[nodiscard]] std::string figure_name(std::string_view text);

}  // namespace prescope::page
