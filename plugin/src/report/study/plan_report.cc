#include "report/study/plan_report.h"

#include "report/text/tables.h"
#include "runs/topic_units.h"

namespace prescope {

namespace {

std::string topics_text(const std::optional<double>& topics) {
  constexpr double kEndless = 1e9;
  if (!topics) return "-";
  if (*topics > kEndless) return "over 1,000,000,000";
  return grouped_text(static_cast<std::uint64_t>(std::ceil(*topics)));
}

/// Faint if more topics are needed than are at hand.
Cell topics_cell(const TestPlan& plan, const std::optional<double>& topics) {
  const bool is_too_many = topics && plan.pilot.topics > 0 && *topics > plan.pilot.topics;
  return {topics_text(topics), is_too_many ? Style::kFaint : Style::kPlain};
}

std::string days_text(const TestPlan& plan, const std::optional<double>& topics) {
  if (!topics) return "-";
  return fmt::format("{:.1f}", *topics / *plan.options.per_day);
}

/// "583 topics", "331 families"
std::string units_of(const TestPlan& plan) {
  return units_text(plan.pilot.topics, plan.pilot.are_families);
}
std::string_view unit_words(const TestPlan& plan) { return units_word(plan.pilot.are_families); }

/// The ways as rows, for one difference.
ReportTable way_table(const TestPlan& plan, const TestPlan::Needed& row) {
  ReportTable table{.title = fmt::format("To find a difference of {:.4g}", row.difference)};
  for (const VerdictWay way : kVerdictWays) {
    const auto& topics = row.topics[place_of(way)];
    table.add_row()
        .left("way", std::string(words_of(way)))
        .right(std::string(unit_words(plan)), topics_cell(plan, topics));
    if (plan.options.per_day) table.right("days", days_text(plan, topics));
    if (plan.pilot.topics > 0) {
      const auto& shown = plan.detectable[place_of(way)];
      table.right(fmt::format("{} find", units_of(plan)),
                  shown ? fmt::format("{:.4f}", *shown) : "-");
    }
  }
  return table;
}

/// The differences as rows.
ReportTable curve_table(const TestPlan& plan) {
  ReportTable table{
      .title = fmt::format("Number of {} by the difference that is to be found", unit_words(plan))};
  for (const TestPlan::Needed& row : plan.curve) {
    table.add_row().left("difference", fmt::format("{:.4g}", row.difference));
    for (const VerdictWay way : kVerdictWays) {
      table.right(std::string(words_of(way)), topics_cell(plan, row.topics[place_of(way)]));
    }
  }
  return table;
}

ReportTable look_table(const TestPlan& plan) {
  ReportTable table{.title = fmt::format("Looks of the planned test, for a difference of {:.4g}",
                                         plan.needed.front().difference)};
  const auto& topics = plan.needed.front().topics[place_of(VerdictWay::kPlanned)];
  for (std::size_t k = 0; k < plan.boundaries.size(); ++k) {
    const double share = plan.options.looks[k];
    table.add_row()
        .right("look", std::to_string(k + 1))
        .right("at", plain_percent_text(share))
        .right(std::string(unit_words(plan)),
               topics_text(topics ? std::optional(*topics * share) : std::nullopt))
        .right("ends if |z| is at least", plan.boundaries[k] < GroupSequential::kNever
                                              ? fmt::format("{:.4f}", plan.boundaries[k])
                                              : "(cannot end)");
  }
  return table;
}

ReportFigure figure_of(const TestPlan& plan, const PlanSubject& subject) {
  page::XyFigure figure{
      .words = {"plan", "Topics that a verdict needs",
                "Topics over the difference that is to be found, a line for each way to a verdict; "
                "the numbers are in the table."},
      .x = {.title = subject.measure.empty() ? std::string("difference")
                                             : "difference of " + subject.measure,
            .kind = page::FigureAxis::Kind::kLogarithmic},
      .y = {.title = std::string(unit_words(plan)), .kind = page::FigureAxis::Kind::kLogarithmic}};
  for (const VerdictWay way : kVerdictWays) {
    page::FigureSeries series{.name = std::string(words_of(way))};
    for (const TestPlan::Needed& row : plan.curve) {
      if (const auto& topics = row.topics[place_of(way)]) {
        series.points.push_back({row.difference, *topics});
      }
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
  if (plan.pilot.topics > 0) {
    figure.level_guides.push_back({double(plan.pilot.topics), units_of(plan) + " at hand"});
  }
  return {.caption = "Both axes are logarithmic: half the difference needs four times the topics.",
          .drawing = std::move(figure)};
}

std::vector<std::string> about(const TestPlan& plan) {
  const TestPlanOptions& options = plan.options;
  std::vector<std::string> sentences{
      fmt::format("Numbers of {} after which a difference that is there has been found in {} of "
                  "cases, with a chance of {} to state one that is not there.",
                  unit_words(plan), plain_percent_text(options.power),
                  plain_percent_text(options.alpha)),
      fmt::format(
          "A planned test that finds its difference uses {:.0f} % of its topics on "
          "average. Its looks must be stated before the first topic, and must not depend on "
          "results. At its last look the interval is {:.2f} times as wide as that of one "
          "look.",
          100.0 * plan.average_share, plan.final_width),
      "An always-valid verdict may be read at any time, and costs more topics. In split traffic "
      "each topic is served by one arm; with a baseline its score is compared with what A had."};
  if (options.margin) {
    sentences.push_back(fmt::format(
        "If nothing differs, an ordinary test shows \"not worse by more than {0:.4g}\" with {1} "
        "{3}, and \"the same within {0:.4g}\" with {2}.",
        *options.margin, topics_text(plan.not_worse), topics_text(plan.equivalent),
        unit_words(plan)));
  }
  return sentences;
}

Json needed_json(const TestPlan::Needed& row) {
  Json topics = Json::object();
  for (const VerdictWay way : kVerdictWays) {
    topics[std::string(key_of(way))] = row.topics[place_of(way)];
  }
  return {{"difference", row.difference}, {"topics", std::move(topics)}};
}

Json result_json(const TestPlan& plan, const PlanSubject& subject) {
  const PilotFacts& pilot = plan.pilot;
  Json detectable = Json::object();
  for (const VerdictWay way : kVerdictWays) {
    detectable[std::string(key_of(way))] = plan.detectable[place_of(way)];
  }
  return {{"measure", subject.measure.empty() ? Json() : Json(subject.measure)},
          {"pilot",
           {{"topics", pilot.topics},
            {"are_families", pilot.are_families},
            {"sd", pilot.sd},
            {"difference", pilot.difference},
            {"sd_a", pilot.sd_a},
            {"sd_b", pilot.sd_b},
            {"split_sd", pilot.split_sd},
            {"zeros", pilot.zeros},
            {"compared", pilot.compared}}},
          {"alpha", plan.options.alpha},
          {"power", plan.options.power},
          {"looks", plan.options.looks},
          {"spending", key_of(plan.options.spending)},
          {"boundaries", plan.boundaries},
          {"average_share", plan.average_share},
          {"final_width", plan.final_width},
          {"needed", list_of(plan.needed, needed_json)},
          {"curve", list_of(plan.curve, needed_json)},
          {"detectable", std::move(detectable)},
          {"margin", plan.options.margin},
          {"not_worse", plan.not_worse},
          {"equivalent", plan.equivalent},
          {"topics_per_day", plan.options.per_day}};
}

CsvTable csv_of(const TestPlan& plan) {
  CsvTable csv{.columns = {"difference", "way", "topics"}};
  for (const TestPlan::Needed& row : plan.curve) {
    for (const VerdictWay way : kVerdictWays) {
      csv.add({{"difference", row.difference},
               {"way", key_of(way)},
               {"topics", row.topics[place_of(way)]}});
    }
  }
  return csv;
}

}  // namespace

ReportDocument plan_report(const TestPlan& plan, const PlanSubject& subject) {
  ReportDocument document{.title = "prescope plan", .subject = subject.lines};
  document.sections.push_back(
      {.heading = "How many topics",
       .tables = list_of(plan.needed, [&](const auto& row) { return way_table(plan, row); }),
       .about = about(plan)});
  document.sections.push_back({.heading = "By difference",
                               .figures = {figure_of(plan, subject)},
                               .tables = {curve_table(plan)}});
  document.sections.push_back({.heading = "Looks", .tables = {look_table(plan)}});
  document.result = {{"plan", result_json(plan, subject)}};
  document.csv = csv_of(plan);
  return document;
}

}  // namespace prescope
