#pragma once

#include <cstddef>
#include <string>

#include "report/page/drawing.h"

namespace prescope::page {

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

}  // namespace prescope::page
