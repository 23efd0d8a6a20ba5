#include "report/page/xy_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/figure_axes.h"
#include "report/page/figure_marks.h"
#include "report/text_grid.h"

namespace prescope::page {
namespace {

constexpr double kTop = 22.0, kRight = 26.0, kLeastLeft = 64.0, kBelowPlot = 58.0;
/// Left of which a guide's name would meet the numbers of the y axis.
constexpr double kRoomOfGuide = 30.0;
/// Above the highest value, where the axis does not say where it ends.
constexpr double kHeadroom = 10.0;
constexpr double kLegendRow = 21.0, kCharacter = 7.2, kLegendSample = 44.0, kLegendGap = 18.0;

std::vector<double> values_of(const XyFigure& figure, double Point::*coordinate) {
  std::vector<double> values;
  const auto add = [&](const std::vector<Point>& points) {
    for (const Point& point : points) values.push_back(point.*coordinate);
  };
  for (const FigureSeries& series : figure.series) add(series.points);
  for (const XyFigure::Area& area : figure.areas) {
    add(area.upper);
    add(area.lower);
  }
  return values;
}

std::size_t look_of(const XyFigure& figure, std::size_t i) {
  return figure.series[i].look.value_or(i);
}

double width_of(const std::vector<FigureAxis::Tick>& names) {
  std::size_t longest = 0;
  for (const FigureAxis::Tick& name : names) longest = std::max(longest, text_width(name.text));
  return kCharacter * static_cast<double>(longest);
}

/// Room for the names of the y axis.
double left_of(const XyFigure& figure) {
  return std::max(kLeastLeft, 40.0 + width_of(figure.y.ticks));
}

/// Columns of equal width, as many as fit.
struct Legend {
  std::vector<std::string> names{};
  double column = 0.0;
  std::size_t columns = 1, rows = 0;
};

Legend legend_of(const XyFigure& figure, double width) {
  Legend legend;
  if (figure.legend == XyFigure::Legend::kNone) return legend;
  for (const FigureSeries& series : figure.series) legend.names.push_back(series.name);
  for (const XyFigure::Area& area : figure.areas) legend.names.push_back(area.name);
  std::size_t longest = 1;
  for (const std::string& name : legend.names) longest = std::max(longest, text_width(name));
  legend.column = kLegendSample + kLegendGap + kCharacter * static_cast<double>(longest);
  legend.columns = std::max<std::size_t>(1, static_cast<std::size_t>(width / legend.column));
  legend.rows = (legend.names.size() + legend.columns - 1) / legend.columns;
  return legend;
}

class Painter {
 public:
  Painter(const XyFigure& figure, Drawing& drawing, const FigureFrame& frame)
      : figure_(figure),
        drawing_(drawing),
        frame_(frame),
        x_(figure.x, values_of(figure, &Point::x), frame.left, frame.right),
        y_(figure.y, values_of(figure, &Point::y), frame.bottom,
           figure.y.high ? frame.top : frame.top + kHeadroom) {}

  void paint() {
    for (const XyFigure::Area& area : figure_.areas) paint(area);
    draw_axes(drawing_, frame_, figure_, x_, y_);
    for (const XyFigure::Guide& guide : figure_.guides) paint(guide);
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      paint_line(figure_.series[i], look_of(figure_, i));
    }
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      paint_marks(figure_.series[i], look_of(figure_, i));
    }
    for (const FigureAxis::Tick& name : figure_.right_names) {
      drawing_.text({frame_.right + 8.0, y_(name.value) + 4.5}, name.text, Drawing::Anchor::kStart,
                    "fig-text");
    }
    for (const XyFigure::Note& note : figure_.notes) {
      drawing_.text({x_(note.at.x), y_(note.at.y)}, note.words, note.anchor, "fig-text");
    }
  }

 private:
  [[nodiscard]] Point at(const Point& point) const { return {x_(point.x), y_(point.y)}; }
  [[nodiscard]] std::string step(char letter, const Point& point) const {
    return fmt::format("{}{} {}", letter, place(x_(point.x)), place(y_(point.y)));
  }

