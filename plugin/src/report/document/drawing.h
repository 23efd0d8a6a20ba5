#pragma once

#include "report/document/figures.h"
#include "report/text/tables.h"

/// SVG elements that figures are drawn with.
namespace prescope::page {

/// A number of a drawing: tenths, without a superfluous 0.
[[nodiscard]] std::string place(double value);
/// The steps of a path around a rectangle.
[[nodiscard]] std::string box(const Point& corner, double width, double height);
/// The width of the longest `text_of(item)`; `character` is that of one character.
template <class Items, class TextOf = std::identity>
[[nodiscard]] double width_of_longest(const Items& items, double character,
                                      const TextOf& text_of = {}) {
  return character * static_cast<double>(widest_text(items, text_of));
}

inline constexpr std::string_view kStart = "start", kMiddle = "middle", kEnd = "end";

/// An SVG drawing, element by element. Words are plain text, `style` is CSS classes, a hint is
/// shown by the pointer.
class Drawing {
 public:
  Drawing(const XyFigure::Size& size, const FigureWords& words, FigurePlace where);

  void line(const Point& from, const Point& to, std::string_view style);
  void circle(const Point& middle, double radius, std::string_view style, std::string_view hint);
  void path(std::string_view steps, std::string_view style, std::string_view hint = {});
  /// `anchor` is the part of the words that is at the point: kStart, kMiddle or kEnd.
  void text(const Point& at, std::string_view words, std::string_view anchor,
            std::string_view style = "fig-text");
  /// Reads upwards, its middle at the point.
  void upright_text(const Point& at, std::string_view words);

  [[nodiscard]] std::string to_string() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

/// Distinct colours, dashes and marks of series; neighbours differ in all three.
inline constexpr std::size_t kFigureColors = 8, kFigureDashes = 4, kFigureMarks = 7;

[[nodiscard]] std::string drawn(const PairGrid& figure, FigurePlace where);
[[nodiscard]] std::string drawn(const PartBars& figure, FigurePlace where);

}  // namespace prescope::page
