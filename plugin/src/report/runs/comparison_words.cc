#include "report/runs/comparison_report.h"
#include "runs/topic_units.h"

namespace prescope {

namespace {

std::string ranks_words(const EvaluationReport& report) {
  const RankOptions& ranks = report.options.ranks;
  std::string words = ranks.order == RunOrder::kTrec ? "score, then docno, both descending"
                                                     : "the order of the lines";
  if (ranks.depth != RankOptions{}.depth) words += fmt::format("; depth {}", ranks.depth);
  if (ranks.judged_only) words += "; judged documents only";
  return words;
}

std::string run_words(const ComparisonReport& report, std::size_t run) {
  const EvaluatedRun& evaluated = report.evaluation.runs[run];
  const std::string tag =
      evaluated.facts().tag == evaluated.name ? "" : fmt::format(", tag {}", evaluated.facts().tag);
  return fmt::format("{} ({}{})", evaluated.name, evaluated.facts().path, tag);
}

std::string topics_words(const ComparisonReport& report) {
  const auto topics = report.evaluation.qrels->topics().size();
  const auto without = report.evaluation.qrels_oddities.without_relevant.size();
  std::string words = count_text(topics, "topic");
  if (without > 0) words += fmt::format(", {} with relevant documents", topics - without);
  if (report.evaluation.options.topics == EvaluateOptions::Topics::kRun) {
    words += "; those that both runs have are compared";
  }
  const std::string families = families_words(report);
  return families.empty() ? words : words + "; " + families;
}

std::string decision_words(PairedTest test) {
  return std::string(word_of(
      test,
      {fmt::format(
           "The t test's p decides; the sign-flip p, marked *, if fewer than {} topics have "
           "a value or fewer than {} differ.",
           kTopicsForT, kNonZeroForT),
       "The sign-flip p decides.",
       "Wilcoxon's signed-rank p decides, as in the PRES paper: differences of 0 dropped, normal "
       "approximation, no continuity correction; Pratt: the same with zeros ranked. It tests a "
       "shift of ranks, not of means."}));
}

std::string correction_words(const ComparisonReport& report) {
  return fmt::format("{} {}",
                     word_of(report.comparison.options.correction,
                             {"corrected by Holm over", "corrected by Benjamini-Hochberg over",
                              "not corrected, though there are"}),
                     count_text(report.comparison.corrected_over, "comparison"));
}

/// Says why a difference is not shown although its interval, which is not corrected, excludes 0.
std::string not_shown_words(const ComparisonReport& report, const MeasureComparison& measure) {
  const auto& t = measure.t;
  if (!t || (t->ci_low <= 0.0 && t->ci_high >= 0.0)) return "not shown";
  if (*measure.p_value <= report.comparison.options.power.alpha) return "not shown (corrected)";
  return std::string(
      word_of(measure.decided_by, {"not shown", "not shown (sign flips)", "not shown (Wilcoxon)"}));
}

}  // namespace

std::string comparison_title(const ComparisonReport& report) {
  const auto& runs = report.evaluation.runs;
  if (is_pair(report)) return fmt::format("{} against {}", runs[1].name, runs[0].name);
  return fmt::format("{} against {}", count_text(runs.size() - 1, "run"), runs[0].name);
}

std::string_view to_string(PairedTest test) noexcept {
  return word_of(test, {"t", "sign-flip", "wilcoxon"});
}

std::string_view to_string(Correction correction) noexcept {
  return word_of(correction, {"holm", "bh", "none"});
}

bool is_pair(const ComparisonReport& report) noexcept { return report.evaluation.runs.size() == 2; }

std::string short_name(const ComparisonReport& report, std::size_t run) {
  if (is_pair(report) && !report.has_short_names) return run == 0 ? "A" : "B";
  return report.evaluation.runs[run].name;
}

std::string families_words(const ComparisonReport& report) {
  if (!report.comparison.has_family_map) return {};
  return fmt::format("{}, each counted once by the mean of its topics",
                     units_text(report.evaluation.qrels->num_families(), true));
}

std::string minus_words(const ComparisonReport& report) {
  if (!is_pair(report)) return "run minus baseline";
  return fmt::format("{} minus {}", short_name(report, 1), short_name(report, 0));
}

std::optional<double> baseline_mean(const ComparisonReport& report, std::size_t measure) {
  const Comparison& comparison = report.comparison;
  return comparison.has_family_map ? comparison.runs.front().measures[measure].mean_a
                                   : report.evaluation.runs.front().evaluation.means[measure];
}

std::string verdict_words(const ComparisonReport& report, const RunComparison& run,
                          const MeasureComparison& measure) {
  if (measure.ends_at) return fmt::format("ends at {}", *measure.ends_at);
  const bool is_named = is_pair(report);
  return std::string(
      word_of(measure.verdict, {"too few topics", "identical", not_shown_words(report, measure),
                                is_named ? short_name(report, run.run) + " better" : "better",
                                is_named ? short_name(report, 0) + " better" : "worse"}));
}

LabelledLines comparison_subject(const ComparisonReport& report) {
  const EvaluationReport& evaluation = report.evaluation;
  const std::string others =
      fmt::format("{}, each against the baseline", evaluation.runs.size() - 1);
  const bool pair = is_pair(report);
  return {{"qrels", qrels_words(evaluation)},
          {pair ? "A" : "baseline", run_words(report, 0)},
          {pair ? "B" : "runs", pair ? run_words(report, 1) : others},
          {"ranks by", ranks_words(evaluation)},
          {"topics", topics_words(report)}};
}

std::vector<std::string> about_differences(const ComparisonReport& report) {
  const CompareOptions& options = report.comparison.options;
  const std::string_view unit = unit_word(report.comparison.has_family_map);
  std::vector<std::string> sentences = {
      fmt::format("Differences are {0}, {1} by {1}, with their {2} t interval, which is not "
                  "corrected.",
                  minus_words(report), unit, plain_percent_text(options.confidence)),
      decision_words(options.test),
      fmt::format("The p that decides is {}; the verdict is that at alpha {}; \"not shown\" is "
                  "not \"equal\". In brackets: why it is not shown although its interval "
                  "excludes 0.",
                  correction_words(report), options.power.alpha),
      fmt::format("p flip: signs of the differences turned at random, all ways if at most "
                  "{} differ, else {} draws with seed {}.",
                  options.sign_flip.all_up_to, options.sign_flip.flips, options.sign_flip.seed)};
  for (const RunComparison& run : report.comparison.runs) {
    const std::string words = near_duplicates_words(run.alike.topics(), run.alike.alike());
    if (words.empty()) continue;
    const std::string of = is_pair(report) ? "" : short_name(report, run.run) + ": ";
    sentences.push_back(of + words + ".");
  }
  return sentences;
}

std::vector<std::string> about_effects(const ComparisonReport& report) {
  const CompareOptions& options = report.comparison.options;
  const std::string target =
      options.target_difference ? fmt::format("a mean difference of {}", *options.target_difference)
                                : std::string("the mean difference seen here");
  const std::string_view units = units_word(report.comparison.has_family_map);
  return {fmt::format("sd: of the {}' differences. g_z: mean difference over sd (Hedges). "
                      "P(better): wins and half the ties, with its {} interval (Wilson).",
                      units, plain_percent_text(options.confidence)),
          fmt::format("detectable: the mean difference that a t test at alpha {0} shows on this "
                      "many {1} with power {2}. needed: {1} to show {3} so.",
                      options.power.alpha, units, options.power.power, target)};
}

std::vector<std::string> about_citations(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  if (!comparison.moving_measure) {
    return {
        "Moved citations are not shown: none of the measures is a sum over citations; name PRES@N "
        "or R@N."};
  }
  const Measure& measure = comparison.measures[*comparison.moving_measure];
  return {fmt::format(
      "Relevant documents within rank {0}. gained, lost: found by one of the two runs only; of "
      "those lost, far: the other run had them in the first 80 % of these ranks. emptied, filled: "
      "topics in which all or nothing was found before; p: so many emptied by chance (McNemar, "
      "one-sided). fell, rose: topics whose {1} changed by {2} or more.",
      measure.cutoff()->value(), measure.name(), kFarChange)};
}

std::vector<std::string> about_robustness(const ComparisonReport& report) {
  if (!report.robustness) return {};
  return {
      fmt::format("Each draw forgets that share of each topic's relevant documents, found or not "
                  "(at least one stays known; seed {}), scores both runs again and asks the same "
                  "test.",
                  report.robustness->options.draws.seed),
      "Lost: a difference is no longer shown. Appeared: a difference is now shown. Reversed: the "
      "other run comes out better. The last column is the lowest and the highest mean difference "
      "of the draws."};
}

std::string moved_title(const ComparisonReport& report, const RunComparison& run,
                        std::size_t shown) {
  const Comparison& comparison = report.comparison;
  return fmt::format("{} that moved most, of {}: {}, {} → {}, and each citation's share",
                     count_text(shown, "topic"), run.citations->topics_changed,
                     comparison.measures[*comparison.moving_measure].name(), short_name(report, 0),
                     short_name(report, run.run));
}

}  // namespace prescope
