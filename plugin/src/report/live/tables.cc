#include "report/live/tables.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "report/runs/evaluation_report.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

std::string title_line(const Summary& summary, TableOptions::Color color) {
  return fmt::format("{}: {}, {}\n\n", paint(summary.experiment, Style::kStrong, color),
                     count_text(summary.rows.size(), "topic"),
                     count_text(summary.judgements, "judgement"));
}

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

std::string live_title(const Summary& summary, TableOptions::Color color) {
  return fmt::format("{}: {}, {}, {}\n{}\n", paint(summary.experiment, Style::kStrong, color),
                     count_text(summary.topics, "topic"),
                     count_text(summary.judgements, "judgement"), words_of(summary.mode),
                     epoch_section(summary));
}

std::string oddities_section(const Summary& summary, const TableOptions& options) {
  const std::vector<std::string> sentences = oddities(summary, options.view);
  if (sentences.empty()) return {};
  std::string out = '\n' + paint("Worth knowing", Style::kStrong, options.color) + '\n';
  for (const std::string& sentence : sentences) out += "  " + sentence + '\n';
  return out;
}

std::string live_table(const Summary& summary, const TableOptions& options) {
  std::string out = live_title(summary, options.color) + live_arms_section(summary, options.color);
  for (const ArmPair& pair : summary.pairs) {
    out += '\n' + live_pair_section(summary, pair, options.color);
    const std::string moves = moves_section(summary, pair, options);
    if (!moves.empty()) out += '\n' + moves;
  }
  return out + drift_section(summary, options.color) + oddities_section(summary, options);
}

}  // namespace

std::string to_table(const Summary& summary, const TableOptions& options) {
  if (options.view == TableOptions::View::kLive) return live_table(summary, options);
  std::string out = title_line(summary, options.color) + arms_section(summary, options.color);
  for (const ArmPair& pair : summary.pairs) {
    out += '\n' + pair_section(summary, pair, options.color);
    const std::string moves = moves_section(summary, pair, options);
    if (!moves.empty()) out += '\n' + moves;
  }
  return out + oddities_section(summary, options);
}

