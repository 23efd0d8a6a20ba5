#pragma once

#include <map>
#include <set>

#include "fleet/clickhouse.h"
#include "live/summary/summarize.h"
#include "prescope/resolved_qrels.h"
#include "store/sessions/rebuilt_session.h"

namespace prescope {

/// An epoch that servers share.
struct EpochName {
  std::string experiment{};
  std::uint64_t key = 0;
  std::int64_t began_ms = 0;  ///< when a server last changed to it

  friend bool operator==(const EpochName& a, const EpochName& b) {
    return a.experiment == b.experiment && a.key == b.key;
  }
  /// Returns a condition of SQL for the rows of the epoch.
  [[nodiscard]] std::string condition() const;
};

/// The options, judgements and arms that the facts of an epoch refer to.
struct FleetEpoch {
  EpochName name{};
  SessionSetUp set_up;
  JudgedDocnos judged;
  std::vector<ArmFacts> arms{};
};

/// A store in an epoch, as its shipper says.
struct SpoolProgress {
  std::uint64_t up_to = 0, dropped = 0, waiting = 0;
  std::int64_t complete_ms = 0;
  std::int64_t ahead_ms = 0;     ///< its machine's clock, of ClickHouse's
  std::uint64_t ahead_rows = 0;  ///< with a time in the future
  bool is_closed = false;
  std::vector<std::string> servers{};                 ///< all names that it was shipped under
  std::uint64_t shipped_up_to = 0, shipped_rows = 0;  ///< of the epoch
  std::map<std::string, std::uint64_t, std::less<>> counters{};

  friend bool operator==(const SpoolProgress&, const SpoolProgress&) = default;
};
/// Names a store: the server name that it was last shipped under, and its random number. The number
/// alone identifies the store.
using SpoolName = std::pair<std::string, std::uint64_t>;

/// Returns the arms that the text of an epoch lists, in their order.
[[nodiscard]] std::vector<ArmFacts> arms_in(std::string_view text);

// The functions throw as ClickHouse::ask does.

/// An epoch of which a row cannot be understood.
struct SenselessEpoch : Error {
  explicit SenselessEpoch(const std::string& message) : Error(ErrorCode::kBadInput, message) {}
};

/// Returns the epoch that servers changed to last, of `experiment` or of any, but none with a key
/// in `left_out`. One that begins in the future counts only if there is no other. Throws
/// Error(kUsage) if there is none.
[[nodiscard]] EpochName newest_epoch(ClickHouse& fleet,
                                     const std::optional<std::string>& experiment,
                                     const std::set<std::uint64_t>& left_out = {});
/// Servers have one configuration in an epoch; if their options differ, the newest counts. Throws
/// SenselessEpoch, and Error(kBadInput) if the judgements are not those of the servers.
[[nodiscard]] FleetEpoch read_epoch(ClickHouse& fleet, const EpochName& name);
/// Returns a sentence for each version of judgements that is not what its servers use, because rows
/// are lost or were changed.
[[nodiscard]] std::vector<std::string> broken_judgements(ClickHouse& fleet);
/// Returns the stores that have facts of the epoch.
[[nodiscard]] std::map<SpoolName, SpoolProgress> read_progress(ClickHouse& fleet,
                                                               const EpochName& name);
/// Returns the open servers that have observations in other epochs of the experiment only, each
/// with the number of these.
[[nodiscard]] std::map<std::string, std::uint64_t> servers_elsewhere(ClickHouse& fleet,
                                                                     const EpochName& name);

}  // namespace prescope
