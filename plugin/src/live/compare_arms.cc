#include "live/compare_arms.h"

#include <algorithm>
#include <cmath>

#include "core/citation_changes.h"
#include "core/measures/definitions.h"
#include "core/statistics/differences.h"
#include "core/statistics/paired_t.h"

namespace prescope {

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kTooFewTopics:
      return "too few topics";
    case Verdict::kIdentical:
      return "identical";
    case Verdict::kNoDifference:
      return "no difference shown";
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
  }
  return "";
}

namespace {

using TopicState = Ledger::TopicState;

Verdict verdict_of(const PairedT& test) {
  if (test.sd == 0.0 && test.mean == 0.0) return Verdict::kIdentical;
  if (test.ci_low > 0.0) return Verdict::kBetter;
  if (test.ci_high < 0.0) return Verdict::kWorse;
  return Verdict::kNoDifference;
}

MeasureDifference measure_difference(const Experiment::State& state, ArmIndex b, std::size_t m) {
  MeasureDifference result{.measure = state.scorer.measures()[m]};
  std::vector<double> differences;
  for (std::uint32_t t = 0; t < state.qrels().topics().size(); ++t) {
    if (const auto difference = state.ledger.difference(b, TopicIndex(t), m)) {
      differences.push_back(*difference);
    }
  }
  const Ledger::PairState::Measure& sums = state.ledger.pair(b).measures[m];
  result.wins = sums.wins;
  result.ties = sums.ties;
  result.losses = sums.losses;
  result.topics = static_cast<std::uint32_t>(differences.size());
  if (const std::optional<PairedT> test = paired_t(differences)) {
    result.mean = test->mean;
    result.ci_low = test->ci_low;
    result.ci_high = test->ci_high;
    result.p_value = test->p_value;
    result.verdict = verdict_of(*test);
  }
  return result;
}

/// The mean log latency of a topic is one value, however often it was asked.
void compare_latency(const Experiment::State& state, ArmPair& pair) {
  std::vector<double> log_ratios;
  for (std::size_t t = 0; t < state.qrels().topics().size(); ++t) {
    const TopicState& a = state.ledger.arm(pair.a).topics[t];
    const TopicState& b = state.ledger.arm(pair.b).topics[t];
    if (a.timed_visits == 0 || b.timed_visits == 0) continue;
    log_ratios.push_back(b.sum_log_latency / static_cast<double>(b.timed_visits) -
                         a.sum_log_latency / static_cast<double>(a.timed_visits));
  }
  pair.latency.topics = static_cast<std::uint32_t>(log_ratios.size());
  if (const std::optional<PairedT> test = paired_t(log_ratios)) {
    pair.latency.mean = std::exp(test->mean);
    pair.latency.ci_low = std::exp(test->ci_low);
    pair.latency.ci_high = std::exp(test->ci_high);
  }
}

std::vector<CitationMove> citation_moves(const TopicQrels& judged, const TopicState& a,
                                         const TopicState& b, const CitationCredits& credits) {
  const auto whole = static_cast<double>(credits.whole(judged.num_rel()));
  std::vector<CitationMove> moves;
  for (const CitationChange& change : citation_changes(judged, a.hits, b.hits, credits)) {
    if (change.credit == 0) continue;
    const Judgement& judgement = judged.judgements()[change.judgement.value()];
    moves.push_back({.docno = judgement.docno,
                     .grade = judgement.grade,
                     .rank_a = change.rank_a,
                     .rank_b = change.rank_b,
                     .share = static_cast<double>(change.credit) / whole});
  }
  return moves;
}

/// The measure by which topics are said to have moved: the first PRES of the experiment.
std::optional<std::size_t> moving_measure(std::span<const Measure> measures) {
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].definition().name == kPres.name) return m;
  }
  return std::nullopt;
}

std::vector<TopicMove> topic_moves(const Experiment::State& state, ArmIndex a, ArmIndex b) {
  std::vector<TopicMove> moves;
  const std::optional<std::size_t> m = moving_measure(state.scorer.measures());
  if (!m) return moves;
  const Measure& measure = state.scorer.measures()[*m];
  const CitationCredits credits = CitationCredits::of(measure).value();
  for (std::uint32_t t = 0; t < state.qrels().topics().size(); ++t) {
    const TopicState& in_a = state.ledger.arm(a).topics[t];
    const TopicState& in_b = state.ledger.arm(b).topics[t];
    const Ledger::Score& score_a = state.ledger.score(a, TopicIndex(t), *m);
    const Ledger::Score& score_b = state.ledger.score(b, TopicIndex(t), *m);
    if (score_a.visits == 0 || score_b.visits == 0) continue;
    const double difference = clean_difference(score_b.last, score_a.last);
    if (difference == 0.0) continue;
    const TopicQrels& judged = state.qrels().topics()[t];
    moves.push_back({.topic = judged.id(),
                     .measure = measure,
                     .a = score_a.last,
                     .b = score_b.last,
                     .difference = difference,
                     .num_rel = judged.num_rel(),
                     .citations = citation_moves(judged, in_a, in_b, credits)});
  }
  std::stable_sort(moves.begin(), moves.end(), [](const TopicMove& x, const TopicMove& y) {
    return std::abs(x.difference) > std::abs(y.difference);
  });
  return moves;
}

}  // namespace

ArmPair compare_arms(const Experiment::State& state, ArmIndex a, ArmIndex b) {
  ArmPair pair{.a = a, .b = b};
  for (std::size_t m = 0; m < state.scorer.measures().size(); ++m) {
    pair.differences.push_back(measure_difference(state, b, m));
  }
  pair.moves = topic_moves(state, a, b);
  compare_latency(state, pair);
  return pair;
}

}  // namespace prescope
