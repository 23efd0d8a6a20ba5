#include "runs/comparison.h"

#include <cmath>
#include <ranges>

#include "base/errors.h"
#include "measures/definitions.h"

namespace prescope {

namespace {

using TopicScores = MeasureComparison::Topic;

/// Returns the relevant documents that the run has up to the cutoff.
std::vector<JudgedHit> found_by(const RunFacts& run, const Qrels& qrels, TopicIndex topic,
                                const RankOptions& options, Cutoff cutoff) {
  const RunFacts::Topic* const in_run = run.find(topic);
  if (in_run == nullptr) return {};
  std::vector<JudgedHit> hits = judged_ranking(qrels, run, *in_run, options).hits;
  std::erase_if(hits, [&](const JudgedHit& hit) {
    return hit.rank > cutoff.value() || !qrels.topic(topic).is_relevant(hit.judgement);
  });
  return hits;
}

void count_change(const CitationChange& change, Cutoff cutoff, CitationTotals& totals) {
  if (change.is_gained()) {
    ++totals.gained;
  } else if (change.is_lost()) {
    ++totals.lost;
    if (change.is_lost_from_far(cutoff)) ++totals.lost_from_far;
  } else if (change.is_moved()) {
    ++(*change.rank_b < *change.rank_a ? totals.moved_up : totals.moved_down);
  }
}

/// Adds one topic; `found_a` and `found_b` relevant documents within the cutoff.
void count_topic(const TopicScores& topic, std::uint64_t found_a, std::uint64_t found_b,
                 CitationTotals& totals) {
  ++totals.topics;
  totals.found_a += found_a;
  totals.found_b += found_b;
  if (topic.difference != 0.0) ++totals.topics_changed;
  if (found_a > 0 && found_b == 0) ++totals.emptied;
  if (found_a == 0 && found_b > 0) ++totals.filled;
  if (topic.difference <= -kFarChange) ++totals.fell_far;
  if (topic.difference >= kFarChange) ++totals.rose_far;
}

void finish(CitationTotals& totals) {
  totals.same_rank = totals.found_a - totals.lost - totals.moved_up - totals.moved_down;
  const std::uint64_t turned = totals.emptied + totals.filled;
  if (turned > 0) totals.emptied_p = fair_coin_tail(totals.emptied, turned);
}

void keep_top(std::vector<TopicChange>& moved, std::size_t top) {
  std::ranges::stable_sort(moved, std::ranges::greater{}, [](const TopicChange& change) {
    return std::abs(change.scores.difference);
  });
  if (moved.size() > top) moved.resize(top);
}

/// Fills `citations` and `moved` of `comparison` by its `moving`-th measure, which has credits.
void compare_citations(const Qrels& qrels, const RunFacts& run_a, const RunFacts& run_b,
                       const CompareOptions& options, std::size_t moving,
                       RunComparison& comparison) {
  const MeasureComparison& measure = comparison.measures[moving];
  const CitationCredits credits = CitationCredits::of(measure.measure).value();
  const RankOptions& ranks = options.evaluate.ranks;
  CitationTotals totals;
  for (const TopicScores& topic : measure.topics) {
    const auto a = found_by(run_a, qrels, topic.topic, ranks, credits.cutoff());
    const auto b = found_by(run_b, qrels, topic.topic, ranks, credits.cutoff());
    TopicChange change{.scores = topic,
                       .whole = credits.whole(qrels.topic(topic.topic).num_rel()),
                       .citations = citation_changes(qrels.topic(topic.topic), a, b, credits)};
    for (const CitationChange& citation : change.citations) {
      count_change(citation, credits.cutoff(), totals);
    }
    count_topic(topic, a.size(), b.size(), totals);
    if (topic.difference != 0.0) comparison.moved.push_back(std::move(change));
  }
  finish(totals);
  comparison.citations = totals;
  keep_top(comparison.moved, options.top);
}

/// The topics with a value in two runs.
struct TopicsOfBoth {
  std::vector<TopicScores> topics;
  PairedScores scores;
};

TopicsOfBoth topics_of_both(const Evaluation& a, const Evaluation& b, std::size_t measure) {
  TopicsOfBoth both;
  for (std::size_t i = 0, j = 0; i < a.topics.size() && j < b.topics.size();) {
    const TopicIndex in_a = a.topics[i].topic, in_b = b.topics[j].topic;
    if (in_a == in_b) {
      const std::optional<double> score_a = a.score(i, measure), score_b = b.score(j, measure);
      if (score_a && score_b) {
        both.topics.push_back({in_a, *score_a, *score_b, clean_difference(*score_b, *score_a)});
        both.scores.add(a.topics[i].family, *score_a, *score_b);
      }
    }
    if (in_a <= in_b) ++i;
    if (in_b <= in_a) ++j;
  }
  return both;
}

std::optional<double> mean_if_any(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(mean_of(values));
}

/// Adds the values that do not decide the verdict. `differences` are at least two.
void describe_difference(std::span<const double> differences, const CompareOptions& options,
                         MeasureComparison& comparison) {
  const PairedT& t = *comparison.t;
  if (!comparison.sign_flip) comparison.sign_flip = sign_flip(differences, options.sign_flip);
  if (comparison.wilcoxon) comparison.wilcoxon_pratt = wilcoxon(differences, ZeroRule::kPratt);
  comparison.effect = effect_size(t, comparison.counts, options.confidence);
  comparison.detectable = minimum_detectable_difference(t.sd, t.n, options.power);
  if (comparison.counts.non_zero() > 0) {
    comparison.topics_needed =
        topics_needed(t.sd, options.target_difference.value_or(t.mean), options.power);
  }
}

/// Everything but `corrected` and `verdict`, which depend on the other comparisons.
MeasureComparison compare_measure(const Evaluation& a, const Evaluation& b, std::size_t measure,
                                  const CompareOptions& options) {
  TopicsOfBoth both = topics_of_both(a, b, measure);
  const std::vector<double> differences = both.scores.differences();
  MeasureComparison comparison{
      tested_difference(differences, options.test, options.sign_flip, options.confidence),
      a.measures[measure]};
  comparison.mean_a = mean_if_any(both.scores.a());
  comparison.mean_b = mean_if_any(both.scores.b());
  comparison.topics = std::move(both.topics);
  if (comparison.t) describe_difference(differences, options, comparison);
  return comparison;
}

void correct_and_judge(Comparison& comparison) {
  std::vector<JudgedDifference*> judged;
  for (RunComparison& run : comparison.runs) {
    for (MeasureComparison& measure : run.measures) {
      if (measure.p_value && !measure.ends_at) judged.push_back(&measure);
    }
  }
  prescope::correct_and_judge(judged, comparison.options.correction,
                              comparison.options.power.alpha);
  comparison.corrected_over = static_cast<std::uint32_t>(judged.size());
}

/// Returns the rank at which the run was cut off, if the measure reads further: up to its cutoff,
/// or without one as far as the other run goes.
std::optional<Rank> end_in_pair(const Measure& measure, const RunFacts& run, const RunFacts& other,
                                Rank depth) {
  if (measure.cutoff()) return end_before(measure, run);
  const std::optional<Rank> end = end_of_run(run);
  const bool other_goes_on = end && std::ranges::any_of(other.topics, [&](const auto& topic) {
                               return std::min(topic.num_ret, depth) > *end;
                             });
  return other_goes_on ? end : std::nullopt;
}

/// Returns the ranks of the topic's relevant documents.
std::vector<Rank> relevant_ranks(const RunFacts& run, const Qrels& qrels, TopicIndex topic,
                                 const RankOptions& options) {
  std::vector<Rank> ranks;
  const RunFacts::Topic* const in_run = run.find(topic);
  if (in_run == nullptr) return ranks;
  for (const JudgedHit& hit : judged_ranking(qrels, run, *in_run, options).hits) {
    if (qrels.topic(topic).is_relevant(hit.judgement)) ranks.push_back(hit.rank);
  }
  return ranks;
}

AlikeTopics alike_topics(const Qrels& qrels, const RunFacts& a, const RunFacts& b,
                         const RankOptions& options) {
  AlikeTopics alike;
  for (std::uint32_t t = 0; t < qrels.topics().size(); ++t) {
    const auto ranks = [&](const RunFacts& run) {
      return relevant_ranks(run, qrels, TopicIndex(t), options);
    };
    alike.add(AlikeTopics::signature(ranks(a), ranks(b)));
  }
  return alike;
}

/// Compares the slices, unless a run ends before the measure does: what it may have found behind
/// its end counts as not found, in each slice as over all topics.
std::vector<SliceDifference> slices_of(const Qrels& qrels, const MeasureComparison& measure,
                                       const CompareOptions& options) {
  if (options.slices.empty() || measure.ends_at) return {};
  std::vector<SlicedTopic> topics;
  for (const TopicScores& topic : measure.topics) {
    topics.push_back({topic.topic, qrels.family(topic.topic), topic.a, topic.b});
  }
  return compare_slices(options.slices, topics, options.confidence, options.power);
}

RunComparison compare_pair(const Qrels& qrels, const Evaluation& a, const Evaluation& b,
                           const Comparison& comparison) {
  RunComparison result;
  if (!comparison.has_family_map) {
    result.alike = alike_topics(qrels, *a.facts, *b.facts, comparison.options.evaluate.ranks);
  }
  for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
    result.measures.push_back(compare_measure(a, b, m, comparison.options));
    for (const auto& [run, other] : {std::pair(a.facts, b.facts), std::pair(b.facts, a.facts)}) {
      const std::optional<Rank> end = end_in_pair(comparison.measures[m], *run, *other,
                                                  comparison.options.evaluate.ranks.depth);
      std::optional<Rank>& ends_at = result.measures.back().ends_at;
      if (end) ends_at = std::min(*end, ends_at.value_or(*end));
    }
  }
  result.slices = slices_of(qrels, result.measures.front(), comparison.options);
  if (comparison.moving_measure) {
    compare_citations(qrels, *a.facts, *b.facts, comparison.options, *comparison.moving_measure,
                      result);
  }
  return result;
}

}  // namespace

