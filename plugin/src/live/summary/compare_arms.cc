#include <algorithm>
#include <cmath>

#include "live/summary/checks.h"
#include "live/summary/outlook.h"
#include "live/summary/planned.h"
#include "live/summary/summarize.h"
#include "measures/citation_changes.h"
#include "measures/definitions.h"
#include "statistics/evidence.h"

namespace prescope {

namespace {

constexpr ArmIndex kFirstArm{0};

const Measure& primary_measure(const Ledger& ledger) {
  return ledger.scorer().measures()[ledger.options().primary];
}

/// Returns the topics in which B loses most, largest loss first, then in the qrels' order.
std::vector<TopicDifference> worst_topics(const Ledger& ledger, ArmIndex b, std::size_t measure) {
  std::vector<TopicDifference> topics;
  for (const auto& [difference, topic] : ledger.pair(b).worst[measure].losses()) {
    topics.push_back({.topic = ledger.qrels().topic(topic).id(),
                      .a = ledger.score(kFirstArm, topic, measure).mean,
                      .b = ledger.score(b, topic, measure).mean,
                      .difference = difference});
  }
  return topics;
}

/// Returns true if both arms are compared. Topics of Mode::kSplit would give differences if only
/// one arm served, and no coin would cancel them.
bool is_compared(const Ledger& ledger, ArmIndex b, const SummaryFacts& facts) {
  if (ledger.options().mode != Mode::kSplit) return true;
  return std::ranges::all_of(std::array{kFirstArm, b}, [&](ArmIndex arm) {
    return arm.value() < facts.arms.size() &&
           facts.arms[arm.value()].status == ArmStatus::kActive &&
           ledger.track(arm).topics_seen > 0;
  });
}

/// Returns true if all that is shown agrees with the verdict that the evidence has: the mean, the
/// coin's e-value, and the interval if there is one.
bool agrees(const LatencyRatio& ratio, double alpha) {
  const bool is_a_faster = *ratio.least > 1.0;
  const auto is_on_its_side = [&](const std::optional<double>& of) {
    return !of || (is_a_faster ? *of > 1.0 : *of < 1.0);
  };
  return ratio.log_e >= -std::log(alpha) && is_on_its_side(ratio.mean) &&
         is_on_its_side(ratio.low) && is_on_its_side(ratio.high);
}

LatencyRatio latency_ratio_of_visits(const Ledger::PairState& pair, double alpha) {
  LatencyRatio ratio = live_latency_ratio(pair.latency, alpha);
  ratio.failed_a = pair.failed_a;
  ratio.failed_b = pair.failed_b;
  ratio.untimed_a = pair.untimed_a;
  ratio.untimed_b = pair.untimed_b;
  ratio.repeated_a = pair.repeated_a;
  ratio.repeated_b = pair.repeated_b;
  if (pair.speed_evidence.visits() == 0) return ratio;
  const SpeedEvidence::Bounds bounds = pair.speed_evidence.mean();
  ratio.least = std::exp(bounds.least);
  ratio.most = std::exp(bounds.most);
  ratio.state = pair.speed_evidence.state(alpha);
  const bool is_shown = ratio.log_e >= -std::log(alpha);
  if ((ratio.state == LatencyState::kFaster && !agrees(ratio, alpha)) ||
      (ratio.state == LatencyState::kOpen && !is_shown)) {
    ratio.state = LatencyState::kNoVerdict;
  }
  ratio.differs = ratio.state == LatencyState::kFaster;
  return ratio;
}

LiveVerdict live_verdict_of(const Ledger& ledger, const BoundedEvidence& evidence, double alpha,
                            bool is_primary) {
  LiveStatement statement = ledger.statement(alpha);
  statement.is_primary = is_primary;
  LiveVerdict verdict = live_verdict(evidence, statement);
  verdict.by_family = ledger.qrels().has_family_map();
  return verdict;
}

/// Sets the number of topics and the mean difference of the arms.
void add_mean(const Ledger& ledger, const ComparedPair& pair, const PairTotals& totals,
              MeanDifference& result) {
  if (!pair.is_shown) return;
  result.topics = totals.topics();
  if (why_not_compared(result.measure) || totals.topics() == 0) return;
  result.mean = ledger.scale() * totals.mean_difference();
}

/// Compares a pair in a measure, without a look at each topic. `alpha` is the share of the pair, if
/// the measure is the primary one.
MeanDifference mean_difference(const Ledger& ledger, const ComparedPair& pair, std::size_t m,
                               const SummaryFacts& facts, double alpha) {
  MeanDifference result{{}, ledger.scorer().measures()[m]};
  add_mean(ledger, pair, ledger.pair(pair.b).totals[m], result);
  if (why_not_compared(result.measure) || ledger.options().mode == Mode::kObserve) return result;
  // A plan may leave no alpha to the verdict that holds whenever one looks.
  const bool has_verdict = m == ledger.options().primary && alpha > 0.0;
  result.live =
      live_verdict_of(ledger, pair.is_shown ? ledger.evidence(pair.b, m) : BoundedEvidence(),
                      has_verdict ? alpha : facts.alpha, has_verdict);
  if (has_verdict && pair.is_vetoed) result.live->state = LiveState::kVetoed;
  return result;
}

/// Adds the means of both arms and the outcomes of the topics, if each topic has both.
void add_outcomes(const Ledger& ledger, const PairTotals& totals, MeasureDifference& result) {
  if (ledger.options().mode == Mode::kSplit) return;
  if (result.mean) {
    result.mean_a = totals.mean_a();
    result.mean_b = totals.mean_b();
  }
  result.wins = totals.wins();
  result.ties = totals.ties();
  result.losses = totals.losses();
}

/// Compares a pair in each measure; `alpha` is its share for the primary one.
std::vector<MeasureDifference> measure_differences(const Ledger& ledger, const ComparedPair& pair,
                                                   const SummaryFacts& facts, double alpha) {
  std::vector<MeasureDifference> results;
  for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
    MeasureDifference result{mean_difference(ledger, pair, m, facts, alpha)};
    add_outcomes(ledger, ledger.pair(pair.b).totals[m], result);
    if (ledger.options().mode != Mode::kSplit) result.worst = worst_topics(ledger, pair.b, m);
    results.push_back(std::move(result));
  }
  return results;
}

/// Returns the state of a slice. A slice may speak, and still have too little evidence.
LiveState state_of(const SliceSummary& slice, const LiveVerdict& live, bool is_vetoed) {
  if (!slice.may_speak) return LiveState::kDescribed;
  if (is_vetoed) return LiveState::kVetoed;
  const bool is_enough = live.topics >= kUnitsThatSpeak && slice.differing >= kDifferentThatSpeak;
  return is_enough ? live.state : LiveState::kCollecting;
}

/// Compares a pair in a slice. `alpha` is the share of the pair, for all slices that may speak.
SliceSummary slice_summary(const Ledger& ledger, const ComparedPair& pair, std::size_t s,
                           const SummaryFacts& facts, double alpha) {
  const FollowedSlices& slices = ledger.options().slices;
  const FollowedSlice& of = slices.all()[s];
  const Ledger::SliceState& state = ledger.pair(pair.b).slices[s];
  SliceSummary slice{.dimension = of.dimension,
                     .name = of.name,
                     .slices = of.slices,
                     .judged = of.judged,
                     .may_speak = of.may_speak,
                     .difference = {{{}, primary_measure(ledger)}}};
  MeasureDifference& difference = slice.difference;
  add_mean(ledger, pair, state.totals, difference);
  add_outcomes(ledger, state.totals, difference);
  if (ledger.options().mode == Mode::kObserve) return slice;
  if (pair.is_shown) slice.differing = state.differing;
  const double share = of.may_speak ? alpha / static_cast<double>(slices.speaking()) : facts.alpha;
  difference.live =
      live_verdict_of(ledger, pair.is_shown ? ledger.evidence_in(s, pair.b) : BoundedEvidence(),
                      share, of.may_speak);
  difference.live->state = state_of(slice, *difference.live, pair.is_vetoed);
  return slice;
}

std::vector<SliceSummary> slice_summaries(const Ledger& ledger, const ComparedPair& pair,
                                          const SummaryFacts& facts, double alpha) {
  std::vector<SliceSummary> slices;
  if (why_not_compared(primary_measure(ledger))) return slices;
  for (std::size_t s = 0; s < ledger.options().slices.all().size(); ++s) {
    slices.push_back(slice_summary(ledger, pair, s, facts, alpha));
  }
  return slices;
}

/// Returns the measure that topics are said to have moved by: the first PRES of the experiment.
/// Returns std::nullopt if each topic is of one arm.
std::optional<std::size_t> moving_measure(const Ledger& ledger) {
  const std::span<const Measure> measures = ledger.scorer().measures();
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].definition().name != kPres.name || measures[m].min_grade()) continue;
    return ledger.options().mode == Mode::kSplit ? std::nullopt : std::optional(m);
  }
  return std::nullopt;
}

