#include "report/live/live_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "report/runs/evaluation_report.h"
#include "report/text/clean_text.h"
#include "report/text/moved_citations.h"

namespace prescope {

namespace {

using Arms = std::vector<std::reference_wrapper<const ArmSummary>>;

Arms arms_that_are_there(const Summary& summary) {
  Arms arms;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.status != ArmStatus::kRemoved) arms.emplace_back(arm);
  }
  return arms;
}

/// The arm's name, and that it is paused.
std::string arm_label(const ArmSummary& arm) {
  return arm.id.text() + (arm.status == ArmStatus::kPaused ? " (paused)" : "");
}

/// The plugin's own time, as a share of the arm's median latency.
std::string own_share_text(const ArmSummary& arm) {
  constexpr double kUsPerMs = 1000.0;
  const std::optional<double>& latency_ms = arm.latency.p50.ms;
  if (!arm.self_p50_us || !latency_ms || !std::isfinite(*latency_ms) || *latency_ms <= 0.0) {
    return percent_text({});
  }
  return percent_text(*arm.self_p50_us / (*latency_ms * kUsPerMs));
}

/// A mean of each measure and arm that is not removed, in blocks that fit the width: over the
/// topics with a value, or over all with relevant documents, of which those without count 0.
std::string means_section(const Summary& summary, bool is_over_all, const TextLook& look) {
  const Arms arms = arms_that_are_there(summary);
  std::size_t names = 0;
  for (const ArmSummary& arm : summary.arms) names = std::max(names, text_width(arm_label(arm)));
  std::string out;
  for (std::size_t first = 0, last = 0; first < summary.measures.size(); first = last) {
    last = look.columns ? summary.measures.size() : end_of_block(summary.measures, first, names);
    ColumnsOf<ArmSummary> columns;
    columns.left("arm", arm_label).right("topics", [&](auto& arm) {
      return std::to_string(is_over_all ? summary.topics - summary.topics_without_relevant
                                        : arm.topics_seen);
    });
    for (std::size_t m = first; m < last; ++m) {
      columns.right(mean_name(summary.measures[m]), [=](auto& arm) {
        return score_text(is_over_all ? arm.means[m].mean_over_all : arm.means[m].mean);
      });
    }
    out += (first > 0 ? "\n" : "") + table_text(columns.table("", arms), look);
  }
  return out;
}

/// Returns true if the two means of any measure are printed differently.
bool means_differ(const Arms& arms) {
  return std::ranges::any_of(arms, [](const ArmSummary& arm) {
    return std::ranges::any_of(arm.means, [](const MeasureMean& mean) {
      return score_text(mean.mean) != score_text(mean.mean_over_all);
    });
  });
}

std::string means(const Summary& summary, const Arms& arms, const TextLook& look) {
  std::string out = fitted("Mean over the topics that have a value", Style::kStrong, look) +
                    means_section(summary, false, look);
  if (!means_differ(arms)) return out;
  return out + '\n' +
         fitted("Mean over all topics with relevant documents, 0 if there is no value",
                Style::kStrong, look) +
         means_section(summary, true, look);
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
                          const TextLook& look) {
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
  return table_text(table.table(std::move(title), arms), look);
}

std::string latencies(const Arms& arms, const TextLook& look) {
  const std::string out =
      latency_block(arms, "Latency of queries that users waited for", &ArmSummary::latency, look);
  const bool has_shadows =
      std::ranges::any_of(arms, [](const ArmSummary& arm) { return arm.shadow_latency.count > 0; });
  if (!has_shadows) return out;
  return out + '\n' +
         latency_block(arms, "Latency of searches for comparison, which nobody waited for",
                       &ArmSummary::shadow_latency, look);
}

std::string own_time(const Arms& arms, const TextLook& look) {
  ColumnsOf<ArmSummary> table;
  table.left("arm", arm_label);
  table.right("judged p50 us", [](auto& arm) { return fixed_text(arm.self_p50_us, 1); });
  table.right("judged p99 us", [](auto& arm) { return fixed_text(arm.self_p99_us, 1); });
  table.right("unjudged p50 us", [](auto& arm) { return fixed_text(arm.unjudged_self_p50_us, 2); });
  table.right("unjudged p99 us", [](auto& arm) { return fixed_text(arm.unjudged_self_p99_us, 2); });
  table.right("judged/query", own_share_text);
  return table_text(table.table("The plugin's own time on the query thread", arms), look);
}

