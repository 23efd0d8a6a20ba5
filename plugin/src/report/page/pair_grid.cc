#include "report/page/pair_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/text_grid.h"

namespace prescope::page {
namespace {

constexpr double kGridCharacter = 7.8, kGridTop = 34.0, kGridRight = 20.0, kGridLegend = 34.0;

double side_of(const PairGrid& figure) {
  return std::clamp(620.0 / static_cast<double>(std::max<std::size_t>(1, figure.names.size())),
                    14.0, 30.0);
}

std::string label_of(const PairGrid& figure, std::size_t i) {
  return fmt::format("{}  {}", figure.names[i], i + 1);
}

double left_of(const PairGrid& figure) {
  std::size_t longest = 4;
  for (std::size_t i = 0; i < figure.names.size(); ++i) {
    longest = std::max(longest, text_width(label_of(figure, i)));
  }
  return 18.0 + kGridCharacter * static_cast<double>(longest);
}

std::string square_at(const Point& corner, double side) {
  return fmt::format("M{} {}h{}v{}h{}Z", place(corner.x), place(corner.y), place(side), place(side),
                     place(-side));
}

void draw_square(Drawing& drawing, const Point& corner, double side, PairGrid::Square square,
                 const std::string& hint) {
  constexpr double kGap = 1.0;
  const Point inside{corner.x + kGap, corner.y + kGap};
  switch (square) {
    case PairGrid::Square::kBetter:
      drawing.path(square_at(inside, side - 2.0 * kGap), "fig-f0", hint);
      break;
    case PairGrid::Square::kWorse:
      drawing.path(square_at(inside, side - 2.0 * kGap), "fig-area", hint);
      break;
    case PairGrid::Square::kEmpty:
      drawing.path(square_at(inside, side - 2.0 * kGap), "fig-grid fig-paper", hint);
      break;
    case PairGrid::Square::kSelf:
      drawing.line({corner.x + 4.0, corner.y + 4.0}, {corner.x + side - 4.0, corner.y + side - 4.0},
                   "fig-axis");
      break;
  }
}

void draw_legend(Drawing& drawing, const Point& at) {
  constexpr std::pair<PairGrid::Square, std::string_view> kSquares[] = {
      {PairGrid::Square::kBetter, "the row is better"},
      {PairGrid::Square::kWorse, "the column is better"},
      {PairGrid::Square::kEmpty, "indistinguishable"}};
  constexpr double kSide = 15.0;
  double x = at.x;
  for (const auto& [square, words] : kSquares) {
    draw_square(drawing, {x, at.y - 12.0}, kSide, square, {});
    drawing.text({x + kSide + 7.0, at.y}, words, Drawing::Anchor::kStart, "fig-text");
    x += kSide + 26.0 + kGridCharacter * static_cast<double>(words.size());
  }
}

}  // namespace

std::string draw(const PairGrid& figure, FigurePlace where) {
  const double side = side_of(figure), left = left_of(figure);
  const double extent = side * static_cast<double>(figure.names.size());
  constexpr double kLegendWidth = 500.0;
  const Drawing::Size size{.width = std::max(left + extent + kGridRight, kLegendWidth),
                           .height = kGridTop + extent + kGridLegend};
  Drawing drawing(size, figure.words);
  begin_figure(drawing, size, where);
  for (std::size_t row = 0; row < figure.names.size(); ++row) {
    const double y = kGridTop + side * static_cast<double>(row),
                 x = left + side * static_cast<double>(row);
    drawing.text({left - 8.0, y + side / 2.0 + 4.5}, label_of(figure, row), Drawing::Anchor::kEnd,
                 "fig-text");
    drawing.text({x + side / 2.0, kGridTop - 8.0}, std::to_string(row + 1),
                 Drawing::Anchor::kMiddle, "fig-faint");
    for (std::size_t column = 0; column < figure.names.size(); ++column) {
      draw_square(drawing, {left + side * static_cast<double>(column), y}, side,
                  figure.square(row, column), row == column ? "" : figure.hint(row, column));
    }
  }
  draw_legend(drawing, {18.0, kGridTop + extent + 24.0});
  return drawing.to_string();
}

}  // namespace prescope::page
