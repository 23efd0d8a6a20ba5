#include "report/study/curve_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/number_text.h"

namespace prescope {
namespace {

using page::FigureSeries;
using page::Point;
using Guide = page::XyFigure::Guide;

/// Enough for a smooth line.
constexpr std::uint64_t kPointsOfCurve = 200;

/// The corners of a curve that has come to j at the j-th rank, from rank 0 to the last.
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
  std::vector<double> ranks;
  for (std::uint32_t i = 0; i < count; ++i) ranks.push_back(first + i);
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
  return {.name = std::move(name),
          .points = std::move(points),
          .marks = FigureSeries::Marks::kNone,
          .look = look};
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

}  // namespace

page::XyFigure area_figure(const PresCurve& curve) {
  const double n = curve.num_rel, cutoff = curve.cutoff, last = n + cutoff;
  const std::vector<Point> best = corners(ranks_from(1.0, curve.num_rel), last);
  const std::vector<Point> worst = corners(ranks_from(cutoff + 1.0, curve.num_rel), last);
  const std::vector<Point> actual = corners(actual_ranks(curve), last);
  page::XyFigure figure{
      .words = {.id = "curve-area",
                .title = fmt::format("PRES as an area: {}", for_values(curve)),
                .what = "Relevant documents found over rank, in the best, the actual and the "
                        "worst case."},
      .x = {.title = "rank (documents read)", .low = 0.0, .high = last},
      .y = {.title = "relevant documents found", .low = 0.0, .high = n}};
  figure.series = {plain_line("best case: all on top", best, 1),
                   plain_line("actual ranks, missing ones behind N_max", actual, 0),
                   plain_line("worst case: all just behind N_max", worst, 2)};
  figure.areas = {{.name = fmt::format("A2: PRES = A2 / (A1 + A2) = {}", score_text(curve.pres)),
                   .upper = actual,
                   .lower = worst}};
  figure.guides = {{Guide::Direction::kUpright, cutoff, "N_max"}};
  return figure;
}

page::XyFigure bounds_figure(const PresCurve& curve) {
  const std::uint64_t most = std::min(curve.num_rel, curve.cutoff);
  page::XyFigure figure{
      .words = {.id = "curve-bounds",
                .title = fmt::format("PRES between its bounds: {}", for_values(curve)),
                .what = "PRES over recall: the highest and lowest for each recall, and how PRES "
                        "grows with the ranks given."},
      .x = {.title = "Recall (share of the n relevant documents found within N_max)",
            .low = 0.0,
            .high = 1.0},
      .y = {.title = "PRES", .low = 0.0, .high = 1.0}};
  FigureSeries high{.name = "highest: R, all on top"}, low{.name = "lowest: n R² / N_max"};
  for (const std::uint64_t found : even_numbers(0, most)) {
    const double recall = most_pres(found, curve.num_rel);
    high.points.push_back({recall, recall});
    low.points.push_back({recall, least_pres(found, curve.num_rel, curve.cutoff)});
  }
  high.marks = low.marks = FigureSeries::Marks::kNone;
  high.look = 1;
  low.look = 2;
  FigureSeries actual{.name = "these ranks, document by document", .points = {}, .look = 0};
  for (const PresCurve::Hit& hit : curve.hits) {
    actual.points.push_back({hit.recall, hit.pres});
    actual.hints.push_back(fmt::format("rank {}: PRES {}", hit.rank, score_text(hit.pres)));
  }
  figure.areas = {{.name = "where PRES can be", .upper = high.points, .lower = low.points}};
  figure.series = {std::move(high), std::move(low), std::move(actual)};
  return figure;
}

page::XyFigure single_document_figure(const PresCurve& curve) {
  page::XyFigure figure{
      .words = {.id = "curve-single",
                .title =
                    fmt::format("One relevant document: PRES and RR, N_max = {}", curve.cutoff),
                .what = "PRES falls evenly with the rank of the only relevant document, the "
                        "reciprocal rank at once."},
      .x = {.title = "rank of the only relevant document (n = 1)"},
      .y = {.title = "score", .low = 0.0, .high = 1.0}};
  std::vector<Point> pres, reciprocal;
  const double cutoff = curve.cutoff;
  // Close together where the reciprocal rank falls.
  for (const std::uint64_t rank : even_numbers(1, std::min<std::uint64_t>(curve.cutoff, 40))) {
    pres.push_back(
        {static_cast<double>(rank), (cutoff + 1.0 - static_cast<double>(rank)) / cutoff});
    reciprocal.push_back({static_cast<double>(rank), 1.0 / static_cast<double>(rank)});
  }
  for (const std::uint64_t rank : even_numbers(1, curve.cutoff)) {
    if (rank <= 40) continue;
    pres.push_back(
        {static_cast<double>(rank), (cutoff + 1.0 - static_cast<double>(rank)) / cutoff});
    reciprocal.push_back({static_cast<double>(rank), 1.0 / static_cast<double>(rank)});
  }
  figure.series = {plain_line("PRES = 1 - (r - 1) / N_max", std::move(pres), 0),
                   plain_line("RR = AP = 1 / r", std::move(reciprocal), 1)};
  if (curve.num_rel == 1 && !curve.hits.empty()) {
    figure.guides = {{Guide::Direction::kUpright, static_cast<double>(curve.hits.front().rank),
                      fmt::format("r = {}", curve.hits.front().rank)}};
  }
  return figure;
}

page::XyFigure many_documents_figure(const PresCurve& curve) {
  constexpr std::uint64_t kTimesCutoff = 3;
  const std::uint64_t first = std::max<std::uint64_t>(1, curve.hits.size());
  const std::uint64_t last =
      std::max<std::uint64_t>({kTimesCutoff * curve.cutoff, curve.num_rel, first + 1});
  page::XyFigure figure{
      .words = {.id = "curve-many",
                .title =
                    fmt::format("More relevant documents than are read: N_max = {}", curve.cutoff),
                .what = "PRES and PRESest of the same ranks, were there n relevant documents."},
      .x = {.title = "n (relevant documents there are)"},
      .y = {.title = "score", .low = 0.0, .high = 1.0}};
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
  figure.guides = {{Guide::Direction::kUpright, cutoff, "n = N_max"}};
  return figure;
}

}  // namespace prescope
