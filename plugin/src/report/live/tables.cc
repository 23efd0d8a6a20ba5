#include "report/live/live_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <span>

#include "report/runs/evaluation_report.h"
#include "report/text/moved_citations.h"

namespace prescope {

namespace {

using Color = TableOptions::Color;

std::string title_line(const Summary& summary, Color color) {
  return fmt::format("{}: {}, {}\n\n", paint(summary.experiment, Style::kStrong, color),
                     count_text(summary.rows.size(), "topic"),
                     count_text(summary.judgements, "judgement"));
}

std::string live_title(const Summary& summary, Color color) {
  return fmt::format(
      "{}: {}, {}, {}\n{}\n", paint(summary.experiment, Style::kStrong, color),
      count_text(summary.topics, "topic"), count_text(summary.judgements, "judgement"),
      word_of(summary.mode, {"as served", "each topic in every arm", "each topic in one arm"}),
      epoch_section(summary));
}

std::string arms_section(const Summary& summary, Color color) {
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
  return means_section(summary, MeanOver::kTopicsWithValue, color) + '\n' +
         table_text(columns.table(
                        "Latency of a query, and of it the plugin's own time on the query thread",
                        summary.arms),
                    color);
}

Style verdict_style(Verdict verdict) {
  return verdict == Verdict::kBetter         ? Style::kGood
         : verdict == Verdict::kWorse        ? Style::kBad
         : verdict == Verdict::kTooFewTopics ? Style::kFaint
                                             : Style::kPlain;
}

std::string pair_section(const Summary& summary, const ArmPair& pair, Color color) {
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
      .left("verdict", [&](auto& it) {
        return Cell{verdict_words(it, names), verdict_style(it.verdict)};
      });
  const std::string latency = latency_words(summary, pair);
  return table_text(columns.table(fmt::format("{} minus {}, topic by topic", names.b, names.a),
                                  pair.differences),
                    color) +
         (latency.empty() ? "" : latency + '\n') + paint(kAboutIntervals, Style::kFaint, color) +
         '\n';
}

std::string citations_grid(const TopicMove& move, Color color) {
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
  return rows_text(moved_table("", columns, move.citations, {.share = 5}), color, kIndent);
}

/// The topics that moved most and the citations that moved them; empty if none did.
std::string moves_section(const Summary& summary, const ArmPair& pair,
                          const TableOptions& options) {
  const std::size_t shown = std::min(options.moves, pair.moves.size());
  if (shown == 0) return {};
  const auto [a, b] = names_of(summary, pair);
  std::string out =
      paint(fmt::format("{} that moved most, of {}: {}, {} → {}, and each citation's part",
                        count_text(shown, "topic"), pair.moves.size(),
                        pair.moves.front().measure.name(), a, b),
            Style::kStrong, options.color);
  out += '\n';
  for (const TopicMove& move : std::span(pair.moves).first(shown)) {
    const Cell difference = change_cell(move.difference);
    out += fmt::format("  {}  {} → {}  {}  {}\n",
                       paint(move.topic.text(), Style::kStrong, options.color), score_text(move.a),
                       score_text(move.b), paint(difference.text, difference.style, options.color),
                       count_text(move.num_rel, "relevant document")) +
           citations_grid(move, options.color);
  }
  return out;
}

std::string oddities_section(const Summary& summary, const TableOptions& options) {
  const std::vector<std::string> sentences = oddities(summary, options.view);
  if (sentences.empty()) return {};
  std::string out = '\n' + paint("Worth knowing", Style::kStrong, options.color) + '\n';
  for (const std::string& sentence : sentences) out += "  " + sentence + '\n';
  return out;
}

}  // namespace

std::string to_table(const Summary& summary, const TableOptions& options) {
  const bool is_live = options.view == TableOptions::View::kLive;
  const Color color = options.color;
  std::string out = is_live ? live_title(summary, color) + live_arms_section(summary, color)
                            : title_line(summary, color) + arms_section(summary, color);
  for (const ArmPair& pair : summary.pairs) {
    out += '\n' +
           (is_live ? live_pair_section(summary, pair, color) : pair_section(summary, pair, color));
    const std::string moves = moves_section(summary, pair, options);
    if (!moves.empty()) out += '\n' + moves;
  }
  if (is_live) out += drift_section(summary, color);
  return out + oddities_section(summary, options);
}

std::string arm_label(const ArmSummary& arm) {
  return arm.id.text() + (arm.status == ArmStatus::kPaused ? " (paused)" : "");
}

std::string own_share_text(const ArmSummary& arm) {
  constexpr double kUsPerMs = 1000.0;
  const std::optional<double>& latency_ms = arm.latency.p50.ms;
  if (!arm.self_p50_us || !latency_ms || !std::isfinite(*latency_ms) || *latency_ms <= 0.0) {
    return percent_text({});
  }
  return percent_text(*arm.self_p50_us / (*latency_ms * kUsPerMs));
}

std::string means_section(const Summary& summary, MeanOver over, Color color) {
  const bool is_over_all = over == MeanOver::kAllTopics;
  const auto there = [](const ArmSummary& arm) { return arm.status != ArmStatus::kRemoved; };
  std::vector<ArmSummary> arms;
  std::ranges::copy_if(summary.arms, std::back_inserter(arms), there);
  std::size_t names = 0;
  for (const ArmSummary& arm : summary.arms) names = std::max(names, text_width(arm_label(arm)));
  std::string out;
  for (std::size_t first = 0, last = 0; first < summary.measures.size(); first = last) {
    last = end_of_block(summary.measures, first, names);
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
    out += (first > 0 ? "\n" : "") + table_text(columns.table("", arms), color);
  }
  return out;
}

}  // namespace prescope
