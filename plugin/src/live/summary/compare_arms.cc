#include "live/summary/compare_arms.h"

#include <algorithm>
#include <cmath>

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
    MeasureDifference result{.measure = ledger.scorer().measures()[m],
                             .topics = static_cast<std::uint32_t>(pair.differences.n())};
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

}  // namespace prescope
