#include "report/study/study_report.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(MeasureVerdicts, different, indistinguishable, without_verdict)
PRESCOPE_JSON_MEMBERS(MeasureAgreement, same_direction, both_indistinguishable, only_x_different,
                      only_y_different, opposite, without_verdict)

namespace {

std::vector<std::size_t> best_first(const EvaluationReport& evaluation, std::size_t measure) {
  std::vector<std::size_t> order = list_of(positions(evaluation.runs.size()), std::identity());
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t run) {
    return evaluation.runs[run].evaluation.means[measure];
  });
  return order;
}

/// "AP@100 and PRES@100".
std::string pair_words(const Agreement& agreement, const MeasureAgreement& of) {
  return fmt::format("{} and {}", agreement.measures[of.x].name(), agreement.measures[of.y].name());
}

ReportTable agreement_table(const Agreement& agreement) {
  ReportTable table =
      table_of("How far two measures agree about pairs of runs", {"Measures X and Y"},
               {"pairs", "the same", "same run better", "neither different", "only X different",
                "only Y different", "opposite"});
  for (const MeasureAgreement& of : agreement.agreements) {
    const std::uint32_t pairs = of.pairs();
    table.rows.push_back(
        {pair_words(agreement, of), grouped_text(pairs),
         Cell(share_text(of.same(), pairs), Style::kStrong), grouped_text(of.same_direction),
         grouped_text(of.both_indistinguishable), share_text(of.only_x_different, pairs),
         share_text(of.only_y_different, pairs),
         Cell(share_text(of.opposite, pairs), of.opposite > 0 ? Style::kBad : Style::kPlain)});
  }
  return table;
}

ReportTable verdict_table(const Agreement& agreement) {
  ReportTable table{.title = "Pairs by measure"};
  const bool has_none = std::ranges::any_of(
      agreement.verdicts, [](const MeasureVerdicts& each) { return each.without_verdict > 0; });
  for (std::size_t m = 0; m < agreement.measures.size(); ++m) {
    const MeasureVerdicts& said = agreement.verdicts[m];
    const std::uint32_t pairs = said.different + said.indistinguishable;
    table.add_row()
        .left("Measure", agreement.measures[m].name())
        .right("pairs different", share_text(said.different, pairs))
        .right("indistinguishable", share_text(said.indistinguishable, pairs));
    if (has_none) table.right("without a verdict", grouped_text(said.without_verdict));
  }
  return table;
}

/// "7 / 2": better than seven runs, worse than two.
std::string record_words(const Agreement& agreement, std::size_t run, std::size_t measure) {
  std::uint32_t better = 0, worse = 0;
  for (std::size_t other = 0; other < agreement.runs; ++other) {
    const Verdict verdict = agreement.verdict(other, run, measure);
    if (verdict == Verdict::kBetter) ++better;
    if (verdict == Verdict::kWorse) ++worse;
  }
  return fmt::format("{} / {}", better, worse);
}

ReportTable record_table(const Agreement& agreement, const RunNames& names) {
  ReportTable table{.title = "Runs that each run is better than / worse than"};
  for (std::size_t run = 0; run < names.size(); ++run) {
    table.add_row().left("Run", names[run]);
    for (std::size_t m = 0; m < agreement.measures.size(); ++m) {
      table.right(agreement.measures[m].name(), record_words(agreement, run, m));
    }
  }
  return table;
}

std::string test_words(const AgreementOptions& options) {
  return fmt::format(
      "Two runs are different if the two-sided p is at most {} in {}.", options.alpha,
      word_of(options.test,
              {fmt::format("the paired t test over topics, or in the sign-flip test if fewer than "
                           "{} topics have a value or fewer than {} differ",
                           kTopicsForT, kNonZeroForT),
               fmt::format("the sign-flip test over topics ({} flips, seed {})",
                           options.sign_flip.flips, options.sign_flip.seed),
               "Wilcoxon's signed-rank test over topics (differences of 0 dropped, normal "
               "approximation), which the PRES paper used"}));
}

std::string correction_words(const Agreement& agreement) {
  const std::size_t pairs = agreement.pairs.size();
  const Correction correction = agreement.options.correction;
  if (correction != Correction::kNone) {
    return fmt::format("Corrected over the {} pairs of each measure ({}).", pairs,
                       correction == Correction::kHolm ? "Holm" : "Benjamini-Hochberg");
  }
  return fmt::format(
      "Nothing is corrected for the number of pairs, as in the paper: of {} pairs without any "
      "difference about {:.0f} would come out different by chance.",
      pairs, agreement.options.alpha * static_cast<double>(pairs));
}

std::vector<std::string> about(const Agreement& agreement) {
  std::vector<std::string> sentences = {test_words(agreement.options), correction_words(agreement)};
  if (agreement.options.test == PairedTest::kWilcoxon) {
    sentences.emplace_back(
        "Wilcoxon's test compares ranks of differences: if they are skewed it can call a run "
        "better whose mean is not; --test t asks about means.");
  }
  return sentences;
}

Json measures_json(const MeasureAgreement& of, const Agreement& agreement) {
  return merged(Json{{"x", agreement.measures[of.x]},
                     {"y", agreement.measures[of.y]},
                     {"pairs", of.pairs()},
                     {"same", of.same()}},
                of);
}

