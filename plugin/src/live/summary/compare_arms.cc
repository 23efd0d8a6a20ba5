#include <algorithm>
#include <cmath>

#include "live/summary/summarize.h"
#include "measures/citation_changes.h"
#include "measures/definitions.h"
#include "statistics/evidence.h"
#include "statistics/paired_tests.h"

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

constexpr ArmIndex kFirstArm{0};

Verdict verdict_of(const PairedT& test) {
  if (test.sd == 0.0 && test.mean == 0.0) return Verdict::kIdentical;
  if (test.ci_low > 0.0) return Verdict::kBetter;
  if (test.ci_high < 0.0) return Verdict::kWorse;
  return Verdict::kNoDifference;
}

/// One measure's difference in every topic that has one, in the order of the topics.
struct Differences {
  std::vector<double> values;
  std::vector<TopicIndex> topics;
};

void collect(const Ledger& ledger, ArmIndex b, std::size_t measure, Differences& out) {
  out.values.clear();
  out.topics.clear();
  const auto num_topics = static_cast<std::uint32_t>(ledger.qrels().topics().size());
  for (std::uint32_t t = 0; t < num_topics; ++t) {
    const std::optional<double> difference = ledger.difference(b, TopicIndex(t), measure);
    if (!difference) continue;
    out.values.push_back(*difference);
    out.topics.push_back(TopicIndex(t));
  }
}

/// Positions of the topics that B loses most in, largest loss first, then in the qrels' order.
std::vector<std::size_t> worst_positions(std::span<const double> differences) {
  constexpr std::size_t kShown = 5;
  std::vector<std::size_t> worst;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (!(differences[i] < 0.0)) continue;
    if (worst.size() == kShown && !(differences[i] < differences[worst.back()])) continue;
    if (worst.size() == kShown) worst.pop_back();
    const auto behind = std::ranges::find_if(
        worst, [&](std::size_t other) { return differences[i] < differences[other]; });
    worst.insert(behind, i);
  }
  return worst;
}

std::vector<TopicDifference> worst_topics(const Ledger& ledger, ArmIndex b, std::size_t measure,
                                          const Differences& differences) {
  std::vector<TopicDifference> worst;
  for (const std::size_t i : worst_positions(differences.values)) {
    const TopicIndex topic = differences.topics[i];
    worst.push_back({.topic = ledger.qrels().topic(topic).id(),
                     .a = ledger.score(kFirstArm, topic, measure).mean,
                     .b = ledger.score(b, topic, measure).mean,
                     .difference = differences.values[i]});
  }
  return worst;
}

void add_paired_t(std::span<const double> differences, MeasureDifference& result) {
  const std::optional<PairedT> test = paired_t(differences);
  if (!test) return;
  result.mean = test->mean;
  result.ci_low = test->ci_low;
  result.ci_high = test->ci_high;
  result.p_value = test->p_value;
  result.verdict = verdict_of(*test);
}

LiveStatement statement_of(const Ledger& ledger, double alpha) {
  const LedgerOptions& options = ledger.options();
  return score_statement(options.mode,
                         options.baseline.empty() ? BaselineScores::kNone : BaselineScores::kKnown,
                         alpha);
}

std::vector<double> log_latency_ratios(const Ledger& ledger, ArmIndex b) {
  const std::vector<Ledger::TopicState>& in_a = ledger.arm(kFirstArm).topics;
  const std::vector<Ledger::TopicState>& in_b = ledger.arm(b).topics;
  std::vector<double> ratios;
  for (std::size_t t = 0; t < in_a.size(); ++t) {
    if (in_a[t].timed_visits == 0 || in_b[t].timed_visits == 0) continue;
    ratios.push_back(in_b[t].sum_log_latency / static_cast<double>(in_b[t].timed_visits) -
                     in_a[t].sum_log_latency / static_cast<double>(in_a[t].timed_visits));
  }
  return ratios;
}

