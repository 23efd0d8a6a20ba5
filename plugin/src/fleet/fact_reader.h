#pragma once

#include <future>
#include <mutex>

#include "fleet/fleet_epoch.h"

namespace prescope {

/// One row of the observations' table.
struct Fact {
  std::int64_t order_ms = 0;
  Observation observation{};
};

/// The facts of a store with numbers in (after, up_to], in the order of their numbers.
struct FactPage {
  std::uint64_t up_to = 0;
  std::uint64_t rows = 0;         ///< each number once, also rows that make no sense
  std::uint64_t senseless = 0;    ///< of these
  std::vector<Fact> facts{};      ///< that make sense
  std::vector<JudgedHit> hits{};  ///< that `facts` refer to; the page can be moved
};

/// Reads the facts of an epoch, also on other threads, one page at a time.
class FactReader {
 public:
  /// `epoch` must outlive the reader.
  FactReader(FleetAddress address, const FleetEpoch& epoch)
      : epoch_(epoch), fleet_(std::move(address)) {}

  /// `servers` are all names that the store was shipped under; ClickHouse finds its rows by them.
  /// Any thread. Throws as ClickHouse::ask, and FleetUnavailable if the answer is cut short.
  [[nodiscard]] FactPage read(std::uint64_t spool, const std::vector<std::string>& servers,
                              std::uint64_t after, std::uint64_t up_to);
  /// Begins to read on another thread. The reader must outlive the future.
  [[nodiscard]] std::future<FactPage> begin(std::uint64_t spool, std::vector<std::string> servers,
                                            std::uint64_t after, std::uint64_t up_to);

  /// Visits up to this number are late.
  static constexpr std::uint64_t kLateVisit = 1;

 private:
  const FleetEpoch& epoch_;
  std::mutex asking_;
  ClickHouse fleet_;  // guarded by `asking_`
};

}  // namespace prescope
