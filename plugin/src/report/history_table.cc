// The history as text: a line a night, then sparklines, then what did not pass.
#include <fmt/format.h>

#include <algorithm>

#include "report/history_report.h"
#include "report/history_series.h"
#include "report/history_words.h"
#include "report/number_text.h"
#include "report/sparkline.h"

namespace prescope {
namespace {

using HistoryColor = TableOptions::Color;

constexpr std::size_t kMostNotPassed = 10;

std::string history_subject_text(const HistoryReport& report, HistoryColor color) {
  TextGrid grid({TextGrid::Align::kLeft, TextGrid::Align::kLeft});
  for (auto& [label, words] : history_subject(report)) {
    grid.add({{std::move(label), Style::kFaint}, {std::move(words)}});
  }
  return grid.to_string(color);
}

std::string small_print(const std::vector<std::string>& sentences, HistoryColor color) {
  if (sentences.empty()) return {};
  return paint(wrapped(fmt::format("{}", fmt::join(sentences, " ")), 0), Style::kFaint, color);
}

std::string range_text(const NightSeries& series) {
  const auto [low, high] = range_of(series);
  if (!low) return "no value";
  const auto text = [&](std::optional<double> value) {
    return series.is_latency ? milliseconds_text(value) : score_text(value);
  };
  if (*low == *high) return text(low);
  return fmt::format("{} to {}, newest {}", text(low), text(high), text(newest_of(series)));
}

std::string sparklines_text(const HistoryReport& report, HistoryColor color) {
  constexpr std::size_t kMostColumns = 60;
  if (report.history.lines.size() < 2) return {};
  TextGrid grid({TextGrid::Align::kLeft, TextGrid::Align::kLeft, TextGrid::Align::kLeft,
                 TextGrid::Align::kLeft});
  for (const NightSeries& series : series_of(report.history)) {
    const auto values = values_of(series);
    grid.add({{series.name},
              {report.history.arms.size() > 1 ? series.arm : ""},
              {sparkline(values, kMostColumns)},
              {range_text(series), Style::kFaint}});
  }
  return paint("Oldest to newest", Style::kStrong, color) + '\n' + grid.to_string(color, 2) + '\n';
}

std::string not_passed_text(const HistoryReport& report, HistoryColor color) {
  const std::vector<std::string> sentences = nights_not_passed(report);
  if (sentences.empty()) return {};
  std::string out = paint("Not passed", Style::kStrong, color) + '\n';
  const std::size_t left_out = sentences.size() - std::min(sentences.size(), kMostNotPassed);
  if (left_out > 0) {
    out += fmt::format("  {} before these; --html FILE and --format csv have them all\n",
                       count_text(left_out, "night"));
  }
  for (std::size_t i = left_out; i < sentences.size(); ++i) out += wrapped(sentences[i], 2);
  return out + '\n';
}

std::string drift_text(const HistoryReport& report, HistoryColor color) {
  if (report.drifts.empty()) return {};
  std::string table = table_text(drift_table(report), color);
  table.pop_back();
  return table + small_print(about_drift(report), color);
}

}  // namespace

void write_history_table(const HistoryReport& report, HistoryColor color, const TextSink& sink) {
  TextPieces out(sink);
  out << history_subject_text(report, color) << '\n';
  if (!report.history.lines.empty()) {
    std::string nights = table_text(nights_table(report), color);
    nights.pop_back();
    out << nights << small_print(about_nights(report), color) << '\n';
  }
  std::string rest =
      sparklines_text(report, color) + not_passed_text(report, color) + drift_text(report, color);
  rest.erase(rest.find_last_not_of('\n') + 1);
  out << rest;
  if (!rest.empty()) out << '\n';
  out.finish();
}

}  // namespace prescope
