#pragma once

#include <string>
#include <string_view>

namespace prescope::page {

struct Point {
  double x = 0.0, y = 0.0;
};

/// An SVG drawing, its colours those of the page's classes: `axis`, `grid`, `good`, `bad`, `same`,
/// `faint`.
class Drawing {
 public:
  enum class Anchor { kStart, kMiddle, kEnd };

  struct Size {
    double width = 0.0, height = 0.0;
  };
  struct Words {
    std::string id;     ///< unique in the page
    std::string title;  ///< what it is
    std::string what;   ///< what it shows, for those who do not see it
  };

  Drawing(const Size& size, const Words& words);

  /// CSS for all that follows; for a drawing in a file of its own.
  void style(std::string_view css);
  void line(const Point& from, const Point& to, std::string_view style);
  void circle(const Point& middle, double radius, std::string_view style,
              std::string_view hint = {});
  void path(std::string_view steps, std::string_view style, std::string_view hint = {});
  void text(const Point& at, std::string_view words, Anchor anchor, std::string_view style = {});
  /// Reads upwards, its middle at the point.
  void upright_text(const Point& at, std::string_view words);

  [[nodiscard]] std::string to_string() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

/// A number of a drawing: tenths, without a superfluous 0.
[[nodiscard]] std::string place(double value);

}  // namespace prescope::page
