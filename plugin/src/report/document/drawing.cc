#include "report/document/drawing.h"

#include "report/text/visible_text.h"

namespace prescope::page {

namespace {

// Colours that remain distinct for red-green colour blindness, on white and on black. They get
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

/// `head` is the element's start tag without its end.
std::string hinted(std::string_view name, std::string_view head, std::string_view hint) {
  if (hint.empty()) return fmt::format("{}/>\n", head);
  return fmt::format("{}><title>{}</title></{}>\n", head, escaped_markup(hint), name);
}

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

std::string place(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string box(const Point& corner, double width, double height) {
  return fmt::format("M{} {}h{}v{}h{}Z", place(corner.x), place(corner.y), place(width),
                     place(height), place(-width));
}

Drawing::Drawing(const XyFigure::Size& size, const FigureWords& words, FigurePlace where)
    : svg_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
          "style=\"max-width:{0}px\" role=\"img\" aria-labelledby=\"{2}-title {2}-what\">\n"
          "<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-what\">{4}</desc>\n",
          place(size.width), place(size.height), escaped_markup(words.id),
          escaped_markup(words.title), escaped_markup(words.what))) {
  if (where == FigurePlace::kPage) return;
  svg_ += fmt::format("<style>{}</style>\n", escaped_markup(figure_style(where)));
  path(fmt::format("M0 0H{}V{}H0Z", place(size.width), place(size.height)), "fig-paper");
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

void Drawing::text(const Point& at, std::string_view words, std::string_view anchor,
                   std::string_view style) {
  svg_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", style,
                      place(at.x), place(at.y), anchor, escaped_markup(words));
}

void Drawing::upright_text(const Point& at, std::string_view words) {
  svg_ += fmt::format(
      "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      place(at.x), place(at.y), escaped_markup(words));
}

}  // namespace prescope::page
