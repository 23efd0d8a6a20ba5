#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "studies/study_runs.h"

namespace prescope {

/// The measures of a cutoff sweep.
enum class SweepMeasure : std::uint8_t { kAveragePrecision, kRecall, kPres };
inline constexpr std::array<SweepMeasure, 3> kSweepMeasures = {
    SweepMeasure::kAveragePrecision, SweepMeasure::kRecall, SweepMeasure::kPres};
[[nodiscard]] std::optional<double> value_of(const SweepPoint& point, SweepMeasure measure);

/// MAP, Recall and PRES of runs against N_max, as in figure 8 of Magdy & Jones, SIGIR 2010.
struct CutoffStudy {
  struct Run {
    std::vector<SweepPoint> points;      ///< one for each cutoff
    std::vector<std::uint32_t> shorter;  ///< for each: topics with fewer documents than that
    std::uint32_t depth = 0;             ///< most documents of any topic
    std::uint32_t topics = 0;            ///< that count
  };
  /// The order of two runs turned round between two cutoffs, at which both have other scores; in
  /// between they may be equal.
  struct Flip {
    SweepMeasure measure{};
    std::size_t ahead_before = 0, ahead_after = 0;  ///< runs
    std::size_t before = 0, after = 0;              ///< cutoffs, by position

    friend bool operator==(const Flip&, const Flip&) = default;
  };
  /// How much of the order at the lowest cutoff is left at the highest.
  struct Order {
    SweepMeasure measure{};
    std::size_t pairs = 0;
    std::size_t flipped = 0;        ///< pairs that turned round at least once
    std::optional<double> tau_b{};  ///< between the two orders
  };

  std::vector<Cutoff> cutoffs;           ///< ascending
  std::vector<std::uint32_t> below_n{};  ///< for each: topics with more relevant documents
  std::uint32_t largest_n = 0;
  std::vector<Run> runs{};
  std::vector<Flip> flips{};  ///< by measure, then by where, then by runs
  std::array<Order, kSweepMeasures.size()> orders{};
};

/// `cutoffs` ascending, at least one. On up to `threads` threads, whose number changes nothing.
[[nodiscard]] CutoffStudy study_cutoffs(const StudyRuns& runs, std::vector<Cutoff> cutoffs,
                                        unsigned threads);

}  // namespace prescope
