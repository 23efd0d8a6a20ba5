#pragma once

#include "store/sqlite/database.h"

namespace prescope {

/// What a store knows of a fleet that it is shipped to: its row in the table `sinks`. Not
/// thread-safe.
class FleetSink {
 public:
  struct State {
    std::int64_t acknowledged = 0;            ///< the fleet has all rows up to it, or never will
    std::optional<std::int64_t> in_flight{};  ///< rows up to it may have been sent
    std::int64_t latest_ms = 0;               ///< of ClickHouse's clock when they were fixed
    std::int64_t order_ms = 0;                ///< no later row will have an earlier one
    std::int64_t told = 0;                    ///< the fleet said that it knows of so many rows
    std::optional<std::int64_t> published{};  ///< the fleet was told of no row behind it
    std::uint64_t dropped = 0, ahead_rows = 0;
    std::uint64_t made_ms = 0;
  };

  struct Limits {
    std::optional<std::chrono::milliseconds> age{};
    std::optional<std::uint64_t> bytes{};  ///< about: kBytesOfRow for each row
  };
  static constexpr std::uint64_t kBytesOfRow = 180;

  /// Finds the fleet by the URL that it was last shipped to under, or adds it.
  FleetSink(Database& database, std::string url);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Throws Error(kUsage) if the fleet was forgotten meanwhile.
  [[nodiscard]] State state() const;

  /// Says which database answers at the URL. A fleet is its database: it stays the same under
  /// another URL, and another database at the same URL is a new fleet. Returns whether it is
  /// another one than before.
  bool identify(std::uint64_t id);
  /// Takes note of how many rows the fleet knows. Returns the number that the store must go back
  /// to, if the fleet has lost rows. Throws FleetConflict if the fleet knows rows of this store's
  /// number that this file has never sent: it is a copy, or was restored from an older state.
  std::optional<std::int64_t> compare(std::int64_t known);
  /// Says that the fleet knows all acknowledged rows now.
  void note_told();
  /// Gives up rows that exceed the limits, the oldest first. Returns their number; `dropped` of the
  /// spool counts them.
  std::uint64_t drop(const Limits& limits, UtcTime now);
  /// Promises that no later row will have an `order_ms` before `time`, if nothing waits.
  void promise(UtcTime time);
  /// Returns the number of rows that wait.
  [[nodiscard]] std::uint64_t waiting() const;
  /// Returns `made_ms` for the next rows: the time, or more after the clock was set back, because
  /// the fleet keeps the row with the highest.
  [[nodiscard]] std::uint64_t next_version();
  /// Forgets a fleet, which then keeps no rows from being pruned. Throws Error(kUsage), with the
  /// existing ones, for an unknown URL.
  static void forget(Database& database, std::string_view url);

 private:
  void rename(const std::string& name);
  void remove(const std::string& name);

  Database& database_;
  std::string url_, name_;
};

}  // namespace prescope