/// Returns the citations whose last ranks differ between two arms.
std::vector<CitationChange> changes_of(const Ledger& ledger, TopicIndex topic,
                                       const Measure& measure, ArmIndex a, ArmIndex b) {
  const auto hits = [&](ArmIndex arm) {
    return std::span(ledger.track(arm).topics[topic.value()].last.ranking.hits);
  };
  return citation_changes(ledger.qrels().topic(topic), hits(a), hits(b),
                          CitationCredits::of(measure).value());
}

std::optional<TopicMove> topic_move(const Ledger& ledger, ArmIndex b, TopicIndex topic,
                                    std::size_t m) {
  const std::optional<double> in_a = last_score(ledger, kFirstArm, topic, m);
  const std::optional<double> in_b = last_score(ledger, b, topic, m);
  if (!in_a || !in_b || clean_difference(*in_b, *in_a) == 0.0) return std::nullopt;
  const TopicQrels& judged = ledger.qrels().topic(topic);
  TopicMove move{{judged.id(), *in_a, *in_b, clean_difference(*in_b, *in_a)},
                 ledger.scorer().measures()[m],
                 judged.num_rel()};
  std::vector<CitationChange> changes = changes_of(ledger, topic, move.measure, kFirstArm, b);
  std::erase_if(changes, [](const CitationChange& change) { return change.credit == 0; });
  move.citations = citation_moves(judged, changes);
  return move;
}

