#include "report/study/cutoffs_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <iterator>

#include "report/study/figures.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

using Flip = CutoffStudy::Flip;

Json flips_json(const EvaluationReport& evaluation, const CutoffStudy& study) {
  Json flips = Json::array();
  for (const Flip& flip : study.flips) {
    flips.push_back({{"measure", key_of(flip.measure)},
                     {"ahead_before", evaluation.runs[flip.ahead_before].name},
                     {"ahead_after", evaluation.runs[flip.ahead_after].name},
                     {"nmax_before", study.cutoffs[flip.before].value()},
                     {"nmax_after", study.cutoffs[flip.after].value()}});
  }
  return flips;
}

Json run_json(const EvaluatedRun& evaluated, const CutoffStudy& study,
              const CutoffStudy::Run& run) {
  Json points = Json::array();
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    Json point = {{"nmax", study.cutoffs[c].value()}, {"topics_shorter", run.shorter[c]}};
    for (const SweepMeasure measure : kSweepMeasures) {
      point[std::string(key_of(measure))] = or_null(value_of(run.points[c], measure));
    }
    points.push_back(std::move(point));
  }
  return {{"run", evaluated.name},
          {"depth", run.depth},
          {"topics", run.topics},
          {"points", std::move(points)}};
}

}  // namespace

void add_json(StudyReport& report, const EvaluationReport& evaluation, const CutoffStudy& study) {
  Json cutoffs = Json::array(), runs = Json::array(), orders = Json::array();
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    cutoffs.push_back({{"nmax", study.cutoffs[c].value()}, {"topics_below_n", study.below_n[c]}});
  }
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    runs.push_back(run_json(evaluation.runs[run], study, study.runs[run]));
  }
  for (const CutoffStudy::Order& order : study.orders) {
    orders.push_back({{"measure", key_of(order.measure)},
                      {"pairs", order.pairs},
                      {"flipped", order.flipped},
                      {"tau_b", or_null(order.tau_b)}});
  }
  report.result["cutoffs"] = std::move(cutoffs);
  report.result["largest_n"] = study.largest_n;
  report.result["runs"] = std::move(runs);
  report.result["orders"] = std::move(orders);
  report.result["flips"] = flips_json(evaluation, study);
}

StudyCsv cutoffs_csv(const EvaluationReport& evaluation, const CutoffStudy& study) {
  StudyCsv csv{.columns = {"run", "nmax", "map", "recall", "pres", "depth", "topics",
                           "topics_shorter", "topics_below_n"}};
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    const CutoffStudy::Run& of_run = study.runs[run];
    for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
      const auto text = [](std::uint32_t number) { return fmt::format("{}", number); };
      std::vector<std::string> row = {evaluation.runs[run].name,
                                      fmt::format("{}", study.cutoffs[c].value())};
      for (const SweepMeasure measure : kSweepMeasures) {
        row.push_back(exact_text(value_of(of_run.points[c], measure)));
      }
      for (const std::uint32_t number :
           {of_run.depth, of_run.topics, of_run.shorter[c], study.below_n[c]}) {
        row.push_back(text(number));
      }
      csv.rows.push_back(std::move(row));
    }
  }
  return csv;
}

namespace {

std::string below_n_words(const CutoffStudy& study) {
  std::vector<std::string> places;
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    if (study.below_n[c] == 0) continue;
    places.push_back(
        fmt::format("{} in {}", study.cutoffs[c].value(), count_text(study.below_n[c], "topic")));
  }
  if (places.empty()) return {};
  return fmt::format(
      "N_max is below n, the number of relevant documents (at most {}): {}. Recall and PRES of "
      "such a topic cannot come above N_max / n; PRESest, of prescope evaluate, divides by that.",
      study.largest_n, fmt::join(places, ", "));
}

/// One sentence for all runs of the same depth.
std::string above_depth_words(const EvaluationReport& evaluation, const CutoffStudy& study,
                              std::uint32_t depth) {
  std::vector<std::string> names, cutoffs;
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    if (study.runs[run].depth == depth) names.push_back(evaluation.runs[run].name);
  }
  for (const Cutoff cutoff : study.cutoffs) {
    if (cutoff.value() > depth) cutoffs.push_back(fmt::format("{}", cutoff.value()));
  }
  if (cutoffs.empty()) return {};
  const std::string whose = names.size() == study.runs.size() && names.size() > 1
                                ? "every run"
                                : fmt::format("{}", fmt::join(names, ", "));
  return fmt::format(
      "N_max {} {} above the depth of {}, {}. Recall and MAP stay as they are there; PRES rises "
      "although nothing more was found, because what is missing counts as just behind N_max.",
      fmt::join(cutoffs, ", "), cutoffs.size() == 1 ? "is" : "are", whose,
      count_text(depth, "document"));
}

