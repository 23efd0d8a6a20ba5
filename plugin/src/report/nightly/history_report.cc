#include "report/nightly/history_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "base/utc_time.h"
#include "report/text/clean_text.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

using NightCell = TextGrid::Cell;
using NightAlign = TextGrid::Align;

Style style_of(const Night& night) {
  if (!night.outcome) return Style::kFaint;
  return *night.outcome == GateOutcome::kPass ? Style::kGood : Style::kBad;
}

bool has_several_arms(const HistoryReport& report) { return report.history.arms.size() > 1; }

/// The number of topics that all nights have; nothing where they differ.
std::optional<std::uint32_t> common_topics(const History& history) {
  const std::uint32_t first = history.lines.front().night.topics;
  const bool is_common = std::ranges::all_of(
      history.lines, [&](const History::Line& line) { return line.night.topics == first; });
  return is_common ? std::optional(first) : std::nullopt;
}

bool has_topics_column(const HistoryReport& report) {
  return !report.history.lines.empty() && !common_topics(report.history);
}

std::string nights_words(const HistoryReport& report) {
  const History& history = report.history;
  if (history.lines.empty()) {
    return history.stored == 0
               ? "none yet; 'prescope pin' and 'prescope gate' store them"
               : fmt::format("none of the {} that are stored", count_text(history.stored, "night"));
  }
  const auto [first, last] =
      std::ranges::minmax(history.lines, {}, [](const auto& line) { return line.night.time; });
  const std::string shown = history.lines.size() == history.stored
                                ? count_text(history.stored, "night")
                                : fmt::format("{} of {}", grouped_text(history.lines.size()),
                                              count_text(history.stored, "night"));
  return fmt::format("{}, {} to {} UTC", shown, utc_minute_text(first.night.time),
                     utc_minute_text(last.night.time));
}

std::string arms_words(const HistoryReport& report) {
  std::string words = one_line(fmt::format("{}", fmt::join(report.history.arms, ", ")));
  if (const auto topics = common_topics(report.history)) {
    words += fmt::format("; {}", count_text(*topics, "topic"));
  }
  return words;
}

std::string pin_words(const Pin& pin) {
  std::string words = fmt::format("{}: night {}, pinned {} UTC by {}", pin.name, pin.evaluation,
                                  utc_minute_text(pin.time), pin.by);
  if (pin.replaced) words += fmt::format(", instead of night {}", *pin.replaced);
  return one_line(words + ": " + pin.why);
}

/// What each name stands for now.
std::vector<const Pin*> current_pins(const std::vector<Pin>& pins) {
  std::vector<const Pin*> current;
  for (const Pin& pin : pins) {
    const auto at =
        std::ranges::find(current, pin.name, [](const Pin* known) { return known->name; });
    if (at == current.end()) {
      current.push_back(&pin);
    } else {
      *at = &pin;
    }
  }
  return current;
}

std::string number_text(std::optional<std::int64_t> number) {
  return number ? fmt::format("{}", *number) : "-";
}

std::vector<ReportTable::Column> night_columns(const HistoryReport& report) {
  std::vector<ReportTable::Column> columns = {{.title = "night"},
                                              {.title = "time (UTC)", .align = NightAlign::kLeft}};
  if (has_several_arms(report)) columns.push_back({.title = "arm", .align = NightAlign::kLeft});
  if (has_topics_column(report)) columns.push_back({.title = "topics"});
  for (const std::string& measure : report.history.measures) {
    columns.push_back({.title = measure});
    columns.push_back({.title = "pinned"});
    columns.push_back({.title = "before"});
  }
  columns.push_back({.title = "p95 ms"});
  columns.push_back({.title = "verdict", .align = NightAlign::kLeft});
  return columns;
}

std::vector<NightCell> night_cells(const HistoryReport& report, const History::Line& line) {
  const Night& night = line.night;
  std::vector<NightCell> row = {{number_text(night.number)}, {utc_minute_text(night.time)}};
  if (has_several_arms(report)) row.push_back({one_line(night.arm)});
  if (has_topics_column(report)) row.push_back({grouped_text(night.topics)});
  for (const History::Value& value : line.values) {
    row.push_back({score_text(value.mean)});
    row.push_back({difference_text(value.from_baseline)});
    row.push_back({difference_text(value.from_before), Style::kFaint});
  }
  row.push_back({milliseconds_text(night.p95_ms)});
  row.push_back({verdict_and_pins_text(night), style_of(night)});
  return row;
}

std::string against_text(const HistoryReport::Drift& drift) {
  return fmt::format(
      "night {} ({})", drift.against,
      drift.what == HistoryReport::Drift::Against::kBaseline ? "pinned" : "accepted last");
}

std::vector<NightCell> drift_cells(const HistoryReport& report, const HistoryReport::Drift& drift,
                                   std::size_t measure) {
  const std::optional<PairedT>& test = drift.tests[measure];
  std::vector<NightCell> row = {{report.history.measures[measure]}};
  if (has_several_arms(report)) row.push_back({one_line(drift.arm)});
  row.push_back({number_text(drift.night)});
  row.push_back({against_text(drift)});
  row.push_back({test ? grouped_text(test->n) : "-"});
  row.push_back({difference_text(test ? std::optional(test->mean) : std::nullopt)});
  row.push_back(
      {test ? fmt::format("[{}, {}]", difference_text(test->ci_low), difference_text(test->ci_high))
            : "-"});
  row.push_back({p_value_text(test ? std::optional(test->p_value) : std::nullopt)});
  return row;
}

}  // namespace

