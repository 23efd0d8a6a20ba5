#include "report/page/xy_figure.h"
#include "report/study/retrievability_findings.h"

namespace prescope {
namespace {

/// Points for a drawing: a curve of thousands of points looks the same with these.
std::vector<page::Point> thinned(const std::vector<page::Point>& points) {
  constexpr std::size_t kMostPoints = 40;
  if (points.size() <= kMostPoints) return points;
  std::vector<page::Point> some;
  for (std::size_t i = 0; i < kMostPoints; ++i) {
    some.push_back(points[i * (points.size() - 1) / (kMostPoints - 1)]);
  }
  return some;
}

StudyFigure lorenz_figure(const std::shared_ptr<const RetrievabilityFindings>& findings) {
  return {
      .name = "retrievability-lorenz",
      .caption =
          "The least retrievable documents, as a share of all, and their share of all "
          "retrievals. On the diagonal every document would be as retrievable as any other; "
          "the Gini coefficient is twice the area between it and the curve.",
      .draw = [findings](page::FigurePlace place) {
        page::XyFigure figure{
            .words = {"retrievability-lorenz", "Lorenz curves of retrievability",
                      "Share of retrievals by share of documents"},
            .x = {.title = "documents, the least retrievable first (%)", .low = 0.0, .high = 100.0},
            .y = {.title = "retrievals (%)", .low = 0.0, .high = 100.0},
            .plot = {.width = 460.0, .height = 400.0}};
        for (std::size_t i = 0; i < findings->names.size(); ++i) {
          std::vector<page::Point> points;
          for (const LorenzPoint& point : findings->summaries[i].lorenz) {
            points.push_back({100.0 * point.documents, 100.0 * point.retrievability});
          }
          figure.series.push_back({.name = findings->names[i], .points = thinned(points)});
        }
        figure.series.push_back({.name = "all documents alike",
                                 .points = {{0.0, 0.0}, {100.0, 100.0}},
                                 .marks = page::FigureSeries::Marks::kNone});
        return page::draw(figure, place);
      }};
}

/// How many documents are found for at least so many topics.
std::vector<page::Point> tail_of(const RetrievabilitySummary& summary) {
  std::vector<page::Point> points;
  std::uint64_t left = summary.retrieved;
  for (const auto& [topics, documents] : summary.by_score) {
    if (topics == 0) continue;
    points.push_back({static_cast<double>(topics), static_cast<double>(left)});
    left -= documents;
  }
  return points;
}

StudyFigure tail_figure(const std::shared_ptr<const RetrievabilityFindings>& findings) {
  return {.name = "retrievability-topics",
          .caption =
              "How many documents are found for at least so many topics. A curve that ends "
              "far to the right has documents that come back for many topics.",
          .draw = [findings](page::FigurePlace place) {
            using Kind = page::FigureAxis::Kind;
            page::XyFigure figure{
                .words = {"retrievability-topics", "Documents by the topics that find them",
                          "Documents found for at least so many topics"},
                .x = {.title = "topics (at least)", .kind = Kind::kLogarithmic},
                .y = {.title = "documents found", .kind = Kind::kLogarithmic, .low = 1.0}};
            for (std::size_t i = 0; i < findings->names.size(); ++i) {
              figure.series.push_back(
                  {.name = findings->names[i], .points = thinned(tail_of(findings->summaries[i]))});
            }
            return page::draw(figure, place);
          }};
}

}  // namespace

std::vector<StudyFigure> retrievability_figures(
    const std::shared_ptr<const RetrievabilityFindings>& findings) {
  return {lorenz_figure(findings), tail_figure(findings)};
}

}  // namespace prescope
