#include "report/study/agreement_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "report/number_text.h"
#include "report/study/agreement_source.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;
using Row = std::vector<TextGrid::Cell>;

std::vector<std::size_t> best_first(const EvaluationReport& evaluation, std::size_t measure) {
  std::vector<std::size_t> order(evaluation.runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return evaluation.runs[a].evaluation.means[measure] >
           evaluation.runs[b].evaluation.means[measure];
  });
  return order;
}

std::string share_of_pairs(std::uint32_t count, std::uint32_t of) {
  if (of == 0) return "-";
  return fmt::format("{} ({:.1f} %)", grouped_text(count), 100.0 * count / of);
}

ReportTable agreement_table(const Agreement& agreement) {
  ReportTable table{.title = "How far two measures agree about pairs of runs",
                    .columns = {{"Measures X and Y", Align::kLeft},
                                {"pairs"},
                                {"the same"},
                                {"same run better"},
                                {"neither different"},
                                {"only X different"},
                                {"only Y different"},
                                {"opposite"}}};
  for (const MeasureAgreement& of : agreement.agreements) {
    table.rows.push_back(
        {{pair_words(agreement, of)},
         {grouped_text(of.pairs())},
         {share_of_pairs(of.same(), of.pairs()), Style::kStrong},
         {grouped_text(of.same_direction)},
         {grouped_text(of.both_indistinguishable)},
         {share_of_pairs(of.only_x_different, of.pairs())},
         {share_of_pairs(of.only_y_different, of.pairs())},
         {share_of_pairs(of.opposite, of.pairs()), of.opposite > 0 ? Style::kBad : Style::kPlain}});
  }
  return table;
}

ReportTable verdict_table(const Agreement& agreement) {
  ReportTable table{
      .title = "What each measure says",
      .columns = {{"Measure", Align::kLeft}, {"pairs different"}, {"indistinguishable"}}};
  const bool has_none = std::ranges::any_of(
      agreement.verdicts, [](const MeasureVerdicts& each) { return each.without_verdict > 0; });
  if (has_none) table.columns.push_back({"without a verdict"});
  for (std::size_t m = 0; m < agreement.measures.size(); ++m) {
    const MeasureVerdicts& said = agreement.verdicts[m];
    const std::uint32_t pairs = said.different + said.indistinguishable;
    Row row = {{agreement.measures[m].name()},
               {share_of_pairs(said.different, pairs)},
               {share_of_pairs(said.indistinguishable, pairs)}};
    if (has_none) row.push_back({grouped_text(said.without_verdict)});
    table.rows.push_back(std::move(row));
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

ReportTable record_table(const AgreementSource& source) {
  ReportTable table{.title = "Runs that each run is better than / worse than",
                    .columns = {{"Run", Align::kLeft}}};
  for (const Measure& measure : source.agreement.measures) {
    table.columns.push_back({measure.name()});
  }
  for (std::size_t run = 0; run < source.names.size(); ++run) {
    Row row = {{source.names[run]}};
    for (std::size_t m = 0; m < source.agreement.measures.size(); ++m) {
      row.push_back({record_words(source.agreement, run, m)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string test_words(const AgreementOptions& options) {
  const std::string level =
      fmt::format("Two runs are different where the two-sided p is at most {}", options.alpha);
  switch (options.test) {
    case PairedTest::kWilcoxon:
      return level +
             " in Wilcoxon's signed-rank test over topics (differences of 0 dropped, normal "
             "approximation), which the PRES paper used.";
    case PairedTest::kSignFlip:
      return level + fmt::format(" in the sign-flip test over topics ({} flips, seed {}).",
                                 options.sign_flip.flips, options.sign_flip.seed);
    case PairedTest::kT:
      break;
  }
  return level +
         fmt::format(
             " in the paired t test over topics, or in the sign-flip test where fewer than {} "
             "topics have a value or fewer than {} differ.",
             kTopicsForT, kNonZeroForT);
}

std::string correction_words(const Agreement& agreement) {
  const std::size_t pairs = agreement.pairs.size();
  switch (agreement.options.correction) {
    case Correction::kHolm:
      return fmt::format("Corrected over the {} pairs of each measure (Holm).", pairs);
    case Correction::kBh:
      return fmt::format("Corrected over the {} pairs of each measure (Benjamini-Hochberg).",
                         pairs);
    case Correction::kNone:
      break;
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
        "Wilcoxon's test compares ranks of differences: where they are skewed it can call a run "
        "better whose mean is not; --test t asks about means.");
  }
  return sentences;
}

}  // namespace

std::string pair_words(const Agreement& agreement, const MeasureAgreement& of) {
  return fmt::format("{} and {}", agreement.measures[of.x].name(), agreement.measures[of.y].name());
}

StudyReport agreement_study(const EvaluationReport& evaluation, const Agreement& agreement) {
  auto source = std::make_shared<AgreementSource>(
      AgreementSource{.agreement = agreement, .names = {}, .best = {}});
  for (const EvaluatedRun& run : evaluation.runs) source->names.push_back(run.name);
  for (std::size_t m = 0; m < agreement.measures.size(); ++m) {
    source->best.push_back(best_first(evaluation, m));
  }
  StudyReport report =
      study_report("agreement", "Which runs are different, by which measure", evaluation);
  report.subject.push_back({"pairs of runs", grouped_text(agreement.pairs.size())});
  StudySection measures{.heading = "How far the measures agree",
                        .tables = {verdict_table(agreement)},
                        .about = about(agreement)};
  if (!agreement.agreements.empty()) {
    measures.figures.push_back(agreement_chart(source));
    measures.tables.push_back(agreement_table(agreement));
  }
  StudySection runs{.heading = "Which runs are better than which",
                    .tables = {record_table(*source)}};
  for (std::size_t m = 0; m < agreement.measures.size(); ++m) {
    runs.figures.push_back(agreement_grid(source, m));
  }
  report.sections = {std::move(measures), std::move(runs)};
  report.result["agreement"] = agreement_json(*source);
  report.csv = agreement_csv(*source);
  return report;
}

}  // namespace prescope
