#pragma once

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

/// Counts how many of `nights` nights of 400 topics pass.
[[nodiscard]] int count_passes(const SimulatedNights& simulated, const GateRules& rules,
                               int nights);

/// Returns the most of n events of probability p that chance explains: four standard errors more.
[[nodiscard]] double most_by_chance(double p, int n);

}  // namespace prescope::testing
