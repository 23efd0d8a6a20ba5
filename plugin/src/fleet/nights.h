#pragma once

#include <map>
#include <set>

#include "fleet/clickhouse.h"
#include "store/nights/store.h"

namespace prescope {

/// The evaluations, pins and verdicts that all machines of a fleet share. ClickHouse has one row
/// for each change. A copy of the store is made from them in memory, so that whatever reads a store
/// reads the nights of a fleet. A change is stored if ClickHouse has acknowledged it. One that
/// another machine was slow to write may be missed until the nights are opened again. Not
/// thread-safe.
class FleetNights final : public Store {
 public:
  using Patience = std::chrono::milliseconds;
  /// Reads all changes: .6 s for 50,000 topics of evaluations. `patience`: how long to go on,
  /// now and with each change, if the fleet cannot be reached. Throws as ClickHouse::ask.
  FleetNights(FleetAddress address, Patience patience);

  /// Numbers are those that the fleet has. If two machines add an evaluation at the same time, each
  /// gets another number. Throws as Store and ClickHouse do; the change may then be stored if it is
  /// FleetUnavailable.
  void apply(StoreChange& change) override;

 private:
  void catch_up();
  void replay(std::uint64_t id, std::int64_t number, std::string_view bytes);
  void note(std::uint64_t id, const StoreChange& change);
  void publish(std::uint64_t id, const StoreChange& change, const std::string& bytes);

  ClickHouse fleet_;
  Patience patience_;
  std::uint64_t place_ = 0;                         // of the last change
  std::set<std::uint64_t> ids_;                     // of changes
  std::set<std::int64_t> numbers_;                  // of evaluations
  std::map<std::uint64_t, std::int64_t> attempts_;  // numbers, by the change that began them
};

/// Opens the nights of a fleet if `store` is the URL of one, otherwise the file.
[[nodiscard]] std::unique_ptr<Store> open_nights(const std::string& store, Store::Access access);
/// Returns the name for reports: of a fleet the URL without user and settings.
[[nodiscard]] std::string nights_name(const std::string& store);

}  // namespace prescope
