#include "report/study/pair_figures.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "report/text/tables.h"

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

namespace {

constexpr double kBarCharacter = 8.3, kBarsTop = 14.0, kBarRow = 38.0, kBarHeight = 24.0,
                 kBarsWidth = 560.0, kBarsRight = 22.0, kBarsAxis = 52.0, kBarsLegendRow = 22.0;

/// Light, middle, dark; and what is written on each.
constexpr std::array<std::string_view, PartBars::kMostParts> kPartFills = {"fig-area", "fig-f1",
                                                                           "fig-f0"};
constexpr std::array<std::string_view, PartBars::kMostParts> kPartWords = {"fig-text", "fig-paper",
                                                                           "fig-paper"};

std::string box(const Point& corner, double width, double height) {
  return fmt::format("M{} {}h{}v{}h{}Z", place(corner.x), place(corner.y), place(width),
                     place(height), place(-width));
}

double left_of(const PartBars& figure) {
  std::size_t longest = 4;
  for (const PartBars::Bar& bar : figure.bars) longest = std::max(longest, text_width(bar.name));
  return 20.0 + kBarCharacter * static_cast<double>(longest);
}

class PartBarsPainter {
 public:
  PartBarsPainter(const PartBars& figure, Drawing& drawing)
      : figure_(figure), drawing_(drawing), left_(left_of(figure)) {}

  void paint() {
    draw_axis();
    for (std::size_t i = 0; i < figure_.bars.size(); ++i) {
      draw_bar(figure_.bars[i], kBarsTop + kBarRow * static_cast<double>(i));
    }
    draw_legend();
  }

 private:
  [[nodiscard]] double bottom() const {
    return kBarsTop + kBarRow * static_cast<double>(figure_.bars.size());
  }
  [[nodiscard]] double across(double share) const { return left_ + share * kBarsWidth; }

  void draw_axis() {
    for (int percent = 0; percent <= 100; percent += 20) {
      const double x = across(percent / 100.0);
      drawing_.line({x, kBarsTop - 6.0}, {x, bottom()}, "fig-grid");
      drawing_.text({x, bottom() + 18.0}, std::to_string(percent), Drawing::Anchor::kMiddle,
                    "fig-faint");
    }
    drawing_.line({left_, bottom()}, {across(1.0), bottom()}, "fig-axis");
    drawing_.text({across(0.5), bottom() + 40.0}, figure_.axis, Drawing::Anchor::kMiddle,
                  "fig-text");
  }

  void draw_bar(const PartBars::Bar& bar, double top) {
    const double middle = top + kBarHeight / 2.0 + 4.5;
    drawing_.text({left_ - 10.0, middle}, bar.name, Drawing::Anchor::kEnd, "fig-text");
    const auto whole = std::accumulate(bar.counts.begin(), bar.counts.end(), std::uint64_t{0});
    double begin = 0.0;
    for (std::size_t i = 0; i < bar.counts.size() && whole > 0; ++i) {
      const double share = static_cast<double>(bar.counts[i]) / static_cast<double>(whole);
      if (bar.counts[i] > 0) draw_part(bar, i, {begin, begin + share}, top);
      begin += share;
    }
  }

  struct Span {
    double begin = 0.0, end = 0.0;  // shares
  };

  void draw_part(const PartBars::Bar& bar, std::size_t part, const Span& span, double top) {
    const double left = across(span.begin), right = across(span.end);
    const double share = span.end - span.begin;
    drawing_.path(box({left, top}, right - left, kBarHeight), "fig-paper");
    drawing_.path(box({left, top}, right - left, kBarHeight), kPartFills[part],
                  fmt::format("{}, {}: {} ({:.1f} %)", bar.name, figure_.parts[part],
                              bar.counts[part], 100.0 * share));
    const std::string words = fmt::format("{:.0f} %", 100.0 * share);
    const double needed = kBarCharacter * static_cast<double>(words.size()) + 6.0;
    if (right - left < needed) return;
    drawing_.text({(left + right) / 2.0, top + kBarHeight / 2.0 + 4.5}, words,
                  Drawing::Anchor::kMiddle, kPartWords[part]);
  }

  void draw_legend() {
    double y = bottom() + kBarsAxis + 14.0;
    for (std::size_t i = 0; i < figure_.parts.size(); ++i, y += kBarsLegendRow) {
      drawing_.path(box({left_, y - 11.0}, 22.0, 14.0), kPartFills[i]);
      drawing_.text({left_ + 30.0, y}, figure_.parts[i], Drawing::Anchor::kStart, "fig-text");
    }
  }

  const PartBars& figure_;
  Drawing& drawing_;
  double left_;
};

}  // namespace

std::string draw(const PartBars& figure, FigurePlace place) {
  const Drawing::Size size{.width = left_of(figure) + kBarsWidth + kBarsRight,
                           .height = kBarsTop + kBarRow * static_cast<double>(figure.bars.size()) +
                                     kBarsAxis + 14.0 +
                                     kBarsLegendRow * static_cast<double>(figure.parts.size())};
  Drawing drawing(size, figure.words);
  begin_figure(drawing, size, place);
  PartBarsPainter(figure, drawing).paint();
  return drawing.to_string();
}

}  // namespace prescope::page
