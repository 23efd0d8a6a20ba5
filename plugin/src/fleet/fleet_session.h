#pragma once

#include <limits>

#include "base/utc_time.h"
#include "fleet/fleet_epoch.h"

namespace prescope {

/// An experiment's state over all servers of a fleet: the facts of one epoch, folded into one
/// ledger in the order of their times, up to the time at which every server is complete. The order
/// does not depend on when rows arrived, so that a restarted reader has the same first pairs. Not
/// thread-safe.
class FleetSession {
 public:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  /// Finds the epoch that servers changed to last, of `experiment` or of any, and reads its first
  /// `at_once` facts. Throws as ClickHouse::ask, and Error(kUsage) if there is none.
  explicit FleetSession(FleetAddress address, std::optional<std::string> experiment = {},
                        std::uint64_t at_once = kAll);
  ~FleetSession();

  /// Reads the next `at_once` facts. If no known fact is left, first looks for new ones, and for
  /// another epoch that servers changed to. Returns whether the summary may have changed. Throws as
  /// ClickHouse::ask; the state is then as before, or has some of the facts.
  bool read(std::uint64_t at_once = kAll);
  /// Rows may be lost after they were read. Counts the next `at_once` rows of all stores again, and
  /// begins anew once all rows were counted. The summary keeps what was read and says how many rows
  /// are missing. Returns true if the number of missing rows has changed. Throws like
  /// ClickHouse::ask.
  bool recount(std::uint64_t at_once = kAll);
  /// Returns whether known facts are left to read.
  [[nodiscard]] bool is_behind() const;

  [[nodiscard]] Summary summary(SummaryDetail detail = SummaryDetail::kEveryTopic) const;
  /// Like `Experiment::topic`, without the indexes' part.
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) const;
  /// Returns the time of the last fact, and of the epoch's beginning.
  [[nodiscard]] UtcTime last() const;
  [[nodiscard]] UtcTime began() const;
  [[nodiscard]] std::uint64_t observations() const;
  /// How far a server's store has come.
  struct Server {
    std::string name{};
    std::uint64_t spool = 0;
    UtcTime complete{};  ///< no later observation of it is to come
    std::uint64_t waiting = 0, missing = 0, dropped = 0, senseless = 0;
    std::chrono::milliseconds ahead{};  ///< its clock, of ClickHouse's
    bool is_closed = false;
  };
  [[nodiscard]] std::vector<Server> servers() const;

 private:
  struct State;

  EpochName find_epoch(bool& is_new);

  ClickHouse fleet_;
  std::optional<std::string> experiment_;
  std::unique_ptr<State> state_;
  std::map<std::uint64_t, std::string> senseless_;  // epochs that are left out, and why
};

}  // namespace prescope
