#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "prescope/experiment_options.h"

#pragma GCC visibility push(default)
/// Connects a server with its fleet's ClickHouse: its observations go there, decisions about its
/// arms come from there; docs/fleet.md.
namespace prescope {

struct ShipOptions {
  /// The fleet: "clickhouse://host:8123/database", "clickhouse+https://host1,host2/database". The
  /// variables PRESCOPE_CLICKHOUSE_USER, _PASSWORD, _PASSWORD_FILE and _CA_FILE say the rest.
  std::string to{};
  /// The name of this server in the fleet; empty: that of the machine. Each store of a machine
  /// that is shipped needs one of its own.
  std::string server{};
  std::size_t batch = 20'000;  ///< observations that are sent as a whole, at most, [1, 500000]
  /// Time between two looks into the store while it runs, [100, 600000] ms. Each costs up to three
  /// inserts: a fleet takes some 50 a second for each of its shards.
  std::chrono::milliseconds interval{10'000};
  /// Observations that were not acknowledged for so long, or beyond so many bytes (180 for each),
  /// are given up, the oldest first, and counted.
  std::optional<std::chrono::milliseconds> most_age{};
  std::optional<std::uint64_t> most_bytes{};
  /// For `ship_all`: how long it goes on while the fleet cannot be reached.
  std::chrono::milliseconds patience{60'000};
  /// For `follow_decisions`: the time between two looks for decisions, [50, 60000] ms.
  std::chrono::milliseconds decision_interval{2000};
  /// Called with a sentence when shipping or following decisions fails and when it goes on, and for
  /// each decision that was applied or cannot be. On the thread that does it.
  std::function<void(const std::string&)> on_warning{};
};

struct ShipProgress {
  std::uint64_t shipped = 0;   ///< observations that were acknowledged to this object
  std::uint64_t waiting = 0;   ///< observations of the store that are not acknowledged
  std::uint64_t dropped = 0;   ///< observations that were given up, since the store was made
  std::uint64_t failures = 0;  ///< requests that failed and were sent again
  bool is_connected = false;   ///< the last request succeeded
  /// All observations before it are in the fleet, by ClickHouse's clock; 1970 if none is yet.
  std::chrono::sys_time<std::chrono::milliseconds> complete{};
  std::chrono::milliseconds clock_ahead{};  ///< this machine's clock, of ClickHouse's
  std::string last_error{};                 ///< the last failure, also after it has passed
};

/// Ships all that is in the store, and returns. Throws Error: as opening a store does; kUsage for
/// options out of range and for what the fleet refuses; kIo if the fleet cannot be reached for
/// `patience`. What was not acknowledged stays in the store.
ShipProgress ship_all(const std::filesystem::path& store, const ShipOptions& options);

/// Ships a store for as long as it lives, on a thread of its own; the store may be made later. What
/// fails is tried again, after 50 ms at first and 30 s at last. Observing never waits for it. One
/// for each store and fleet; it may run in the host or, as `prescope ship --follow`, beside it.
class Shipper {
 public:
  /// Throws Error(kUsage) for options out of range, kIo for an unreadable password file.
  Shipper(std::filesystem::path store, ShipOptions options);
  /// Ends after the present request. What was not acknowledged stays in the store.
  ~Shipper();
  Shipper(const Shipper&) = delete;
  Shipper& operator=(const Shipper&) = delete;

  /// Any thread.
  [[nodiscard]] ShipProgress progress() const;

 private:
  class [[gnu::visibility("hidden")]] Work;
  std::unique_ptr<Work> work_;
};

/// Returns a service for ExperimentOptions::services that applies the fleet's decisions about the
/// experiment's arms: `prescope fleet pause`, `resume` and `restart` become
/// `Experiment::pause_arm`, `resume_arm` and `restart_arm`, each once and in their order, except
/// for one that a later decision undoes. The table `decisions` of the store has what was applied,
/// and an experiment begins with it, also if the fleet cannot be reached. A decision that cannot be
/// applied, such as one about an unknown arm, changes nothing and is tried again. Beginning the
/// service throws as opening a store does, and Error(kUsage) for options out of range.
[[nodiscard]] AttachService follow_decisions(std::filesystem::path store, ShipOptions options);

}  // namespace prescope
#pragma GCC visibility pop
