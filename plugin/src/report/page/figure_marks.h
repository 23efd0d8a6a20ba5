#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/page/drawing.h"

namespace prescope::page {

/// How many shapes of marks there are; together with colours and dashes neighbours differ in all
/// three.
inline constexpr std::size_t kFigureMarks = 7;

/// The mark of the series `look`, filled or open, some 8 units wide.
void draw_mark(Drawing& drawing, const Point& at, std::size_t look, std::string_view hint);
/// Classes of the line of the series `look`.
[[nodiscard]] std::string line_classes(std::size_t look);

}  // namespace prescope::page
