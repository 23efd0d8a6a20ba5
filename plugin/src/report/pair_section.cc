#include <fmt/format.h>

#include "report/number_text.h"
#include "report/sections.h"
#include "report/text_grid.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;
using Cell = TextGrid::Cell;

constexpr std::string_view kAboutIntervals =
    "Paired t intervals: they hold for a finished run, not for looking while it still goes on.";

struct Names {
  const std::string& a;
  const std::string& b;
};

Cell verdict_cell(const MeasureDifference& difference, const Names& names) {
  switch (difference.verdict) {
    case Verdict::kTooFewTopics:
      return {"fewer than 2 topics", Style::kFaint};
    case Verdict::kIdentical:
      return {"every topic the same"};
    case Verdict::kNoDifference:
      return {fmt::format("no difference shown (±{})",
                          score_text((*difference.ci_high - *difference.ci_low) / 2.0))};
    case Verdict::kBetter:
      return {names.b + " is better", Style::kGood};
    case Verdict::kWorse:
      return {names.a + " is better", Style::kBad};
  }
  return {};
}

std::string interval_text(const MeasureDifference& difference) {
  if (!difference.ci_low) return "-";
  return fmt::format("[{}, {}]", difference_text(difference.ci_low),
                     difference_text(difference.ci_high));
}

std::string differences_grid(const ArmPair& pair, const Names& names, TableOptions::Color color) {
  TextGrid grid(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  grid.add_titles({"measure", "difference", "95 % interval", "p", "wins/ties/losses", "verdict"});
  for (const MeasureDifference& difference : pair.differences) {
    grid.add({{difference.measure.name()},
              {difference_text(difference.mean)},
              {interval_text(difference)},
              {p_value_text(difference.p_value)},
              {fmt::format("{}/{}/{}", difference.wins, difference.ties, difference.losses)},
              verdict_cell(difference, names)});
  }
  return grid.to_string(color);
}

std::string latency_words(const ArmPair& pair, const Names& names) {
  if (*pair.latency.ci_high < 1.0) return names.b + " is faster";
  if (*pair.latency.ci_low > 1.0) return names.a + " is faster";
  return "no difference shown";
}

std::string latency_line(const ArmPair& pair, const Names& names) {
  if (!pair.latency.mean) return {};
  return fmt::format("Latency, {} over {} in the same topic: {:.3f} [{:.3f}, {:.3f}]; {}.\n",
                     names.b, names.a, *pair.latency.mean, *pair.latency.ci_low,
                     *pair.latency.ci_high, latency_words(pair, names));
}

}  // namespace

std::string pair_section(const Summary& summary, const ArmPair& pair, TableOptions::Color color) {
  const Names names{.a = summary.arms[pair.a.value()].id.text(),
                    .b = summary.arms[pair.b.value()].id.text()};
  std::string out =
      paint(fmt::format("{} minus {}, topic by topic", names.b, names.a), Style::kStrong, color);
  out += '\n' + differences_grid(pair, names, color) + latency_line(pair, names);
  return out + paint(kAboutIntervals, Style::kFaint, color) + '\n';
}

}  // namespace prescope
