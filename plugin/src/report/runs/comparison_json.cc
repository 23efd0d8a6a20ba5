#include "report/runs/comparison_report.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(CitationTotals, found_a, found_b, gained, lost, lost_from_far, moved_up,
                      moved_down, same_rank, topics_changed)
PRESCOPE_JSON_MEMBERS(VerdictChanges, same, lost, appeared, reversed, lowest_difference,
                      highest_difference)
PRESCOPE_JSON_MEMBERS(DifferenceCounts, wins, ties, losses)
PRESCOPE_JSON_MEMBERS(SignFlip, non_zero, exact, flips, as_far, p_value)
PRESCOPE_JSON_MEMBERS(Wilcoxon, ranked, rank_sum_up, rank_sum_down, z, p_value)

/// An infinite t has no number in JSON.
static void to_json(Json& json, const PairedT& test) {
  json = {{"t", std::isfinite(test.t) ? Json(test.t) : Json()},
          {"degrees", test.n - 1},
          {"sd", test.sd},
          {"standard_error", test.standard_error},
          {"ci_low", test.ci_low},
          {"ci_high", test.ci_high},
          {"p_value", test.p_value}};
}

static void to_json(Json& json, const EffectSize& effect) {
  json = {{"d_z", effect.d_z},
          {"g_z", effect.g_z},
          {"superiority", effect.superiority},
          {"superiority_low", effect.superiority_interval.low},
          {"superiority_high", effect.superiority_interval.high}};
}
PRESCOPE_JSON_MEMBERS(MeasureComparison, sign_flip, wilcoxon, wilcoxon_pratt, effect, detectable,
                      topics_needed, decided_by, p_value, corrected, ends_at, verdict)