LatencyRatio latency_ratio(const Ledger& ledger, ArmIndex b, double alpha) {
  const TopicSums& sums = ledger.pair(b).log_latency;
  LatencyRatio ratio{.topics = static_cast<std::uint32_t>(sums.n())};
  if (const std::optional<PairedT> test = paired_t(log_latency_ratios(ledger, b))) {
    ratio.mean = std::exp(test->mean);
    ratio.ci_low = std::exp(test->ci_low);
    ratio.ci_high = std::exp(test->ci_high);
  }
  if (const auto half_width = log_latency_sequence(alpha).half_width(sums)) {
    ratio.low = std::exp(sums.mean() - *half_width);
    ratio.high = std::exp(sums.mean() + *half_width);
  }
  return ratio;
}

SampleRatio sample_ratio(std::uint32_t topics_a, std::uint32_t topics_b) {
  const double enough = std::log(1000.0);
  const double log_e = sample_ratio_log_e(topics_a, topics_b);
  return {.topics_a = topics_a, .topics_b = topics_b, .log_e = log_e, .alarm = log_e >= enough};
}

}  // namespace

std::vector<ArmIndex> arms_compared(const Ledger& ledger) {
  std::vector<ArmIndex> arms;
  for (std::uint32_t b = 1; b < ledger.num_arms(); ++b) {
    if (!ledger.arm(ArmIndex(b)).is_removed()) arms.emplace_back(b);
  }
  return arms;
}

AlphaShares AlphaShares::of(const Ledger& ledger, double alpha) {
  const double pairs = std::max(1.0, static_cast<double>(arms_compared(ledger).size()));
  const double measures = std::max(1.0, static_cast<double>(ledger.scorer().measures().size()));
  return {.measure = alpha / (measures * pairs), .latency = alpha / pairs};
}

std::vector<MeasureDifference> measure_differences(const Ledger& ledger, ArmIndex b,
                                                   const AlphaShares& shares) {
  const LiveStatement statement = statement_of(ledger, shares.measure);
  const bool same_topics = ledger.options().mode != Mode::kSplit;
  std::vector<MeasureDifference> results;
  Differences differences;
  for (std::size_t m = 0; m < ledger.scorer().measures().size(); ++m) {
    const Ledger::PairState::Measure& pair = ledger.pair(b).measures[m];
    collect(ledger, b, m, differences);
    MeasureDifference result{{{}, ledger.scorer().measures()[m]}};
    result.topics = static_cast<std::uint32_t>(pair.differences.n());
    if (result.topics > 0) result.mean = statement.scale * pair.differences.mean();
    if (same_topics) {
      result.wins = pair.wins;
      result.ties = pair.ties;
      result.losses = pair.losses;
      add_paired_t(differences.values, result);
      result.worst = worst_topics(ledger, b, m, differences);
    }
    result.live = live_verdict(pair.differences, differences.values, statement);
    results.push_back(std::move(result));
  }
  return results;
}

ArmPair compare_arms(const Ledger& ledger, ArmIndex b, const AlphaShares& shares) {
  ArmPair pair{.a = kFirstArm, .b = b, .differences = measure_differences(ledger, b, shares)};
  if (ledger.options().mode == Mode::kSplit) {
    pair.sample_ratio = sample_ratio(ledger.arm(kFirstArm).topics_seen, ledger.arm(b).topics_seen);
  } else {
    pair.latency = latency_ratio(ledger, b, shares.latency);
  }
  return pair;
}

std::optional<std::size_t> moving_measure(std::span<const Measure> measures) {
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].definition().name == kPres.name) return m;
  }
  return std::nullopt;
}

std::optional<double> last_score(const Ledger& ledger, ArmIndex arm, TopicIndex topic,
                                 std::size_t measure) {
  const Ledger::Score& score = ledger.score(arm, topic, measure);
  const Cutoff cutoff = ledger.scorer().measures()[measure].cutoff().value();
  if (score.visits == 0 || !ledger.arm(arm).topics[topic.value()].reaches(cutoff)) {
    return std::nullopt;
  }
  return score.last;
}

