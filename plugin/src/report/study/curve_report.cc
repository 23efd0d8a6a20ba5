#include "report/study/curve_report.h"

#include <fmt/format.h>

#include "report/number_text.h"
#include "report/study/curve_figures.h"
#include "report/topic_curve.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;

std::string drawing_of(const PresCurve& curve, std::size_t width) {
  std::vector<Rank> found;
  for (const PresCurve::Hit& hit : curve.hits) found.push_back(hit.rank);
  return "█ earned, ░ lost\n" +
         draw_topic_curve({.num_rel = curve.num_rel, .cutoff = curve.cutoff, .found = found},
                          width);
}

ReportTable value_table(const PresCurve& curve) {
  const double one_n = static_cast<double>(curve.cutoff) / curve.num_rel;
  ReportTable table{.title = "PRES and its bounds",
                    .columns = {{"value", Align::kLeft}, {""}, {"is", Align::kLeft}}};
  table.rows = {
      {{"Recall"}, {score_text(curve.recall)}, {"found within N_max, of n"}},
      {{"PRES", Style::kStrong}, {score_text(curve.pres), Style::kStrong}, {"credits / (n N_max)"}},
      {{"lowest PRES"}, {score_text(curve.low)}, {"n R² / N_max: all found just before N_max"}},
      {{"highest PRES"}, {score_text(curve.high)}, {"R: all found on top"}},
      {{"PRESest"},
       {score_text(curve.pres_est)},
       {one_n < 1.0 ? fmt::format("PRES / min(1, N_max / n) = PRES / {}", score_text(one_n))
                    : "PRES / min(1, N_max / n) = PRES, because n is not above N_max"}},
      {{"AP"},
       {score_text(curve.average_precision)},
       {curve.num_rel == 1 ? "the reciprocal rank, because n = 1" : "average precision"}}};
  return table;
}

ReportTable hit_table(const PresCurve& curve) {
  ReportTable table{.title = "Document by document",
                    .columns = {{"j"},
                                {"rank"},
                                {"credit"},
                                {"share"},
                                {"Recall so far"},
                                {"PRES so far"},
                                {"lowest"},
                                {"highest"}}};
  const double whole = static_cast<double>(curve.num_rel) * curve.cutoff;
  for (std::size_t j = 0; j < curve.hits.size(); ++j) {
    const PresCurve::Hit& hit = curve.hits[j];
    table.rows.push_back({{grouped_text(j + 1)},
                          {grouped_text(hit.rank)},
                          {grouped_text(hit.credit)},
                          {difference_text(static_cast<double>(hit.credit) / whole)},
                          {score_text(hit.recall)},
                          {score_text(hit.pres)},
                          {score_text(hit.low)},
                          {score_text(hit.high)}});
  }
  return table;
}

StudyFigure figure_named(std::string name, std::string caption, page::XyFigure figure) {
  return {.name = std::move(name),
          .caption = std::move(caption),
          .draw = [figure = std::move(figure)](page::FigurePlace place) {
            return page::draw(figure, place);
          }};
}

std::vector<StudyFigure> figures_of(const PresCurve& curve) {
  return {
      figure_named("curve-area",
                   "Relevant documents found over rank. PRES is the shaded area A2 between actual "
                   "and worst case as a share of the area A1 + A2 between best and worst.",
                   area_figure(curve)),
      figure_named("curve-bounds",
                   "Every PRES lies between n R² / N_max and R; the points are the documents "
                   "found, one after the other.",
                   bounds_figure(curve)),
      figure_named("curve-single",
                   "With one relevant document AP is the reciprocal rank: it hardly tells rank 20 "
                   "from rank 90, PRES does.",
                   single_document_figure(curve)),
      figure_named("curve-many",
                   "Where there are more relevant documents than are read, the best PRES is "
                   "N_max / n; PRESest divides by that.",
                   many_documents_figure(curve))};
}

Json curve_json(const PresCurve& curve) {
  Json hits = Json::array();
  for (const PresCurve::Hit& hit : curve.hits) {
    hits.push_back({{"rank", hit.rank},
                    {"credit", hit.credit},
                    {"recall", hit.recall},
                    {"pres", hit.pres},
                    {"average_precision", hit.average_precision},
                    {"lowest", hit.low},
                    {"highest", hit.high}});
  }
  return {{"n", curve.num_rel},
          {"nmax", curve.cutoff},
          {"recall", curve.recall},
          {"pres", curve.pres},
          {"pres_est", curve.pres_est},
          {"average_precision", curve.average_precision},
          {"lowest", curve.low},
          {"highest", curve.high},
          {"ranks_behind_nmax", curve.behind},
          {"hits", std::move(hits)}};
}

StudyCsv csv_of(const PresCurve& curve) {
  StudyCsv csv{.columns = {"j", "rank", "credit", "recall", "pres", "average_precision", "lowest",
                           "highest"}};
  for (std::size_t j = 0; j < curve.hits.size(); ++j) {
    const PresCurve::Hit& hit = curve.hits[j];
    csv.rows.push_back({fmt::format("{}", j + 1), fmt::format("{}", hit.rank),
                        fmt::format("{}", hit.credit), exact_text(hit.recall), exact_text(hit.pres),
                        exact_text(hit.average_precision), exact_text(hit.low),
                        exact_text(hit.high)});
  }
  return csv;
}

std::vector<std::string> notes_of(const PresCurve& curve) {
  std::vector<std::string> notes;
  if (!curve.behind.empty()) {
    notes.push_back(fmt::format("ranks behind N_max, missing documents to every value: {}",
                                fmt::join(curve.behind, ", ")));
  }
  if (curve.num_rel > curve.cutoff) {
    notes.push_back(fmt::format("n is above N_max: Recall and PRES cannot come above {}",
                                score_text(static_cast<double>(curve.cutoff) / curve.num_rel)));
  }
  return notes;
}

}  // namespace

StudyReport curve_report(const PresCurve& curve, const std::string& version, std::size_t width) {
  StudyReport report{
      .name = "curve", .title = "PRES of one topic, between its bounds", .version = version};
  std::vector<Rank> ranks;
  for (const PresCurve::Hit& hit : curve.hits) ranks.push_back(hit.rank);
  report.subject = {
      {"n", fmt::format("{}, relevant documents there are", curve.num_rel)},
      {"N_max", fmt::format("{}, documents read", curve.cutoff)},
      {"ranks", ranks.empty() ? "none found" : fmt::format("{}", fmt::join(ranks, ", "))}};
  StudySection section{.heading = "Relevant documents found over rank",
                       .drawing = drawing_of(curve, width),
                       .figures = figures_of(curve)};
  section.tables.push_back(value_table(curve));
  if (!curve.hits.empty()) section.tables.push_back(hit_table(curve));
  section.about = {"The j-th document found, at rank r, is worth N_max + j - r of n N_max."};
  report.sections.push_back(std::move(section));
  report.notes = notes_of(curve);
  report.result = curve_json(curve);
  report.csv = csv_of(curve);
  return report;
}

}  // namespace prescope
