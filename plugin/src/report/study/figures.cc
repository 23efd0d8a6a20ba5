#include "report/study/figures.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "report/study/page.h"
#include "report/text/tables.h"

namespace prescope::page {

namespace {

constexpr double kBase = 10.0;

double step_of(double width, int count) {
  const double rough = width / count;
  const double power = std::pow(kBase, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return kBase * power;
}

}  // namespace

std::vector<double> ticks(double low, double high, int count) {
  const double step = step_of(high - low, count);
  constexpr double kRounding = 1e-9;
  std::vector<double> values;
  for (double i = std::ceil(low / step - kRounding); i <= high / step + kRounding; i += 1.0) {
    values.push_back(i * step + 0.0);
  }
  return values;
}

std::vector<std::string> tick_texts(const std::vector<double>& values) {
  std::vector<std::string> texts;
  if (values.empty()) return texts;
  const double step = values.size() > 1 ? values[1] - values[0] : 1.0;
  constexpr double kRounding = 1e-6;
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kRounding)));
  const bool signs = values.front() < 0.0 && values.back() > 0.0;
  for (const double value : values) {
    const bool is_zero = std::abs(value) < step / 2.0;
    if (is_zero) {
      texts.emplace_back("0");
    } else {
      texts.push_back(signs ? fmt::format("{:+.{}f}", value, decimals)
                            : fmt::format("{:.{}f}", value, decimals));
    }
  }
  return texts;
}

namespace {

std::string_view anchor_text(Drawing::Anchor anchor) {
  switch (anchor) {
    case Drawing::Anchor::kStart:
      return "start";
    case Drawing::Anchor::kMiddle:
      return "middle";
    case Drawing::Anchor::kEnd:
      return "end";
  }
  return "start";
}

/// `head` is the element's beginning, without what ends its tag.
std::string hinted(std::string_view name, std::string_view head, std::string_view hint) {
  if (hint.empty()) return fmt::format("{}/>\n", head);
  return fmt::format("{}><title>{}</title></{}>\n", head, escaped(hint), name);
}

}  // namespace

std::string place(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

Drawing::Drawing(const Size& size, const Words& words)
    : svg_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
          "style=\"max-width:{0}px\" role=\"img\" aria-labelledby=\"{2}-title {2}-what\">\n"
          "<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-what\">{4}</desc>\n",
          place(size.width), place(size.height), escaped(words.id), escaped(words.title),
          escaped(words.what))) {}

void Drawing::style(std::string_view css) {
  svg_ += fmt::format("<style>{}</style>\n", escaped(css));
}

void Drawing::line(const Point& from, const Point& to, std::string_view style) {
  svg_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", style,
                      place(from.x), place(from.y), place(to.x), place(to.y));
}

void Drawing::circle(const Point& middle, double radius, std::string_view style,
                     std::string_view hint) {
  const std::string head = fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"", style,
                                       place(middle.x), place(middle.y), place(radius));
  svg_ += hinted("circle", head, hint);
}

void Drawing::path(std::string_view steps, std::string_view style, std::string_view hint) {
  svg_ += hinted("path", fmt::format("<path class=\"{}\" d=\"{}\"", style, steps), hint);
}

void Drawing::text(const Point& at, std::string_view words, Anchor anchor, std::string_view style) {
  const std::string of_class = style.empty() ? "" : fmt::format(" class=\"{}\"", style);
  svg_ += fmt::format("<text{} x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", of_class,
                      place(at.x), place(at.y), anchor_text(anchor), escaped(words));
}

