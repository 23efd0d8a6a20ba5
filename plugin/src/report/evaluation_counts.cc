#include <fmt/format.h>

#include "report/evaluation_report.h"

namespace prescope {

bool is_best(const EvaluationReport& report, std::size_t run, std::size_t measure) {
  const std::optional<double> mean = report.runs[run].evaluation.means[measure];
  if (!mean || report.runs.size() == 1) return false;
  for (const EvaluatedRun& other : report.runs) {
    if (other.evaluation.means[measure].value_or(*mean) > *mean) return false;
  }
  return true;
}

std::vector<std::pair<std::string, std::uint64_t>> counts_of(const EvaluationReport& report,
                                                             const EvaluatedRun& run) {
  const RunOddities& found = run.oddities;
  std::vector<std::pair<std::string, std::uint64_t>> counts = {
      {"num_q", found.topics},
      {"num_ret", found.num_ret},
      {"num_rel", found.num_rel},
      {"num_rel_ret", found.num_rel_ret},
      {"lines", run.facts->lines},
      {"topics_without_relevant", found.topics_without_relevant},
      {"topics_missing", found.missing.size()},
      {"topics_unjudged", run.facts->unjudged_topics},
      {"topics_order_differs", run.order.topics},
      {"duplicates", found.duplicates},
      {"topics_with_duplicates", found.topics_with_duplicates},
      {"judgements", report.qrels_oddities.judgements},
      {"judgements_repeated", report.qrels_oddities.repeated},
      {"judgements_merged", report.qrels_oddities.merged}};
  for (const RunOddities::AtCutoff& at : found.at_cutoffs) {
    counts.emplace_back(fmt::format("num_ret@{}", at.cutoff), at.num_ret);
    counts.emplace_back(fmt::format("unjudged@{}", at.cutoff), at.unjudged);
    counts.emplace_back(fmt::format("tied@{}", at.cutoff), at.tied);
  }
  if (run.docno_hint) {
    counts.emplace_back("docnos_judged", run.docno_hint->judged);
    counts.emplace_back("docnos_matched", run.docno_hint->matched);
    counts.emplace_back(fmt::format("docnos_matched_{}", to_string(run.docno_hint->policy)),
                        run.docno_hint->would_match);
  }
  return counts;
}

}  // namespace prescope