std::string_view beginning(EpochReason reason) {
  return word_of(reason, {"since the start", "since a new generation of the index",
                          "since a change of the arms", "since a change of the judgements"});
}

/// The first measure of each pair, which the experiment names first because it matters most.
std::string past_states(const Summary& summary, const PastEpoch& past, const TextLook& look) {
  std::string out;
  for (const PastEpoch::Difference& difference : past.differences) {
    if (!(difference.measure == past.differences.front().measure)) continue;
    const ArmNames names{.a = summary.arms.front().id.text(),
                         .b = summary.arms[difference.b.value()].id.text()};
    out += fitted(
        fmt::format("{}, {} minus {}: {}, {}", difference.measure.name(), names.b, names.a,
                    difference_text(difference.mean),
                    live_state_text(difference.live, difference.topics, difference.mean, names)),
        look, "  ", 4);
  }
  return out;
}

std::string live_arms_section(const Summary& summary, const TextLook& look) {
  const Arms arms = arms_that_are_there(summary);
  return means(summary, arms, look) + '\n' + latencies(arms, look) + '\n' + own_time(arms, look);
}

/// Since when means and verdicts are counted, and how far the epoch before had come.
std::string epoch_section(const Summary& summary, const TextLook& look) {
  std::string out = fitted(
      fmt::format("Epoch {}, {}: {} in it", summary.epoch.number, beginning(summary.epoch.reason),
                  count_text(summary.epoch.observations, "observation")),
      look);
  if (summary.past_epochs.empty()) return out;
  const PastEpoch& last = summary.past_epochs.back();
  const std::string states = past_states(summary, last, look);
  return out +
         fmt::format("Epoch {} ended after {}{}\n", last.epoch.number,
                     count_text(last.epoch.observations, "observation"),
                     states.empty() ? "" : ":") +
         states;
}

/// Topics whose score moved from visit to visit; empty if none did.
std::string drift_section(const Summary& summary, const TextLook& look) {
  std::string lines;
  for (const ArmSummary& arm : summary.arms) {
    for (const MeasureMean& mean : arm.means) {
      const Drift& drift = mean.drift;
      if (drift.changed == 0) continue;
      lines += fitted(
          fmt::format("{} {}: {} of {} served again moved, by {:.4f} on average, {} by {:.4f}",
                      arm.id.text(), mean.measure.name(), grouped_text(drift.changed),
                      count_text(drift.revisited, "topic"), drift.mean_change, drift.topic.text(),
                      drift.largest),
          look, "  ", 4);
    }
  }
  if (lines.empty()) return {};
  return '\n' +
         fitted("Drift: topics whose score moved since their earlier visits of this epoch",
                Style::kStrong, look) +
         lines;
}

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
    return Cell(live_state_text(it.live, it.topics, it.mean, names), style_of_state(it));
  });
  return columns.table(
      fmt::format("{} minus {}, {}", names.b, names.a,
                  is_split ? "between topics of the one and of the other" : "topic by topic"),
      pair.differences);
}

std::string about_verdicts(const ArmPair& pair) {
  if (pair.differences.empty()) return {};
  return fmt::format(
      "They hold while you look, each but for a chance of {:.2g} %. Leading: if a topic is as "
      "likely to move up as down by chance. Confirmed: whatever the scores. Detectable: the "
      "difference that so many topics would show in 4 of 5 cases.",
      pair.differences.front().live.alpha * 100.0);
}