void Drawing::upright_text(const Point& at, std::string_view words) {
  svg_ += fmt::format(
      "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      place(at.x), place(at.y), escaped(words));
}

namespace {

// Colours that those who do not tell red from green can tell, on white and on black. They get
// darker and lighter by turns, and no two neighbours have the same dash.
constexpr std::array<std::string_view, kFigureColors> kColors = {
    "#2273b8", "#d9730d", "#1c8a5f", "#a23b8f", "#5b6470", "#b8912a", "#3b9fd6", "#b23a48"};
constexpr std::array<std::string_view, kFigureDashes> kDashes = {"none", "7 4", "2 3", "9 3 2 3"};

constexpr std::string_view kOfPage = R"(
.fig-text { fill: var(--text); } .fig-faint { fill: var(--faint); }
.fig-axis { stroke: var(--faint); } .fig-grid { stroke: var(--line); }
.fig-guide { stroke: var(--faint); } .fig-paper { fill: var(--paper); }
.fig-area { fill: var(--same); } .fig-open { fill: var(--paper); }
figure { margin: 0.6rem 0 1.4rem; } figcaption { font-size: 0.9rem; max-width: 60rem; }
figure svg { max-height: 46rem; }
)";
constexpr std::string_view kOfFile = R"(
text { font: 13px system-ui, "DejaVu Sans", sans-serif; }
.fig-text { fill: #1c1f24; } .fig-faint { fill: #5a626e; }
.fig-axis { stroke: #5a626e; } .fig-grid { stroke: #d9dde3; }
.fig-guide { stroke: #5a626e; } .fig-paper { fill: #ffffff; }
.fig-area { fill: #6b7380; } .fig-open { fill: #ffffff; }
)";
constexpr std::string_view kOfBoth = R"(
.fig-axis { stroke-width: 1.2; fill: none; } .fig-grid { stroke-width: 1; }
.fig-guide { stroke-width: 1.2; stroke-dasharray: 3 3; fill: none; }
.fig-area { fill-opacity: 0.28; stroke: none; }
.fig-line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.fig-mark { stroke-width: 1.4; } .fig-thin { stroke-width: 1; stroke-opacity: 0.75; }
)";

}  // namespace

std::string figure_style(FigurePlace place) {
  std::string css(place == FigurePlace::kPage ? kOfPage : kOfFile);
  css += kOfBoth;
  for (std::size_t i = 0; i < kColors.size(); ++i) {
    css += fmt::format(".fig-s{0} {{ stroke: {1}; }} .fig-f{0} {{ fill: {1}; }}\n", i, kColors[i]);
  }
  for (std::size_t i = 0; i < kDashes.size(); ++i) {
    css += fmt::format(".fig-d{} {{ stroke-dasharray: {}; }}\n", i, kDashes[i]);
  }
  return css;
}

void begin_figure(Drawing& drawing, const Drawing::Size& size, FigurePlace where) {
  if (where == FigurePlace::kPage) return;
  drawing.style(figure_style(where));
  drawing.path(fmt::format("M0 0H{}V{}H0Z", place(size.width), place(size.height)), "fig-paper");
}

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

namespace {

constexpr double kWidthOfCharacter = 7.2;

std::pair<double, double> span_of(const FigureAxis& axis, const std::vector<double>& values) {
  double low = axis.low.value_or(0.0), high = axis.high.value_or(1.0);
  if (!values.empty()) {
    const auto [least, most] = std::ranges::minmax(values);
    low = axis.low.value_or(least);
    high = axis.high.value_or(most);
  }
  if (low < high) return {low, high};
  const double around = axis.kind == FigureAxis::Kind::kLogarithmic ? low / 2.0 : 0.5;
  return {low - around, low + around};
}

/// 1, 2 and 5 times powers of 10.
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

std::vector<FigureAxis::Tick> linear_ticks(double low, double high) {
  constexpr int kCount = 6;
  const std::vector<double> values = page::ticks(low, high, kCount);
  const std::vector<std::string> texts = tick_texts(values);
  std::vector<FigureAxis::Tick> ticks;
  for (std::size_t i = 0; i < values.size(); ++i) ticks.push_back({values[i], texts[i]});
  return ticks;
}

void draw_x_ticks(Drawing& drawing, const FigureFrame& frame, const FigureScale& x) {
  double free_from = -INFINITY;
  for (const FigureAxis::Tick& tick : x.ticks()) {
    const double at = x(tick.value);
    drawing.line({at, frame.top}, {at, frame.bottom}, "fig-grid");
    drawing.line({at, frame.bottom}, {at, frame.bottom + 5.0}, "fig-axis");
    const double half = kWidthOfCharacter * static_cast<double>(tick.text.size()) / 2.0;
    if (at - half < free_from) continue;
    drawing.text({at, frame.bottom + 20.0}, tick.text, Drawing::Anchor::kMiddle, "fig-text");
    free_from = at + half + kWidthOfCharacter;
  }
}

void draw_y_ticks(Drawing& drawing, const FigureFrame& frame, const FigureScale& y) {
  for (const FigureAxis::Tick& tick : y.ticks()) {
    const double at = y(tick.value);
    drawing.line({frame.left, at}, {frame.right, at}, "fig-grid");
    drawing.text({frame.left - 8.0, at + 4.5}, tick.text, Drawing::Anchor::kEnd, "fig-text");
  }
}

}  // namespace

FigureScale::FigureScale(const FigureAxis& axis, const std::vector<double>& values, double first,
                         double last)
    : is_logarithmic_(axis.kind == FigureAxis::Kind::kLogarithmic) {
  const auto [low, high] = span_of(axis, values);
  scale_ = {.low = is_logarithmic_ ? std::log(low) : low,
            .high = is_logarithmic_ ? std::log(high) : high,
            .first = first,
            .last = last};
  if (!axis.ticks.empty()) {
    ticks_ = axis.ticks;
  } else {
    ticks_ = is_logarithmic_ ? logarithmic_ticks(low, high) : linear_ticks(low, high);
  }
}

double FigureScale::operator()(double value) const {
  return scale_(is_logarithmic_ ? std::log(value) : value);
}

void draw_axes(Drawing& drawing, const FigureFrame& frame, const XyFigure& figure,
               const FigureScale& x, const FigureScale& y) {
  draw_x_ticks(drawing, frame, x);
  draw_y_ticks(drawing, frame, y);
  drawing.line({frame.left, frame.bottom}, {frame.right, frame.bottom}, "fig-axis");
  drawing.line({frame.left, frame.top}, {frame.left, frame.bottom}, "fig-axis");
  drawing.text({(frame.left + frame.right) / 2.0, frame.bottom + 44.0}, figure.x.title,
               Drawing::Anchor::kMiddle, "fig-text");
  drawing.upright_text({18.0, (frame.top + frame.bottom) / 2.0}, figure.y.title);
}

namespace {

/// Closed shapes around 0, some 8 units wide; the circle is not among them.
std::string shape(const Point& at, std::size_t form) {
  const auto from = [&](double x, double y) {
    return fmt::format("M{} {}", place(at.x + x), place(at.y + y));
  };
  switch (form) {
    case 1:
      return from(-3.5, -3.5) + "h7v7h-7Z";
    case 2:
      return from(0, -4.5) + "l4.5 8h-9Z";
    case 3:
      return from(0, -4.8) + "l4.8 4.8l-4.8 4.8l-4.8 -4.8Z";
    case 4:
      return from(0, 4.5) + "l4.5 -8h-9Z";
    case 5:
      return from(-3.6, -3.6) + "l7.2 7.2m0 -7.2l-7.2 7.2";
    default:
      return from(-4.5, 0) + "h9m-4.5 -4.5v9";
  }
}

}  // namespace

void draw_mark(Drawing& drawing, const Point& at, std::size_t look, std::string_view hint) {
  const std::size_t form = look % kFigureMarks, color = look % kFigureColors;
  // The second time round, what was filled is open.
  const bool is_open = look / kFigureMarks % 2 == 1;
  const std::string fill = is_open ? "fig-open" : fmt::format("fig-f{}", color);
  const std::string classes = fmt::format("fig-mark fig-s{} {}", color, fill);
  constexpr double kRadius = 3.6;
  if (form == 0) return drawing.circle(at, kRadius, classes, hint);
  drawing.path(shape(at, form), classes, hint);
}

std::string line_classes(std::size_t look) {
  // Where colours come again, dashes do not.
  const std::size_t dash = (look + look / kFigureColors) % kFigureDashes;
  return fmt::format("fig-line fig-s{} fig-d{}", look % kFigureColors, dash);
}

}  // namespace prescope::page
