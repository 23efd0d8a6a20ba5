// Words about slices, of comparisons.
#include "runs/slice_words.h"
#include "report/runs/comparison_report.h"
#include "runs/topic_units.h"

namespace prescope {

namespace {

/// "section D (60 topics)"
std::string slice_name(const SliceDifference& slice, bool are_families) {
  return fmt::format("{} ({})", slice_words(slice.dimension, slice.name, slice.slices),
                     units_text(slice.units, are_families));
}

/// Returns whether a slice with too few topics for a verdict has an interval on the other side of 0
/// than the verdict over all topics.
bool is_opposed(const SliceDifference& slice, double overall) {
  return slice.verdict == SliceVerdict::kTooFew && slice.t && slice.t->mean * overall < 0.0 &&
         (slice.t->ci_low > 0.0 || slice.t->ci_high < 0.0);
}

template <class Matches>
std::string named_slices(const RunComparison& run, bool are_families, const Matches& matches) {
  std::vector<std::string> names;
  for (const SliceDifference& slice : run.slices) {
    if (matches(slice)) names.push_back(slice_name(slice, are_families));
  }
  return names.empty() ? std::string() : listed(names);
}

}  // namespace

std::string slice_sentence(const ComparisonReport& report, const RunComparison& run) {
  const bool are_families = report.comparison.has_family_map;
  const MeasureComparison& overall = run.measures.front();
  const std::string name = short_name(report, run.run);
  const auto in = [&](SliceVerdict verdict) {
    return named_slices(run, are_families,
                        [&](const SliceDifference& slice) { return slice.verdict == verdict; });
  };
  const std::string_view over_all =
      word_of(overall.verdict, {"compared in too few topics", "the same in all topics",
                                "not shown to differ over all topics", "better over all topics",
                                "worse over all topics"});
  std::vector<std::string> parts{std::string(over_all)};
  const std::string better = in(SliceVerdict::kBetter), worse = in(SliceVerdict::kWorse);
  if (!better.empty()) parts.push_back("better in " + better);
  if (!worse.empty()) parts.push_back("worse in " + worse);
  std::string sentence = fmt::format("{} is {} ({})", name, listed(parts), overall.measure.name());
  if (parts.size() == 1) sentence += "; no slice is shown to differ";
  sentence += '.';
  const double direction = direction_of(overall.verdict);
  const std::string opposed = named_slices(run, are_families, [&](const SliceDifference& slice) {
    return is_opposed(slice, direction);
  });
  if (opposed.empty()) return sentence;
  return fmt::format("{} The other way round, but too few to say: {}.", sentence, opposed);
}

std::string slice_verdict_words(const ComparisonReport& report, const RunComparison& run,
                                const SliceDifference& slice) {
  const bool is_named = is_pair(report);
  const std::string_view too_few = slice.units < kUnitsThatSpeak ? "too few"
                                   : slice.slices > 1            ? "several"
                                                                 : "too few differ";
  return std::string(word_of(
      slice.verdict, {too_few, "not shown", "not shown (a rare large loss is not ruled out)",
                      is_named ? short_name(report, run.run) + " better" : "better",
                      is_named ? short_name(report, 0) + " better" : "worse"}));
}

std::vector<std::string> about_slices(const ComparisonReport& report) {
  const CompareOptions& options = report.comparison.options;
  if (options.slices.empty()) return {};
  const std::string measure = report.comparison.measures.front().name();
  std::size_t speaking = 0, all = 0;
  for (const RunComparison& run : report.comparison.runs) {
    for (const SliceDifference& slice : run.slices) {
      ++all;
      speaking += slice.verdict == SliceVerdict::kTooFew ? 0 : 1;
    }
  }
  std::vector<std::string> cut;
  for (const RunComparison& run : report.comparison.runs) {
    if (run.measures.front().ends_at) cut.push_back(short_name(report, run.run));
  }
  const std::string not_compared =
      cut.empty() ? std::string()
                  : fmt::format("Slices of {} are not compared: a run ends before {} does.",
                                listed(cut), measure);
  if (all == 0)
    return not_compared.empty() ? std::vector<std::string>{} : std::vector{not_compared};
  const std::string_view units = units_word(report.comparison.has_family_map);
  std::vector<std::string> sentences{
      fmt::format(
          "Slices are compared by {}, with {} t intervals, which are not corrected. A slice "
          "may speak if it has {} {} or more, and {} or more differ: {} of {} may. Their p, of the "
          "t test, is corrected by Holm, with an alpha of {} for all slices together.",
          measure, plain_percent_text(options.confidence), kUnitsThatSpeak, units,
          kDifferentThatSpeak, speaking, all, options.power.alpha),
      fmt::format(
          "A verdict also needs bets on the differences that won tenfold, so that rare large "
          "losses do not turn it. rest: the corrected p that a slice differs from the other "
          "{} of its dimension (Welch). Slices of fewer than {} are taken together, and give no "
          "verdict.",
          units, kUnitsShown)};
  if (!not_compared.empty()) sentences.push_back(not_compared);
  if (options.slices.unjudged > 0) {
    sentences.push_back(unjudged_words(options.slices.unjudged, options.slices.unjudged_example));
  }
  return sentences;
}

}  // namespace prescope