Json tested_json(const JudgedDifference& tested) {
  if (!tested.t) return {{"topics", nullptr}, {"verdict", to_string(tested.verdict)}};
  return {{"topics", tested.counts.total()},
          {"difference", tested.t->mean},
          {"decided_by", to_string(tested.decided_by)},
          {"p_value", tested.p_value},
          {"corrected", tested.corrected},
          {"verdict", to_string(tested.verdict)}};
}

Json agreement_json(const Agreement& agreement, const RunNames& names) {
  Json pairs = Json::array();
  for (std::size_t p = 0; p < agreement.pairs.size(); ++p) {
    pairs.push_back({{"a", names[agreement.pairs[p].a]},
                     {"b", names[agreement.pairs[p].b]},
                     {"measures", by_measure(agreement.measures, [&](std::size_t m) {
                        return tested_json(agreement.at(p, m));
                      })}});
  }
  return {{"options",
           {{"test", to_string(agreement.options.test)},
            {"alpha", agreement.options.alpha},
            {"correction", to_string(agreement.options.correction)},
            {"seed", agreement.options.sign_flip.seed},
            {"flips", agreement.options.sign_flip.flips}}},
          {"verdicts", by_measure(agreement.measures,
                                  [&](std::size_t m) { return Json(agreement.verdicts[m]); })},
          {"agreements",
           list_of(agreement.agreements, [&](auto& of) { return measures_json(of, agreement); })},
          {"pairs", std::move(pairs)}};
}

CsvTable csv_of_pairs(const Json& pairs) {
  CsvTable csv{.columns = {"a", "b", "measure", "topics", "difference", "decided_by", "p_value",
                           "corrected", "verdict"}};
  for (const Json& pair : pairs) {
    for (const auto& [measure, tested] : pair["measures"].items()) {
      csv.add(merged(Json(tested), Json{{"a", pair["a"]}, {"b", pair["b"]}, {"measure", measure}}));
    }
  }
  return csv;
}

/// The chart of all pairs of measures: figure 7 of the PRES paper.
ReportFigure agreement_chart(const Agreement& agreement) {
  page::PartBars bars{
      .words = {"agreement", "Agreement of measures", "Shares of pairs of runs"},
      .axis = fmt::format("pairs of runs (% of {})", agreement.pairs.size()),
      .parts = {"both say the same", "only one says different", "they say the opposite"}};
  for (const MeasureAgreement& of : agreement.agreements) {
    bars.bars.push_back({.name = pair_words(agreement, of),
                         .counts = {of.same(), of.one_different(), of.opposite}});
  }
  return {
      "Of all pairs of runs, how many two measures say the same about (the same run is better, "
      "or neither is different), about how many only one of them sees a difference, and how "
      "many they order the opposite way. Figure 7 of the PRES paper.",
      std::move(bars)};
}

page::PairGrid::Square square_of(Verdict verdict) {
  using Square = page::PairGrid::Square;
  return verdict == Verdict::kBetter  ? Square::kBetter
         : verdict == Verdict::kWorse ? Square::kWorse
                                      : Square::kEmpty;
}

/// All pairs of runs by one measure; runs in `order`.
ReportFigure agreement_grid(const Agreement& agreement, const RunNames& names, std::size_t measure,
                            const std::vector<std::size_t>& order) {
  const std::string name = agreement.measures[measure].name();
  page::PairGrid grid{.words = {page::figure_name("agreement-" + name), "Pairs of runs by " + name,
                                "Which run is better than which, best runs first"}};
  for (const std::size_t row : order) {
    grid.names.push_back(names[row]);
    for (const std::size_t column : order) {
      const Verdict verdict = agreement.verdict(column, row, measure);
      grid.pairs.push_back(
          row == column ? page::PairGrid::Pair{page::PairGrid::Square::kSelf}
                        : page::PairGrid::Pair{square_of(verdict),
                                               fmt::format("{} against {}: {}", names[row],
                                                           names[column], to_string(verdict))});
    }
  }
  return {fmt::format("{}: which run is better than which, runs in the order of their means, the "
                      "best first. Empty squares beside the diagonal are neighbours that this many "
                      "topics cannot tell apart.",
                      name),
          std::move(grid)};
}

}  // namespace

ReportDocument agreement_report(const EvaluationReport& evaluation, const Agreement& agreement) {
  const RunNames names = names_of(evaluation);
  ReportDocument report =
      study_report("agreement", "Which runs are different, by which measure", evaluation);
  report.subject.push_back({"pairs of runs", grouped_text(agreement.pairs.size())});
  ReportSection measures{.heading = "How far the measures agree",
                         .tables = {verdict_table(agreement)},
                         .about = about(agreement)};
  if (!agreement.agreements.empty()) {
    measures.figures.push_back(agreement_chart(agreement));
    measures.tables.push_back(agreement_table(agreement));
  }
  ReportSection runs{.heading = "Which runs are better than which",
                     .tables = {record_table(agreement, names)}};
  for (std::size_t m = 0; m < agreement.measures.size(); ++m) {
    runs.figures.push_back(agreement_grid(agreement, names, m, best_first(evaluation, m)));
  }
  report.sections = {std::move(measures), std::move(runs)};
  report.result["agreement"] = agreement_json(agreement, names);
  report.csv = csv_of_pairs(report.result["agreement"]["pairs"]);
  return report;
}

}  // namespace prescope