namespace {

using Align = TextGrid::Align;

std::string latency_block(const Summary& summary, TableOptions::Color color) {
  TextGrid grid({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                 Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  grid.add_titles({"arm", "queries", "p50 ms", "p95 ms", "p99 ms", "max ms", "own p50 us",
                   "own p99 us", "own/query"});
  for (const ArmSummary& arm : summary.arms) {
    const LatencySummary& latency = arm.latency;
    grid.add({{arm.id.text()},
              {std::to_string(latency.count)},
              {milliseconds_text(latency.p50.ms)},
              {milliseconds_text(latency.p95.ms)},
              {milliseconds_text(latency.p99.ms)},
              {milliseconds_text(latency.max_ms)},
              {microseconds_text(arm.self_p50_us)},
              {microseconds_text(arm.self_p99_us)},
              {percent_text(own_share(arm.self_p50_us, arm.latency))}});
  }
  return grid.to_string(color);
}

}  // namespace

std::string arms_section(const Summary& summary, TableOptions::Color color) {
  std::string out = means_section(summary, MeanOver::kTopicsWithValue, color) + '\n';
  out += paint("Latency of a query, and of it the plugin's own time on the query thread",
               Style::kStrong, color);
  return out + "\n" + latency_block(summary, color);
}

namespace {

using Align = TextGrid::Align;

constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kScoreWidth = 6;  // 0.1234

std::size_t label_width(const Summary& summary) {
  std::size_t width = 0;
  for (const ArmSummary& arm : summary.arms) width = std::max(width, text_width(arm_label(arm)));
  return width + kColumnGap + text_width("topics");
}

/// One past the last measure that fits beside those from `first` on; at least one.
std::size_t block_end(const Summary& summary, std::size_t first) {
  std::size_t width = label_width(summary);
  std::size_t last = first;
  while (last < summary.measures.size()) {
    width += kColumnGap + std::max(kScoreWidth, text_width(mean_name(summary.measures[last])));
    if (width > kTableWidth && last > first) break;
    ++last;
  }
  return last;
}

std::string topics_text(const Summary& summary, const ArmSummary& arm, MeanOver over) {
  return std::to_string(over == MeanOver::kTopicsWithValue
                            ? arm.topics_seen
                            : summary.topics - summary.topics_without_relevant);
}

std::string means_block(const Summary& summary, MeanOver over, std::size_t first, std::size_t last,
                        TableOptions::Color color) {
  TextGrid grid([&] {
    std::vector<Align> columns(2 + last - first, Align::kRight);
    columns.front() = Align::kLeft;
    return columns;
  }());
  std::vector<std::string> titles = {"arm", "topics"};
  for (std::size_t m = first; m < last; ++m) titles.push_back(mean_name(summary.measures[m]));
  grid.add_titles(std::move(titles));
  for (const ArmSummary& arm : summary.arms) {
    if (arm.status == ArmStatus::kRemoved) continue;
    std::vector<TextGrid::Cell> row = {{arm_label(arm)}, {topics_text(summary, arm, over)}};
    for (std::size_t m = first; m < last; ++m) {
      row.push_back({score_text(over == MeanOver::kTopicsWithValue ? arm.means[m].mean
                                                                   : arm.means[m].mean_over_all)});
    }
    grid.add(std::move(row));
  }
  return grid.to_string(color);
}

}  // namespace

std::string arm_label(const ArmSummary& arm) {
  return arm.id.text() + (arm.status == ArmStatus::kPaused ? " (paused)" : "");
}

std::string means_section(const Summary& summary, MeanOver over, TableOptions::Color color) {
  std::string out;
  for (std::size_t first = 0; first < summary.measures.size();) {
    const std::size_t last = block_end(summary, first);
    out += (first > 0 ? "\n" : "") + means_block(summary, over, first, last, color);
    first = last;
  }
  return out;
}

namespace {

using Align = TextGrid::Align;

constexpr std::size_t kCitationsShown = 5;
constexpr std::size_t kMovesIndent = 4;

Style style_of_move(double difference) { return difference > 0.0 ? Style::kGood : Style::kBad; }

std::string rank_or_absence(const std::optional<Rank>& rank, const Measure& measure) {
  if (rank) return fmt::format("rank {}", *rank);
  return fmt::format("not in {}", measure.cutoff().value_or(Cutoff()).value());
}

std::string citations_grid(const TopicMove& move, TableOptions::Color color) {
  TextGrid grid(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kLeft, Align::kLeft, Align::kRight});
  const std::size_t shown = std::min(kCitationsShown, move.citations.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const CitationMove& citation = move.citations[i];
    grid.add({{citation.docno.text()},
              {fmt::format("grade {}", citation.grade)},
              {rank_or_absence(citation.rank_a, move.measure)},
              {"→"},
              {rank_or_absence(citation.rank_b, move.measure)},
              {difference_text(citation.share), style_of_move(citation.share)}});
  }
  double rest = 0.0;
  for (std::size_t i = shown; i < move.citations.size(); ++i) rest += move.citations[i].share;
  if (shown < move.citations.size()) {
    grid.add({{fmt::format("{} more", move.citations.size() - shown), Style::kFaint},
              {},
              {},
              {},
              {},
              {difference_text(rest), style_of_move(rest)}});
  }
  return grid.to_string(color, kMovesIndent);
}

std::string topic_lines(const TopicMove& move, TableOptions::Color color) {
  return fmt::format("  {}  {} → {}  {}  {}\n", paint(move.topic.text(), Style::kStrong, color),
                     score_text(move.a), score_text(move.b),
                     paint(difference_text(move.difference), style_of_move(move.difference), color),
                     count_text(move.num_rel, "relevant document")) +
         citations_grid(move, color);
}

}  // namespace

std::string moves_section(const Summary& summary, const ArmPair& pair,
                          const TableOptions& options) {
  const std::size_t shown = std::min(options.moves, pair.moves.size());
  if (shown == 0) return {};
  std::string out = paint(
      fmt::format("{} that moved most, of {}: {}, {} → {}, and each citation's part",
                  count_text(shown, "topic"), pair.moves.size(), pair.moves.front().measure.name(),
                  summary.arms[pair.a.value()].id.text(), summary.arms[pair.b.value()].id.text()),
      Style::kStrong, options.color);
  out += '\n';
  for (std::size_t i = 0; i < shown; ++i) out += topic_lines(pair.moves[i], options.color);
  return out;
}

namespace {

std::string end_text(const std::optional<double>& ms) {
  return ms && std::isinf(*ms) ? "failed" : milliseconds_text(ms);
}

}  // namespace

std::string quantile_text(const LatencyQuantile& quantile) { return end_text(quantile.ms); }

std::string quantile_interval_text(const LatencyQuantile& quantile) {
  const auto& [ms, low, high] = quantile;
  if (low && high) return fmt::format("[{}, {}]", end_text(low), end_text(high));
  if (low) return "≥ " + end_text(low);
  if (high) return "≤ " + end_text(high);
  return "-";
}

std::optional<double> own_share(std::optional<double> self_us, const LatencySummary& latency) {
  constexpr double kUsPerMs = 1000.0;
  if (!self_us || !latency.p50.ms || !std::isfinite(*latency.p50.ms) || *latency.p50.ms <= 0.0) {
    return std::nullopt;
  }
  return *self_us / (*latency.p50.ms * kUsPerMs);
}

}  // namespace prescope
