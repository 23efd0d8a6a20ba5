#include <fmt/format.h>
#include <cmath>
#include <set>

#include "base/split_mix.h"
#include "live/arms.h"
#include "statistics/latency_blocks.h"
#include "studies/self_test.h"

namespace prescope {

namespace {

constexpr double kResampledConfidence = 0.95;

bool is_verdict(const BoundedEvidence& evidence, const LiveStatement& statement) noexcept {
  const LiveState state = live_verdict(evidence, statement).state;
  return state == LiveState::kLeading || state == LiveState::kConfirmed;
}

Bounds turned(const Bounds& value) noexcept { return {-value.high, -value.low}; }

/// Returns whether the hash of Mode::kSplit gives a topic to the first of two arms.
bool is_of_first_arm(std::string_view topic, std::string_view salt) noexcept {
  constexpr std::array<std::string_view, 2> kNames{"a", "b"};
  const std::optional<ArmIndex> arm = drawn_arm(
      kNames.size(), [&](std::size_t i) { return kNames[i]; }, [](std::size_t) { return 1.0; },
      [](std::size_t) { return true; }, topic, salt);
  return arm == ArmIndex(0);
}

/// Returns whether a verdict stands after any of the values, each with its sign.
template <class IsTurned>
bool gives_verdict(std::span<const Bounds> values, const LiveStatement& statement,
                   IsTurned is_turned) {
  BoundedEvidence evidence;
  for (std::size_t i = 0; i < values.size(); ++i) {
    evidence.add(is_turned(i) ? turned(values[i]) : values[i]);
    if (i + 1 >= kFewestTopics && is_verdict(evidence, statement)) return true;
  }
  return false;
}

/// `begin_resample(r)` returns a function that says which values are turned in resample r.
template <class BeginResample>
ResampledVerdicts resampled(std::span<const Bounds> values, const LiveStatement& statement,
                            std::uint32_t resamples, const BeginResample& begin_resample) {
  ResampledVerdicts result{.units = static_cast<std::uint32_t>(values.size()),
                           .alpha = statement.alpha};
  result.differing = static_cast<std::uint32_t>(std::ranges::count_if(
      values, [](const Bounds& value) { return value.low != 0.0 || value.high != 0.0; }));
  if (values.size() < kFewestTopics) return result;
  result.resamples = resamples;
  // Values of 0 are the same under any sign.
  for (std::uint32_t r = 0; r < resamples && result.differing > 0; ++r) {
    result.with_verdict += gives_verdict(values, statement, begin_resample(r)) ? 1U : 0U;
  }
  result.interval =
      clopper_pearson_interval(result.with_verdict, result.resamples, kResampledConfidence);
  return result;
}

}  // namespace

LatencyEffect latency_effect(std::span<const double> log_ratios, double tolerance) {
  constexpr std::size_t kBlocks = kFewestSelfTestPairs / 2;
  LatencyEffect effect{.pairs = log_ratios.size()};
  if (log_ratios.size() < kFewestSelfTestPairs) return effect;
  PairedLatency pairs(static_cast<std::uint32_t>(log_ratios.size() / kBlocks));
  for (const double log_ratio : log_ratios) pairs.add(log_ratio);
  const std::optional<PairedT> test = paired_t(pairs.block_means());
  if (!test) return effect;
  for (const double mean : pairs.block_means()) effect.blocks.push_back(std::exp(mean));
  effect.ratio = std::exp(test->mean);
  effect.low = std::exp(test->ci_low);
  effect.high = std::exp(test->ci_high);
  const double most = 1.0 + tolerance, least = 1.0 / most;
  const bool is_beyond = *effect.low > most || *effect.high < least;
  const bool is_within = *effect.low >= least && *effect.high <= most;
  effect.state = is_beyond   ? LatencyEffect::State::kDiffers
                 : is_within ? LatencyEffect::State::kAlike
                             : LatencyEffect::State::kOpen;
  return effect;
}

ResampledVerdicts resampled_signs(std::span<const Bounds> values, const LiveStatement& statement,
                                  const SelfTestOptions& options) {
  SplitMix seeds(options.seed);
  return resampled(values, statement, options.resamples, [&](std::uint32_t) {
    return [random = SplitMix(seeds.next())](std::size_t) mutable {
      return (random.next() >> 63U) != 0;
    };
  });
}

ResampledVerdicts resampled_salts(std::span<const FirstScore> scores, double alpha,
                                  const SelfTestOptions& options) {
  // A topic is expected to have the mean of the topics before it, as SplitExpectation has it.
  std::vector<Bounds> distances;
  std::vector<std::string_view> topics;
  std::set<FamilyIndex> families;
  CompensatedSum sum;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double expected = i == 0 ? 0.5 : sum.value() / static_cast<double>(i);
    sum.add(scores[i].score);
    if (!families.insert(scores[i].family).second) continue;
    const double distance = clean_difference(scores[i].score, expected);
    distances.push_back({distance, distance});
    topics.push_back(scores[i].topic);
  }
  const LiveStatement statement = score_statement(Mode::kSplit, BaselineScores::kNone, alpha);
  return resampled(distances, statement, options.resamples, [&](std::uint32_t r) {
    return [&topics, salt = fmt::format("{}|{}", options.seed, r)](std::size_t i) {
      return is_of_first_arm(topics[i], salt);
    };
  });
}

}  // namespace prescope
