#include <numeric>

#include "report/runs/topic_explanation.h"
#include "report/study/study_report.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(PresCurve::Hit, rank, credit, recall, pres, average_precision, lowest,
                      highest)
PRESCOPE_JSON_MEMBERS(PresCurve, recall, pres, pres_est, average_precision, lowest, highest)

namespace {

using page::FigureSeries;
using page::Point;

const page::FigureAxis kScores{.title = "score", .low = 0.0, .high = 1.0};

/// Enough for a smooth line.
constexpr std::uint64_t kPointsOfCurve = 200;

/// Returns the corners of a curve that reaches j at the j-th rank, from rank 0 to the last.
std::vector<Point> corners(const std::vector<double>& ranks, double last) {
  std::vector<Point> points = {{0.0, 0.0}};
  double found = 0.0;
  for (const double rank : ranks) {
    points.push_back({rank, found});
    found += 1.0;
    points.push_back({rank, found});
  }
  points.push_back({last, found});
  return points;
}

std::vector<double> ranks_from(double first, std::uint32_t count) {
  std::vector<double> ranks(count);
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

/// Missing documents stand just behind N, as the definition has it.
std::vector<double> actual_ranks(const PresCurve& curve) {
  std::vector<double> ranks;
  for (const PresCurve::Hit& hit : curve.hits) ranks.push_back(hit.rank);
  for (auto j = static_cast<std::uint32_t>(ranks.size()) + 1; j <= curve.num_rel; ++j) {
    ranks.push_back(static_cast<double>(curve.cutoff) + j);
  }
  return ranks;
}

FigureSeries plain_line(std::string name, std::vector<Point> points, std::size_t look) {
  return {.name = std::move(name), .points = std::move(points), .has_marks = false, .look = look};
}

/// Numbers from `first` to `last`, evenly, each once.
std::vector<std::uint64_t> even_numbers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> numbers;
  const std::uint64_t steps = std::min(kPointsOfCurve, last - first);
  for (std::uint64_t i = 0; i <= steps; ++i) {
    numbers.push_back(steps == 0 ? first : first + (last - first) * i / steps);
  }
  return numbers;
}

std::string for_values(const PresCurve& curve) {
  return fmt::format("n = {}, N_max = {}", curve.num_rel, curve.cutoff);
}

/// Relevant documents found over rank, between best and worst case: PRES is the area A2 as a share
/// of A1 + A2.
page::XyFigure area_figure(const PresCurve& curve) {
  const double n = curve.num_rel, cutoff = curve.cutoff, last = n + cutoff;
  const std::vector<Point> best = corners(ranks_from(1.0, curve.num_rel), last);
  const std::vector<Point> worst = corners(ranks_from(cutoff + 1.0, curve.num_rel), last);
  const std::vector<Point> actual = corners(actual_ranks(curve), last);
  page::XyFigure figure{
      .words = {"curve-area", fmt::format("PRES as an area: {}", for_values(curve)),
                "Relevant documents found over rank, in the best, the actual and the "
                "worst case."},
      .x = {.title = "rank (documents read)", .low = 0.0, .high = last},
      .y = {.title = "relevant documents found", .low = 0.0, .high = n}};
  figure.series = {plain_line("best case: all on top", best, 1),
                   plain_line("actual ranks, missing ones behind N_max", actual, 0),
                   plain_line("worst case: all just behind N_max", worst, 2)};
  figure.areas = {{.name = fmt::format("A2: PRES = A2 / (A1 + A2) = {}", score_text(curve.pres)),
                   .upper = actual,
                   .lower = worst}};
  figure.upright_guides = {{cutoff, "N_max"}};
  return figure;
}

/// PRES over recall, between n R^2 / N and R.
page::XyFigure bounds_figure(const PresCurve& curve) {
  const std::uint64_t most = std::min(curve.num_rel, curve.cutoff);
  page::XyFigure figure{
      .words = {"curve-bounds", fmt::format("PRES between its bounds: {}", for_values(curve)),
                "PRES over recall: the highest and lowest for each recall, and how PRES "
                "grows with the ranks given."},
      .x = {.title = "Recall (share of the n relevant documents found within N_max)",
            .low = 0.0,
            .high = 1.0},
      .y = {.title = "PRES", .low = 0.0, .high = 1.0}};
  std::vector<Point> high, low;
  for (const std::uint64_t found : even_numbers(0, most)) {
    const double recall = most_pres(found, curve.num_rel);
    high.push_back({recall, recall});
    low.push_back({recall, least_pres(found, curve.num_rel, curve.cutoff)});
  }
  FigureSeries actual{.name = "these ranks, document by document", .points = {}, .look = 0};
  for (const PresCurve::Hit& hit : curve.hits) {
    actual.points.push_back({hit.recall, hit.pres});
    actual.hints.push_back(fmt::format("rank {}: PRES {}", hit.rank, score_text(hit.pres)));
  }
  figure.areas = {{.name = "possible PRES", .upper = high, .lower = low}};
  figure.series = {plain_line("highest: R, all on top", high, 1),
                   plain_line("lowest: n R² / N_max", low, 2), std::move(actual)};
  return figure;
}

/// PRES and the reciprocal rank of a single relevant document over its rank.
page::XyFigure single_document_figure(const PresCurve& curve) {
  page::XyFigure figure{
      .words = {"curve-single",
                fmt::format("One relevant document: PRES and RR, N_max = {}", curve.cutoff),
                "PRES falls evenly with the rank of the only relevant document, the "
                "reciprocal rank at once."},
      .x = {.title = "rank of the only relevant document (n = 1)"},
      .y = kScores};
  constexpr std::uint32_t kSteep = 40;  // every rank up to here: the reciprocal rank falls
  std::vector<std::uint64_t> ranks = even_numbers(1, std::min(curve.cutoff, kSteep));
  std::ranges::copy_if(even_numbers(1, curve.cutoff), std::back_inserter(ranks),
                       [](std::uint64_t rank) { return rank > kSteep; });
  std::vector<Point> pres, reciprocal;
  for (const std::uint64_t at : ranks) {
    const auto rank = static_cast<double>(at), cutoff = static_cast<double>(curve.cutoff);
    pres.push_back({rank, (cutoff + 1.0 - rank) / cutoff});
    reciprocal.push_back({rank, 1.0 / rank});
  }
  figure.series = {plain_line("PRES = 1 - (r - 1) / N_max", std::move(pres), 0),
                   plain_line("RR = AP = 1 / r", std::move(reciprocal), 1)};
  if (curve.num_rel == 1 && !curve.hits.empty()) {
    figure.upright_guides = {{static_cast<double>(curve.hits.front().rank),
                              fmt::format("r = {}", curve.hits.front().rank)}};
  }
  return figure;
}

/// PRES and PRESest of these ranks were there n relevant documents, over n.
page::XyFigure many_documents_figure(const PresCurve& curve) {
  constexpr std::uint64_t kTimesCutoff = 3;
  const std::uint64_t first = std::max<std::uint64_t>(1, curve.hits.size());
  const std::uint64_t last =
      std::max<std::uint64_t>({kTimesCutoff * curve.cutoff, curve.num_rel, first + 1});
  page::XyFigure figure{
      .words = {"curve-many",
                fmt::format("More relevant documents than are read: N_max = {}", curve.cutoff),
                "PRES and PRESest of the same ranks, were there n relevant documents."},
      .x = {.title = "n (relevant documents there are)"},
      .y = kScores};
  std::vector<Point> best, pres, estimate;
  std::uint64_t credit = 0;
  for (const PresCurve::Hit& hit : curve.hits) credit += hit.credit;
  const double earned = static_cast<double>(credit), cutoff = curve.cutoff;
  for (const std::uint64_t number : even_numbers(first, last)) {
    const auto n = static_cast<double>(number);
    best.push_back({n, std::min(1.0, cutoff / n)});
    pres.push_back({n, earned / (n * cutoff)});
    estimate.push_back({n, earned / (std::min(n, cutoff) * cutoff)});
  }
  figure.series = {
      plain_line("highest PRES: min(1, N_max / n)", std::move(best), 1),
      plain_line("PRES of these ranks", std::move(pres), 0),
      plain_line("PRESest of these ranks: PRES / min(1, N_max / n)", std::move(estimate), 2)};
  figure.upright_guides = {{cutoff, "n = N_max"}};
  return figure;
}

ReportTable value_table(const PresCurve& curve) {
  const double one_n = static_cast<double>(curve.cutoff) / curve.num_rel;
  ReportTable table = table_of("PRES and its bounds", {"value"}, {""}, {"is"});
  table.rows = {
      {"Recall", score_text(curve.recall), "found within N_max, of n"},
      {Cell("PRES", Style::kStrong), Cell(score_text(curve.pres), Style::kStrong),
       "credits / (n N_max)"},
      {"lowest PRES", score_text(curve.lowest), "n R² / N_max: all found just before N_max"},
      {"highest PRES", score_text(curve.highest), "R: all found on top"},
      {"PRESest", score_text(curve.pres_est),
       one_n < 1.0 ? fmt::format("PRES / min(1, N_max / n) = PRES / {}", score_text(one_n))
                   : "PRES / min(1, N_max / n) = PRES, because n is not above N_max"},
      {"AP", score_text(curve.average_precision),
       curve.num_rel == 1 ? "the reciprocal rank, because n = 1" : "average precision"}};
  return table;
}

ReportTable hit_table(const PresCurve& curve) {
  const double whole = static_cast<double>(curve.num_rel) * curve.cutoff;
  ReportTable table = table_of(
      "Document by document", {},
      {"j", "rank", "credit", "share", "Recall so far", "PRES so far", "lowest", "highest"});
  for (const PresCurve::Hit& hit : curve.hits) {
    table.rows.push_back(
        {grouped_text(table.rows.size() + 1), grouped_text(hit.rank), grouped_text(hit.credit),
         difference_text(static_cast<double>(hit.credit) / whole), score_text(hit.recall),
         score_text(hit.pres), score_text(hit.lowest), score_text(hit.highest)});
  }
  return table;
}

std::vector<ReportFigure> figures_of(const PresCurve& curve) {
  return {
      {"Relevant documents found over rank. PRES is the shaded area A2 between actual and worst "
       "case as a share of the area A1 + A2 between best and worst.",
       area_figure(curve)},
      {"Every PRES lies between n R² / N_max and R; the points are the documents found, one "
       "after the other.",
       bounds_figure(curve)},
      {"With one relevant document AP is the reciprocal rank: it hardly tells rank 20 from rank "
       "90, PRES does.",
       single_document_figure(curve)},
      {"If there are more relevant documents than are read, the best PRES is N_max / n; "
       "PRESest divides by that.",
       many_documents_figure(curve)}};
}

Json curve_json(const PresCurve& curve) {
  return merged(Json{{"n", curve.num_rel}, {"nmax", curve.cutoff}}, curve,
                Json{{"ranks_behind_nmax", curve.behind}, {"hits", curve.hits}});
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

ReportDocument curve_report(const PresCurve& curve, std::size_t width) {
  ReportDocument report = study_report("curve", "PRES of one topic, between its bounds");
  const std::vector<Rank> ranks = list_of(curve.hits, &PresCurve::Hit::rank);
  report.subject = {
      {"n", fmt::format("{}, relevant documents there are", curve.num_rel)},
      {"N_max", fmt::format("{}, documents read", curve.cutoff)},
      {"ranks", ranks.empty() ? "none found" : fmt::format("{}", fmt::join(ranks, ", "))}};
  ReportSection section{.heading = "Relevant documents found over rank",
                        .drawing = "█ earned, ░ lost\n" + draw_topic_curve(curve, width),
                        .figures = figures_of(curve),
                        .tables = {value_table(curve)}};
  if (!curve.hits.empty()) section.tables.push_back(hit_table(curve));
  section.about = {"The j-th document found, at rank r, is worth N_max + j - r of n N_max."};
  report.sections.push_back(std::move(section));
  report.notes = notes_of(curve);
  report.result.update(curve_json(curve));
  report.csv.columns = {"j",      "rank",   "credit", "recall", "pres", "average_precision",
                        "lowest", "highest"};
  for (Json hit : report.result["hits"]) {
    hit["j"] = report.csv.rows.size() + 1;
    report.csv.add(hit);
  }
  return report;
}

}  // namespace prescope