/// Largest difference first.
std::vector<TopicMove> topic_moves(const Ledger& ledger, ArmIndex b) {
  std::vector<TopicMove> moves;
  const std::optional<std::size_t> m = moving_measure(ledger);
  if (!m) return moves;
  ledger.for_each_topic([&](TopicIndex topic) {
    if (auto move = topic_move(ledger, b, topic, *m)) moves.push_back(std::move(*move));
  });
  std::ranges::stable_sort(moves, std::greater{},
                           [](const TopicMove& move) { return std::abs(move.difference); });
  return moves;
}

OverlapMean overlap_mean(const BoundedMean& mean, const LatestValues& latest, double alpha) {
  const BoundedMean::Interval interval = mean.interval(alpha);
  return {.mean = mean.mean(), .low = interval.low, .high = interval.high, .latest = latest.mean()};
}

std::optional<OverlapSummary> overlap_summary(const Overlaps& overlaps, ArmIndex b, double alpha) {
  if (!overlaps.are_wanted()) return std::nullopt;
  const OverlapState& state = overlaps.pair(b);
  return OverlapSummary{.depth = overlaps.options().depth,
                        .persistence = overlaps.options().persistence,
                        .alpha = alpha,
                        .visits = state.rbo.n(),
                        .empty = state.empty,
                        .shallow = state.shallow,
                        .other_index = state.other_index,
                        .left_out = state.left_out,
                        .incomplete = state.incomplete,
                        .waiting = overlaps.waiting(),
                        .failed_a = state.failed_a,
                        .failed_b = state.failed_b,
                        .identical = state.identical,
                        .shallow_depth = state.shallow_depth,
                        .jaccard = overlap_mean(state.jaccard, state.latest_jaccard, alpha),
                        .rbo = overlap_mean(state.rbo, state.latest_rbo, alpha),
                        .most_changed = state.most_changed.all()};
}

