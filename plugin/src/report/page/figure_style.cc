#include "report/page/figure_style.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace prescope::page {
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

}  // namespace prescope::page
