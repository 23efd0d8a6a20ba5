#pragma once

#include <array>
#include <string>
#include <vector>

#include "facts/observation_rules.h"
#include "facts/stage_names.h"
#include "prescope/qrels.h"

namespace prescope {

/// The relevant documents at each stage of an arm's rankings, by topic: of the last visit that was
/// observed at any stage. A topic counts for a stage if both the stage and what was served were
/// observed in that visit. Without an inner stage nothing is kept. Not thread-safe.
class StageCoverage {
 public:
  /// Sums over topics; see StageSummary.
  struct Totals {
    std::uint32_t topics = 0;
    std::uint64_t relevant = 0, found = 0, kept = 0, served = 0;
  };

  /// Adds a ranking to what its stage had in the visit of this number, which may be that of an
  /// earlier request if it is a later page, in the judgements of `topic`. A ranking
  /// that was served from rank 1 on takes the place of the one before; one that is unnamed is
  /// ignored after one that is named. O(hits x documents found).
  void add(const Observation& ranking, std::uint64_t visit, const TopicQrels& topic);
  /// Forgets a topic, because its judgements have changed.
  void forget(TopicIndex topic) noexcept;
  void clear() noexcept { *this = StageCoverage(); }

  [[nodiscard]] const Totals& totals(Stage stage) const noexcept {
    return totals_[static_cast<std::size_t>(stage)];
  }

 private:
  struct Found {
    Stage stage{};
    std::vector<JudgementIndex> relevant{};  ///< each once
  };
  struct Topic {
    std::uint64_t visit = 0;
    std::uint64_t num_rel = 0;
    bool is_served = false, is_named = false;
    std::vector<Found> stages{};
  };

  [[nodiscard]] static std::vector<JudgementIndex>& found_at(Topic& topic, Stage stage);
  /// Adds the topic to the totals, or takes it out with -1.
  void count(const Topic& topic, std::int64_t times) noexcept;

  std::vector<Topic> topics_;  // by TopicIndex, those up to the last; empty before an inner stage
  std::array<Totals, kMostStages> totals_{};
};

}  // namespace prescope
