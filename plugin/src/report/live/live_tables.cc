#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>

#include "report/live/live_report.h"

namespace prescope {

namespace {

using Color = TableOptions::Color;
using Arms = std::vector<std::reference_wrapper<const ArmSummary>>;

Arms arms_that_are_there(const Summary& summary) {
  Arms arms;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.status != ArmStatus::kRemoved) arms.emplace_back(arm);
  }
  return arms;
}

/// Whether the two means of some measure are printed differently.
bool means_differ(const Arms& arms) {
  return std::ranges::any_of(arms, [](const ArmSummary& arm) {
    return std::ranges::any_of(arm.means, [](const MeasureMean& mean) {
      return score_text(mean.mean) != score_text(mean.mean_over_all);
    });
  });
}

std::string means(const Summary& summary, const Arms& arms, Color color) {
  std::string out = paint("Mean over the topics that have a value", Style::kStrong, color) + '\n' +
                    means_section(summary, MeanOver::kTopicsWithValue, color);
  if (!means_differ(arms)) return out;
  return out + '\n' +
         paint("Mean over all topics with relevant documents, 0 where there is no value",
               Style::kStrong, color) +
         '\n' + means_section(summary, MeanOver::kAllTopics, color);
}

/// 12.3, "failed" if the order statistic is a query without end, "-" without queries.
std::string quantile_text(const std::optional<double>& ms) {
  return ms && std::isinf(*ms) ? "failed" : milliseconds_text(ms);
}

/// [11.2, 13.5], "[11.2, failed]", "≥ 11.2" or "≤ 13.5" if one side is open, "-" if both are.
std::string quantile_interval_text(const LatencyQuantile& quantile) {
  const auto& [ms, low, high] = quantile;
  if (low && high) return fmt::format("[{}, {}]", quantile_text(low), quantile_text(high));
  if (low) return "≥ " + quantile_text(low);
  if (high) return "≤ " + quantile_text(high);
  return "-";
}

std::string latency_block(const Arms& arms, std::string title, LatencySummary ArmSummary::*latency,
                          Color color) {
  const bool counts_failures =
      latency == &ArmSummary::latency && std::ranges::any_of(arms, [](const ArmSummary& arm) {
        return arm.failed_queries + arm.timed_out_queries > 0;
      });
  ColumnsOf<ArmSummary> table;
  table.left("arm", arm_label);
  const auto quantile = [&](const char* name, LatencyQuantile LatencySummary::*of) {
    table.right(name, [=](auto& arm) { return quantile_text((arm.*latency.*of).ms); });
  };
  table.right("queries", [=](auto& arm) { return grouped_text((arm.*latency).count); });
  if (counts_failures) {
    table.right("failed", [](auto& arm) { return grouped_text(arm.failed_queries); });
    table.right("timed out", [](auto& arm) { return grouped_text(arm.timed_out_queries); });
  }
  quantile("p50 ms", &LatencySummary::p50);
  quantile("p90 ms", &LatencySummary::p90);
  quantile("p95 ms", &LatencySummary::p95);
  quantile("p99 ms", &LatencySummary::p99);
  table.right("p99 interval",
              [=](auto& arm) { return quantile_interval_text((arm.*latency).p99); });
  table.right("max ms", [=](auto& arm) { return milliseconds_text((arm.*latency).max_ms); });
  return table_text(table.table(std::move(title), arms), color);
}

std::string latencies(const Arms& arms, Color color) {
  const std::string out =
      latency_block(arms, "Latency of queries that users waited for", &ArmSummary::latency, color);
  const bool has_shadows =
      std::ranges::any_of(arms, [](const ArmSummary& arm) { return arm.shadow_latency.count > 0; });
  if (!has_shadows) return out;
  return out + '\n' +
         latency_block(arms, "Latency of searches for comparison, which nobody waited for",
                       &ArmSummary::shadow_latency, color);
}

std::string own_time(const Arms& arms, Color color) {
  ColumnsOf<ArmSummary> table;
  table.left("arm", arm_label);
  table.right("judged p50 us", [](auto& arm) { return fixed_text(arm.self_p50_us, 1); });
  table.right("judged p99 us", [](auto& arm) { return fixed_text(arm.self_p99_us, 1); });
  table.right("unjudged p50 us", [](auto& arm) { return fixed_text(arm.unjudged_self_p50_us, 2); });
  table.right("unjudged p99 us", [](auto& arm) { return fixed_text(arm.unjudged_self_p99_us, 2); });
  table.right("judged/query", own_share_text);
  return table_text(table.table("The plugin's own time on the query thread", arms), color);
}

