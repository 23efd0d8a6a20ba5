#pragma once

#include <atomic>
#include <list>

#include "collect/posted_ranking.h"
#include "prescope/experiment.h"

namespace prescope {

/// Joins rankings that are posted one by one to visits, and passes them to an experiment. In
/// Mode::kPaired a visit is compared when all arms have ranked it; if some have not after a wait,
/// or too many visits wait, it is given up and counted. Not thread-safe.
class PostedVisits {
 public:
  using Clock = std::chrono::steady_clock;
  /// Visits that wait at once, as many as an experiment keeps.
  static constexpr std::size_t kMostOpen = std::size_t{1} << 14U;

  /// `experiment` must outlive this object.
  PostedVisits(Experiment& experiment, std::chrono::seconds wait)
      : experiment_(experiment), wait_(wait) {}

  /// A ranking with the names that were found for it.
  struct Named {
    const PostedRanking& ranking;
    TopicIndex topic{};
    ArmIndex arm{};
    std::uint64_t request_id = 0;
  };
  /// Records the ranking. Throws Error(kBadInput) if it does not fit the mode or its visit.
  Outcome observe(const Named& posted);
  /// Notes that an earlier process recorded the served ranking of a visit. Rankings of other arms
  /// that still come for the visit count as comparisons without a partner, and not as served.
  void remember(const Named& posted);
  /// Gives up the visits that have waited too long.
  void give_up(Clock::time_point now = Clock::now());
  void give_up_all() { give_up(Clock::time_point::max()); }
  /// Returns the number of visits that were given up before their time, because too many waited.
  /// Any thread.
  [[nodiscard]] std::uint64_t crowded_out() const noexcept { return crowded_out_; }

 private:
  /// A visit that may still get rankings.
  struct Open {
    std::uint64_t id = 0;  // hash of its name
    Clock::time_point until{};
    OpenComparison comparison{};    // its visit has no request_id
    std::uint64_t arms_ranked = 0;  // for comparison from rank 1 on: a bit for each arm
    bool is_ended = false;
    bool is_of_earlier_process = false;  // see `remember`; nothing else has come yet
  };
  using Place = std::list<Open>::iterator;

  [[nodiscard]] Visit visit_of(const Named& posted, std::uint64_t request_id) const;
  Outcome observe_served(const Visit& visit, const Named& posted);
  Outcome observe_paired(const Named& posted);
  Outcome observe_compared(Open& open, const Named& posted);
  void compare_unjudged(Open& open, const Named& posted);
  Open& open_visit(const Named& posted, bool is_shadow);
  Open& add(Open open);
  void give_up_oldest();
  void give_up(Open& open);
  void end_if_complete(Open& open);
  void check_compared(const Named& posted) const;

  Experiment& experiment_;
  std::chrono::seconds wait_;
  std::atomic<std::uint64_t> crowded_out_ = 0;
  std::list<Open> open_;                             // oldest first
  std::unordered_map<std::uint64_t, Place> places_;  // by id
};

}  // namespace prescope
