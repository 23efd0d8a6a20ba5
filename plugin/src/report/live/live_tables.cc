#include "report/live/live_tables.h"

#include <fmt/format.h>
#include <algorithm>

#include "report/live/tables.h"
#include "report/text/tables.h"
#include "statistics/evidence.h"

namespace prescope {

std::optional<double> live_half_width(const LiveVerdict& live, std::optional<double> mean) {
  if (!mean || (live.low <= -1.0 && live.high >= 1.0)) return std::nullopt;
  // One of the two ends may have been cut off at the end of the range.
  return std::max(*mean - live.low, live.high - *mean);
}

std::string live_state_text(const LiveVerdict& live, std::uint32_t topics,
                            std::optional<double> mean, const ArmNames& names) {
  const std::string& ahead = mean.value_or(0.0) > 0.0 ? names.b : names.a;
  switch (live.state) {
    case LiveState::kCollecting:
      return fmt::format("collecting ({} of {} topics)", topics, kFewestTopics);
    case LiveState::kNoVerdict: {
      const std::optional<double> half_width = live_half_width(live, mean);
      return half_width ? fmt::format("no verdict yet (±{})", score_text(half_width))
                        : "no verdict yet";
    }
    case LiveState::kLeading:
      return ahead + " leading";
    case LiveState::kConfirmed:
      return ahead + " confirmed better";
  }
  return {};
}

namespace {

using Align = TextGrid::Align;
using Cell = TextGrid::Cell;
using Arms = std::vector<const ArmSummary*>;

Arms arms_that_are_there(const Summary& summary) {
  Arms arms;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.status != ArmStatus::kRemoved) arms.push_back(&arm);
  }
  return arms;
}

/// Whether the two means of some measure are printed differently.
bool means_differ(const Arms& arms) {
  return std::ranges::any_of(arms, [](const ArmSummary* arm) {
    return std::ranges::any_of(arm->means, [](const MeasureMean& mean) {
      return score_text(mean.mean) != score_text(mean.mean_over_all);
    });
  });
}

std::string means(const Summary& summary, const Arms& arms, TableOptions::Color color) {
  std::string out = paint("Mean over the topics that have a value", Style::kStrong, color) + '\n' +
                    means_section(summary, MeanOver::kTopicsWithValue, color);
  if (!means_differ(arms)) return out;
  return out + '\n' +
         paint("Mean over all topics with relevant documents, 0 where there is no value",
               Style::kStrong, color) +
         '\n' + means_section(summary, MeanOver::kAllTopics, color);
}

struct LatencyBlock {
  std::string title;
  LatencySummary ArmSummary::*latency;
  bool counts_failures;
};

std::string latency_block(const Arms& arms, const LatencyBlock& block, TableOptions::Color color) {
  std::vector<Align> columns(8, Align::kRight);
  std::vector<std::string> titles = {"arm",    "queries", "p50 ms",       "p90 ms",
                                     "p95 ms", "p99 ms",  "p99 interval", "max ms"};
  if (block.counts_failures) {
    columns.insert(columns.end(), 2, Align::kRight);
    titles.insert(titles.begin() + 2, {"failed", "timed out"});
  }
  columns.front() = Align::kLeft;
  TextGrid grid(std::move(columns));
  grid.add_titles(std::move(titles));
  for (const ArmSummary* arm : arms) {
    const LatencySummary& latency = arm->*block.latency;
    std::vector<Cell> row = {{arm_label(*arm)},
                             {grouped_text(latency.count)},
                             {quantile_text(latency.p50)},
                             {quantile_text(latency.p90)},
                             {quantile_text(latency.p95)},
                             {quantile_text(latency.p99)},
                             {quantile_interval_text(latency.p99)},
                             {milliseconds_text(latency.max_ms)}};
    if (block.counts_failures) {
      row.insert(row.begin() + 2,
                 {{grouped_text(arm->failed_queries)}, {grouped_text(arm->timed_out_queries)}});
    }
    grid.add(std::move(row));
  }
  return paint(block.title, Style::kStrong, color) + '\n' + grid.to_string(color);
}