/// Of the highest cutoff that the runs reach, which topics end before it.
std::string shorter_words(const EvaluationReport& evaluation, const CutoffStudy& study) {
  std::vector<std::string> runs;
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    const auto& cutoffs = study.cutoffs;
    const auto above = std::ranges::upper_bound(cutoffs, Cutoff(study.runs[run].depth));
    if (above == cutoffs.begin()) continue;
    const auto at = static_cast<std::size_t>(above - cutoffs.begin()) - 1;
    if (study.runs[run].shorter[at] == 0) continue;
    runs.push_back(fmt::format("{} of {} in {} (N_max {})", study.runs[run].shorter[at],
                               study.runs[run].topics, evaluation.runs[run].name,
                               cutoffs[at].value()));
  }
  if (runs.empty()) return {};
  return fmt::format("topics with fewer than N_max documents: {}", fmt::join(runs, ", "));
}

}  // namespace

std::string_view title_of(SweepMeasure measure) noexcept {
  switch (measure) {
    case SweepMeasure::kAveragePrecision:
      return "MAP";
    case SweepMeasure::kRecall:
      return "Recall";
    case SweepMeasure::kPres:
      break;
  }
  return "PRES";
}

std::string_view key_of(SweepMeasure measure) noexcept {
  switch (measure) {
    case SweepMeasure::kAveragePrecision:
      return "map";
    case SweepMeasure::kRecall:
      return "recall";
    case SweepMeasure::kPres:
      break;
  }
  return "pres";
}

std::vector<std::string> cutoff_warnings(const EvaluationReport& evaluation,
                                         const CutoffStudy& study) {
  std::vector<std::string> warnings = {below_n_words(study)};
  std::vector<std::uint32_t> depths;
  for (const CutoffStudy::Run& run : study.runs) depths.push_back(run.depth);
  std::ranges::sort(depths);
  const auto repeated = std::ranges::unique(depths);
  depths.erase(repeated.begin(), repeated.end());
  for (const std::uint32_t depth : depths) {
    warnings.push_back(above_depth_words(evaluation, study, depth));
  }
  warnings.push_back(shorter_words(evaluation, study));
  std::erase(warnings, std::string());
  return warnings;
}

