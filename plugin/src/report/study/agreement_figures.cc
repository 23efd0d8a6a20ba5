#include <fmt/format.h>

#include "report/page/pair_grid.h"
#include "report/page/part_bars.h"
#include "report/study/agreement_source.h"

namespace prescope {
namespace {

constexpr std::string_view kSame = "both say the same", kOne = "only one says different",
                           kOpposite = "they say the opposite";

page::PairGrid grid_of(const AgreementSource& source, std::size_t measure) {
  const std::vector<std::size_t>& order = source.best[measure];
  const std::string name = source.agreement.measures[measure].name();
  page::PairGrid grid{.words = {figure_name("agreement-" + name), "Pairs of runs by " + name,
                                "Which run is better than which, best runs first"}};
  for (const std::size_t run : order) grid.names.push_back(source.names[run]);
  grid.square = [&source, &order, measure](std::size_t row, std::size_t column) {
    using Square = page::PairGrid::Square;
    if (row == column) return Square::kSelf;
    const Verdict verdict = source.agreement.verdict(order[column], order[row], measure);
    return verdict == Verdict::kBetter  ? Square::kBetter
           : verdict == Verdict::kWorse ? Square::kWorse
                                        : Square::kEmpty;
  };
  grid.hint = [&source, &order, measure](std::size_t row, std::size_t column) {
    return fmt::format("{} against {}: {}", source.names[order[row]], source.names[order[column]],
                       to_string(source.agreement.verdict(order[column], order[row], measure)));
  };
  return grid;
}

}  // namespace

StudyFigure agreement_chart(const std::shared_ptr<const AgreementSource>& source) {
  return {
      .name = "agreement",
      .caption =
          "Of all pairs of runs, how many two measures say the same about (the same run is "
          "better, or neither is different), about how many only one of them sees a difference, "
          "and how many they order the opposite way. Figure 7 of the PRES paper.",
      .draw = [source](page::FigurePlace place) {
        const Agreement& agreement = source->agreement;
        page::PartBars bars{
            .words = {"agreement", "Agreement of measures", "Shares of pairs of runs"},
            .axis = fmt::format("pairs of runs (% of {})", agreement.pairs.size()),
            .parts = {std::string(kSame), std::string(kOne), std::string(kOpposite)}};
        for (const MeasureAgreement& of : agreement.agreements) {
          bars.bars.push_back({.name = pair_words(agreement, of),
                               .counts = {of.same(), of.one_different(), of.opposite}});
        }
        return page::draw(bars, place);
      }};
}

StudyFigure agreement_grid(const std::shared_ptr<const AgreementSource>& source,
                           std::size_t measure) {
  const std::string name = source->agreement.measures[measure].name();
  return {.name = figure_name("agreement-" + name),
          .caption = fmt::format(
              "{}: which run is better than which, runs in the order of their means, the best "
              "first. Empty squares beside the diagonal are neighbours that this many topics "
              "cannot tell apart.",
              name),
          .draw = [source, measure](page::FigurePlace place) {
            return page::draw(grid_of(*source, measure), place);
          }};
}

}  // namespace prescope
