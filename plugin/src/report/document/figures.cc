#include "report/document/figures.h"

#include <regex>

#include "report/document/drawing.h"

namespace prescope::page {

namespace {

double round_step(double width, int count) {
  constexpr double kBase = 10.0;
  const double rough = width / count;
  const double power = std::pow(kBase, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return kBase * power;
}

/// Round values, with as many digits as their step needs; with a sign if they have both.
std::vector<FigureAxis::Tick> linear_ticks(double low, double high) {
  constexpr int kCount = 6;
  constexpr double kRounding = 1e-9, kRoundingOfDigits = 1e-6;
  const double step = round_step(high - low, kCount);
  std::vector<FigureAxis::Tick> ticks;
  for (double i = std::ceil(low / step - kRounding); i <= high / step + kRounding; i += 1.0) {
    ticks.push_back({i * step + 0.0});
  }
  const int decimals =
      std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kRoundingOfDigits)));
  const bool signs = !ticks.empty() && ticks.front().value < 0.0 && ticks.back().value > 0.0;
  for (auto& [value, text] : ticks) {
    text = std::abs(value) < step / 2.0 ? "0"
           : signs                      ? fmt::format("{:+.{}f}", value, decimals)
                                        : fmt::format("{:.{}f}", value, decimals);
  }
  return ticks;
}

std::vector<FigureAxis::Tick> logarithmic_ticks(double low, double high) {
  constexpr double kBase = 10.0, kRounding = 1e-9;
  std::vector<FigureAxis::Tick> ticks;
  for (double power = std::floor(std::log10(low)); std::pow(kBase, power) <= high; power += 1.0) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(kBase, power);
      if (value < low * (1.0 - kRounding) || value > high * (1.0 + kRounding)) continue;
      ticks.push_back({value, fmt::format("{:g}", value)});
    }
  }
  return ticks;
}

std::pair<double, double> span_of(const FigureAxis& axis, const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values.empty() ? std::vector{0.0, 1.0} : values);
  const double low = axis.low.value_or(least), high = axis.high.value_or(most);
  if (low < high) return {low, high};
  const double around = axis.kind == FigureAxis::Kind::kLogarithmic ? low / 2.0 : 0.5;
  return {low - around, low + around};
}

/// Values of one axis to places, linearly or by their logarithm.
class FigureScale {
 public:
  /// `values` are all values drawn along the axis, from `first` to `last`.
  FigureScale(const FigureAxis& axis, const std::vector<double>& values, double first, double last)
      : is_logarithmic_(axis.kind == FigureAxis::Kind::kLogarithmic), first_(first), last_(last) {
    const auto [low, high] = span_of(axis, values);
    low_ = is_logarithmic_ ? std::log(low) : low;
    high_ = is_logarithmic_ ? std::log(high) : high;
    ticks_ = !axis.ticks.empty() ? axis.ticks
             : is_logarithmic_   ? logarithmic_ticks(low, high)
                                 : linear_ticks(low, high);
  }

  [[nodiscard]] double operator()(double value) const {
    const double on_axis = is_logarithmic_ ? std::log(value) : value;
    return first_ + (on_axis - low_) / (high_ - low_) * (last_ - first_);
  }
  [[nodiscard]] const std::vector<FigureAxis::Tick>& ticks() const noexcept { return ticks_; }

 private:
  bool is_logarithmic_;
  double low_ = 0.0, high_ = 1.0, first_, last_;
  std::vector<FigureAxis::Tick> ticks_;
};

/// Marks around 0 beside the circle, about 8 units wide: where each begins, and its steps.
constexpr std::pair<Point, std::string_view> kShapes[] = {
    {{-3.5, -3.5}, "h7v7h-7Z"},
    {{0.0, -4.5}, "l4.5 8h-9Z"},
    {{0.0, -4.8}, "l4.8 4.8l-4.8 4.8l-4.8 -4.8Z"},
    {{0.0, 4.5}, "l4.5 -8h-9Z"},
    {{-3.6, -3.6}, "l7.2 7.2m0 -7.2l-7.2 7.2"},
    {{-4.5, 0.0}, "h9m-4.5 -4.5v9"}};
