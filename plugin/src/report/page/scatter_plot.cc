#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/number_text.h"
#include "report/page/plots.h"
#include "report/page/scale.h"

namespace prescope::page {
namespace {

constexpr double kScatterWidth = 430.0, kScatterHeight = 430.0;
constexpr double kScatterLeft = 70.0, kScatterRight = 420.0, kScatterTop = 14.0,
                 kScatterBottom = 370.0;
/// Between the frame and the lowest score, where many dots may sit on each other.
constexpr double kScatterInset = 10.0;

using Topic = MeasureComparison::Topic;
/// Topics that are drawn at the same place, in an order that does not depend on anything else.
using Places = std::map<std::pair<long, long>, std::vector<const Topic*>>;

/// The highest score, rounded up to a tick, so that low scores do not huddle in a corner.
double highest(const MeasureComparison& comparison) {
  double most = 0.0;
  for (const Topic& topic : comparison.topics) most = std::max({most, topic.a, topic.b});
  if (most <= 0.0) return 1.0;
  const std::vector<double> values = ticks(0.0, most * 2.0, 10);
  return *std::ranges::find_if(values, [&](double value) { return value >= most; });
}

double lowest(const MeasureComparison& comparison) {
  double least = 0.0;
  for (const Topic& topic : comparison.topics) least = std::min({least, topic.a, topic.b});
  return least;
}

Places places_of(const MeasureComparison& comparison, const Scale& x, const Scale& y) {
  constexpr double kFineness = 2.0;  // half a unit of the drawing
  Places places;
  for (const Topic& topic : comparison.topics) {
    const std::pair key(std::lround(x(topic.a) * kFineness), std::lround(y(topic.b) * kFineness));
    places[key].push_back(&topic);
  }
  return places;
}

std::string hint_of(const TopicPlot& plot, const std::vector<const Topic*>& topics) {
  constexpr std::size_t kNamed = 3;
  std::string hint;
  for (std::size_t i = 0; i < std::min(topics.size(), kNamed); ++i) {
    hint += fmt::format("{}{}: {} → {}", i > 0 ? "; " : "",
                        plot.qrels->topic(topics[i]->topic).id().text(), score_text(topics[i]->a),
                        score_text(topics[i]->b));
  }
  if (topics.size() > kNamed) hint += fmt::format("; and {} more", topics.size() - kNamed);
  return hint;
}

void draw_axes(Drawing& drawing, const TopicPlot& plot, const Scale& x, const Scale& y) {
  const std::vector<double> values = ticks(x.low, x.high, 5);
  const std::vector<std::string> texts = tick_texts(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    drawing.line({x(values[i]), kScatterTop}, {x(values[i]), kScatterBottom}, "grid");
    drawing.line({kScatterLeft, y(values[i])}, {kScatterRight, y(values[i])}, "grid");
    drawing.text({x(values[i]), kScatterBottom + 18.0}, texts[i], Drawing::Anchor::kMiddle);
    drawing.text({kScatterLeft - 8.0, y(values[i]) + 4.0}, texts[i], Drawing::Anchor::kEnd);
  }
  drawing.line({x(x.low), y(y.low)}, {x(x.high), y(y.high)}, "axis");
  const std::string measure = plot.comparison->measure.name();
  drawing.text({(kScatterLeft + kScatterRight) / 2.0, kScatterBottom + 42.0},
               fmt::format("{} in {}", measure, plot.a), Drawing::Anchor::kMiddle);
  drawing.upright_text({16.0, (kScatterTop + kScatterBottom) / 2.0},
                       fmt::format("{} in {}", measure, plot.b));
}

}  // namespace

std::string draw_scatter(const TopicPlot& plot) {
  Drawing drawing({kScatterWidth, kScatterHeight}, plot.words);
  const double low = lowest(*plot.comparison), high = highest(*plot.comparison);
  const Scale x{
      .low = low, .high = high, .first = kScatterLeft + kScatterInset, .last = kScatterRight};
  const Scale y{
      .low = low, .high = high, .first = kScatterBottom - kScatterInset, .last = kScatterTop};
  draw_axes(drawing, plot, x, y);
  for (const auto& [at, topics] : places_of(*plot.comparison, x, y)) {
    constexpr double kDot = 3.0, kLargest = 14.0;
    const Topic& first = *topics.front();
    const double radius = std::min(kLargest, kDot * std::sqrt(static_cast<double>(topics.size())));
    drawing.circle({x(first.a), y(first.b)}, radius,
                   first.difference > 0.0   ? "dot good"
                   : first.difference < 0.0 ? "dot bad"
                                            : "dot same",
                   hint_of(plot, topics));
  }
  return drawing.to_string();
}

}  // namespace prescope::page
