#include "report/page/figure_marks.h"

#include <fmt/format.h>

#include "report/page/figure_style.h"

namespace prescope::page {
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
