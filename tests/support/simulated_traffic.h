#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "live/ledger/ledger.h"

namespace prescope {

/// Traffic on two arms that are interchangeable, unless arm 1 has an advantage, and what makes it
/// hard to compare them. Time runs from 0, the first visit, to 1, the last.
struct NullTraffic {
  std::string name{};
  Mode mode = Mode::kPaired;
  ShadowOptions::Latency shadow_latency = ShadowOptions::Latency::kBothArms;
  bool has_baseline = false;  ///< Mode::kSplit
  std::uint32_t topics = 120, visits = 400;
  double first_shadows = 1.0, last_shadows = 1.0;  ///< share of searches that run, of each arm
  double lost = 0.0;         ///< share of the relevant documents that the index has lost at the end
  double drift = 0.0;        ///< by which the logarithms of ranks grow
  double visit_noise = 0.3;  ///< deviation of a logarithm of a rank from visit to visit
  double topic_effect = 0.3;      ///< the same between the arms, for all visits of a topic
  bool has_zipf_topics = false;   ///< topic n is visited 1 / n times as often as the first
  bool has_mixed_depths = false;  ///< 20 to 200 instead of 100 ranks, some of them short answers
  double second_pages = 0.0;      ///< share of visits that go on to a second page of 50 ranks each
  double advantage = 0.0;         ///< of arm 1, by which the logarithms of its ranks are smaller
};

/// All kinds that the promise of live verdicts is tested with.
[[nodiscard]] std::span<const NullTraffic> null_traffic();

/// The fate of one simulated experiment, looked at after every topic.
struct NullOutcome {
  bool has_verdict = false;  ///< "leading" or "confirmed" at any look
  std::uint32_t topics = 0;  ///< in the evidence
  /// The mean of all visits that arm 0 served, less its mean over compared visits.
  double served_less_compared = 0.0;
};
/// The same for the same seed. Verdicts are about PRES@50, at alpha 0.05.
[[nodiscard]] NullOutcome simulate(const NullTraffic& traffic, std::uint64_t seed);

/// Sums of outcomes.
struct NullOutcomes {
  std::uint32_t verdicts = 0;
  double topics = 0.0, served_less_compared = 0.0;  ///< means
};
/// Simulates experiments with the seeds 1 to `experiments`.
[[nodiscard]] NullOutcomes simulate_all(const NullTraffic& traffic, std::uint32_t experiments);

}  // namespace prescope
