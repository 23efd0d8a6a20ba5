#pragma once

#include "measures/cutoff_sweep.h"
#include "runs/evaluation.h"

namespace prescope {

/// A measure of a cutoff sweep.
struct SweepMeasure {
  std::string_view key;     ///< "map", in JSON and CSV
  std::string_view family;  ///< "AP", of the topics' measure
  std::string_view title;   ///< "MAP"
  Mean SweepPoint::*mean;
};
inline constexpr std::array<SweepMeasure, 3> kSweepMeasures = {
    {{"map", "AP", "MAP", &SweepPoint::average_precision},
     {"recall", "R", "Recall", &SweepPoint::recall},
     {"pres", "PRES", "PRES", &SweepPoint::pres}}};

/// MAP, Recall and PRES of runs against N_max, as in figure 8 of Magdy & Jones, SIGIR 2010. Runs,
/// cutoffs and measures are named by their positions.
struct CutoffStudy {
  struct Run {
    std::vector<SweepPoint> points{};      ///< one for each cutoff
    std::vector<std::uint32_t> shorter{};  ///< for each: topics with fewer documents than that
    std::uint32_t depth = 0;               ///< most documents of any topic

    /// Topics that count in every mean.
    [[nodiscard]] std::uint32_t topics() const { return points.front().pres.topics; }
  };
  /// The order of two runs turned round between two cutoffs, at which both have other scores; in
  /// between they may be equal.
  struct Flip {
    std::size_t measure = 0;
    std::size_t ahead_before = 0, ahead_after = 0;  ///< runs
    std::size_t before = 0, after = 0;              ///< cutoffs

    friend bool operator==(const Flip&, const Flip&) = default;
  };
  /// The order at the lowest cutoff against that at the highest.
  struct Order {
    std::size_t pairs = 0;
    std::size_t flipped = 0;        ///< pairs that turned round at least once
    std::optional<double> tau_b{};  ///< between the two orders
  };

  std::vector<Cutoff> cutoffs;           ///< ascending
  std::vector<std::uint32_t> below_n{};  ///< for each: topics with more relevant documents
  std::uint32_t largest_n = 0;
  std::vector<Run> runs{};
  std::vector<Flip> flips{};  ///< by measure, then cutoffs, then runs
  std::array<Order, kSweepMeasures.size()> orders{};

  [[nodiscard]] std::optional<double> value(std::size_t measure, std::size_t run,
                                            std::size_t cutoff) const {
    return (runs[run].points[cutoff].*kSweepMeasures[measure].mean).mean;
  }
};

/// `cutoffs` ascending, at least one. The result does not depend on the number of threads.
[[nodiscard]] CutoffStudy study_cutoffs(const RankedRuns& runs, std::vector<Cutoff> cutoffs,
                                        unsigned threads);

}  // namespace prescope