static_assert(std::size(kShapes) + 1 == kFigureMarks);

/// The mark of the series `look`, filled or open, about 8 units wide.
void draw_mark(Drawing& drawing, const Point& at, std::size_t look, std::string_view hint) {
  const std::size_t form = look % kFigureMarks, color = look % kFigureColors;
  // In the second round, filled marks are open.
  const bool is_open = look / kFigureMarks % 2 == 1;
  const std::string fill = is_open ? "fig-open" : fmt::format("fig-f{}", color);
  const std::string classes = fmt::format("fig-mark fig-s{} {}", color, fill);
  constexpr double kRadius = 3.6;
  if (form == 0) return drawing.circle(at, kRadius, classes, hint);
  const auto& [from, steps] = kShapes[form - 1];
  drawing.path(fmt::format("M{} {}{}", place(at.x + from.x), place(at.y + from.y), steps), classes,
               hint);
}

std::string line_classes(std::size_t look) {
  // When colours repeat, dashes do not.
  const std::size_t dash = (look + look / kFigureColors) % kFigureDashes;
  return fmt::format("fig-line fig-s{} fig-d{}", look % kFigureColors, dash);
}

constexpr double kTop = 22.0, kRight = 26.0, kLeastLeft = 78.0, kBelowPlot = 58.0;
/// Left of which a guide's name would meet the numbers of the y axis.
constexpr double kRoomOfGuide = 30.0;
/// Room above the highest value if the axis has no upper end.
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

double width_of(const std::vector<FigureAxis::Tick>& ticks) {
  return width_of_longest(ticks, kCharacter, &FigureAxis::Tick::text);
}

struct Legend {
  std::vector<std::string> names{};
  double column = 0.0;
  std::size_t columns = 1, rows = 0;
};

Legend legend_of(const XyFigure& figure, double width) {
  Legend legend;
  if (!figure.has_legend) return legend;
  for (const FigureSeries& series : figure.series) legend.names.push_back(series.name);
  for (const XyFigure::Area& area : figure.areas) legend.names.push_back(area.name);
  const double longest = std::max(kCharacter, width_of_longest(legend.names, kCharacter));
  legend.column = kLegendSample + kLegendGap + longest;
  legend.columns = std::max<std::size_t>(1, static_cast<std::size_t>(width / legend.column));
  legend.rows = (legend.names.size() + legend.columns - 1) / legend.columns;
  return legend;
}

struct XyPainter {
  const XyFigure& figure;
  Drawing& drawing;
  double left, right, bottom;  // of the plot; its top is kTop
  FigureScale x{figure.x, values_of(figure, &Point::x), left, right};
  FigureScale y{figure.y, values_of(figure, &Point::y), bottom,
                figure.y.high ? kTop : kTop + kHeadroom};

