#pragma once

#include <functional>

#include "base/utc_time.h"
#include "fleet/fleet_epoch.h"

namespace prescope {

struct Fact;

/// An experiment's state over all servers of a fleet: the facts of one epoch, folded into one
/// ledger in the order of their times, up to the time at which every server is complete. The order
/// does not depend on when rows arrived, so that a restarted reader has the same first pairs. Not
/// thread-safe.
class FleetSession {
 public:
  /// Called now and then while many facts are folded, with the state at that time.
  using OnProgress = std::function<void(const FleetSession& so_far, UtcTime time)>;

  /// Reads all facts of the epoch that servers changed to last, of `experiment` or of any. Throws
  /// as ClickHouse::ask, and Error(kUsage) if there is none.
  explicit FleetSession(FleetAddress address, std::optional<std::string> experiment = {},
                        OnProgress on_progress = {});
  ~FleetSession();

  /// Reads what is new; begins with another epoch if servers changed to one. Returns whether the
  /// summary may have changed. Throws as ClickHouse::ask; the state is then as before, or has some
  /// of what is new.
  bool read();

  [[nodiscard]] Summary summary(SummaryDetail detail = SummaryDetail::kEveryTopic) const;
  /// Like `Experiment::topic`, without the indexes' part.
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) const;
  /// Returns the time of the last fact, and of the epoch's beginning.
  [[nodiscard]] UtcTime last() const;
  [[nodiscard]] UtcTime began() const;
  [[nodiscard]] std::uint64_t observations() const;

 private:
  struct Spool;
  struct State;

  [[nodiscard]] bool read_progress(State& state);
  void fold(State& state);
  [[nodiscard]] bool fill(State& state, const SpoolName& name, Spool& spool);
  void record(State& state, const Fact& fact);
  [[nodiscard]] std::vector<std::string> sentences() const;

  ClickHouse fleet_;
  std::optional<std::string> experiment_;
  OnProgress on_progress_;
  std::unique_ptr<State> state_;
};

}  // namespace prescope