  void paint(const XyFigure::Area& area) {
    std::string steps;
    for (const Point& point : area.upper) steps += step(steps.empty() ? 'M' : 'L', point);
    for (auto point = area.lower.rbegin(); point != area.lower.rend(); ++point) {
      steps += step('L', *point);
    }
    if (!steps.empty()) drawing_.path(steps + 'Z', "fig-area");
  }

  void paint(const XyFigure::Guide& guide) {
    if (guide.direction == XyFigure::Guide::Direction::kUpright) {
      const double x = x_(guide.value);
      drawing_.line({x, frame_.top}, {x, frame_.bottom}, "fig-guide");
      const bool is_left = x < frame_.left + kRoomOfGuide;
      drawing_.text({x, frame_.top - 6.0}, guide.name,
                    is_left ? Drawing::Anchor::kStart : Drawing::Anchor::kMiddle, "fig-text");
    } else {
      const double y = y_(guide.value);
      drawing_.line({frame_.left, y}, {frame_.right, y}, "fig-guide");
      drawing_.text({frame_.right - 4.0, y - 5.0}, guide.name, Drawing::Anchor::kEnd, "fig-text");
    }
  }

  void paint_line(const FigureSeries& series, std::size_t look) {
    if (series.line == FigureSeries::Line::kNone || series.points.empty()) return;
    std::string steps;
    for (const Point& point : series.points) {
      if (series.line == FigureSeries::Line::kSteps && !steps.empty()) {
        steps += fmt::format("H{}", place(x_(point.x)));
      }
      steps += step(steps.empty() ? 'M' : 'L', point);
    }
    drawing_.path(steps, line_classes(look));
  }

  void paint_marks(const FigureSeries& series, std::size_t look) {
    if (series.marks == FigureSeries::Marks::kNone) return;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      draw_mark(drawing_, at(series.points[i]), look,
                i < series.hints.size() ? series.hints[i] : std::string());
    }
  }

  const XyFigure& figure_;
  Drawing& drawing_;
  FigureFrame frame_;
  FigureScale x_, y_;
};

void paint_sample(Drawing& drawing, const XyFigure& figure, std::size_t i, const Point& at) {
  if (i >= figure.series.size()) {
    drawing.path(fmt::format("M{} {}h30v10h-30Z", place(at.x), place(at.y - 5.0)), "fig-area");
    return;
  }
  const FigureSeries& series = figure.series[i];
  const std::size_t look = look_of(figure, i);
  if (series.line != FigureSeries::Line::kNone) {
    drawing.path(fmt::format("M{} {}h36", place(at.x), place(at.y)), line_classes(look));
  }
  if (series.marks == FigureSeries::Marks::kOwn) {
    draw_mark(drawing, {at.x + 18.0, at.y}, look, {});
  }
}

void paint_legend(Drawing& drawing, const XyFigure& figure, const Legend& legend,
                  const Point& from) {
  for (std::size_t i = 0; i < legend.names.size(); ++i) {
    // Down the columns, as lists are read.
    const double x = from.x + legend.column * static_cast<double>(i / legend.rows);
    const double y = from.y + kLegendRow * static_cast<double>(i % legend.rows);
    paint_sample(drawing, figure, i, {x, y});
    drawing.text({x + kLegendSample, y + 4.5}, legend.names[i], Drawing::Anchor::kStart,
                 "fig-text");
  }
}

}  // namespace

std::string draw(const XyFigure& figure, FigurePlace where) {
  const double left = left_of(figure);
  const FigureFrame frame{.left = left,
                          .right = left + figure.plot.width,
                          .top = kTop,
                          .bottom = kTop + figure.plot.height};
  const Legend legend = legend_of(figure, frame.right - kLeastLeft / 2.0);
  const double legend_top = frame.bottom + kBelowPlot;
  const double height = legend_top + kLegendRow * static_cast<double>(legend.rows) + 4.0;
  const Drawing::Size size{frame.right + kRight + width_of(figure.right_names), height};
  Drawing drawing(size, figure.words);
  begin_figure(drawing, size, where);
  Painter(figure, drawing, frame).paint();
  paint_legend(drawing, figure, legend, {kLeastLeft / 2.0, legend_top + kLegendRow / 2.0});
  return drawing.to_string();
}

}  // namespace prescope::page
