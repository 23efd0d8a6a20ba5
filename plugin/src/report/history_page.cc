#include <fmt/format.h>

#include <filesystem>

#include "core/utc_time.h"
#include "report/history_report.h"
#include "report/history_series.h"
#include "report/history_words.h"
#include "report/number_text.h"
#include "report/page/line_plot.h"
#include "report/page/markup.h"
#include "report/page/page.h"

namespace prescope {
namespace {

using page::element;
using page::escaped;
using NightAlign = TextGrid::Align;

std::string history_title(const HistoryReport& report) {
  return "History of " + std::filesystem::path(report.store).filename().string();
}

std::string history_subject_markup(const HistoryReport& report) {
  std::string items;
  for (const auto& [label, words] : history_subject(report)) {
    items += element("dt", "", escaped(label)) + element("dd", "", escaped(words));
  }
  return element("dl", "", items) + '\n';
}

std::string value_text(const NightSeries& series, std::optional<double> value) {
  return series.is_latency ? milliseconds_text(value) : score_text(value);
}

std::string hint_of(const NightSeries& series, const NightSeries::Point& point) {
  const Night& night = *point.night;
  std::string hint = fmt::format("night {}, {} UTC: {}", night.number, utc_minute_text(night.time),
                                 value_text(series, point.value));
  if (night.outcome) hint += ", " + verdict_text(night);
  if (!night.reason.empty()) hint += ": " + night.reason;
  return hint;
}

/// Pins of the arm's nights.
std::vector<page::LinePlot::Event> events_of(const HistoryReport& report,
                                             const NightSeries& series) {
  std::vector<page::LinePlot::Event> events;
  for (const NightSeries::Point& point : series.points) {
    for (const Pin& pin : report.pins) {
      if (pin.evaluation != point.night->number) continue;
      events.push_back({.time = point.night->time, .name = "pinned: " + pin.name});
    }
  }
  return events;
}

page::LinePlot plot_of(const HistoryReport& report, const NightSeries& series, std::size_t place) {
  const auto [low, high] = range_of(series);
  page::LinePlot plot{
      .words = {.id = fmt::format("nights-{}", place),
                .title = fmt::format("{} of {} over the nights", series.name, series.arm),
                .what =
                    fmt::format("{}, from {} to {}, newest {}; the numbers are in the table.",
                                count_text(series.points.size(), "night"), value_text(series, low),
                                value_text(series, high), value_text(series, newest_of(series)))},
      .points = {},
      .events = events_of(report, series)};
  for (const NightSeries::Point& point : series.points) {
    plot.points.push_back({.time = point.night->time,
                           .value = point.value,
                           .level = point.baseline,
                           .outcome = point.night->outcome,
                           .hint = hint_of(series, point)});
  }
  return plot;
}

std::string charts_markup(const HistoryReport& report) {
  std::string charts;
  std::size_t place = 0;
  for (const NightSeries& series : series_of(report.history)) {
    charts += element("div", "",
                      element("h3", "", escaped(fmt::format("{}, {}", series.name, series.arm))) +
                          '\n' + draw(plot_of(report, series, place++)));
  }
  return page::draw_legend("legend") + element("div", " class=\"charts\"", '\n' + charts) + '\n' +
         page::about_markup(
             {"The dashed line is the baseline that each night is compared with, dotted lines are "
              "nights that were pinned. The value axis does not begin at 0. Bad input has a mark "
              "on the axis and no value: what it gave says nothing about the ranking."});
}

ReportTable pins_table(const HistoryReport& report) {
  ReportTable table{.title = "Pinned, oldest first",
                    .columns = {{.title = "time (UTC)", .align = NightAlign::kLeft},
                                {.title = "baseline", .align = NightAlign::kLeft},
                                {.title = "night"},
                                {.title = "instead of"},
                                {.title = "by", .align = NightAlign::kLeft},
                                {.title = "why", .align = NightAlign::kLeft}},
                    .rows = {}};
  for (const Pin& pin : report.pins) {
    table.rows.push_back({{utc_minute_text(pin.time)},
                          {pin.name},
                          {fmt::format("{}", pin.evaluation)},
                          {pin.replaced ? fmt::format("{}", *pin.replaced) : "-"},
                          {pin.by},
                          {pin.why}});
  }
  return table;
}

std::string history_body(const HistoryReport& report) {
  std::string out =
      element("h1", "", escaped(history_title(report))) + '\n' + history_subject_markup(report);
  if (!report.history.lines.empty()) {
    out += "<h2>Charts</h2>\n" + charts_markup(report);
    out += page::list_markup("Not passed", nights_not_passed(report));
    if (!report.drifts.empty()) {
      out += "<h2>Newest night</h2>\n" + page::table_markup(drift_table(report)) +
             page::about_markup(about_drift(report));
    }
    out += "<h2>Nights</h2>\n" + page::table_markup(nights_table(report)) +
           page::about_markup(about_nights(report));
  }
  if (!report.pins.empty()) out += "<h2>Baselines</h2>\n" + page::table_markup(pins_table(report));
  return out + page::footer_markup(report.program);
}

}  // namespace

std::string history_page(const HistoryReport& report) {
  return page::html_page(history_title(report), history_body(report));
}

}  // namespace prescope
