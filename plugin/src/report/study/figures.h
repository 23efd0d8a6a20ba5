#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prescope::page {

/// Values to places in a drawing, linearly. `low` < `high`.
struct Scale {
  double low = 0.0, high = 1.0;    ///< values
  double first = 0.0, last = 1.0;  ///< where they are drawn

  [[nodiscard]] double operator()(double value) const noexcept {
    return first + (value - low) / (high - low) * (last - first);
  }
};

/// Round values within [low, high], about `count` of them, a step of 1, 2 or 5 times a power of 10
/// apart.
[[nodiscard]] std::vector<double> ticks(double low, double high, int count);
/// With as many digits as the step between `values` needs; with a sign where `values` have both.
[[nodiscard]] std::vector<std::string> tick_texts(const std::vector<double>& values);

struct Point {
  double x = 0.0, y = 0.0;
};

/// An SVG drawing, its colours those of the page's classes: `axis`, `grid`, `good`, `bad`, `same`,
/// `faint`.
class Drawing {
 public:
  enum class Anchor { kStart, kMiddle, kEnd };

  struct Size {
    double width = 0.0, height = 0.0;
  };
  struct Words {
    std::string id;     ///< unique in the page
    std::string title;  ///< what it is
    std::string what;   ///< what it shows, for those who do not see it
  };

  Drawing(const Size& size, const Words& words);

  /// CSS for all that follows; for a drawing in a file of its own.
  void style(std::string_view css);
  void line(const Point& from, const Point& to, std::string_view style);
  void circle(const Point& middle, double radius, std::string_view style,
              std::string_view hint = {});
  void path(std::string_view steps, std::string_view style, std::string_view hint = {});
  void text(const Point& at, std::string_view words, Anchor anchor, std::string_view style = {});
  /// Reads upwards, its middle at the point.
  void upright_text(const Point& at, std::string_view words);

  [[nodiscard]] std::string to_string() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

/// A number of a drawing: tenths, without a superfluous 0.
[[nodiscard]] std::string place(double value);

/// Where a figure is going to be looked at.
enum class FigurePlace {
  kPage,  ///< in a page by html_page, in that page's colours
  kFile,  ///< in a file of its own, black on white
};

/// The styles that figures use beside those of the page: `fig-text`, `fig-axis`, `fig-grid`,
/// `fig-guide`, `fig-area`, `fig-paper`; of series `fig-line` and `fig-mark` with the stroke
/// `fig-s0` to `fig-s7`, the fill `fig-f0` to `fig-f7` or `fig-open`, the dash `fig-d0` to
/// `fig-d3`.
[[nodiscard]] std::string figure_style(FigurePlace place);

/// Before anything else is drawn: in a file, the style and a background of this size.
void begin_figure(Drawing& drawing, const Drawing::Size& size, FigurePlace place);

/// How many series have a colour of their own, and how many a dash of their own.
inline constexpr std::size_t kFigureColors = 8, kFigureDashes = 4;

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

/// Values of one axis to places, linearly or by their logarithm.
class FigureScale {
 public:
  /// `values` are all that is drawn along the axis.
  FigureScale(const FigureAxis& axis, const std::vector<double>& values, double first, double last);

  [[nodiscard]] double operator()(double value) const;
  [[nodiscard]] const std::vector<FigureAxis::Tick>& ticks() const noexcept { return ticks_; }

 private:
  bool is_logarithmic_;
  Scale scale_;
  std::vector<FigureAxis::Tick> ticks_;
};

/// Where the plot is in the drawing.
struct FigureFrame {
  double left = 0.0, right = 0.0, top = 0.0, bottom = 0.0;
};

/// Lines, numbers and titles.
void draw_axes(Drawing& drawing, const FigureFrame& frame, const XyFigure& figure,
               const FigureScale& x, const FigureScale& y);

/// How many shapes of marks there are; together with colours and dashes neighbours differ in all
/// three.
inline constexpr std::size_t kFigureMarks = 7;

/// The mark of the series `look`, filled or open, some 8 units wide.
void draw_mark(Drawing& drawing, const Point& at, std::size_t look, std::string_view hint);
/// Classes of the line of the series `look`.
[[nodiscard]] std::string line_classes(std::size_t look);

}  // namespace prescope::page