std::string worst_section(const ArmPair& pair, const std::string& b, const TextLook& look) {
  if (pair.differences.empty() || pair.differences.front().worst.empty()) return {};
  const MeasureDifference& difference = pair.differences.front();
  ColumnsOf<TopicDifference> columns;
  columns.left("", [](auto& it) { return it.topic.text(); })
      .right("", [](auto& it) { return score_text(it.a); })
      .left("", [](auto&) { return "→"; })
      .right("", [](auto& it) { return score_text(it.b); })
      .right("", [](auto& it) { return change_cell(it.difference); });
  return '\n' +
         fitted(fmt::format("Topics that {} loses most in, {}", b, difference.measure.name()),
                Style::kStrong, look) +
         rows_text(columns.table("", difference.worst), look, 2);
}

std::string sample_ratio_section(const Summary& summary, const ArmPair& pair,
                                 const TextLook& look) {
  if (!pair.sample_ratio) return {};
  const bool alarm = pair.sample_ratio->alarm;
  const std::string words = sample_ratio_words(summary, pair);
  std::string out = '\n' + fitted(words, alarm ? Style::kBad : Style::kPlain, look);
  if (!alarm) return out;
  return out + fitted(
                   "Something else decides which arm a topic is served by: the arms are not "
                   "comparable.",
                   look);
}

std::string live_pair_section(const Summary& summary, const ArmPair& pair, const TextLook& look) {
  const std::string latency = live_latency_words(summary, pair);
  return table_text(differences_table(summary, pair), look) +
         small_print({about_verdicts(pair)}, look) + sample_ratio_section(summary, pair, look) +
         (latency.empty() ? "" : '\n' + fitted(latency, look)) +
         worst_section(pair, names_of(summary, pair).b, look);
}

/// The words behind the experiment's name, which is strong if it stands in one line.
std::string titled(const Summary& summary, const std::string& words, const TextLook& look) {
  const std::string name = one_line(summary.experiment);
  const std::string title = fitted(fmt::format("{}: {}", name, words), look);
  if (!title.starts_with(name)) return title;
  return paint(name, Style::kStrong, look) + title.substr(name.size());
}

std::string title_line(const Summary& summary, const TextLook& look) {
  return titled(summary,
                fmt::format("{}, {}", count_text(summary.rows.size(), "topic"),
                            count_text(summary.judgements, "judgement")),
                look) +
         '\n';
}

std::string live_title(const Summary& summary, const TextLook& look) {
  const std::string_view mode =
      word_of(summary.mode, {"as served", "each topic in every arm", "each topic in one arm"});
  return titled(summary,
                fmt::format("{}, {}, {}", count_text(summary.topics, "topic"),
                            count_text(summary.judgements, "judgement"), mode),
                look) +
         epoch_section(summary, look) + '\n';
}

std::string arms_section(const Summary& summary, const TextLook& look) {
  ColumnsOf<ArmSummary> columns;
  columns.left("arm", [](auto& arm) { return arm.id.text(); })
      .right("queries", [](auto& arm) { return std::to_string(arm.latency.count); })
      .right("p50 ms", [](auto& arm) { return milliseconds_text(arm.latency.p50.ms); })
      .right("p95 ms", [](auto& arm) { return milliseconds_text(arm.latency.p95.ms); })
      .right("p99 ms", [](auto& arm) { return milliseconds_text(arm.latency.p99.ms); })
      .right("max ms", [](auto& arm) { return milliseconds_text(arm.latency.max_ms); })
      .right("own p50 us", [](auto& arm) { return fixed_text(arm.self_p50_us, 1); })
      .right("own p99 us", [](auto& arm) { return fixed_text(arm.self_p99_us, 1); })
      .right("own/query", own_share_text);
  return means_section(summary, false, look) + '\n' +
         table_text(columns.table(
                        "Latency of a query, and of it the plugin's own time on the query thread",
                        summary.arms),
                    look);
}

Style verdict_style(Verdict verdict) {
  return verdict == Verdict::kBetter         ? Style::kGood
         : verdict == Verdict::kWorse        ? Style::kBad
         : verdict == Verdict::kTooFewTopics ? Style::kFaint
                                             : Style::kPlain;
}