std::string latencies(const Arms& arms, TableOptions::Color color) {
  const bool some_failed = std::ranges::any_of(
      arms, [](const ArmSummary* arm) { return arm->failed_queries + arm->timed_out_queries > 0; });
  std::string out = latency_block(arms,
                                  {.title = "Latency of queries that users waited for",
                                   .latency = &ArmSummary::latency,
                                   .counts_failures = some_failed},
                                  color);
  const bool has_shadows = std::ranges::any_of(
      arms, [](const ArmSummary* arm) { return arm->shadow_latency.count > 0; });
  if (!has_shadows) return out;
  return out + '\n' +
         latency_block(arms,
                       {.title = "Latency of searches for comparison, which nobody waited for",
                        .latency = &ArmSummary::shadow_latency,
                        .counts_failures = false},
                       color);
}

/// Of an unjudged query, which takes well below a microsecond.
std::string hundredths_text(const std::optional<double>& us) {
  return us ? fmt::format("{:.2f}", *us) : "-";
}

std::string own_time(const Arms& arms, TableOptions::Color color) {
  TextGrid grid(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  grid.add_titles({"arm", "judged p50 us", "judged p99 us", "unjudged p50 us", "unjudged p99 us",
                   "judged/query"});
  for (const ArmSummary* arm : arms) {
    grid.add({{arm_label(*arm)},
              {microseconds_text(arm->self_p50_us)},
              {microseconds_text(arm->self_p99_us)},
              {hundredths_text(arm->unjudged_self_p50_us)},
              {hundredths_text(arm->unjudged_self_p99_us)},
              {percent_text(own_share(arm->self_p50_us, arm->latency))}});
  }
  return paint("The plugin's own time on the query thread", Style::kStrong, color) + '\n' +
         grid.to_string(color);
}

}  // namespace

std::string live_arms_section(const Summary& summary, TableOptions::Color color) {
  const Arms arms = arms_that_are_there(summary);
  return means(summary, arms, color) + '\n' + latencies(arms, color) + '\n' + own_time(arms, color);
}

namespace {

std::string_view beginning(EpochReason reason) {
  switch (reason) {
    case EpochReason::kStart:
      return "since the start";
    case EpochReason::kGeneration:
      return "since a new generation of the index";
    case EpochReason::kArms:
      return "since a change of the arms";
    case EpochReason::kJudgements:
      return "since a change of the judgements";
  }
  return "";
}

/// The first measure of each pair, which the experiment names first because it matters most.
std::string past_states(const Summary& summary, const PastEpoch& past) {
  std::string out;
  for (const PastEpoch::Difference& difference : past.differences) {
    if (!(difference.measure == past.differences.front().measure)) continue;
    const ArmNames names{.a = summary.arms.front().id.text(),
                         .b = summary.arms[difference.b.value()].id.text()};
    out += fmt::format("  {}, {} minus {}: {}, {}\n", difference.measure.name(), names.b, names.a,
                       difference_text(difference.mean),
                       live_state_text(difference.live, difference.topics, difference.mean, names));
  }
  return out;
}

}  // namespace

std::string epoch_section(const Summary& summary) {
  std::string out =
      fmt::format("Epoch {}, {}: {} in it\n", summary.epoch.number, beginning(summary.epoch.reason),
                  count_text(summary.epoch.observations, "observation"));
  if (summary.past_epochs.empty()) return out;
  const PastEpoch& last = summary.past_epochs.back();
  const std::string states = past_states(summary, last);
  return out +
         fmt::format("Epoch {} ended after {}{}\n", last.epoch.number,
                     count_text(last.epoch.observations, "observation"),
                     states.empty() ? "" : ":") +
         states;
}

std::string drift_section(const Summary& summary, TableOptions::Color color) {
  std::string lines;
  for (const ArmSummary& arm : summary.arms) {
    for (const MeasureMean& mean : arm.means) {
      const Drift& drift = mean.drift;
      if (drift.changed == 0) continue;
      lines +=
          fmt::format("  {} {}: {} of {} served again moved, by {:.4f} on average, {} by {:.4f}\n",
                      arm.id.text(), mean.measure.name(), grouped_text(drift.changed),
                      count_text(drift.revisited, "topic"), drift.mean_change, drift.topic.text(),
                      drift.largest);
    }
  }
  if (lines.empty()) return {};
  return '\n' +
         paint("Drift: topics whose score moved since their earlier visits of this epoch",
               Style::kStrong, color) +
         '\n' + lines;
}

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