std::vector<ArmPair> arm_pairs(const Ledger& ledger) {
  std::vector<ArmPair> pairs;
  for (std::uint32_t b = 1; b < ledger.num_arms(); ++b) {
    if (!ledger.arm(ArmIndex(b)).is_removed()) pairs.push_back({.a = kFirstArm, .b = ArmIndex(b)});
  }
  return pairs;
}

/// The chances of error that one of several pairs may make.
struct PairAlphas {
  double all;      ///< of its slices, and of its latency
  double live;     ///< of the verdict that holds whenever one looks
  double planned;  ///< of the planned test
};

PairAlphas alphas_of(const Ledger& ledger, const SummaryFacts& facts, std::size_t pairs) {
  const double of = std::max(1.0, static_cast<double>(pairs));
  const PlanOptions& plan = ledger.options().test.plan;
  const double live = plan.topics > 0 ? plan.live_alpha : facts.alpha;
  return {.all = facts.alpha / of, .live = live / of, .planned = (facts.alpha - live) / of};
}

}  // namespace

std::vector<ArmPair> compare_arms(const Ledger& ledger, const SummaryFacts& facts,
                                  SummaryDetail detail) {
  std::vector<ArmPair> pairs = arm_pairs(ledger);
  const PairAlphas alphas = alphas_of(ledger, facts, pairs.size());
  for (ArmPair& pair : pairs) {
    pair.sample_ratio = sample_ratio(ledger, pair.b, facts);
    pair.checks = checks_of(ledger, pair, facts);
    const ComparedPair compared{pair.b, is_compared(ledger, pair.b, facts), is_vetoed(pair.checks)};
    pair.differences = measure_differences(ledger, compared, facts, alphas.live);
    pair.planned = planned_test(ledger, compared, alphas.planned);
    pair.outlook = outlook_of(ledger, compared, pair);
    pair.equivalence = equivalence_of(ledger, compared);
    pair.slices = slice_summaries(ledger, compared, facts, alphas.all);
    if (ledger.options().mode != Mode::kSplit) {
      pair.latency = latency_ratio_of_visits(ledger.pair(pair.b), alphas.all);
    }
    pair.guardrails = guardrails_of(ledger, compared, pair.latency);
    pair.overlap = overlap_summary(ledger.overlaps(), pair.b, alphas.all);
    pair.told_topics = ledger.pair(pair.b).alike.topics();
    pair.alike_topics = ledger.pair(pair.b).alike.alike();
    if (detail == SummaryDetail::kEveryTopic) pair.moves = topic_moves(ledger, pair.b);
  }
  return pairs;
}

PastEpoch past_epoch(const Ledger& ledger, const SummaryFacts& facts) {
  // The counters of the process are not of this epoch, and a store lacks what they were then.
  SummaryFacts of_epoch = facts;
  of_epoch.health = {};
  PastEpoch past{.epoch = ledger.epoch()};
  std::vector<ArmPair> pairs = arm_pairs(ledger);
  const PairAlphas alphas = alphas_of(ledger, facts, pairs.size());
  for (ArmPair& pair : pairs) {
    pair.sample_ratio = sample_ratio(ledger, pair.b, facts);
    const ComparedPair compared{pair.b, is_compared(ledger, pair.b, facts),
                                is_vetoed(checks_of(ledger, pair, of_epoch))};
    for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
      PastEpoch::Difference& ended = past.differences.emplace_back(
          PastEpoch::Difference{mean_difference(ledger, compared, m, facts, alphas.live), pair.b});
      if (m != ledger.options().primary) continue;
      ended.planned = planned_test(ledger, compared, alphas.planned);
    }
  }
  return past;
}

void keep_epoch(const Ledger& ended, SummaryFacts& facts) {
  constexpr std::size_t kKept = 16;
  facts.past_epochs.push_back(past_epoch(ended, facts));
  if (facts.past_epochs.size() > kKept) facts.past_epochs.erase(facts.past_epochs.begin());
}