namespace {

using Place = TopicDetail::Citation::Place;

/// Nothing for a document that was not judged yet when the index was looked through.
std::optional<bool> in_index(const ResolvedQrels* resolved, const Judgement& judgement) {
  if (resolved == nullptr) return std::nullopt;
  const std::uint32_t key = resolved->judged().find(judgement.key);
  if (key == JudgedDocnos::kNotJudged) return std::nullopt;
  return !std::ranges::binary_search(resolved->missing_keys(), key);
}

/// Of every judgement of the topic in one arm.
std::vector<Place> places_in(const Ledger& ledger, const ArmFacts& facts, ArmIndex arm,
                             TopicIndex topic) {
  const std::span<const Judgement> judgements = ledger.qrels().topic(topic).judgements();
  std::vector<Place> places(judgements.size());
  if (ledger.arm(arm).is_removed()) return places;
  for (std::size_t j = 0; j < judgements.size(); ++j) {
    places[j].in_index = in_index(facts.resolved, judgements[j]);
  }
  for (const JudgedHit& hit : ledger.arm(arm).topics[topic.value()].ranking.hits) {
    places[hit.judgement.value()].rank = hit.rank;
  }
  return places;
}

std::vector<TopicDetail::Citation> citations_of(const Ledger& ledger,
                                                std::span<const ArmFacts> arms, TopicIndex topic) {
  const TopicQrels& judged = ledger.qrels().topic(topic);
  std::vector<TopicDetail::Citation> citations;
  for (std::uint32_t j = 0; j < judged.judgements().size(); ++j) {
    const Judgement& judgement = judged.judgements()[j];
    citations.push_back({.docno = judgement.docno,
                         .grade = judgement.grade,
                         .relevant = judged.is_relevant(JudgementIndex(j))});
  }
  for (std::uint32_t a = 0; a < arms.size(); ++a) {
    const std::vector<Place> places = places_in(ledger, arms[a], ArmIndex(a), topic);
    for (std::size_t j = 0; j < places.size(); ++j) citations[j].arms.push_back(places[j]);
  }
  return citations;
}

/// An arm that has a score of the topic.
struct Scored {
  ArmIndex arm{};
  double score = 0.0;
};

std::vector<Scored> scored_arms(const Ledger& ledger, TopicIndex topic, std::size_t measure) {
  std::vector<Scored> scored;
  for (std::uint32_t a = 0; a < ledger.num_arms(); ++a) {
    if (ledger.arm(ArmIndex(a)).is_removed()) continue;
    const std::optional<double> score = last_score(ledger, ArmIndex(a), topic, measure);
    if (score) scored.push_back({ArmIndex(a), *score});
  }
  return scored;
}

TopicDetail::Difference difference_of(const Ledger& ledger, TopicIndex topic,
                                      const Measure& measure, const Scored& a, const Scored& b) {
  const TopicQrels& judged = ledger.qrels().topic(topic);
  const CitationCredits credits = CitationCredits::of(measure).value();
  TopicDetail::Difference difference{.a = a.arm,
                                     .b = b.arm,
                                     .measure = measure,
                                     .difference = clean_difference(b.score, a.score),
                                     .shares = std::vector(judged.judgements().size(), 0.0)};
  const auto whole = static_cast<double>(credits.whole(judged.num_rel()));
  const auto hits = [&](ArmIndex arm) {
    return std::span(ledger.arm(arm).topics[topic.value()].ranking.hits);
  };
  for (const CitationChange& change : citation_changes(judged, hits(a.arm), hits(b.arm), credits)) {
    difference.shares[change.judgement.value()] = static_cast<double>(change.credit) / whole;
  }
  return difference;
}

std::vector<TopicDetail::Difference> differences_of(const Ledger& ledger, TopicIndex topic) {
  std::vector<TopicDetail::Difference> differences;
  const std::optional<std::size_t> m = moving_measure(ledger.scorer().measures());
  if (!m || ledger.options().mode == Mode::kSplit) return differences;
  const std::vector<Scored> scored = scored_arms(ledger, topic, *m);
  for (auto a = scored.begin(); a != scored.end(); ++a) {
    for (auto b = a + 1; b != scored.end(); ++b) {
      differences.push_back(difference_of(ledger, topic, ledger.scorer().measures()[*m], *a, *b));
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
