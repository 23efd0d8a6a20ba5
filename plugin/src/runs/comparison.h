#pragma once

#include "measures/citation_changes.h"
#include "prescope/summary.h"
#include "runs/alike_topics.h"
#include "runs/evaluation.h"
#include "runs/paired_scores.h"
#include "runs/slice_comparison.h"
#include "statistics/effect_size.h"

/// Compares runs with a baseline, topic by topic: which is better, how surely, by which citations.
namespace prescope {

struct CompareOptions {
  EvaluateOptions evaluate{};
  /// The test whose p-value decides; `deciding_test` says when sign-flip replaces kT.
  PairedTest test = PairedTest::kT;
  Correction correction = Correction::kHolm;  ///< over all comparisons: measures times runs
  double confidence = 0.95;                   ///< of intervals, in (0, 1)
  PowerOptions power{};                       ///< its alpha is also that of verdicts
  /// "Topics needed" for this mean difference, > 0; without one, for the difference observed.
  std::optional<double> target_difference{};
  SignFlipOptions sign_flip{};
  std::size_t top = 10;  ///< topics that moved most, listed for each run
  TopicSlices slices{};  ///< compared by the first measure
};

/// One measure of run B against the same of baseline A, over the topics with a value in both. The
/// unit of all statistics is the topic, or with a family map the family: the mean of its topics.
/// Wins are B's. `sign_flip` is set whichever test decides.
struct MeasureComparison : JudgedDifference {
  using Topic = DifferenceIn<TopicIndex>;

  Measure measure;
  std::vector<Topic> topics{};               ///< in qrels order
  std::optional<double> mean_a{}, mean_b{};  ///< over the units; none of no topics
  /// `wilcoxon` with Pratt's rule; none for fewer than 2 topics, as all below.
  std::optional<Wilcoxon> wilcoxon_pratt{};
  std::optional<EffectSize> effect{};
  std::optional<double> detectable{};            ///< smallest mean difference this many topics show
  std::optional<std::uint64_t> topics_needed{};  ///< units; std::nullopt also if nothing differs
  /// The rank at which the shorter run was cut off, if the measure reads further (without a cutoff,
  /// as far as the other run goes): it is not corrected for then, and has no verdict.
  std::optional<Rank> ends_at{};
};

/// A topic whose score differs, by the measure with credits.
struct TopicChange {
  MeasureComparison::Topic scores{};
  std::uint64_t whole = 1;  ///< credits over this are shares of the difference
  std::vector<CitationChange> citations{};
};

/// All topics taken together, within the cutoff of the measure with credits.
struct CitationTotals {
  std::uint64_t found_a = 0, found_b = 0;  ///< relevant documents
  std::uint64_t gained = 0, lost = 0, moved_up = 0, moved_down = 0, same_rank = 0;
  /// Citations lost that A had in the first 80 % of the cutoff, not just before its edge.
  std::uint64_t lost_from_far = 0;
  std::uint32_t topics = 0, topics_changed = 0;
  std::uint32_t emptied = 0;  ///< topics for which A found something and B nothing
  std::uint32_t filled = 0;   ///< topics for which A found nothing and B something
  /// How likely chance empties so many of those emptied or filled (McNemar, exact, one-sided).
  std::optional<double> emptied_p{};
  std::uint32_t fell_far = 0, rose_far = 0;  ///< topics whose score changed by 0.2 or more
};

inline constexpr double kFarChange = 0.2;

/// A run B against the baseline.
struct RunComparison {
  std::size_t run = 0;  ///< position among the runs compared
  AlikeTopics alike{};  ///< without a family map: topics by the ranks in both runs
  std::vector<MeasureComparison> measures{};  ///< in the order of Comparison::measures
  std::optional<CitationTotals> citations{};  ///< none if no measure has credits, as below
  std::vector<TopicChange> moved{};           ///< the top ones, largest absolute difference first
  /// By the first measure; none if one of the two runs was cut off before it ends.
  std::vector<SliceDifference> slices{};
};

struct Comparison {
  CompareOptions options{};
  std::vector<Measure> measures{};
  std::optional<std::size_t> moving_measure{};  ///< the first of `measures` that has credits
  std::uint32_t corrected_over = 0;             ///< comparisons with a p-value
  std::vector<RunComparison> runs{};            ///< each run but the baseline
  bool has_family_map = false;                  ///< families of topics are the units
};

/// Returns the measures without repetitions. Throws Error(kUsage) for a geometric mean, because the
/// mean of its topics' differences is not the difference of its means.
[[nodiscard]] std::vector<Measure> comparable_measures(std::span<const Measure> measures);

/// The first of at least two `runs` is the baseline. All are evaluated with the same comparable
/// measures under `options.evaluate`.
[[nodiscard]] Comparison compare_runs(const Qrels& qrels, std::span<const Evaluation* const> runs,
                                      const CompareOptions& options = {});

/// Returns the scores of the topics with a value of the `measure`-th measure in both, in qrels
/// order.
[[nodiscard]] PairedScores paired_scores(const Evaluation& a, const Evaluation& b,
                                         std::size_t measure);

}  // namespace prescope