std::string pair_section(const Summary& summary, const ArmPair& pair, const TextLook& look) {
  constexpr std::string_view kAboutIntervals =
      "Paired t intervals: they hold for a finished run, not for looking while it still goes on.";
  const ArmNames names = names_of(summary, pair);
  ColumnsOf<MeasureDifference> columns;
  columns.left("measure", [](auto& it) { return it.measure.name(); })
      .right("difference", [](auto& it) { return difference_text(it.mean); })
      .right("95 % interval", [](auto& it) { return interval_text(it.ci_low, it.ci_high); })
      .right("p", [](auto& it) { return p_value_text(it.p_value); })
      .right("wins/ties/losses",
             [](auto& it) { return fmt::format("{}/{}/{}", it.wins, it.ties, it.losses); })
      .left("verdict",
            [&](auto& it) { return Cell(verdict_words(it, names), verdict_style(it.verdict)); });
  const std::string latency = latency_words(summary, pair);
  return table_text(columns.table(fmt::format("{} minus {}, topic by topic", names.b, names.a),
                                  pair.differences),
                    look) +
         (latency.empty() ? "" : fitted(latency, look)) +
         fitted(kAboutIntervals, Style::kFaint, look);
}

std::string citations_grid(const TopicMove& move, const TextLook& look) {
  const auto rank = [&](const std::optional<Rank>& at) {
    return (at ? "rank " : "") + rank_text(at, move.measure.cutoff().value_or(Cutoff()));
  };
  ColumnsOf<CitationMove> columns;
  columns.left("", [](auto& it) { return it.docno.text(); })
      .right("", [](auto& it) { return fmt::format("grade {}", it.grade); })
      .right("", [&](auto& it) { return rank(it.rank_a); })
      .left("", [](auto&) { return "→"; })
      .left("", [&](auto& it) { return rank(it.rank_b); })
      .right("", [](auto& it) { return change_cell(it.share); });
  constexpr std::size_t kIndent = 4;
  return rows_text(moved_table("", columns, move.citations, {.share = 5}), look, kIndent);
}

/// The topics that moved most and the citations that moved them; empty if none did.
std::string moves_section(const Summary& summary, const ArmPair& pair, std::size_t most,
                          const TextLook& look) {
  const std::size_t shown = std::min(most, pair.moves.size());
  if (shown == 0) return {};
  const auto [a, b] = names_of(summary, pair);
  std::string out =
      fitted(fmt::format("{} that moved most, of {}: {}, {} → {}, and each citation's part",
                         count_text(shown, "topic"), pair.moves.size(),
                         pair.moves.front().measure.name(), a, b),
             Style::kStrong, look);
  for (const TopicMove& move : std::span(pair.moves).first(shown)) {
    ReportTable title = table_of("", {"", "", "", ""});
    title.rows = {{{move.topic.text(), Style::kStrong},
                   fmt::format("{} → {}", score_text(move.a), score_text(move.b)),
                   change_cell(move.difference),
                   count_text(move.num_rel, "relevant document")}};
    out += rows_text(title, look, 2) + citations_grid(move, look);
  }
  return out;
}

std::string oddities_section(const Summary& summary, const TableOptions& options,
                             const TextLook& look) {
  const std::vector<std::string> sentences = oddities(summary, options.view);
  if (sentences.empty()) return {};
  std::string out = '\n' + paint("Worth knowing", Style::kStrong, look) + '\n';
  for (const std::string& sentence : sentences) out += fitted(sentence, look, "  ", 4);
  return out;
}

}  // namespace

std::string to_table(const Summary& summary, const TableOptions& options) {
  const bool is_live = options.view == TableOptions::View::kLive;
  const TextLook look(options.color, options.columns);
  std::string out = is_live ? live_title(summary, look) + live_arms_section(summary, look)
                            : title_line(summary, look) + arms_section(summary, look);
  for (const ArmPair& pair : summary.pairs) {
    out += '\n' +
           (is_live ? live_pair_section(summary, pair, look) : pair_section(summary, pair, look));
    const std::string moves = moves_section(summary, pair, options.moves, look);
    if (!moves.empty()) out += '\n' + moves;
  }
  if (is_live) out += drift_section(summary, look);
  return out + oddities_section(summary, options, look);
}

}  // namespace prescope