namespace {

Json changes_json(const VerdictChanges& changes) {
  return merged(Json{{"fraction", changes.fraction}, {"samples", changes.samples()}}, changes);
}

Json topic_json(const Qrels& qrels, const MeasureComparison::Topic& topic) {
  return {{"topic", qrels.topic(topic.topic).id()},
          {"a", topic.a},
          {"b", topic.b},
          {"difference", topic.difference}};
}

Json measure_json(const ComparisonReport& report, const RunComparison& run,
                  const MeasureComparison& measure) {
  const auto topic_json_of = [&](auto& topic) {
    return topic_json(*report.evaluation.qrels, topic);
  };
  const bool by_family = report.comparison.has_family_map;
  return merged(Json{{"topics", measure.topics.size()},
                     {"families", by_family ? Json(measure.counts.total()) : Json()},
                     {"mean_a", measure.mean_a},
                     {"mean_b", measure.mean_b},
                     {"difference", measure.t ? Json(measure.t->mean) : Json()}},
                measure.counts, Json{{"t_test", measure.t}}, measure,
                Json{{"per_topic", list_of(measure.topics, topic_json_of)},
                     {"words", verdict_words(report, run, measure)}});
}

Json totals_json(const std::optional<CitationTotals>& totals) {
  if (!totals) return nullptr;
  return merged(*totals, Json{{"topics_emptied", totals->emptied},
                              {"topics_filled", totals->filled},
                              {"emptied_p_value", totals->emptied_p},
                              {"topics_fell_far", totals->fell_far},
                              {"topics_rose_far", totals->rose_far}});
}

Json citation_json(const TopicQrels& judged, const CitationChange& change) {
  const Judgement& judgement = judged.judgements()[change.judgement.value()];
  return {{"docno", judgement.docno}, {"grade", judgement.grade}, {"about", judgement.about},
          {"rank_a", change.rank_a},  {"rank_b", change.rank_b},  {"credit", change.credit},
          {"share", change.share}};
}

Json moved_json(const Qrels& qrels, const RunComparison& run) {
  return list_of(run.moved, [&](const TopicChange& topic) -> Json {
    const TopicQrels& judged = qrels.topic(topic.scores.topic);
    return merged(topic_json(qrels, topic.scores),
                  Json{{"num_rel", judged.num_rel()},
                       {"whole", topic.whole},
                       {"citations", list_of(topic.citations, [&](const CitationChange& change) {
                          return citation_json(judged, change);
                        })}});
  });
}

Json run_words_json(const ComparisonReport& report, const RunComparison& run) {
  const auto& runs = report.evaluation.runs;
  return {{"a", short_name(report, 0)},
          {"b", short_name(report, run.run)},
          {"verdict", verdicts_sentence(runs.front().name, runs[run.run].name, run.measures)},
          {"slices", run.slices.empty() ? "" : slice_sentence(report, run)},
          {"moved", run.citations ? moved_title(report, run, run.moved.size()) : ""}};
}

Json slices_json(const ComparisonReport& report, const RunComparison& run) {
  return list_of(run.slices, [&](const SliceDifference& slice) -> Json {
    return {{"dimension", slice.dimension},
            {"slice", slice.name},
            {"slices", slice.slices},
            {"topics", slice.topics},
            {"units", slice.units},
            {"mean_a", slice.mean_a},
            {"mean_b", slice.mean_b},
            {"difference", value_of(slice.t, &PairedT::mean)},
            {"ci_low", value_of(slice.t, &PairedT::ci_low)},
            {"ci_high", value_of(slice.t, &PairedT::ci_high)},
            {"p_value", value_of(slice.t, &PairedT::p_value)},
            {"corrected", slice.corrected},
            {"against_rest", slice.against_rest},
            {"detectable", slice.detectable},
            {"verdict", to_string(slice.verdict)},
            {"words", slice_verdict_words(report, run, slice)}};
  });
}

Json run_json(const ComparisonReport& report, const RunComparison& run) {
  return {{"a", report.evaluation.runs.front().name},
          {"b", report.evaluation.runs[run.run].name},
          {"told_apart_topics", run.alike.topics()},
          {"alike_topics", run.alike.alike()},
          {"measures",
           by_measure(report.comparison.measures,
                      [&](std::size_t m) { return measure_json(report, run, run.measures[m]); })},
          {"citations", totals_json(run.citations)},
          {"moved", moved_json(*report.evaluation.qrels, run)},
          {"slices", slices_json(report, run)},
          {"words", run_words_json(report, run)}};
}

Json words_json(const ComparisonReport& report) {
  return {{"differences", about_differences(report)},
          {"effects", about_effects(report)},
          {"citations", about_citations(report)},
          {"slices", about_slices(report)},
          {"robustness", about_robustness(report)}};
}

Json options_json(const CompareOptions& options) {
  return {{"test", to_string(options.test)},
          {"correction", to_string(options.correction)},
          {"confidence", options.confidence},
          {"alpha", options.power.alpha},
          {"power", options.power.power},
          {"target_difference", options.target_difference},
          {"seed", options.sign_flip.seed},
          {"flips", options.sign_flip.flips},
          {"exact_up_to", options.sign_flip.all_up_to},
          {"top", options.top}};
}

Json robustness_json(const ComparisonReport& report) {
  if (!report.robustness) return nullptr;
  const auto& [options, runs] = *report.robustness;
  const std::vector<EvaluatedRun>& evaluated = report.evaluation.runs;
  Json pairs = Json::array();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto measure_of = [&](std::size_t m) -> Json {
      return {{"verdict", runs[r][m].verdict},
              {"changes", list_of(runs[r][m].changes, changes_json)}};
    };
    pairs.push_back({{"a", evaluated[0].name},
                     {"b", evaluated[r + 1].name},
                     {"measures", by_measure(report.comparison.measures, measure_of)}});
  }
  return {{"options", options.draws}, {"pairs", std::move(pairs)}};
}

}  // namespace

Json comparison_results_json(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  const auto mean_of = [&](std::size_t measure) { return baseline_mean(report, measure); };
  const auto json_of = [&](const RunComparison& run) { return run_json(report, run); };
  return {{"options", options_json(comparison.options)},
          {"measures", comparison.measures},
          {"baseline_means", list_of(positions(comparison.measures.size()), mean_of)},
          {"corrected_over", comparison.corrected_over},
          {"moving_measure", comparison.moving_measure
                                 ? Json(comparison.measures[*comparison.moving_measure].name())
                                 : Json(nullptr)},
          {"robustness", robustness_json(report)},
          {"pairs", list_of(comparison.runs, json_of)},
          {"words", words_json(report)}};
}

std::string comparison_json(const ComparisonReport& report) {
  Json results = comparison_results_json(report);
  results["notes"] = evaluation_notes(report.evaluation);
  results["words"] = merged(Json{{"subject", comparison_subject(report)}}, results["words"]);
  return indented_text({{"prescope", PRESCOPE_VERSION},
                        {"comparison", std::move(results)},
                        {"evaluation", Json::parse(evaluation_json(report.evaluation))}});
}

}  // namespace prescope
