#include "report/page/part_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "report/text_grid.h"

namespace prescope::page {
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
