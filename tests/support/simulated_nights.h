#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nightly/gate/gate.h"

/// Simulated nights with a known truth: topics of two evaluations drawn from a population that has
/// exactly the requested mean difference of PRES@100.
namespace prescope::testing {

/// The effect of a night on citations. Ranks are drawn as in CLEF-IP 2009: 3 citations in 26 % of
/// the topics, 5.8 on average; the log10 of a rank varies by 0.9 in a topic and by 0.7 between
/// topics.
struct NightModel {
  std::string_view name;
  double share_moved;           ///< of topics, whose citations move
  double sd_of_moves;           ///< of a citation's log10 rank, in either evaluation
  double share_beheaded = 0.0;  ///< of topics, that lose their best citation
  double share_emptied = 0.0;   ///< of topics, that lose all citations
  double margin = 0.01;
};

/// The scenarios of the reference simulation (its D, Z, S, K, C), and a night on which documents
/// were added without any effect.
[[nodiscard]] std::span<const NightModel> night_models();

class SimulatedNights {
 public:
  /// Moves the topics that move by one more number, found by bisection, so that the mean difference
  /// of `population` topics is `mean`.
  SimulatedNights(const NightModel& model, double mean, std::size_t population);

  struct Night {
    Baseline baseline{};
    EvaluationRecord tonight{};
  };
  /// `topics` of the population, with repetition; the same for the same `seed`.
  [[nodiscard]] Night draw(std::uint64_t seed, std::size_t topics) const;
  /// Mean of the whole population; differs from the mean asked for only because ranks are integers.
  [[nodiscard]] double mean() const;
  [[nodiscard]] double sd() const;

 private:
  struct Pair {
    EvaluationRecord::Topic baseline{}, tonight{};
    double difference = 0.0;
  };
  std::vector<Pair> pairs_;
};

/// The rules of the reference table: of catastrophes only topics that fall by 0.2.
[[nodiscard]] GateRules only_falls(double margin);

/// The number of nights by their outcome.
struct Outcomes {
  int pass = 0, regression = 0, inconclusive = 0, bad_input = 0;
};
/// Gates `nights` nights of 400 topics.
[[nodiscard]] Outcomes count_outcomes(const SimulatedNights& simulated, const GateRules& rules,
                                      int nights);

/// Sizes of the ten slices of a night of 1,000 topics, which are drawn without regard to them.
inline constexpr std::array<std::uint32_t, 10> kSliceSizes{200, 150, 120, 100, 100,
                                                           80,  75,  65,  60,  50};
/// Numbers of nights on which a slice does something.
struct SliceNights {
  int failed = 0;       ///< a slice fails
  int reported = 0;     ///< a slice fails or warns
  int regressions = 0;  ///< the outcome is a regression, by slices or by the mean
  int speaking = 0;     ///< number of slices that may speak, in all nights
};
/// Gates `nights` nights by the mean and by slices alone.
[[nodiscard]] SliceNights count_slice_nights(const SimulatedNights& simulated, double margin,
                                             int nights);
/// Counts on how many of `nights` nights the slice fails if its topics are of `worse`, and those of
/// the others of `alike`.
[[nodiscard]] int count_slice_found(const SimulatedNights& alike, const SimulatedNights& worse,
                                    std::size_t slice, double margin, int nights);

/// Something that is done to a night on which nothing else was lost, and the rule that names it.
struct Fault {
  std::string_view what, rule;
  GateVerdict::Status status;
  void (*make)(SimulatedNights::Night& night);
};
[[nodiscard]] std::span<const Fault> faults();
/// Counts on how many of `nights` quiet nights with the fault its rule has its status.
[[nodiscard]] int count_named(const SimulatedNights& quiet, const Fault& fault, int nights);

/// Latencies with a known ratio of tonight over the baseline.
struct LatencyModel {
  double ratio = 1.0;
  double sd_of_nights = 0.1;      ///< of ln latency, from night to night
  double autocorrelation = 0.95;  ///< of the machine's state (sd .5) from search to search
};
/// Returns an answer of a night: the pairs of 400 topics, each searched in random order, while the
/// machine goes up and down; a search varies by .2 by itself.
[[nodiscard]] LatencyPairs simulated_pairs(const LatencyModel& model, std::uint64_t seed);
/// Returns the 95 % quantiles in ms of `nights` nights, and of one more with the ratio.
[[nodiscard]] std::vector<double> simulated_quantiles(const LatencyModel& model, int nights,
                                                      std::uint64_t seed);
/// Counts how many of `nights` nights fail by latency: by pairs, or if `past` > 0 by so many
/// nights.
[[nodiscard]] int count_slow(const LatencyModel& model, int past, int nights);

/// Returns the most of n events of probability p that chance explains: four standard errors more.
[[nodiscard]] double most_by_chance(double p, int n);

}  // namespace prescope::testing
