#include "report/live/tables.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <span>

#include "report/live/live_words.h"
#include "report/runs/evaluation_report.h"

namespace prescope {

namespace {

using Color = TableOptions::Color;

std::string_view words_of(Mode mode) {
  switch (mode) {
    case Mode::kObserve:
      return "as served";
    case Mode::kPaired:
      return "each topic in every arm";
    case Mode::kSplit:
      return "each topic in one arm";
  }
  return "";
}

std::string title_line(const Summary& summary, Color color) {
  return fmt::format("{}: {}, {}\n\n", paint(summary.experiment, Style::kStrong, color),
                     count_text(summary.rows.size(), "topic"),
                     count_text(summary.judgements, "judgement"));
}

std::string live_title(const Summary& summary, Color color) {
  return fmt::format("{}: {}, {}, {}\n{}\n", paint(summary.experiment, Style::kStrong, color),
                     count_text(summary.topics, "topic"),
                     count_text(summary.judgements, "judgement"), words_of(summary.mode),
                     epoch_section(summary));
}

/// Means of each arm, then its latency and the plugin's own time.
std::string arms_section(const Summary& summary, Color color) {
  ArmColumns columns = {{"arm", Align::kLeft, [](auto& arm) { return Cell{arm.id.text()}; }}};
  const auto add = [&](const char* title, auto text) {
    columns.push_back({title, Align::kRight, [text](auto& arm) { return Cell{text(arm)}; }});
  };
  add("queries", [](auto& arm) { return std::to_string(arm.latency.count); });
  add("p50 ms", [](auto& arm) { return milliseconds_text(arm.latency.p50.ms); });
  add("p95 ms", [](auto& arm) { return milliseconds_text(arm.latency.p95.ms); });
  add("p99 ms", [](auto& arm) { return milliseconds_text(arm.latency.p99.ms); });
  add("max ms", [](auto& arm) { return milliseconds_text(arm.latency.max_ms); });
  add("own p50 us", [](auto& arm) { return microseconds_text(arm.self_p50_us); });
  add("own p99 us", [](auto& arm) { return microseconds_text(arm.self_p99_us); });
  add("own/query", own_share_text);
  return means_section(summary, MeanOver::kTopicsWithValue, color) + '\n' +
         titled_grid_text(
             table_of("Latency of a query, and of it the plugin's own time on the query thread",
                      columns, summary.arms),
             color);
}

Style verdict_style(Verdict verdict) {
  switch (verdict) {
    case Verdict::kTooFewTopics:
      return Style::kFaint;
    case Verdict::kIdentical:
    case Verdict::kNoDifference:
      return Style::kPlain;
    case Verdict::kBetter:
      return Style::kGood;
    case Verdict::kWorse:
      return Style::kBad;
  }
  return Style::kPlain;
}

/// Differences of each measure with interval and verdict, and the latency ratio.
std::string pair_section(const Summary& summary, const ArmPair& pair, Color color) {
  constexpr std::string_view kAboutIntervals =
      "Paired t intervals: they hold for a finished run, not for looking while it still goes on.";
  const ArmNames names = names_of(summary, pair);
  ColumnsOf<MeasureDifference> columns = {
      {"measure", Align::kLeft, [](auto& it) { return Cell{it.measure.name()}; }}};
  const auto add = [&](const char* title, auto text) {
    columns.push_back({title, Align::kRight, [text](auto& it) { return Cell{text(it)}; }});
  };
  add("difference", [](auto& it) { return difference_text(it.mean); });
  add("95 % interval", [](auto& it) -> std::string {
    if (!it.ci_low) return "-";
    return fmt::format("[{}, {}]", difference_text(it.ci_low), difference_text(it.ci_high));
  });
  add("p", [](auto& it) { return p_value_text(it.p_value); });
  add("wins/ties/losses",
      [](auto& it) { return fmt::format("{}/{}/{}", it.wins, it.ties, it.losses); });
  columns.push_back({"verdict", Align::kLeft, [&](auto& it) {
                       return Cell{verdict_words(it, names), verdict_style(it.verdict)};
                     }});
  const std::string latency = latency_words(summary, pair);
  return titled_grid_text(table_of(fmt::format("{} minus {}, topic by topic", names.b, names.a),
                                   columns, pair.differences),
                          color) +
         (latency.empty() ? "" : latency + '\n') + paint(kAboutIntervals, Style::kFaint, color) +
         '\n';
}

Cell share_cell(double share) {
  return {difference_text(share), share > 0.0 ? Style::kGood : Style::kBad};
}

std::string citations_grid(const TopicMove& move, Color color) {
  constexpr std::size_t kCitationsShown = 5, kIndent = 4;
  const auto rank = [&](const std::optional<Rank>& at) {
    return Cell{at ? fmt::format("rank {}", *at)
                   : fmt::format("not in {}", move.measure.cutoff().value_or(Cutoff()).value())};
  };
  TextGrid grid(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kLeft, Align::kLeft, Align::kRight});
  const std::size_t shown = std::min(kCitationsShown, move.citations.size());
  for (const CitationMove& citation : std::span(move.citations).first(shown)) {
    grid.add({{citation.docno.text()},
              {fmt::format("grade {}", citation.grade)},
              rank(citation.rank_a),
              {"→"},
              rank(citation.rank_b),
              share_cell(citation.share)});
  }
  double rest = 0.0;
  for (const CitationMove& citation : std::span(move.citations).subspan(shown)) {
    rest += citation.share;
  }
  if (shown < move.citations.size()) {
    grid.add({{fmt::format("{} more", move.citations.size() - shown), Style::kFaint},
              {},
              {},
              {},
              {},
              share_cell(rest)});
  }
  return grid.to_string(color, kIndent);
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
    const Cell difference = share_cell(move.difference);
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

/// One past the last measure that fits beside those from `first` on; at least one.
std::size_t block_end(const Summary& summary, std::size_t first) {
  constexpr std::size_t kColumnGap = 2;
  constexpr std::size_t kScoreWidth = 6;  // 0.1234
  std::size_t width = 0;
  for (const ArmSummary& arm : summary.arms) width = std::max(width, text_width(arm_label(arm)));
  width += kColumnGap + text_width("topics");
  std::size_t last = first;
  while (last < summary.measures.size()) {
    width += kColumnGap + std::max(kScoreWidth, text_width(mean_name(summary.measures[last])));
    if (width > kTableWidth && last > first) break;
    ++last;
  }
  return last;
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
  std::string out;
  for (std::size_t first = 0, last = 0; first < summary.measures.size(); first = last) {
    last = block_end(summary, first);
    ArmColumns columns = {
        {"arm", Align::kLeft, [](auto& arm) { return Cell{arm_label(arm)}; }},
        {"topics", Align::kRight, [&](auto& arm) {
           return Cell{std::to_string(is_over_all ? summary.topics - summary.topics_without_relevant
                                                  : arm.topics_seen)};
         }}};
    for (std::size_t m = first; m < last; ++m) {
      columns.push_back(
          {mean_name(summary.measures[m]), Align::kRight, [=](auto& arm) {
             return Cell{score_text(is_over_all ? arm.means[m].mean_over_all : arm.means[m].mean)};
           }});
    }
    out += (first > 0 ? "\n" : "") + titled_grid_text(table_of("", columns, arms), color);
  }
  return out;
}

}  // namespace prescope
