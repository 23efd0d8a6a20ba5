#include "report/page/drawing.h"

#include <fmt/format.h>

#include "report/page/markup.h"

namespace prescope::page {
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

}  // namespace prescope::page
