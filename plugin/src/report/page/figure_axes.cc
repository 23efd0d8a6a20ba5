#include "report/page/figure_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prescope::page {
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

}  // namespace prescope::page