  void paint() {
    for (const XyFigure::Area& area : figure.areas) {
      const std::vector<Point> back(area.lower.rbegin(), area.lower.rend());
      drawing.path(steps(back, steps(area.upper)) + 'Z', "fig-area");
    }
    paint_x_ticks();
    paint_y_ticks();
    paint_axes();
    paint_guides();
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
      const std::string path = steps(figure.series[i].points);
      if (!path.empty()) drawing.path(path, line_classes(look_of(figure, i)));
    }
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
      paint_marks(figure.series[i], look_of(figure, i));
    }
    for (const FigureAxis::Tick& name : figure.right_names) {
      drawing.text({right + 8.0, y(name.value) + 4.5}, name.text, kStart);
    }
  }

  void paint_x_ticks() {
    double free_from = -INFINITY;
    for (const FigureAxis::Tick& tick : x.ticks()) {
      const double at = x(tick.value);
      drawing.line({at, kTop}, {at, bottom}, "fig-grid");
      drawing.line({at, bottom}, {at, bottom + 5.0}, "fig-axis");
      const double half = kCharacter * static_cast<double>(tick.text.size()) / 2.0;
      if (at - half < free_from) continue;
      drawing.text({at, bottom + 20.0}, tick.text, kMiddle);
      free_from = at + half + kCharacter;
    }
  }

  void paint_y_ticks() {
    for (const FigureAxis::Tick& tick : y.ticks()) {
      const double at = y(tick.value);
      drawing.line({left, at}, {right, at}, "fig-grid");
      drawing.text({left - 8.0, at + 4.5}, tick.text, kEnd);
    }
  }

  void paint_axes() {
    drawing.line({left, bottom}, {right, bottom}, "fig-axis");
    drawing.line({left, kTop}, {left, bottom}, "fig-axis");
    drawing.text({(left + right) / 2.0, bottom + 44.0}, figure.x.title, kMiddle);
    drawing.upright_text({18.0, (kTop + bottom) / 2.0}, figure.y.title);
  }

  void paint_guides() {
    for (const auto& [value, name] : figure.upright_guides) {
      const double at = x(value);
      drawing.line({at, kTop}, {at, bottom}, "fig-guide");
      const bool is_left = at < left + kRoomOfGuide;
      drawing.text({at, kTop - 6.0}, name, is_left ? kStart : kMiddle);
    }
    for (const auto& [value, name] : figure.level_guides) {
      const double at = y(value);
      drawing.line({left, at}, {right, at}, "fig-guide");
      drawing.text({right - 4.0, at - 5.0}, name, kEnd);
    }
  }

  [[nodiscard]] std::string steps(const std::vector<Point>& points, std::string path = {}) const {
    for (const Point& point : points) {
      path +=
          fmt::format("{}{} {}", path.empty() ? 'M' : 'L', place(x(point.x)), place(y(point.y)));
    }
    return path;
  }

  void paint_marks(const FigureSeries& series, std::size_t look) {
    if (!series.has_marks) return;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      draw_mark(drawing, {x(series.points[i].x), y(series.points[i].y)}, look,
                i < series.hints.size() ? series.hints[i] : std::string());
    }
  }
};

void paint_sample(Drawing& drawing, const XyFigure& figure, std::size_t i, const Point& at) {
  if (i >= figure.series.size()) {
    drawing.path(fmt::format("M{} {}h30v10h-30Z", place(at.x), place(at.y - 5.0)), "fig-area");
    return;
  }
  const FigureSeries& series = figure.series[i];
  const std::size_t look = look_of(figure, i);
  drawing.path(fmt::format("M{} {}h36", place(at.x), place(at.y)), line_classes(look));
  if (series.has_marks) draw_mark(drawing, {at.x + 18.0, at.y}, look, {});
}

void paint_legend(Drawing& drawing, const XyFigure& figure, const Legend& legend,
                  const Point& from) {
  for (std::size_t i = 0; i < legend.names.size(); ++i) {
    // Down the columns, as lists are read.
    const double x = from.x + legend.column * static_cast<double>(i / legend.rows);
    const double y = from.y + kLegendRow * static_cast<double>(i % legend.rows);
    paint_sample(drawing, figure, i, {x, y});
    drawing.text({x + kLegendSample, y + 4.5}, legend.names[i], kStart);
  }
}

std::string drawn(const XyFigure& figure, FigurePlace where) {
  const double left = std::max(kLeastLeft, 40.0 + width_of(figure.y.ticks));
  const double right = left + figure.plot.width, bottom = kTop + figure.plot.height;
  const Legend legend = legend_of(figure, right - kLeastLeft / 2.0);
  const double legend_top = bottom + kBelowPlot;
  const double height = legend_top + kLegendRow * static_cast<double>(legend.rows) + 4.0;
  Drawing drawing({right + kRight + width_of(figure.right_names), height}, figure.words, where);
  XyPainter{figure, drawing, left, right, bottom}.paint();
  paint_legend(drawing, figure, legend, {kLeastLeft / 2.0, legend_top + kLegendRow / 2.0});
  return drawing.to_string();
}

}  // namespace

std::string draw(const Figure& figure, FigurePlace where) {
  return std::visit([where](const auto& each) { return drawn(each, where); }, figure);
}

std::string figure_name(std::string_view text) {
  return std::regex_replace(std::string(text), std::regex("[^A-Za-z0-9._-]"), "-");
}

}  // namespace prescope::page
