#include "report/history_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/utc_time.h"
#include "report/clean_text.h"
#include "report/number_text.h"

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

}  // namespace prescope
