#include <fmt/format.h>

#include <algorithm>

#include "report/live_words.h"
#include "report/number_text.h"
#include "report/sections.h"
#include "report/text_grid.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;
using Cell = TextGrid::Cell;

Style style_of_state(const MeasureDifference& difference) {
  if (difference.live.state == LiveState::kCollecting) return Style::kFaint;
  if (difference.live.state == LiveState::kNoVerdict) return Style::kPlain;
  return difference.mean.value_or(0.0) > 0.0 ? Style::kGood : Style::kBad;
}

std::string plus_minus_text(const MeasureDifference& difference) {
  const std::optional<double> half_width = live_half_width(difference.live, difference.mean);
  return half_width ? "±" + score_text(half_width) : "-";
}

std::string differences_grid(const Summary& summary, const ArmPair& pair, const ArmNames& names,
                             TableOptions::Color color) {
  const bool counts_wins = summary.mode != Mode::kSplit;
  std::vector<std::string> titles = {"measure", "topics", "difference", "±", "detectable", "state"};
  std::vector<Align> columns(titles.size(), Align::kRight);
  if (counts_wins) {
    titles.insert(titles.end() - 1, "wins/ties/losses");
    columns.push_back(Align::kRight);
  }
  columns.front() = columns.back() = Align::kLeft;
  TextGrid grid(std::move(columns));
  grid.add_titles(std::move(titles));
  for (const MeasureDifference& difference : pair.differences) {
    std::vector<Cell> row = {
        {difference.measure.name()},
        {grouped_text(difference.topics)},
        {difference_text(difference.mean)},
        {plus_minus_text(difference)},
        {score_text(difference.live.detectable)},
        {live_state_text(difference.live, difference.topics, difference.mean, names),
         style_of_state(difference)}};
    if (counts_wins) {
      row.insert(row.end() - 1,
                 {fmt::format("{}/{}/{}", difference.wins, difference.ties, difference.losses)});
    }
    grid.add(std::move(row));
  }
  return grid.to_string(color);
}

std::string about_verdicts(const ArmPair& pair) {
  if (pair.differences.empty()) return {};
  return fmt::format(
      "They hold while you look, each but for a chance of {:.2g} %. Leading: where a topic is as\n"
      "likely to move up as down by chance. Confirmed: whatever the scores. Detectable: the\n"
      "difference that so many topics would show in 4 of 5 cases.",
      pair.differences.front().live.alpha * 100.0);
}

std::string worst_section(const ArmPair& pair, const ArmNames& names, TableOptions::Color color) {
  if (pair.differences.empty() || pair.differences.front().worst.empty()) return {};
  const MeasureDifference& difference = pair.differences.front();
  TextGrid grid({Align::kLeft, Align::kRight, Align::kLeft, Align::kRight, Align::kRight});
  for (const TopicDifference& topic : difference.worst) {
    grid.add({{topic.topic.text()},
              {score_text(topic.a)},
              {"→"},
              {score_text(topic.b)},
              {difference_text(topic.difference), Style::kBad}});
  }
  return '\n' +
         paint(fmt::format("Topics that {} loses most in, {}", names.b, difference.measure.name()),
               Style::kStrong, color) +
         '\n' + grid.to_string(color, 2);
}

std::string latency_line(const Summary& summary, const ArmPair& pair, const ArmNames& names) {
  const LatencyRatio& ratio = pair.latency;
  if (!ratio.mean) return {};
  const std::string what =
      fmt::format("\n{}, {} over {} in {}: {:.3f}",
                  summary.mode == Mode::kPaired ? "Shadow latency" : "Latency", names.b, names.a,
                  count_text(ratio.topics, "topic"), *ratio.mean);
  if (!ratio.low || !ratio.high) return what + ", not bounded yet\n";
  const std::string words = *ratio.high < 1.0  ? names.b + " is faster"
                            : *ratio.low > 1.0 ? names.a + " is faster"
                                               : "no verdict yet";
  return fmt::format("{} [{:.3f}, {:.3f}]; {}\n", what, *ratio.low, *ratio.high, words);
}

std::string sample_ratio_line(const ArmPair& pair, const ArmNames& names,
                              TableOptions::Color color) {
  if (!pair.sample_ratio) return {};
  const SampleRatio& ratio = *pair.sample_ratio;
  const std::string counts =
      fmt::format("{} served by {}, {} by {}", count_text(ratio.topics_a, "topic"), names.a,
                  grouped_text(ratio.topics_b), names.b);
  if (!ratio.alarm) return fmt::format("\n{}, as a fair coin gives them\n", counts);
  return '\n' +
         paint(
             fmt::format("ALARM: {}, which no fair coin gives (ln e {:.1f})", counts, ratio.log_e),
             Style::kBad, color) +
         "\nSomething else decides which arm a topic is served by: the arms are not comparable.\n";
}

}  // namespace

std::string live_pair_section(const Summary& summary, const ArmPair& pair,
                              TableOptions::Color color) {
  const ArmNames names{.a = summary.arms[pair.a.value()].id.text(),
                       .b = summary.arms[pair.b.value()].id.text()};
  const std::string_view how = summary.mode == Mode::kSplit
                                   ? "between topics of the one and of the other"
                                   : "topic by topic";
  return paint(fmt::format("{} minus {}, {}", names.b, names.a, how), Style::kStrong, color) +
         '\n' + differences_grid(summary, pair, names, color) +
         paint(about_verdicts(pair), Style::kFaint, color) + '\n' +
         sample_ratio_line(pair, names, color) + latency_line(summary, pair, names) +
         worst_section(pair, names, color);
}

}  // namespace prescope