namespace {

using Align = TextGrid::Align;
using Flip = CutoffStudy::Flip;

/// Flips of a measure that are listed for people; JSON has them all.
constexpr std::size_t kFlipsListed = 8;

std::string cutoff_text(const CutoffStudy& study, std::size_t cutoff) {
  return fmt::format("{}", study.cutoffs[cutoff].value());
}

ReportTable score_table(const EvaluationReport& evaluation, const CutoffStudy& study,
                        SweepMeasure measure) {
  ReportTable table{.title = fmt::format("{} by N_max", title_of(measure))};
  table.columns.push_back({"run", Align::kLeft});
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    table.columns.push_back({cutoff_text(study, c)});
  }
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    std::vector<TextGrid::Cell> row = {{evaluation.runs[run].name}};
    for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
      const bool is_above = study.cutoffs[c].value() > study.runs[run].depth;
      row.push_back({score_text(value_of(study.runs[run].points[c], measure)),
                     is_above ? Style::kFaint : Style::kPlain});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// About a dozen of the ticks at cutoffs, on a logarithmic axis where they span much.
page::FigureAxis cutoff_axis(const CutoffStudy& study) {
  constexpr std::uint32_t kWide = 20;
  page::FigureAxis axis{.title = "N_max (documents read)"};
  const std::uint32_t low = study.cutoffs.front().value(), high = study.cutoffs.back().value();
  if (high / std::max(low, 1U) >= kWide) axis.kind = page::FigureAxis::Kind::kLogarithmic;
  for (const Cutoff cutoff : study.cutoffs) {
    axis.ticks.push_back({static_cast<double>(cutoff.value()), fmt::format("{}", cutoff.value())});
  }
  return axis;
}

page::XyFigure figure_of(const EvaluationReport& evaluation, const CutoffStudy& study,
                         SweepMeasure measure) {
  page::XyFigure figure{
      .words = {.id = fmt::format("cutoffs-{}", key_of(measure)),
                .title = fmt::format("{} against N_max", title_of(measure)),
                .what = fmt::format("Mean {} of each run at each cutoff.", title_of(measure))},
      .x = cutoff_axis(study),
      .y = {.title = fmt::format("{} (mean over topics)", title_of(measure)), .low = 0.0}};
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    page::FigureSeries series{.name = evaluation.runs[run].name};
    for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
      const auto value = value_of(study.runs[run].points[c], measure);
      if (!value) continue;
      series.points.push_back({static_cast<double>(study.cutoffs[c].value()), *value});
      series.hints.push_back(fmt::format("{}, N_max {}: {}", evaluation.runs[run].name,
                                         study.cutoffs[c].value(), score_text(value)));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

StudySection scores_section(const EvaluationReport& evaluation, const CutoffStudy& study) {
  StudySection section{.heading = "Scores by N_max"};
  for (const SweepMeasure measure : kSweepMeasures) {
    section.tables.push_back(score_table(evaluation, study, measure));
    section.figures.push_back(
        {.name = fmt::format("cutoffs-{}", key_of(measure)),
         .caption = fmt::format("{} of each run against N_max, as in figure 8 of Magdy & Jones, "
                                "SIGIR 2010. Where two lines cross, the order of two runs turns "
                                "round.",
                                title_of(measure)),
         .draw = [figure = figure_of(evaluation, study, measure)](page::FigurePlace place) {
           return page::draw(figure, place);
         }});
  }
  section.about = {"Means over all topics with relevant documents, at every N_max from one pass."};
  return section;
}

ReportTable order_table(const CutoffStudy& study) {
  ReportTable table{
      .title = fmt::format("Order of the runs at N_max {} and {}", study.cutoffs.front().value(),
                           study.cutoffs.back().value()),
      .columns = {{"measure", Align::kLeft}, {"pairs of runs"}, {"turn round"}, {"tau-b"}}};
  for (const CutoffStudy::Order& order : study.orders) {
    table.rows.push_back({{std::string(title_of(order.measure))},
                          {grouped_text(order.pairs)},
                          {grouped_text(order.flipped)},
                          {score_text(order.tau_b)}});
  }
  return table;
}

double lead_before(const CutoffStudy& study, const Flip& flip, std::size_t cutoff) {
  const auto score = [&](std::size_t run) {
    return value_of(study.runs[run].points[cutoff], flip.measure).value_or(0.0);
  };
  return score(flip.ahead_before) - score(flip.ahead_after);
}

/// The clearest flips of a measure: those whose smaller lead, before or after, is largest.
std::vector<Flip> clearest_flips(const CutoffStudy& study, SweepMeasure measure) {
  std::vector<Flip> flips;
  std::ranges::copy_if(study.flips, std::back_inserter(flips),
                       [&](const Flip& flip) { return flip.measure == measure; });
  std::ranges::stable_sort(flips, std::greater{}, [&](const Flip& flip) {
    return std::min(lead_before(study, flip, flip.before), -lead_before(study, flip, flip.after));
  });
  if (flips.size() > kFlipsListed) flips.resize(kFlipsListed);
  return flips;
}

ReportTable flip_table(const EvaluationReport& evaluation, const CutoffStudy& study) {
  ReportTable table{.title = "Where the order of two runs turns round",
                    .columns = {{"measure", Align::kLeft},
                                {"ahead before", Align::kLeft},
                                {"ahead after", Align::kLeft},
                                {"N_max"},
                                {"difference"},
                                {"N_max"},
                                {"difference"}}};
  for (const SweepMeasure measure : kSweepMeasures) {
    for (const Flip& flip : clearest_flips(study, measure)) {
      table.rows.push_back({{std::string(title_of(measure))},
                            {evaluation.runs[flip.ahead_before].name},
                            {evaluation.runs[flip.ahead_after].name},
                            {cutoff_text(study, flip.before)},
                            {difference_text(lead_before(study, flip, flip.before))},
                            {cutoff_text(study, flip.after)},
                            {difference_text(lead_before(study, flip, flip.after))}});
    }
  }
  if (table.rows.size() < study.flips.size()) {
    table.title += fmt::format(": the clearest of {}", study.flips.size());
  }
  return table;
}

StudySection order_section(const EvaluationReport& evaluation, const CutoffStudy& study) {
  StudySection section{.heading = "Order of the runs"};
  section.tables.push_back(order_table(study));
  if (!study.flips.empty()) section.tables.push_back(flip_table(evaluation, study));
  section.about = {
      "A pair turns round where one run is ahead at one N_max and the other at a later one; means "
      "are compared after rounding to 1e-12.",
      "Differences are of the run ahead before, minus the other; the clearest are those that lead "
      "most both before and after; --json has all. tau-b is 1 where the order "
      "stays, -1 where it is reversed."};
  return section;
}

}  // namespace

StudyReport cutoffs_report(const EvaluationReport& evaluation, const CutoffStudy& study) {
  StudyReport report = study_report("cutoffs", "MAP, Recall and PRES against N_max", evaluation);
  report.sections.push_back(scores_section(evaluation, study));
  if (study.runs.size() > 1) report.sections.push_back(order_section(evaluation, study));
  std::vector<std::string> notes = cutoff_warnings(evaluation, study);
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  report.notes = std::move(notes);
  add_json(report, evaluation, study);
  report.csv = cutoffs_csv(evaluation, study);
  return report;
}

}  // namespace prescope
