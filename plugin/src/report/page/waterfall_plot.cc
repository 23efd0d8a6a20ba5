#include <fmt/format.h>

#include <algorithm>

#include "report/number_text.h"
#include "report/page/plots.h"
#include "report/page/scale.h"

namespace prescope::page {
namespace {

constexpr double kWaterfallWidth = 600.0, kWaterfallHeight = 430.0;
constexpr double kWaterfallLeft = 70.0, kWaterfallRight = 590.0, kWaterfallTop = 14.0,
                 kWaterfallBottom = 370.0;

using Topics = std::vector<MeasureComparison::Topic>;

Topics ascending(const MeasureComparison& comparison) {
  Topics topics = comparison.topics;
  std::ranges::stable_sort(topics, {}, &MeasureComparison::Topic::difference);
  return topics;
}

/// Around 0, so that what was lost and what was gained have the same height.
Scale scale_of(const Topics& topics) {
  constexpr double kNarrowest = 1e-3;
  const double low = topics.empty() ? 0.0 : topics.front().difference;
  const double high = topics.empty() ? 0.0 : topics.back().difference;
  const double reach = std::max({-low, high, kNarrowest});
  return {.low = std::min(low, -reach / 4.0),
          .high = std::max(high, reach / 4.0),
          .first = kWaterfallBottom,
          .last = kWaterfallTop};
}

/// The bars of topics [begin, end) as one outline.
std::string outline(const Topics& topics, std::size_t begin, std::size_t end, const Scale& y) {
  const Scale x{.low = 0.0,
                .high = static_cast<double>(std::max<std::size_t>(topics.size(), 1)),
                .first = kWaterfallLeft,
                .last = kWaterfallRight};
  std::string steps = fmt::format("M{:.2f} {}", x(static_cast<double>(begin)), place(y(0.0)));
  for (std::size_t i = begin; i < end; ++i) {
    steps +=
        fmt::format("V{}H{:.2f}", place(y(topics[i].difference)), x(static_cast<double>(i + 1)));
  }
  return steps + fmt::format("V{}Z", place(y(0.0)));
}

void draw_axes(Drawing& drawing, const TopicPlot& plot, const Scale& y) {
  const std::vector<double> values = ticks(y.low, y.high, 8);
  const std::vector<std::string> texts = tick_texts(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    drawing.line({kWaterfallLeft, y(values[i])}, {kWaterfallRight, y(values[i])}, "grid");
    drawing.text({kWaterfallLeft - 8.0, y(values[i]) + 4.0}, texts[i], Drawing::Anchor::kEnd);
  }
  const DifferenceCounts& counts = plot.comparison->counts;
  drawing.text({kWaterfallLeft, kWaterfallBottom + 18.0},
               fmt::format("{} lower in {}", counts.losses, plot.b), Drawing::Anchor::kStart);
  drawing.text({(kWaterfallLeft + kWaterfallRight) / 2.0, kWaterfallBottom + 18.0},
               fmt::format("{} the same", counts.ties), Drawing::Anchor::kMiddle);
  drawing.text({kWaterfallRight, kWaterfallBottom + 18.0},
               fmt::format("{} higher in {}", counts.wins, plot.b), Drawing::Anchor::kEnd);
  drawing.text({(kWaterfallLeft + kWaterfallRight) / 2.0, kWaterfallBottom + 42.0},
               fmt::format("{}, by difference", count_text(counts.total(), "topic")),
               Drawing::Anchor::kMiddle);
  drawing.upright_text(
      {16.0, (kWaterfallTop + kWaterfallBottom) / 2.0},
      fmt::format("{}, {} minus {}", plot.comparison->measure.name(), plot.b, plot.a));
}

}  // namespace

std::string draw_waterfall(const TopicPlot& plot) {
  Drawing drawing({kWaterfallWidth, kWaterfallHeight}, plot.words);
  const Topics topics = ascending(*plot.comparison);
  const Scale y = scale_of(topics);
  draw_axes(drawing, plot, y);
  const DifferenceCounts& counts = plot.comparison->counts;
  if (counts.losses > 0) drawing.path(outline(topics, 0, counts.losses, y), "bad");
  const std::size_t first_win = topics.size() - counts.wins;
  if (counts.wins > 0) drawing.path(outline(topics, first_win, topics.size(), y), "good");
  drawing.line({kWaterfallLeft, y(0.0)}, {kWaterfallRight, y(0.0)}, "axis");
  return drawing.to_string();
}

}  // namespace prescope::page
