#include <numeric>
#include <utility>

#include "report/document/drawing.h"

namespace prescope::page {

namespace {

constexpr double kLeastCharacters = 4.0;  // that names have room for
constexpr double kGridCharacter = 7.8, kGridTop = 34.0, kGridRight = 20.0, kGridLegend = 34.0;

std::string label_of(const PairGrid& figure, std::size_t i) {
  return fmt::format("{}  {}", figure.names[i], i + 1);
}

double left_of(const PairGrid& figure) {
  const auto label = [&](std::size_t i) { return label_of(figure, i); };
  return 18.0 + std::max(kLeastCharacters * kGridCharacter,
                         width_of_longest(positions(figure.names.size()), kGridCharacter, label));
}

void draw_square(Drawing& drawing, const Point& corner, double side, PairGrid::Square square,
                 const std::string& hint) {
  constexpr double kGap = 1.0;
  if (square == PairGrid::Square::kSelf) {
    return drawing.line({corner.x + 4.0, corner.y + 4.0},
                        {corner.x + side - 4.0, corner.y + side - 4.0}, "fig-axis");
  }
  const std::string_view style = square == PairGrid::Square::kBetter  ? "fig-f0"
                                 : square == PairGrid::Square::kWorse ? "fig-area"
                                                                      : "fig-grid fig-paper";
  const double within = side - 2.0 * kGap;
  drawing.path(box({corner.x + kGap, corner.y + kGap}, within, within), style, hint);
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
    drawing.text({x + kSide + 7.0, at.y}, words, kStart);
    x += kSide + 26.0 + kGridCharacter * static_cast<double>(words.size());
  }
}

constexpr double kBarCharacter = 8.3, kBarsTop = 14.0, kBarRow = 38.0, kBarHeight = 24.0,
                 kBarsWidth = 560.0, kBarsRight = 22.0, kBarsAxis = 52.0, kBarsLegendRow = 22.0;

/// Light, middle, dark; and the colour of the text on each.
constexpr std::array<std::string_view, PartBars::kMostParts> kPartFills = {"fig-area", "fig-f1",
                                                                           "fig-f0"};
constexpr std::array<std::string_view, PartBars::kMostParts> kPartWords = {"fig-text", "fig-paper",
                                                                           "fig-paper"};

double left_of(const PartBars& figure) {
  return 20.0 + std::max(kLeastCharacters * kBarCharacter,
                         width_of_longest(figure.bars, kBarCharacter, &PartBars::Bar::name));
}

struct PartBarsPainter {
  const PartBars& figure;
  Drawing& drawing;
  double left = left_of(figure);

  void paint() {
    draw_axis();
    for (std::size_t i = 0; i < figure.bars.size(); ++i) {
      draw_bar(figure.bars[i], kBarsTop + kBarRow * static_cast<double>(i));
    }
    draw_legend();
  }

  [[nodiscard]] double bottom() const {
    return kBarsTop + kBarRow * static_cast<double>(figure.bars.size());
  }
  [[nodiscard]] double across(double share) const { return left + share * kBarsWidth; }

  void draw_axis() {
    for (int percent = 0; percent <= 100; percent += 20) {
      const double x = across(percent / 100.0);
      drawing.line({x, kBarsTop - 6.0}, {x, bottom()}, "fig-grid");
      drawing.text({x, bottom() + 18.0}, std::to_string(percent), kMiddle, "fig-faint");
    }
    drawing.line({left, bottom()}, {across(1.0), bottom()}, "fig-axis");
    drawing.text({across(0.5), bottom() + 40.0}, figure.axis, kMiddle);
  }

  void draw_bar(const PartBars::Bar& bar, double top) {
    const double middle = top + kBarHeight / 2.0 + 4.5;
    drawing.text({left - 10.0, middle}, bar.name, kEnd);
    const auto whole =
        bar.whole > 0 ? bar.whole
                      : std::accumulate(bar.counts.begin(), bar.counts.end(), std::uint64_t{0});
    double begin = 0.0, end = 0.0;  // of a part, as shares
    for (std::size_t i = 0; i < bar.counts.size(); ++i, begin = end) {
      if (bar.counts[i] == 0) continue;
      end = begin + static_cast<double>(bar.counts[i]) / static_cast<double>(whole);
      const double from = across(begin), to = across(end), percent = 100.0 * (end - begin);
      const std::string part = box({from, top}, to - from, kBarHeight);
      drawing.path(part, "fig-paper");
      drawing.path(
          part, kPartFills[i],
          fmt::format("{}, {}: {} ({:.1f} %)", bar.name, figure.parts[i], bar.counts[i], percent));
      const std::string words = fmt::format("{:.0f} %", percent);
      const double needed = kBarCharacter * static_cast<double>(words.size()) + 6.0;
      if (to - from < needed) continue;
      drawing.text({(from + to) / 2.0, middle}, words, kMiddle, kPartWords[i]);
    }
  }

  void draw_legend() {
    double y = bottom() + kBarsAxis + 14.0;
    for (std::size_t i = 0; i < figure.parts.size(); ++i, y += kBarsLegendRow) {
      drawing.path(box({left, y - 11.0}, 22.0, 14.0), kPartFills[i]);
      drawing.text({left + 30.0, y}, figure.parts[i], kStart);
    }
  }
};

}  // namespace

std::string drawn(const PairGrid& figure, FigurePlace where) {
  const std::size_t names = figure.names.size();
  const double left = left_of(figure);
  const double side =
      std::clamp(620.0 / static_cast<double>(std::max<std::size_t>(1, names)), 14.0, 30.0);
  const double extent = side * static_cast<double>(names);
  constexpr double kLegendWidth = 500.0;
  Drawing drawing(
      {std::max(left + extent + kGridRight, kLegendWidth), kGridTop + extent + kGridLegend},
      figure.words, where);
  for (std::size_t row = 0; row < names; ++row) {
    const double along = side * static_cast<double>(row), y = kGridTop + along;
    drawing.text({left - 8.0, y + side / 2.0 + 4.5}, label_of(figure, row), kEnd);
    drawing.text({left + along + side / 2.0, kGridTop - 8.0}, std::to_string(row + 1), kMiddle,
                 "fig-faint");
    for (std::size_t column = 0; column < names; ++column) {
      const auto& [square, hint] = figure.pairs[row * names + column];
      draw_square(drawing, {left + side * static_cast<double>(column), y}, side, square, hint);
    }
  }
  draw_legend(drawing, {18.0, kGridTop + extent + 24.0});
  return drawing.to_string();
}

std::string drawn(const PartBars& figure, FigurePlace where) {
  const double height = kBarsTop + kBarRow * static_cast<double>(figure.bars.size()) + kBarsAxis +
                        14.0 + kBarsLegendRow * static_cast<double>(figure.parts.size());
  Drawing drawing({left_of(figure) + kBarsWidth + kBarsRight, height}, figure.words, where);
  PartBarsPainter{figure, drawing}.paint();
  return drawing.to_string();
}

}  // namespace prescope::page