std::string history_title(const HistoryReport& report) {
  return "History of " + std::filesystem::path(report.store).filename().string();
}

std::string verdict_text(const Night& night) {
  return night.outcome ? std::string(to_string(*night.outcome)) : "-";
}

std::string verdict_and_pins_text(const Night& night) {
  if (night.pinned_as.empty()) return verdict_text(night);
  const std::string pins = one_line(fmt::format("pinned: {}", fmt::join(night.pinned_as, ", ")));
  return night.outcome ? verdict_text(night) + ", " + pins : pins;
}

std::vector<std::pair<std::string, std::string>> history_subject(const HistoryReport& report) {
  std::vector<std::pair<std::string, std::string>> subject = {{"store", one_line(report.store)},
                                                              {"nights", nights_words(report)}};
  if (report.history.lines.empty()) return subject;
  subject.emplace_back(has_several_arms(report) ? "arms" : "arm", arms_words(report));
  for (const Pin* pin : current_pins(report.pins))
    subject.emplace_back("baseline", pin_words(*pin));
  return subject;
}

ReportTable nights_table(const HistoryReport& report) {
  ReportTable table{.title = "", .columns = night_columns(report), .rows = {}};
  for (const History::Line& line : report.history.lines) {
    table.rows.push_back(night_cells(report, line));
  }
  return table;
}

std::vector<std::string> nights_not_passed(const HistoryReport& report) {
  std::vector<std::string> sentences;
  for (const auto& [night, baseline, before, values] : report.history.lines) {
    if (!night.outcome || *night.outcome == GateOutcome::kPass) continue;
    sentences.push_back(
        one_line(fmt::format("night {}, {}: {}", night.number, verdict_text(night), night.reason)));
  }
  return sentences;
}

ReportTable drift_table(const HistoryReport& report) {
  ReportTable table{.title = "Newest night, topic by topic",
                    .columns = {{.title = "measure", .align = NightAlign::kLeft}},
                    .rows = {}};
  if (has_several_arms(report)) {
    table.columns.push_back({.title = "arm", .align = NightAlign::kLeft});
  }
  table.columns.push_back({.title = "night"});
  table.columns.push_back({.title = "against", .align = NightAlign::kLeft});
  for (const char* title : {"topics", "difference", "95 % interval", "p t"}) {
    table.columns.push_back({.title = title});
  }
  for (std::size_t m = 0; m < report.history.measures.size(); ++m) {
    for (const HistoryReport::Drift& drift : report.drifts) {
      table.rows.push_back(drift_cells(report, drift, m));
    }
  }
  return table;
}

std::vector<std::string> about_nights(const HistoryReport& report) {
  if (report.history.lines.empty()) return {};
  return {
      "pinned: change against the baseline that the night was gated against, or, ungated, the one "
      "pinned last by then.",
      "before: against the last night of the arm that was no bad input.",
      "Neither is given across a change of the judgements.",
      "A slow leak shows under pinned long before it shows under before."};
}

std::vector<std::string> about_drift(const HistoryReport& report) {
  if (report.drifts.empty()) return {};
  return {
      "Paired t over the topics that have a value in both nights, for information: looked at every "
      "night, it calls nearly every history without a change significant once. The gate decides."};
}

namespace {

bool is_plotted(const Night& night) { return night.outcome != GateOutcome::kBadInput; }

NightSeries measure_series(const History& history, const std::string& arm, std::size_t measure) {
  NightSeries series{.arm = arm, .name = history.measures[measure], .points = {}};
  for (const History::Line& line : history.lines) {
    if (line.night.arm != arm) continue;
    NightSeries::Point point{.night = &line.night};
    if (is_plotted(line.night)) point.value = line.values[measure].mean;
    series.points.push_back(point);
  }
  return series;
}

NightSeries latency_series(const History& history, const std::string& arm) {
  NightSeries series{.arm = arm, .name = "p95 ms", .is_latency = true, .points = {}};
  for (const History::Line& line : history.lines) {
    if (line.night.arm != arm) continue;
    NightSeries::Point point{.night = &line.night};
    if (is_plotted(line.night)) point.value = line.night.p95_ms;
    series.points.push_back(point);
  }
  return series;
}

}  // namespace

std::vector<NightSeries> series_of(const History& history) {
  std::vector<NightSeries> all;
  for (const std::string& arm : history.arms) {
    for (std::size_t m = 0; m < history.measures.size(); ++m) {
      all.push_back(measure_series(history, arm, m));
    }
    NightSeries latency = latency_series(history, arm);
    if (newest_of(latency)) all.push_back(std::move(latency));
  }
  return all;
}

std::vector<std::optional<double>> values_of(const NightSeries& series) {
  std::vector<std::optional<double>> values;
  for (const NightSeries::Point& point : series.points) values.push_back(point.value);
  return values;
}

std::pair<std::optional<double>, std::optional<double>> range_of(const NightSeries& series) {
  std::optional<double> low, high;
  for (const NightSeries::Point& point : series.points) {
    if (!point.value) continue;
    low = std::min(low.value_or(*point.value), *point.value);
    high = std::max(high.value_or(*point.value), *point.value);
  }
  return {low, high};
}

std::optional<double> newest_of(const NightSeries& series) {
  for (auto point = series.points.rbegin(); point != series.points.rend(); ++point) {
    if (point->value) return point->value;
  }
  return std::nullopt;
}

// The history as text: a line a night, then sparklines, then what did not pass.

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