std::string_view beginning(EpochReason reason) {
  return word_of(reason, {"since the start", "since a new generation of the index",
                          "since a change of the arms", "since a change of the judgements"});
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

std::string live_arms_section(const Summary& summary, Color color) {
  const Arms arms = arms_that_are_there(summary);
  return means(summary, arms, color) + '\n' + latencies(arms, color) + '\n' + own_time(arms, color);
}

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

std::string drift_section(const Summary& summary, Color color) {
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

Style style_of_state(const MeasureDifference& difference) {
  if (difference.live.state == LiveState::kCollecting) return Style::kFaint;
  if (difference.live.state == LiveState::kNoVerdict) return Style::kPlain;
  return difference.mean.value_or(0.0) > 0.0 ? Style::kGood : Style::kBad;
}

ReportTable differences_table(const Summary& summary, const ArmPair& pair) {
  const ArmNames names = names_of(summary, pair);
  const bool is_split = summary.mode == Mode::kSplit;
  ColumnsOf<MeasureDifference> columns;
  columns.left("measure", [](auto& it) { return it.measure.name(); })
      .right("topics", [](auto& it) { return grouped_text(it.topics); })
      .right("difference", [](auto& it) { return difference_text(it.mean); })
      .right("±",
             [](auto& it) {
               const std::optional<double> half_width = live_half_width(it.live, it.mean);
               return half_width ? "±" + score_text(half_width) : "-";
             })
      .right("detectable", [](auto& it) { return score_text(it.live.detectable); });
  if (!is_split) {
    columns.right("wins/ties/losses",
                  [](auto& it) { return fmt::format("{}/{}/{}", it.wins, it.ties, it.losses); });
  }
  columns.left("state", [&](auto& it) {
    return Cell{live_state_text(it.live, it.topics, it.mean, names), style_of_state(it)};
  });
  return columns.table(
      fmt::format("{} minus {}, {}", names.b, names.a,
                  is_split ? "between topics of the one and of the other" : "topic by topic"),
      pair.differences);
}

std::string about_verdicts(const ArmPair& pair) {
  if (pair.differences.empty()) return {};
  return fmt::format(
      "They hold while you look, each but for a chance of {:.2g} %. Leading: where a topic is as\n"
      "likely to move up as down by chance. Confirmed: whatever the scores. Detectable: the\n"
      "difference that so many topics would show in 4 of 5 cases.",
      pair.differences.front().live.alpha * 100.0);
}

std::string worst_section(const ArmPair& pair, const std::string& b, Color color) {
  if (pair.differences.empty() || pair.differences.front().worst.empty()) return {};
  const MeasureDifference& difference = pair.differences.front();
  ColumnsOf<TopicDifference> columns;
  columns.left("", [](auto& it) { return it.topic.text(); })
      .right("", [](auto& it) { return score_text(it.a); })
      .left("", [](auto&) { return "→"; })
      .right("", [](auto& it) { return score_text(it.b); })
      .right("", [](auto& it) { return change_cell(it.difference); });
  return '\n' +
         paint(fmt::format("Topics that {} loses most in, {}", b, difference.measure.name()),
               Style::kStrong, color) +
         '\n' + rows_text(columns.table("", difference.worst), color, 2);
}

std::string sample_ratio_section(const Summary& summary, const ArmPair& pair, Color color) {
  if (!pair.sample_ratio) return {};
  const bool alarm = pair.sample_ratio->alarm;
  const std::string words = sample_ratio_words(summary, pair);
  return fmt::format("\n{}\n{}", paint(words, alarm ? Style::kBad : Style::kPlain, color),
                     alarm ? "Something else decides which arm a topic is served by: the arms are "
                             "not comparable.\n"
                           : "");
}

}  // namespace

std::string live_pair_section(const Summary& summary, const ArmPair& pair, Color color) {
  const std::string latency = live_latency_words(summary, pair);
  return table_text(differences_table(summary, pair), color) +
         paint(about_verdicts(pair), Style::kFaint, color) + '\n' +
         sample_ratio_section(summary, pair, color) +
         (latency.empty() ? "" : '\n' + latency + '\n') +
         worst_section(pair, names_of(summary, pair).b, color);
}

}  // namespace prescope
