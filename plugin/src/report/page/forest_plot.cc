#include <algorithm>

#include "report/number_text.h"
#include "report/page/plots.h"
#include "report/page/scale.h"

namespace prescope::page {
namespace {

constexpr double kForestWidth = 760.0, kForestLeft = 190.0, kForestRight = 560.0, kForestTop = 10.0,
                 kForestRowHeight = 26.0;
constexpr double kForestBelow = 50.0, kTextDrop = 4.0, kGap = 12.0, kDot = 4.5, kCap = 4.0,
                 kLimit = 9.0;

std::string_view style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "good";
    case Verdict::kWorse:
      return "bad";
    case Verdict::kTooFewTopics:
    case Verdict::kIdentical:
    case Verdict::kNoDifference:
      break;
  }
  return "same";
}

/// From the lowest end of an interval to the highest, with 0 and all limits.
Scale scale_of(const ForestPlot& plot) {
  double low = 0.0, high = 0.0;
  for (const ForestRow& row : plot.rows) {
    low = std::min(low, row.limit.value_or(low));
    high = std::max(high, row.limit.value_or(high));
    if (!row.test) continue;
    low = std::min(low, row.test->ci_low);
    high = std::max(high, row.test->ci_high);
  }
  constexpr double kMargin = 0.05, kNarrowest = 1e-4;
  const double margin = std::max((high - low) * kMargin, kNarrowest);
  return {.low = low - margin, .high = high + margin, .first = kForestLeft, .last = kForestRight};
}

void draw_axis(Drawing& drawing, const Scale& scale, double bottom, const std::string& title) {
  const std::vector<double> values = ticks(scale.low, scale.high, 6);
  const std::vector<std::string> texts = tick_texts(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = scale(values[i]);
    drawing.line({x, kForestTop}, {x, bottom}, values[i] == 0.0 ? "axis" : "grid");
    drawing.text({x, bottom + 16.0}, texts[i], Drawing::Anchor::kMiddle);
  }
  drawing.text({(kForestLeft + kForestRight) / 2.0, bottom + 38.0}, title,
               Drawing::Anchor::kMiddle);
}

void draw_interval(Drawing& drawing, const Scale& scale, double y, const ForestRow& row) {
  const PairedT& test = *row.test;
  const std::string_view style = style_of(row.verdict);
  const double low = scale(test.ci_low), high = scale(test.ci_high);
  drawing.line({low, y}, {high, y}, style);
  for (const double end : {low, high}) drawing.line({end, y - kCap}, {end, y + kCap}, style);
  drawing.circle({scale(test.mean), y}, kDot, style);
}

/// Of a name that fits beside the plot.
std::string shortened(const std::string& label) {
  constexpr std::size_t kMost = 24;
  if (label.size() <= kMost) return label;
  std::size_t end = kMost - 1;
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0U) == 0x80U) --end;
  return label.substr(0, end) + "…";
}

}  // namespace

std::string draw(const ForestPlot& plot) {
  const double bottom = kForestTop + kForestRowHeight * static_cast<double>(plot.rows.size());
  Drawing drawing({kForestWidth, bottom + kForestBelow}, plot.words);
  const Scale scale = scale_of(plot);
  draw_axis(drawing, scale, bottom, plot.axis);
  double y = kForestTop + kForestRowHeight / 2.0;
  for (const ForestRow& row : plot.rows) {
    drawing.text({kForestLeft - kGap, y + kTextDrop}, shortened(row.label), Drawing::Anchor::kEnd);
    if (row.limit) {
      const double x = scale(*row.limit);
      drawing.line({x, y - kLimit}, {x, y + kLimit}, "axis");
    }
    if (row.test) draw_interval(drawing, scale, y, row);
    const auto mean = row.test ? std::optional(row.test->mean) : std::nullopt;
    drawing.text({kForestRight + kGap, y + kTextDrop},
                 difference_text(mean) + ", " + row.verdict_words, Drawing::Anchor::kStart);
    y += kForestRowHeight;
  }
  return drawing.to_string();
}

}  // namespace prescope::page