std::optional<double> last_score(const Ledger& ledger, ArmIndex arm, TopicIndex topic,
                                 std::size_t measure) {
  if (ledger.arm(arm).is_removed()) return std::nullopt;
  const Score& score = ledger.score(arm, topic, measure);
  const bool is_of_last_visit = score.last_place == ledger.track(arm).topics[topic.value()].visits;
  return score.has_last && is_of_last_visit ? std::optional(score.last) : std::nullopt;
}

namespace {

/// Returns std::nullopt for a document that was not yet judged when the index was resolved.
std::optional<bool> in_index(const ResolvedQrels* resolved, const Judgement& judgement) {
  if (resolved == nullptr) return std::nullopt;
  const std::uint32_t key = resolved->judged().find(judgement.key);
  if (key == JudgedDocnos::kNotJudged) return std::nullopt;
  return std::ranges::binary_search(resolved->resolutions(), key, {}, &Resolution::key);
}

std::vector<TopicDetail::Citation> citations_of(const Ledger& ledger,
                                                std::span<const ArmFacts> arms, TopicIndex topic) {
  const TopicQrels& judged = ledger.qrels().topic(topic);
  std::vector<TopicDetail::Citation> citations;
  for (std::uint32_t j = 0; j < judged.judgements().size(); ++j) {
    const Judgement& judgement = judged.judgements()[j];
    TopicDetail::Citation& citation = citations.emplace_back();
    citation = {.docno = judgement.docno,
                .grade = judgement.grade,
                .relevant = judged.is_relevant(JudgementIndex(j)),
                .about = judgement.about};
    for (const ArmFacts& arm : arms) {
      citation.arms.push_back({.in_index = in_index(arm.resolved, judgement)});
    }
  }
  for (std::uint32_t a = 0; a < arms.size(); ++a) {
    if (ledger.arm(ArmIndex(a)).is_removed()) continue;
    for (const JudgedHit& hit : ledger.track(ArmIndex(a)).topics[topic.value()].last.ranking.hits) {
      citations[hit.judgement.value()].arms[a].rank = hit.rank;
    }
  }
  return citations;
}

std::optional<TopicDetail::Difference> difference_of(const Ledger& ledger, TopicIndex topic,
                                                     std::size_t m, ArmIndex a, ArmIndex b) {
  const std::optional<double> in_a = last_score(ledger, a, topic, m);
  const std::optional<double> in_b = last_score(ledger, b, topic, m);
  if (!in_a || !in_b) return std::nullopt;
  const TopicQrels& judged = ledger.qrels().topic(topic);
  TopicDetail::Difference difference{.a = a,
                                     .b = b,
                                     .measure = ledger.scorer().measures()[m],
                                     .difference = clean_difference(*in_b, *in_a),
                                     .shares = std::vector(judged.judgements().size(), 0.0)};
  for (const CitationChange& change : changes_of(ledger, topic, difference.measure, a, b)) {
    difference.shares[change.judgement.value()] = change.share;
  }
  return difference;
}

std::vector<TopicDetail::Difference> differences_of(const Ledger& ledger, TopicIndex topic) {
  std::vector<TopicDetail::Difference> differences;
  const std::optional<std::size_t> m = moving_measure(ledger);
  if (!m) return differences;
  for (std::uint32_t a = 0; a < ledger.num_arms(); ++a) {
    for (std::uint32_t b = a + 1; b < ledger.num_arms(); ++b) {
      auto difference = difference_of(ledger, topic, *m, ArmIndex(a), ArmIndex(b));
      if (difference) differences.push_back(std::move(*difference));
    }
  }
  return differences;
}

}  // namespace

std::optional<TopicDetail> topic_detail(const Ledger& ledger, std::span<const ArmFacts> arms,
                                        const TopicId& id) {
  const std::optional<TopicIndex> topic = ledger.qrels().find(id.text());
  if (!topic) return std::nullopt;
  return TopicDetail{.row = topic_row(ledger, arms, *topic),
                     .citations = citations_of(ledger, arms, *topic),
                     .differences = differences_of(ledger, *topic)};
}

}  // namespace prescope
