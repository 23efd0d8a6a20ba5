#include "report/page/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/page/scale.h"
#include "report/page/time_ticks.h"

namespace prescope::page {
namespace {

constexpr double kLineWidth = 440.0, kLineHeight = 250.0;
constexpr double kLineLeft = 62.0, kLineRight = 428.0, kLineTop = 26.0, kLineBottom = 212.0;

struct LineScales {
  Scale x, y;
  UtcTime first{}, last{};

  [[nodiscard]] double at(UtcTime time) const {
    return x(static_cast<double>((time - first).count()));
  }
};

/// Half a minute around a single time, so that there is an axis.
LineScales scales_of(const LinePlot& plot) {
  constexpr std::chrono::milliseconds kAround = std::chrono::seconds(30);
  LineScales scales;
  scales.first = plot.points.front().time;
  scales.last = plot.points.back().time;
  if (scales.first == scales.last) {
    scales.first -= kAround;
    scales.last += kAround;
  }
  double low = INFINITY, high = -INFINITY;
  for (const LinePlot::Point& point : plot.points) {
    for (const auto& value : {point.value, point.value ? point.level : std::nullopt}) {
      low = std::min(low, value.value_or(low));
      high = std::max(high, value.value_or(high));
    }
  }
  if (low > high) low = high = 0.0;
  // What hardly differs is not drawn as if it did.
  constexpr double kLeastShare = 0.01, kLeast = 1e-4, kMargin = 0.08;
  const double least = std::max(kLeastShare * std::abs(high), kLeast);
  const double missing = std::max(0.0, least - (high - low)) / 2.0;
  const double margin = kMargin * (high - low) + missing;
  constexpr double kInset = 8.0;
  scales.x = {.low = 0.0,
              .high = static_cast<double>((scales.last - scales.first).count()),
              .first = kLineLeft + kInset,
              .last = kLineRight - kInset};
  scales.y = {.low = low - margin, .high = high + margin, .first = kLineBottom, .last = kLineTop};
  return scales;
}

void draw_line_axes(Drawing& drawing, const LineScales& scales) {
  constexpr int kRows = 5, kColumns = 5;
  const std::vector<double> values = ticks(scales.y.low, scales.y.high, kRows);
  const std::vector<std::string> texts = tick_texts(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    drawing.line({kLineLeft, scales.y(values[i])}, {kLineRight, scales.y(values[i])}, "grid");
    drawing.text({kLineLeft - 6.0, scales.y(values[i]) + 4.0}, texts[i], Drawing::Anchor::kEnd);
  }
  drawing.line({kLineLeft, kLineBottom}, {kLineRight, kLineBottom}, "axis");
  for (const TimeTick& tick : time_ticks(scales.first, scales.last, kColumns)) {
    const double x = scales.at(tick.time);
    drawing.line({x, kLineBottom}, {x, kLineBottom + 5.0}, "axis");
    drawing.text({x, kLineBottom + 20.0}, tick.text, Drawing::Anchor::kMiddle);
  }
}

/// Names stand where they fit; the line is there in any case.
void draw_events(Drawing& drawing, const LinePlot& plot, const LineScales& scales) {
  constexpr double kCharacter = 7.0, kAbove = 16.0;
  double free_from = 0.0;
  for (const LinePlot::Event& event : plot.events) {
    if (event.time < scales.first || event.time > scales.last) continue;
    const double x = scales.at(event.time);
    drawing.line({x, kLineTop - 4.0}, {x, kLineBottom}, "event");
    const double width = kCharacter * static_cast<double>(event.name.size());
    const double begin = std::min(x, kLineRight - width);
    if (begin < free_from) continue;
    drawing.text({begin, kAbove}, event.name, Drawing::Anchor::kStart);
    free_from = begin + width + kCharacter;
  }
}

void draw_mark(Drawing& drawing, const Point& at, const std::optional<GateOutcome>& outcome,
               std::string_view hint) {
  constexpr double kDot = 2.4, kOpenDot = 2.8;
  if (!outcome) return drawing.circle(at, kOpenDot, "open", hint);
  const auto [x, y] = at;
  switch (*outcome) {
    case GateOutcome::kPass:
      return drawing.circle(at, kDot, "pass", hint);
    case GateOutcome::kRegression:
      return drawing.path(fmt::format("M{} {}h14l-7 12Z", place(x - 7.0), place(y - 6.0)), "fail",
                          hint);
    case GateOutcome::kInconclusive:
      return drawing.path(fmt::format("M{} {}l6 6l-6 6l-6 -6Z", place(x), place(y - 6.0)), "open",
                          hint);
    case GateOutcome::kBadInput:
      return drawing.path(fmt::format("M{} {}l10 10m0 -10l-10 10", place(x - 5.0), place(y - 5.0)),
                          "cross", hint);
  }
}

/// From point to point; where `value` is nothing, the line goes on without it.
template <class Value>
std::string steps_of(const LinePlot& plot, const LineScales& scales, Value value) {
  std::string steps;
  for (const LinePlot::Point& point : plot.points) {
    const std::optional<double> y = value(point);
    if (!y) continue;
    steps += fmt::format("{}{} {}", steps.empty() ? 'M' : 'L', place(scales.at(point.time)),
                         place(scales.y(*y)));
  }
  return steps;
}

/// Flat as long as the baseline stays, with a gap where it changes.
std::string level_steps(const LinePlot& plot, const LineScales& scales) {
  std::string steps;
  std::optional<double> level;
  for (const LinePlot::Point& point : plot.points) {
    if (point.level && point.value) {
      const double x = scales.at(point.time), y = scales.y(*point.level);
      steps += level && std::abs(*level - *point.level) < 1e-9
                   ? fmt::format("H{}", place(x))
                   : fmt::format("M{} {}h0", place(x), place(y));
    }
    if (point.value) level = point.level;
  }
  return steps;
}

/// Of many nights only those are marked that somebody looks for.
void draw_marks(Drawing& drawing, const LinePlot& plot, const LineScales& scales) {
  constexpr std::size_t kManyNights = 150;
  for (const LinePlot::Point& point : plot.points) {
    const bool is_plain = !point.outcome || *point.outcome == GateOutcome::kPass;
    if (is_plain && (plot.points.size() > kManyNights || !point.value)) continue;
    const double y = point.value ? scales.y(*point.value) : kLineBottom;
    draw_mark(drawing, {scales.at(point.time), y}, point.outcome, point.hint);
  }
}

}  // namespace

std::string draw(const LinePlot& plot) {
  Drawing drawing({kLineWidth, kLineHeight}, plot.words);
  if (plot.points.empty()) return drawing.to_string();
  const LineScales scales = scales_of(plot);
  draw_line_axes(drawing, scales);
  draw_events(drawing, plot, scales);
  const std::string level = level_steps(plot, scales);
  if (!level.empty()) drawing.path(level, "level");
  const std::string line =
      steps_of(plot, scales, [](const LinePlot::Point& point) { return point.value; });
  if (!line.empty()) drawing.path(line, "series");
  draw_marks(drawing, plot, scales);
  return drawing.to_string();
}

std::string draw_legend(const std::string& id) {
  constexpr std::array<std::optional<GateOutcome>, 5> kOutcomes = {
      GateOutcome::kPass, GateOutcome::kRegression, GateOutcome::kInconclusive,
      GateOutcome::kBadInput, std::nullopt};
  constexpr double kColumn = 130.0, kRow = 24.0, kMiddle = 12.0;
  constexpr std::size_t kColumns = 3;
  Drawing drawing({kColumn * double{kColumns}, kRow * 2.0},
                  {.id = id, .title = "What the marks mean", .what = "A mark for each verdict."});
  for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
    const double x = kColumn * static_cast<double>(i % kColumns) + kMiddle;
    const double y = kRow * static_cast<double>(i / kColumns) + kMiddle;
    draw_mark(drawing, {x, y}, kOutcomes[i], {});
    drawing.text({x + 14.0, y + 4.0}, kOutcomes[i] ? to_string(*kOutcomes[i]) : "not gated",
                 Drawing::Anchor::kStart);
  }
  return drawing.to_string();
}

}  // namespace prescope::page
