#include "report/study/cutoffs_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "report/number_text.h"
#include "report/page/xy_figure.h"
#include "report/study/cutoffs_json.h"
#include "report/study/cutoffs_words.h"

namespace prescope {
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