PairedScores paired_scores(const Evaluation& a, const Evaluation& b, std::size_t measure) {
  return topics_of_both(a, b, measure).scores;
}

std::vector<Measure> comparable_measures(std::span<const Measure> measures) {
  for (const Measure& measure : measures) {
    if (const auto why = why_not_compared(measure)) {
      throw usage_error("{} cannot be compared: {}", measure.name(), *why);
    }
  }
  return distinct(measures);
}

Comparison compare_runs(const Qrels& qrels, std::span<const Evaluation* const> runs,
                        const CompareOptions& options) {
  Comparison comparison{.options = options,
                        .measures = runs.front()->measures,
                        .has_family_map = qrels.has_family_map()};
  for (std::size_t m = comparison.measures.size(); m-- > 0;) {
    if (CitationCredits::of(comparison.measures[m])) comparison.moving_measure = m;
  }
  for (std::size_t r = 1; r < runs.size(); ++r) {
    comparison.runs.push_back(compare_pair(qrels, *runs.front(), *runs[r], comparison));
    comparison.runs.back().run = r;
  }
  correct_and_judge(comparison);
  std::vector<SliceDifference*> slices;
  for (RunComparison& run : comparison.runs) {
    for (SliceDifference& slice : run.slices) slices.push_back(&slice);
  }
  correct_slices(slices, options.power.alpha);
  return comparison;
}

}  // namespace prescope
